"""The `flips` command: why the verdicts of repeated tasks differ."""
