"""Certifies a device: what a run relies on is tried, one contract after the other."""
