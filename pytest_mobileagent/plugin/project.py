"""What the project in the current folder registers, for commands that are no test runs."""

from __future__ import annotations

import contextlib
import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.plugin.options import path_of, read_options
from pytest_mobileagent.plugin.paths import app_folders, project_sources

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.device.sources.source import Source


@dataclass
class Project:
    """What the project in the current folder registers, for commands that need it."""

    apps: list[Path] = field(default_factory=list)
    sources: Mapping[str, type[Source]] = field(default_factory=dict)
    runs: Path = Path("runs")

    @pytest.hookimpl(tryfirst=True)
    def pytest_cmdline_main(self, config: pytest.Config) -> int:
        """Ask pytest's configuration, and end it before anything is collected."""
        self.apps, self.sources = app_folders(config), project_sources(config)
        self.runs = path_of(config, read_options(config)["mobile-runs"])
        return 0


def this_project() -> Project:
    """Return what the project in the current folder registers.

    Raises:
        SystemExit: pytest cannot be configured in it.
    """
    project = Project()
    with contextlib.redirect_stdout(io.StringIO()):
        # This package is loaded already, so pytest cannot rewrite its asserts, and says so.
        status = pytest.main(
            ["--quiet", "-p", "no:cacheprovider", "-W", "ignore"], plugins=[project]
        )
    if status != 0:
        msg = "pytest cannot be configured in this folder: see above, or name apps with --apps"
        raise SystemExit(msg)
    return project
