"""Agents in separate processes: one that hangs, crashes or leaves things behind harms no other.

`host.py` is the worker's side, `child.py` the agent's; `wire.py` what passes between them.
"""
