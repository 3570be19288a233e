"""What earlier runs of a command say of how long the next one takes (docs/estimates.md)."""
