"""A running program: where it runs, how it is started and ended, and what it reports."""
