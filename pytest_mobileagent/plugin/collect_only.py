"""Collects the tasks that pytest's arguments select, for commands that do not run them."""

from __future__ import annotations

import contextlib
import io
import sys
from functools import cache
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.plugin.config import RUN
from pytest_mobileagent.plugin.items import case_of
from pytest_mobileagent.task.table import APPS, labels_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_mobileagent.device.doctor.tasks import Selected
    from pytest_mobileagent.task.task import Task


class _Collected:
    """A plugin that records the tasks of a session, each once, and the labels of their apps."""

    def __init__(self) -> None:
        self.tasks: dict[str, Task] = {}
        self.labels: dict[str, str] = {}
        self.has: tuple[str, ...] = ()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.has = session.config.stash[RUN].value("mobile-device-has") or ()
        for item in session.items:
            if (case := case_of(item)) is not None:
                self.tasks[case.id] = case.task
                self.labels |= _labels(item.path.parent, session.config.rootpath)


@cache
def _labels(folder: Path, root: Path) -> dict[str, str]:
    """Return the app labels listed in a folder and in those above it, up to the project's root."""
    is_inside = folder != root and root in folder.parents
    above = _labels(folder.parent, root) if is_inside else {}
    return above | labels_of(folder / APPS)


def select(arguments: Sequence[str]) -> Selected:
    """Return the tasks that pytest's arguments select in the current folder.

    Raises:
        SystemExit: if they cannot be collected; pytest's output goes to standard error.
    """
    from pytest_mobileagent.device.doctor.tasks import Selected

    collected, output = _Collected(), io.StringIO()
    words = ["--collect-only", "-q", "-W", "ignore", *arguments]
    with contextlib.redirect_stdout(output):
        status = pytest.main(words, plugins=[collected])
    if status not in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}:
        sys.stderr.write(output.getvalue())
        raise SystemExit(int(status))
    return Selected(collected.tasks, collected.labels, collected.has)
