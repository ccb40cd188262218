"""Which process runs which test, and when."""
