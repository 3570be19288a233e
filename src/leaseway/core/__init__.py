"""Room `core`: every rule, and nothing else. No clock, chance, I/O, log or await.

Time is an argument; refusals are values.
"""
