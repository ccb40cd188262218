"""The parts of the plugin that only some sessions need, each a pytest plugin of its own.

pytest loads this module in every session, so each part is imported where it is registered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.plain import printable

if TYPE_CHECKING:
    from pytest_mobileagent.plugin.config import RunConfig


def register_parts(manager: pytest.PytestPluginManager, run: RunConfig) -> None:
    """Register what a session needs that runs tests: in the run's owner, or in a worker."""
    if run.judges.mode != "off":
        from pytest_mobileagent.plugin.engine.deferring import Deferring

        manager.register(Deferring(), "mobileagent-deferring")
    if run.is_owner:
        _of_owner(manager, run)
    else:
        _of_worker(manager, run)


def register_onlookers(manager: pytest.PytestPluginManager, run: RunConfig) -> None:
    """Register what shows a run while it goes on.

    Raises:
        pytest.UsageError: the page of `--mobile-watch` cannot be served.
    """
    from pytest_mobileagent.plugin.live.wanted import is_wanted

    if is_wanted(run.config):
        from pytest_mobileagent.plugin.live.terminal import LiveLines

        manager.register(LiveLines(run), "mobileagent-live")
    if run.value("mobile-watch"):
        from pytest_mobileagent.plugin.watch.watching import Watching

        try:
            watching = Watching(run)
        except OSError as error:
            msg = f"--mobile-watch: the page cannot be served: {error}"
            raise pytest.UsageError(printable(msg)) from None
        manager.register(watching, "mobileagent-watch")
        watching.tell(run.config)


def _of_owner(manager: pytest.PytestPluginManager, run: RunConfig) -> None:
    from pytest_mobileagent.plugin.collector import Collector

    collector = Collector(run)
    manager.register(collector, "mobileagent-collector")
    if run.agent is not None:
        from pytest_mobileagent.plugin.outputs.files import LivePage

        manager.register(LivePage(run, collector.results), "mobileagent-live-page")
    if run.gate.is_asked:
        from pytest_mobileagent.plugin.gate.looks import Looking

        collector.looking = Looking(run, collector.results)
        manager.register(collector.looking, "mobileagent-looking")


def _of_worker(manager: pytest.PytestPluginManager, run: RunConfig) -> None:
    if run.gate.has_looks:
        from pytest_mobileagent.plugin.engine.deferring import Pauses

        manager.register(Pauses(), "mobileagent-pauses")
    if run.agent is not None:
        from pytest_mobileagent.plugin.ending import interrupt_once

        interrupt_once()
