"""Tasks that are collected but not run: for `--collect-only`, and for commands."""

from __future__ import annotations

import ast
import contextlib
import inspect
import io
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent._task.table import APPS, labels_of
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.plugin.config import RUN
from pytest_mobileagent.plugin.items import case_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pytest_mobileagent._task.task import Task
    from pytest_mobileagent.device.doctor.tasks import Selected


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


def describe_answers(items: Sequence[pytest.Item]) -> None:
    """Let `--collect-only -v` print how expected answers are read, after a body's docstring.

    Only literals in the body are known before it runs.
    """
    for body in {
        item.obj: None for item in items if isinstance(item, pytest.Function) and case_of(item)
    }:
        read = [f"answers: {kinds}" for kinds in _expected(body)]
        if read:
            body.__doc__ = "\n".join([*filter(None, [inspect.getdoc(body)]), *read])


def _expected(body: Any) -> Iterator[str]:
    from pytest_mobileagent.check.answers.outcome import kinds_of
    from pytest_mobileagent.plugin.body_source import code_of, statements

    code = code_of(body)
    calls = [node for part in statements(code) for node in ast.walk(part)] if code else []
    literals: dict[str, None] = {}
    for node in calls:
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "answers" and node.args:
            with contextlib.suppress(ValueError, TypeError, TaskError):
                expected = ast.literal_eval(node.args[0])
                literals[", ".join(kind.shown for kind in kinds_of(expected))] = None
    yield from literals
