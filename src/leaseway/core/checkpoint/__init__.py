"""What a checkpoint says, what it is answered with, and what output counts as one. All pure."""
