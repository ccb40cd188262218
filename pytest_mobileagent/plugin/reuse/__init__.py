"""Going on with a run, and scoring one again: what was recorded is not run once more."""
