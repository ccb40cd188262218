"""pytest's hooks: the wiring of the plugin, and nothing else.

pytest loads this module in every session, so what only a task needs is imported where it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.plugin import hookspecs
from pytest_mobileagent.plugin.config import SESSION, MobileSession
from pytest_mobileagent.plugin.fixtures import (  # noqa: F401 - pytest finds fixtures by their names here
    agent,
    device,
    episode,
    mobile_env,
    mobile_epoch,
    mobile_lease,
)
from pytest_mobileagent.plugin.items import (
    ENVIRONMENT,
    EPOCH,
    MARKER,
    RESULT,
    TaskItem,
    check_function,
    environment_id,
    epoch_id,
)
from pytest_mobileagent.plugin.options import add_options

if TYPE_CHECKING:
    from collections.abc import Generator


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    pluginmanager.add_hookspecs(hookspecs)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", f"{MARKER}(goal, **fields): a task for the agent (see pytest_mobileagent.task)"
    )
    try:
        session = config.stash[SESSION] = MobileSession(config)
    except pytest.UsageError:
        if not config.option.help:  # it has to work, whatever is set
            raise
        return
    if session.is_owner and not config.option.collectonly and not config.option.help:
        from pytest_mobileagent.plugin.collector import RunReport  # noqa: PLC0415

        config.pluginmanager.register(RunReport(session), "mobileagent-report")


def pytest_unconfigure(config: pytest.Config) -> None:
    if SESSION in config.stash:
        config.stash[SESSION].close()


def pytest_report_header(config: pytest.Config) -> list[str]:
    session = config.stash[SESSION]
    if session.agent is None:
        return []
    given = [str(setting) for setting in session.settings.values() if setting.text is not None]
    return ["mobileagent: " + given[0], *(f"  {line}" for line in given[1:])]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    node.workerinput["mobileagent"] = node.config.stash[SESSION].tell_worker()


@pytest.hookimpl(trylast=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    try:
        is_task = check_function(metafunc)
    except TaskError as error:
        raise pytest.Collector.CollectError(f"broken task: {error}") from None
    session = metafunc.config.stash[SESSION]
    if is_task and session.environments:
        metafunc.fixturenames.append(ENVIRONMENT)
        names = list(session.environments)
        ids = [environment_id(name) for name in names]
        metafunc.parametrize(ENVIRONMENT, names, indirect=True, ids=ids)
    epochs = session.value("mobile-epochs")
    if is_task and epochs > 1:
        metafunc.fixturenames.append(EPOCH)
        ids = [epoch_id(number) for number in range(epochs)]
        metafunc.parametrize(EPOCH, range(epochs), indirect=True, ids=ids)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
    if TaskItem.of(pyfuncitem) is None:
        return (yield)
    from pytest_mobileagent.plugin.scoring import decide  # noqa: PLC0415

    return (yield from decide(pyfuncitem))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    decides = report.when == "call" or (report.when == "setup" and not report.passed)
    task = TaskItem.of(item) if decides and isinstance(item, pytest.Function) else None
    if task is not None:
        from pytest_mobileagent.plugin.scoring import result_of  # noqa: PLC0415

        result = result_of(item, task, report, call, item.config.stash[SESSION].folder)
        setattr(report, RESULT, result.to_wire())
        item.user_properties.extend(
            (f"mobile_{name}", value)
            for name, value in result.to_wire().items()
            if value is not None and name != "nodeid"
        )
    return report
