"""Agents in separate processes, so that one that hangs or crashes does not affect the others.

`host.py` is the worker's side, `child.py` the agent's; `wire.py` defines the messages between them.
"""
