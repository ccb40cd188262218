"""The plugin's implementations of pytest's hooks.

pytest imports this module in every session, so anything that only tasks need, or that
`pytest --help` does not need, is imported inside the hooks.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.plugin import hookspecs
from pytest_mobileagent.plugin.options import add_options

if TYPE_CHECKING:
    from collections.abc import Generator

    from pytest_mobileagent.plugin.config import RunConfig


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    pluginmanager.add_hookspecs(hookspecs)


def pytest_configure(config: pytest.Config) -> None:
    if config.option.help:  # --help must work even with broken settings
        return
    from pytest_mobileagent.plugin import fixtures
    from pytest_mobileagent.plugin.broken import BrokenTasks
    from pytest_mobileagent.plugin.config import RUN, RunConfig
    from pytest_mobileagent.plugin.items import MARKER, TAG
    from pytest_mobileagent.plugin.selection import SHARE, Selection
    from pytest_mobileagent.plugin.settings import runs_no_test

    for marker in (
        f"{MARKER}(goal, **fields): a task for the agent (see pytest_mobileagent.task)",
        f"{TAG}(name): a tag of a task, with one marker for each tag",
        f"{SHARE}(number): the share of a function's tasks in a sample of its suite",
    ):
        config.addinivalue_line("markers", marker)
    config.pluginmanager.register(fixtures, "mobileagent-fixtures")
    run = config.stash[RUN] = RunConfig(config)
    config.pluginmanager.register(BrokenTasks(config), "mobileagent-broken-tasks")
    config.pluginmanager.register(Selection(run), "mobileagent-selection")
    if runs_no_test(config):
        return
    if run.agent is not None:
        _spare_loopback(config)
        _prepare_ocr(config, run)
    run.redact()
    if run.runs_agents:
        run.agents.start()
    _register_parts(config.pluginmanager, run)
    if run.agent is not None and run.is_elsewhere:
        from pytest_mobileagent.plugin.engine.ray import use_cluster

        use_cluster(config)


def _run_of(config: pytest.Config) -> RunConfig:
    from pytest_mobileagent.plugin.config import RUN

    return config.stash[RUN]


def _spare_loopback(config: pytest.Config) -> None:
    """Let agents, programs and our own clients reach what this run serves past any proxy."""
    from pytest_mobileagent.urls import sparing_loopback

    patch = pytest.MonkeyPatch()
    for name, value in sparing_loopback(os.environ).items():
        patch.setenv(name, value)
    config.add_cleanup(patch.undo)


def _prepare_ocr(config: pytest.Config, run: RunConfig) -> None:
    from pytest_mobileagent.screen.ocr import share, use_engine

    use_engine(run.value("mobile-ocr"))
    cache = getattr(config, "cache", None)
    # Text that redaction removes from a screen must not be cached, either.
    if cache is None or run.value("mobile-cache") == "off" or run.value("mobile-redact"):
        return
    with contextlib.suppress(OSError):  # the cache cannot be written to
        share(Path(str(cache.mkdir("mobileagent-ocr"))))
        config.add_cleanup(lambda: share(None))


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtestloop(session: pytest.Session) -> Generator[None, Any, Any]:
    result = yield
    # Not later, as pytest-cov, which wraps this hook, then combines the processes' measurements.
    _run_of(session.config).agents.end()
    return result


def pytest_unconfigure(config: pytest.Config) -> None:
    if config.option.help:
        return
    from pytest_mobileagent.plugin.config import RUN

    if RUN in config.stash:  # missing if a usage error has ended the session
        config.stash[RUN].close()


def pytest_report_header(config: pytest.Config) -> list[str]:
    from pytest_mobileagent.plugin.settings import runs_no_test

    run = _run_of(config)
    if run.agent is None:
        return []
    given = [printable(str(setting)) for setting in run.settings.values() if setting.is_given]
    if run.earlier.header and not runs_no_test(config):
        given.append(printable(run.earlier.header))
    given += map(printable, run.agents.caveats)
    return ["mobileagent: " + given[0], *(f"  {line}" for line in given[1:])]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    from pytest_mobileagent.plugin.settings import read_option

    if read_option("mobile-engine", config).value.address is None:
        return None  # the default: the number of processors of this machine
    from pytest_mobileagent.plugin.engine.ray import phones

    return phones(config)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> Generator[None]:
    from pytest_mobileagent.plugin.pytest_private import write_whole_lines
    from pytest_mobileagent.plugin.settings import runs_no_test

    run = _run_of(session.config)
    if run.agent is not None and _is_ci():
        write_whole_lines(session.config)
    yield  # pytest-xdist starts its workers here, while this process checks the agent
    if not run.runs_agents:
        return
    run.agents.check()
    if run.is_owner and run.names_agent and run.is_distributed and not runs_no_test(session.config):
        run.devices.start()  # while workers start and collect
    if run.is_owner and run.agent is not None and not runs_no_test(session.config):
        _register_displays(session.config.pluginmanager, run)


def pytest_itemcollected(item: pytest.Item) -> None:
    from pytest_mobileagent.plugin.items import mark_tags

    mark_tags(item)


@pytest.hookimpl(tryfirst=True)  # write run.json before pytest-xdist hands out tests
def pytest_collection_finish(session: pytest.Session) -> None:
    from pytest_mobileagent.plugin.broken import check_chosen
    from pytest_mobileagent.plugin.items import case_of
    from pytest_mobileagent.plugin.settings import as_usage_error, runs_no_test

    run = _run_of(session.config)
    if runs_no_test(session.config):
        if session.config.option.verbose > 0:
            from pytest_mobileagent.plugin.preflight import describe_answers

            describe_answers(session.items)
        return
    if run.agent is None:
        if run.earlier.makes_episodes:
            check_chosen(session)
        return
    from pytest_mobileagent.plugin.metadata import about_run
    from pytest_mobileagent.plugin.preflight import check_selected

    check_selected(session, run)
    cases = [case for item in session.items if (case := case_of(item)) is not None]
    if cases:
        with as_usage_error(HostError):
            run.earlier.begin(run.folder, lambda: about_run(run, cases, session.items), cases)
        run.decide()


def pytest_report_collectionfinish(config: pytest.Config, items: list[pytest.Item]) -> list[str]:
    from pytest_mobileagent.plugin.preflight import idle_remarks
    from pytest_mobileagent.plugin.selection import SAMPLE
    from pytest_mobileagent.report.gate.missing import sample_of

    return [*sample_of(config.stash.get(SAMPLE, {})), *idle_remarks(items)]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    node.workerinput["mobileagent"] = _run_of(node.config).for_worker()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config) -> Any:
    from pytest_mobileagent.plugin.settings import leaves_distribution

    run = _run_of(config)
    if run.agent is None or not leaves_distribution(config):
        return None
    from pytest_mobileagent.plugin.engine import scheduler_of
    from pytest_mobileagent.plugin.engine.xdist import TaskScheduling

    return TaskScheduling(config, scheduler_of(run))


@pytest.hookimpl(trylast=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    from pytest_mobileagent.plugin.items import check_function, parametrize

    if check_function(metafunc):
        run = _run_of(metafunc.config)
        parametrize(metafunc, run.value, tuple(run.environments))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    if _run_of(item.config).earlier.path is None:
        return None
    from pytest_mobileagent.plugin.reuse.recorded_earlier import report_reused

    return report_reused(item, nextitem) or None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    from pytest_mobileagent.plugin.items import problem_of
    from pytest_mobileagent.plugin.state import state_of

    state_of(item).begin()
    if problem := problem_of(item):
        pytest.fail(f"the task is broken: {problem}", pytrace=False)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
    from pytest_mobileagent.plugin.items import case_of

    if case_of(pyfuncitem) is None:
        return (yield)
    from pytest_mobileagent.plugin.bodies import ask_body

    return (yield from ask_body(pyfuncitem))


def pytest_assertrepr_compare(config: pytest.Config, op: str, left: object, right: object) -> None:
    """Keep the sides of a comparison that failed, for the verdict's evidence."""
    from pytest_mobileagent.plugin.body_source import COMPARED

    config.stash[COMPARED] = op, left, right


