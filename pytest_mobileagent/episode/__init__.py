"""What happened: the record of an episode, its storage, and the loop that makes it."""

from pytest_mobileagent.episode.episode import Episode, Step, TaskRecord, Termination
from pytest_mobileagent.episode.store import load

__all__ = ["Episode", "Step", "TaskRecord", "Termination", "load"]
