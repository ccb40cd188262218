"""Where and in which order tests run: workers of pytest-xdist, and tests that wait."""
