"""What the pool's policy makes of a plan; the policy itself is data, set by people alone."""
