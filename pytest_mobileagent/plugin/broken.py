"""Reports broken task declarations at collection, without a traceback.

The apps that tasks name are also compared with the apps on the phones. A task whose app is missing
is skipped, so a suite can be run on phones that lack some apps. But a task whose app is misspelt
would be skipped on every phone, unnoticed. So, if the phones' packages are known before the phones
start, an app whose name is almost that of an installed one is an error.
"""

from __future__ import annotations

import difflib
import tomllib
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent._task.needs import APPS, alternatives
from pytest_mobileagent.check.walls import walls_near
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.plugin.config import RUN
from pytest_mobileagent.plugin.items import case_of, check_stopping, marker_of, place_of_row
from pytest_mobileagent.plugin.pytest_private import is_overridden, native_failure

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterable, Iterator
    from pathlib import Path


_MARK = "mobile_broken_task"  # the attribute of a report, which pytest-xdist transfers


class BrokenTasks:
    """A plugin that explains broken tasks, and ends a run that has any with status 4.

    A run that a worker stops with a usage error (see `stop`) also ends with status 4.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._found = False
        self._config = config
        self._apps = KnownApps(config)

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Report the message of a TaskError, and the line of the test file that raised it."""
        report = yield
        call: pytest.CallInfo[object] | None = getattr(report, "call", None)
        excinfo = None if call is None else call.excinfo
        if excinfo is not None and isinstance(excinfo.value, TaskError):
            setattr(report, _MARK, True)
            report.longrepr = _explain(excinfo, collector)
        elif report.passed and any(marker_of(item) is not None for item in report.result):
            self._check_suite(report, collector)
        return report

    def _check_suite(self, report: pytest.CollectReport, collector: pytest.Collector) -> None:
        """Fail a collection if a task is broken, its app misspelt, or a wall unreadable."""
        try:
            for item in report.result:
                if isinstance(item, pytest.Function):
                    check_stopping(item)
            self._apps.check(report.result)
            walls_near(collector.path.parent, self._config.rootpath)
        except TaskError as error:
            setattr(report, _MARK, True)
            report.outcome, report.result = "failed", []
            report.longrepr = _report_of(str(error), collector.nodeid.partition("::")[0])

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Remember that there was a broken task, also in a worker."""
        self._found = self._found or hasattr(report, _MARK)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Remember that a worker has stopped the run."""
        self._found = self._found or _MARK in getattr(node, "workeroutput", {})

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Set the exit status of a usage error, as the mistake was found without a device."""
        if self._found:
            session.exitstatus = pytest.ExitCode.USAGE_ERROR


def check_chosen(session: pytest.Session) -> None:
    """End a run without `--agent` if tasks need it because no fixture provides their agent.

    Raises:
        pytest.UsageError: if there are such tasks (see `stop`).
    """
    waiting = [
        item
        for item in session.items
        if case_of(item) is not None
        and "episode" in getattr(item, "fixturenames", ())
        and not is_overridden(item, "agent")
    ]
    if not waiting:
        return
    tasks = "1 task needs" if len(waiting) == 1 else f"{len(waiting)} tasks need"
    msg = (
        f"no agent was chosen, and {tasks} one: name it by --agent=NAME, FILE.py or 'cmd:COMMAND', "
        "the environment variable MOBILE_AGENT or the ini key mobile_agent; --agent=oracle plays "
        "the tasks' own solutions"
    )
    stop(session, msg)


def stop(session: pytest.Session, why: str) -> None:
    """End a run before its first episode, with a usage error.

    Raises:
        pytest.UsageError: except in a worker, which stops the run with this message instead.
    """
    output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if output is None:
        raise pytest.UsageError(why)
    output[_MARK] = True
    session.items.clear()
    session.shouldstop = why


def _explain(excinfo: pytest.ExceptionInfo[BaseException], collector: pytest.Collector) -> Any:
    message = printable(str(excinfo.value))
    inside = [entry.lineno + 1 for entry in excinfo.traceback if entry.path == collector.path]
    file = collector.nodeid.partition("::")[0]
    where = [f"{file}:{inside[-1]}"] if inside else []
    return _report_of("\n".join([message, *where]), file, inside[-1] if inside else 1, message)


def _report_of(text: str, file: str, line: int = 1, message: str = "") -> Any:
    """Return what pytest displays; its summary shows the message, or else the text."""
    return native_failure(text.split("\n"), file, line, message or text)


_NEAR = 0.8  # minimum difflib ratio of the differing parts of two names
_MOST = 5  # maximum number of misspelt apps in a message


class KnownApps:
    """The packages on the run's phones, with which tasks' packages are compared."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._lists: dict[Path, Collection[str]] = {}
        self._near: dict[str, str] = {}  # the package probably meant, or "", by the task's package

    def check(self, items: Iterable[Any]) -> None:
        """Check the apps of the tasks among test items, all from one module or class.

        Raises:
            TaskError: if the phones lack an app, but have one with almost the same name.
        """
        found = dict[str, str]()
        seen = set[tuple[str, ...]]()  # a table has many rows, but few apps
        for item in items:
            marker = marker_of(item) if isinstance(item, pytest.Function) else None
            named = () if marker is None else _named(marker)
            if marker is None or named in seen:
                continue
            seen.add(named)
            if is_overridden(item, "mobile_lease"):
                break
            listed = self._listed(item.path.parent)  # first, as phones may have to load their apps
            for package, others in _packages(named):
                if package in listed or package in found:
                    continue
                if (near := self._meant(package)) and near not in others:
                    what = f"the phones have no app {package!r}: did you mean {near!r}?"
                    file, line, _ = item.location
                    where = place_of_row(item) or f"{item.name}, {file}:{(line or 0) + 1}"
                    found[package] = f"{what} ({where})"
        if found:
            raise TaskError("\n".join([*list(found.values())[:_MOST], _HINT]))

    @cached_property
    def _packages(self) -> Collection[str]:
        """The packages on the phones; empty if they are unknown, or no phone is needed."""
        run = self._config.stash[RUN]
        packages = run.devices.packages() if run.earlier.makes_episodes else None
        return () if packages is None else packages  # not `or`: testing for emptiness takes time

    def _listed(self, folder: Path) -> Collection[str]:
        if folder not in self._lists:
            self._lists[folder] = _listed(folder, self._config.rootpath)
        return self._lists[folder]

    def _meant(self, package: str) -> str:
        """Return the installed package that a task probably means; empty if its name is fine."""
        if package not in self._near:
            known = package in self._packages
            self._near[package] = "" if known else nearest(package, self._packages)
        return self._near[package]