# First, and so around all others: the report is scored after every other plugin has changed it.
@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    from pytest_mobileagent.plugin.items import case_of
    from pytest_mobileagent.plugin.state import state_of

    report = yield
    if isinstance(item, pytest.Function) and case_of(item) is not None:
        from pytest_mobileagent.plugin.outputs.display import cut_sections, escape_commands

        cut_sections(item, report)
        state_of(item).body.note_subtest(report)
        if report.when == "call" or (report.when == "setup" and not report.passed):
            from pytest_mobileagent.plugin.scoring import score

            score(item, report, call)
        escape_commands(report)
    return report


def _register_parts(manager: pytest.PytestPluginManager, run: RunConfig) -> None:
    if run.judges.mode != "off":
        from pytest_mobileagent.plugin.engine.waiting import Deferring

        manager.register(Deferring(), "mobileagent-deferring")
    register = _register_for_owner if run.is_owner else _register_for_worker
    register(manager, run)


def _register_displays(manager: pytest.PytestPluginManager, run: RunConfig) -> None:
    """Register the plugins that show the progress of a run."""
    if _has_live_terminal(run.config):
        from pytest_mobileagent.plugin.live_lines import LiveLines

        manager.register(LiveLines(run), "mobileagent-live")
    if run.value("mobile-watch"):
        from pytest_mobileagent.plugin.live_page import LivePage

        try:
            page = LivePage(run)
        except OSError as error:
            msg = f"--mobile-watch: the page cannot be served: {error}"
            raise pytest.UsageError(printable(msg)) from None
        manager.register(page, "mobileagent-watch")
        page.show_address(run.config)


