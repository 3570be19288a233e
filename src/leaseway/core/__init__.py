"""Room `core`: every rule, and nothing else. No clock, chance, I/O, log or await; time is an argument."""
