"""A program while it is at work: where it runs, how it is started, ended and read."""
