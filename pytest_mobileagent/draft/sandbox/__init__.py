"""Runs a function that a model wrote, isolated so that it can only read an episode."""
