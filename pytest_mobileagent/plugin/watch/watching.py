"""`--mobile-watch`: the server lives as long as the run."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.plugin.watch.server import Server
from pytest_mobileagent.plugin.watch.state import State

if TYPE_CHECKING:
    from pytest_mobileagent.plugin.config import RunConfig


class Watching:
    """A plugin of the process that owns the run: it serves the run's page in threads of its own.

    Raises:
        OSError: no port is free.
    """

    def __init__(self, run: RunConfig) -> None:
        collector: Any = run.config.pluginmanager.get_plugin("mobileagent-collector")
        self.state = State(collector)
        self.server = Server(self.state)
        threading.Thread(
            target=self.server.serve_forever, args=(0.1,), name="watch", daemon=True
        ).start()

    def tell(self, config: pytest.Config) -> None:
        """Say where the page is; the address holds the token."""
        words = f"watch: {self.server.url}"
        reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
        if reporter is None:
            print(words, file=sys.stderr)
        else:
            reporter.write_line(words)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Tell the browsers that are open; the report has been written."""
        self.state.end()

    def pytest_unconfigure(self) -> None:
        """End the server, whoever is still connected."""
        self.server.shutdown()
        self.server.server_close()
