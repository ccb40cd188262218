"""Agents that are outside programs: run unchanged, and recorded by what they do."""
