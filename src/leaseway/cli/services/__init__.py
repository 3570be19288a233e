"""`--service`: what keeps a coordinator or a worker up, for the supervisor of this machine."""