def _register_for_owner(manager: pytest.PytestPluginManager, run: RunConfig) -> None:
    from pytest_mobileagent.plugin.collector import Collector
    from pytest_mobileagent.plugin.settings import leaves_distribution

    collector = Collector(run)
    manager.register(collector, "mobileagent-collector")
    manager.register(collector.groups, "mobileagent-failure-groups")
    if run.agent is not None:
        from pytest_mobileagent.plugin.outputs import PAGE_WRITER, Packing, PageWriter

        if run.value("mobile-pack-screens"):
            manager.register(Packing(run), "mobileagent-packing")
        manager.register(PageWriter(run, collector.results), PAGE_WRITER)
        if run.is_distributed and not run.is_elsewhere and leaves_distribution(run.config):
            from pytest_mobileagent.plugin.engine.xdist import StaggeredStart

            manager.register(StaggeredStart(), "mobileagent-staggered-start")
    if run.gate.is_asked:
        from pytest_mobileagent.plugin.engine.waiting import InterimAnalyser

        collector.analyses = InterimAnalyser(run, collector.results)
        manager.register(collector.analyses, "mobileagent-analyses")


def _register_for_worker(manager: pytest.PytestPluginManager, run: RunConfig) -> None:
    if run.gate.has_analyses and run.relay is None:
        from pytest_mobileagent.plugin.engine.waiting import Pauses

        manager.register(Pauses(), "mobileagent-pauses")
    if run.agent is not None:
        from pytest_mobileagent.plugin.shutdown import interrupt_once

        interrupt_once()


def _is_ci() -> bool:
    return bool(os.environ.get("CI") or os.environ.get("BUILD_NUMBER"))


def _has_live_terminal(config: pytest.Config) -> bool:
    """Return whether there is a terminal for the live lines that nothing else writes to."""
    from pytest_mobileagent.plugin.pytest_private import file_of

    return (
        config.pluginmanager.has_plugin("terminalreporter")
        and sys.platform != "win32"
        and file_of(config.get_terminal_writer()).isatty()
        and os.environ.get("TERM", "dumb") not in {"dumb", "unknown"}
        and not _is_ci()
        and config.option.capture in {"fd", "sys"}  # otherwise tests write to it, too
        and config.option.verbose >= 0
    )
