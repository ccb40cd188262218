"""Where tests run, and in which order: the workers of pytest-xdist, and tests that wait."""
