"""The sandbox, which runs a function written by a model so that it can only read an episode."""
