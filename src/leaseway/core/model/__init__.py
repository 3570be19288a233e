"""Room `core.model`: the nouns. Frozen records and the mutable view; no decisions."""
