"""What bounds are worth: real jobs of one machine, replayed against leases that end
(docs/evaluate.md)."""
