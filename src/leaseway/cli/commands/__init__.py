"""One file per command: its options, one question to the client, and how the answer reads."""
