"""What the environment and the project in the current folder set, for commands that are no run."""

from __future__ import annotations

import contextlib
import io
import os
from pathlib import Path

import pytest

from pytest_mobileagent.plugin.options import OPTIONS

_REPLIES = "mobileagent-replies"  # as in `config.cache.mkdir`


class ProjectSettings:
    """The texts of options that stand in the environment or in pytest's configuration.

    `replies` is the folder in pytest's cache in which replies of models are kept.
    """

    def __init__(self) -> None:
        self._texts: dict[str, tuple[str, Path]] = {}
        self.replies = Path()

    def get(self, name: str) -> tuple[str, Path] | None:
        """Return the text of an option, by its ini key, and the folder that paths in it are of."""
        return self._texts.get(name)

    @pytest.hookimpl(tryfirst=True)
    def pytest_cmdline_main(self, config: pytest.Config) -> int:
        """Read pytest's configuration, and end it before anything is collected."""
        for option in OPTIONS:
            if text := os.environ.get(option.variable):
                self._texts[option.name] = text, Path.cwd()
            elif text := config.getini(option.name):
                self._texts[option.name] = text, config.rootpath
        try:
            cache = str(config.getini("cache_dir"))
        except (KeyError, ValueError):  # -p no:cacheprovider
            cache = ".pytest_cache"
        self.replies = config.rootpath / os.path.expandvars(cache) / "d" / _REPLIES
        return 0


def project_settings() -> ProjectSettings:
    """Return what the environment and the project in the current folder set.

    Raises:
        SystemExit: pytest cannot be configured in it.
    """
    settings = ProjectSettings()
    with contextlib.redirect_stdout(io.StringIO()):
        # This package is loaded already, so pytest cannot rewrite its asserts, and says so.
        status = pytest.main(["--quiet", "-W", "ignore"], plugins=[settings])
    if status != 0:
        msg = "pytest cannot be configured in this folder: see above"
        raise SystemExit(msg)
    return settings
