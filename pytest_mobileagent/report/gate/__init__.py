"""The gate: whether a run is good enough, by itself or against a baseline."""
