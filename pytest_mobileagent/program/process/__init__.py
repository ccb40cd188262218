"""A program at work: where it runs, how it is started and ended, and what it reports."""
