"""The tasks that arguments of pytest select, for commands that run none of them."""

from __future__ import annotations

import contextlib
import io
import sys
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.plugin.config import RUN
from pytest_mobileagent.plugin.items import case_of
from pytest_mobileagent.task.table import APPS, labels_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.device.doctor.tasks import Selected
    from pytest_mobileagent.task.task import Task


class _Collected:
    """A plugin that keeps the tasks of a session, each once, and the labels of their apps."""

    def __init__(self) -> None:
        self.tasks: dict[str, Task] = {}
        self.labels: dict[str, str] = {}
        self.has: tuple[str, ...] = ()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.has = session.config.stash[RUN].value("mobile-device-has") or ()
        for item in session.items:
            if (case := case_of(item)) is not None:
                self.tasks[case.id] = case.task
                self.labels |= labels_of(item.path.with_name(APPS))


def select(arguments: Sequence[str]) -> Selected:
    """Return the tasks that pytest's arguments select in the current folder.

    Raises:
        SystemExit: they cannot be collected; pytest has said why on standard error.
    """
    from pytest_mobileagent.device.doctor.tasks import Selected

    collected, said = _Collected(), io.StringIO()
    words = ["--collect-only", "-q", "-W", "ignore", *arguments]
    with contextlib.redirect_stdout(said):
        status = pytest.main(words, plugins=[collected])
    if status not in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}:
        sys.stderr.write(said.getvalue())
        raise SystemExit(int(status))
    return Selected(collected.tasks, collected.labels, collected.has)
