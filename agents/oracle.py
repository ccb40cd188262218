"""The oracle plays each task's solution or golden actions: a task that it fails is broken."""

from pytest_mobileagent import Scripted


class Oracle(Scripted):
    """Plays the whole solution, or else all golden actions."""
