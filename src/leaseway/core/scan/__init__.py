"""Room `core.scan`: what can be said of a plan before anything runs. It changes nothing."""
