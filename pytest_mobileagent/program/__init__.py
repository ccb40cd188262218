"""Agents that are programs from outside: run as they are, and recorded by what they do."""
