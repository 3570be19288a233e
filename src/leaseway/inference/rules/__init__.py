"""Rules, one file for each kind of program. A rule is told a call and says what it touches."""
