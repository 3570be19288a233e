"""Room `core.decisions`: one file per command. Each reads the view and says what happens; none
writes the view, and none knows how it is stored or sent."""
