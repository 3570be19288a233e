"""Room `core.admission`: may this task be promised to this worker now.

Every no comes with its numbers.
"""
