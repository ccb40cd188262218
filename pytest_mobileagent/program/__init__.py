"""Agents that are external programs: they run unchanged, and what they do is recorded as steps."""
