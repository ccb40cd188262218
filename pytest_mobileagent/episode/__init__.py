"""The record of an episode: its storage, its index and its older versions."""
