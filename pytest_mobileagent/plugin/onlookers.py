"""Plugins of a run's owner that only look on: each is loaded where it is wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_mobileagent.plugin.config import RunConfig


def add_onlookers(run: RunConfig) -> None:
    """Register what shows a run while it goes on."""
    from pytest_mobileagent.plugin.live.wanted import is_wanted  # noqa: PLC0415

    plugins = run.config.pluginmanager
    if is_wanted(run.config):
        from pytest_mobileagent.plugin.live.terminal import LiveLines  # noqa: PLC0415

        plugins.register(LiveLines(run), "mobileagent-live")
    if run.value("mobile-watch"):
        from pytest_mobileagent.plugin.watch.watching import Watching  # noqa: PLC0415

        try:
            watching = Watching(run)
        except OSError as error:
            msg = f"--mobile-watch: the page cannot be served: {error}"
            raise pytest.UsageError(msg) from None
        plugins.register(watching, "mobileagent-watch")
        watching.tell(run.config)