def nearest(package: str, known: Iterable[str]) -> str:
    """Return the known package whose name is closest to `package`; empty if none is close enough.

    Names are compared without their common leading and trailing parts between dots, as these make
    up most of a name: com.google.android.calendar is not a misspelling of …calculator. Names that
    differ only in their first part (com or org) count as equal.
    """

    def likeness(other: str) -> float:
        one, two = package.casefold().split("."), other.casefold().split(".")
        if len(one) == len(two) > 1 and one[1:] == two[1:]:
            return 1.0
        while one and two and one[0] == two[0]:
            del one[0], two[0]
        while one and two and one[-1] == two[-1]:
            del one[-1], two[-1]
        if not (one and two):  # one name has more parts, so it is another app
            return float(one == two)
        return difflib.SequenceMatcher(None, ".".join(one), ".".join(two)).ratio()

    best = max(sorted(known), key=likeness, default="")
    return best if best and likeness(best) >= _NEAR else ""


def _named(marker: pytest.Mark) -> tuple[str, ...]:
    """Return the apps that a task's marker names; errors in the marker are reported elsewhere."""
    app, apps = marker.kwargs.get("app"), marker.kwargs.get("apps", ())
    named = (app, *apps) if isinstance(apps, (list, tuple)) else (app,)
    return tuple(each for each in named if isinstance(each, str))


def _packages(named: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the packages of the apps that a task names, each with all its alternatives."""
    for each in map(alternatives, named):
        yield from ((package, each) for package in each if package)


_HINT = (
    f"If the name is correct, add it to the suite's {APPS}, and tasks are skipped where the app is "
    'missing: Label = "the.package"'
)


def _listed(folder: Path, root: Path) -> set[str]:
    above = [each for each in (folder, *folder.parents) if each.is_relative_to(root)]
    files = {file for each in above for file in (*each.glob(APPS), *each.glob(f"*/{APPS}"))}
    return {text for file in files for text in _texts(_read(file))}


def _read(file: Path) -> Any:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise TaskError(f"{file}: {error}") from None


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from alternatives(value)
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)
