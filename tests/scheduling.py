"""The order in which tests start, and which of them a worker runs together."""

from __future__ import annotations

from xdist.scheduler import LoadScopeScheduling

# Files whose tests are independent and take minutes. They start first, because all workers would
# wait for one that started last.
_LONGEST = (
    "tests/suite/test_tasks_are_sound.py",
    "tests/suite/test_agents.py",
    "tests/examples/test_cookbook.py",
    "tests/examples/test_documentation.py",
    "tests/examples/test_first_page.py",
)
# Files that take a minute or more as a whole. They start next.
_LONG = (
    "tests/suite/test_agents_offline.py",
    "tests/plugin/test_avd.py",
    "tests/plugin/test_shutdown.py",
    "tests/plugin/test_processes.py",
    "tests/plugin/test_collector_suspects.py",
    "tests/dataset/test_equality.py",
    "tests/record/test_page.py",
)

# Folders whose runs of pytest fork their process for most tasks. They start before other tests have
# filled its memory, as a fork of a gigabyte takes 70 ms, and so does its end.
_FORKING = ("tests/options/", "tests/plugin/", "tests/suite/")
_PLACES = {file: place for place, file in enumerate((*_LONGEST, *_LONG))}


def place(nodeid: str) -> int:
    """Return the place of a test in the order; tests with the same place keep theirs."""
    later = len(_PLACES) + (not nodeid.startswith(_FORKING))
    return _PLACES.get(nodeid.split("::", 1)[0], later)


class LongestFirst(LoadScopeScheduling):  # type: ignore[misc]
    """Schedules the tests of a file, which may share fixtures, together, and long tests alone."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.split("::", 1)[0]
        return nodeid if file in _LONGEST else file
