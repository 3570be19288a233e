"""Room `cli.formats`: findings about a plan file for other programs. It asks nobody."""
