"""What became of promises, by worker, by principal and by what they rested on (docs/record.md)."""
