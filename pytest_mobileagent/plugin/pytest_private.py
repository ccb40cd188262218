"""All private names of pytest, pytest-xdist and pytest-rerunfailures that the plugin uses.

Each function says which public way is missing. All were checked with pytest 9.0 and 9.2,
pytest-xdist 3.8 and pytest-rerunfailures 16; no other module uses a private name of theirs, which
tests/plugin/test_pytest_private.py holds.

pytest imports this module in every session.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import pytest
from _pytest._code.code import (
    ExceptionRepr,
    ReprEntryNative,
    ReprExceptionInfo,
    ReprFileLocation,
    ReprTraceback,
)
from _pytest.junitxml import bin_xml_escape, xml_key
from _pytest.outcomes import Failed, Skipped
from _pytest.runner import runtestprotocol
from _pytest.skipping import xfailed_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from _pytest.junitxml import LogXML


# `pytest.fail.Exception` and `pytest.skip.Exception` are public, but not for type checkers.
__all__ = ["Failed", "Skipped"]


# Running a test


def run_unreported(item: pytest.Item, nextitem: pytest.Item | None) -> list[pytest.TestReport]:
    """Run a test, and return the reports of its phases without passing them to plugins.

    pytest's own protocol passes on each report at once, and no hook can hold one back.
    """
    return runtestprotocol(item, log=False, nextitem=nextitem)


def torn_down(item: pytest.Item, nextitem: pytest.Item | None) -> pytest.TestReport:
    """Tear down what the next test does not need after a test that was not set up.

    The hook for tear-downs does this as well, but other plugins' implementations of it expect that
    the test was set up.
    """
    tear_down = partial(item.session._setupstate.teardown_exact, nextitem)
    reraise = (pytest.exit.Exception, KeyboardInterrupt)
    call = pytest.CallInfo.from_call(tear_down, when="teardown", reraise=reraise)
    return pytest.TestReport.from_item_and_call(item, call)


def fixture_functions(item: pytest.Item, name: str) -> list[Callable[..., Any]]:
    """Return the functions of the fixtures of this name that a test sees; it gets the last one's.

    Publicly, a fixture is only known while it is set up.
    """
    definitions = item.session._fixturemanager.getfixturedefs(name, item) or ()
    return [definition.func for definition in definitions]


def is_overridden(item: pytest.Item, fixture: str) -> bool:
    """Return whether the project has its own fixture in place of one of this plugin's."""
    ours = f"{__package__}.fixtures"
    return any(each.__module__ != ours for each in fixture_functions(item, fixture)[-1:])


def is_expected_to_fail(item: pytest.Item) -> bool:
    """Return whether a failure of a test would be an xfail.

    Its markers are public, but the evaluation of their conditions is not.
    """
    return item.stash.get(xfailed_key, None) is not None


# Reports


def native_failure(lines: Iterable[str], path: str, line: int, message: str) -> ReprExceptionInfo:
    """Return what pytest displays for a failure: the lines, and the message in its summary.

    A report may also have a string, but only this has a message for the summary, and keeps it on
    the way from a pytest-xdist worker.
    """
    entries = [ReprEntryNative([f"{line}\n" for line in lines])]
    return ReprExceptionInfo(
        reprtraceback=ReprTraceback(entries, None, "native"),
        reprcrash=ReprFileLocation(path, line, message),
    )


def add_below(report: pytest.TestReport, title: str, text: str) -> bool:
    """Add a section below the traceback of a report; return False if it has no traceback.

    The public `sections` of a report are captured output, which `--show-capture` may hide.
    """
    if not isinstance(report.longrepr, ExceptionRepr):
        return False
    report.longrepr.addsection(title, text)
    return True


def junit_of(config: pytest.Config) -> LogXML | None:
    """Return the plugin that writes the JUnit XML, if it is written.

    Publicly, fixtures add properties to a running test's case; nothing adds or corrects a case.
    """
    return config.stash.get(xml_key, None)


def escaped_for_junit(value: object) -> str:
    """Return a value as pytest writes it to the JUnit XML, which cannot hold all characters."""
    return str(bin_xml_escape(value))


# The terminal


def file_of(writer: Any) -> Any:
    """Return the file that pytest's terminal writer writes to; it has no public name."""
    return writer._file


def use_file(writer: Any, file: Any) -> None:
    """Make pytest's terminal writer write to another file: no hook is called before it writes."""
    writer._file = file


def current_line(writer: Any) -> str:
    """Return what is displayed on the terminal line that pytest writes.

    The writer's public `width_of_current_line` also counts what a carriage return has overwritten.
    """
    return str(writer._current_line).rpartition("\r")[2]


def write_whole_lines(config: pytest.Config) -> None:
    """Keep pytest and pytest-xdist from rewriting lines, of which a CI system shows each state.

    They decide by the terminal alone, and each when it is configured.
    """
    terminal: Any = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None:
        terminal.isatty = type(terminal.isatty)(False)
        distribution: Any = config.pluginmanager.get_plugin("dsession")
        if (reporter := getattr(distribution, "trdist", None)) is not None:
            reporter._isatty = False


# Starting a session in a process that pytest-xdist did not start (see `engine.ray`)


def prepared_config(arguments: list[str]) -> pytest.Config:
    """Return pytest's configuration for the arguments; `pytest.main` would run a session."""
    from _pytest.config import _prepareconfig

    return _prepareconfig(arguments, None)


def set_program_name(config: pytest.Config, name: str) -> None:
    """Set the name by which usage errors call the program, as pytest-xdist does in its workers."""
    config._parser.prog = name


# pytest-xdist


@contextmanager
def reporting_as_current(item: pytest.Item) -> Iterator[None]:
    """Make a pytest-xdist worker accept reports about a test other than the one it is running."""
    plugins = item.config.pluginmanager.get_plugins()
    worker: Any = next((p for p in plugins if type(p).__name__ == "WorkerInteractor"), None)
    if worker is None:
        yield
        return
    running, worker.item_index = worker.item_index, item.session.items.index(item)
    try:
        yield
    finally:
        worker.item_index = running


def start_xdist_worker(controller: Any, spec: Any) -> None:
    """Make pytest-xdist's controller start another worker; it only replaces crashed ones itself."""
    controller._active_nodes.add(controller.nodemanager.setup_node(spec, controller.queue.put))


def worker_processes(controller: Any) -> dict[Any, Any]:
    """Return the processes of pytest-xdist's running workers on this machine, by worker.

    The public way to end a worker waits for its test.
    """
    found = {}
    for node in getattr(controller, "_active_nodes", ()):
        connection = getattr(getattr(node, "gateway", None), "_io", None)
        if (process := getattr(connection, "popen", None)) is not None:  # it has started
            found[node] = process
    return found


def too_many_crashes(controller: Any) -> str:
    """Return what pytest-xdist says if it ended a run as too many workers crashed; else ""."""
    return str(getattr(controller, "_summary_report", None) or "")


# pytest-rerunfailures


def end_reruns(item: pytest.Item) -> None:
    """Keep pytest-rerunfailures from repeating a test; only its options forbid that publicly."""
    final = getattr(item, "_terminal_errors", None)  # whether each phase's error forbids it
    if isinstance(final, dict):
        cast("dict[str, bool]", final)["mobileagent"] = True


def is_repeated_by_others(config: pytest.Config, nodeid: str) -> bool:
    """Return whether pytest-rerunfailures decides how often a test is run."""
    counts = getattr(config, "failures_db", None)
    is_asked = config.getoption("reruns", None) is not None
    return counts is not None and (is_asked or counts.get_test_reruns(nodeid) > 0)
