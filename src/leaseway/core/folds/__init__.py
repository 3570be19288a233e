"""Room `core.folds`: what each event means for the view, by what it is about. Called by
`core.evolve` only; the one place where the view is written."""
