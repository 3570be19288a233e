"""Own speed, printed as ratios in one run. Nothing here is a gate."""
