"""The parts of the plugin that only some sessions need, each a pytest plugin of its own.

pytest loads this module in every session, so each part is imported where it is registered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

    from pytest_mobileagent.plugin.config import RunConfig


def register_parts(manager: pytest.PytestPluginManager, run: RunConfig) -> None:
    """Register what a session needs that runs tests: in the run's owner, or in a worker."""
    if run.judges.mode != "off":
        from pytest_mobileagent.plugin.deferring import Deferring  # noqa: PLC0415

        manager.register(Deferring(), "mobileagent-deferring")
    if run.is_owner:
        _of_owner(manager, run)
    else:
        _of_worker(manager, run)


def _of_owner(manager: pytest.PytestPluginManager, run: RunConfig) -> None:
    from pytest_mobileagent.plugin.collector import Collector  # noqa: PLC0415

    collector = Collector(run)
    manager.register(collector, "mobileagent-collector")
    if run.agent is not None:
        from pytest_mobileagent.plugin.growing import GrowingPage  # noqa: PLC0415

        manager.register(GrowingPage(collector), "mobileagent-growing-page")
    if run.gating.is_asked:
        from pytest_mobileagent.plugin.looks import Looking  # noqa: PLC0415

        collector.looking = Looking(run, collector.results)
        manager.register(collector.looking, "mobileagent-looking")


def _of_worker(manager: pytest.PytestPluginManager, run: RunConfig) -> None:
    if run.gating.has_looks:
        from pytest_mobileagent.plugin.pauses import Pauses  # noqa: PLC0415

        manager.register(Pauses(), "mobileagent-pauses")
    if run.agent is not None:
        from pytest_mobileagent.plugin.signals import interrupt_once  # noqa: PLC0415

        interrupt_once()
