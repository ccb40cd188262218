"""Everything that imports pytest, and nothing else does."""
