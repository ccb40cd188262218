"""The models that the project in the current folder names, for commands that are no test run."""

from __future__ import annotations

import contextlib
import io
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.plugin.models import RunModels
from pytest_mobileagent.plugin.options import path_of, read_options

if TYPE_CHECKING:
    from pathlib import Path


class _Asker:
    """Makes the models of pytest's configuration, and ends it before anything is collected."""

    models: RunModels

    @pytest.hookimpl(tryfirst=True)
    def pytest_cmdline_main(self, config: pytest.Config) -> int:
        def nowhere() -> Path:
            msg = "there is no run, and so no folder of it"
            raise AssertionError(msg)

        settings = read_options(config)
        self.models = RunModels(config, settings, lambda each: path_of(each, config), nowhere)
        return 0


def project_models() -> RunModels:
    """Return what environment variables and ini keys say of models in the current folder.

    Raises:
        SystemExit: pytest cannot be configured in it.
    """
    asker = _Asker()
    with contextlib.redirect_stdout(io.StringIO()):
        # This package is loaded already, so pytest cannot rewrite its asserts, and says so.
        status = pytest.main(["--quiet", "-p", "no:cacheprovider", "-W", "ignore"], plugins=[asker])
    if status != 0:
        msg = "pytest cannot be configured in this folder: see above"
        raise SystemExit(msg)
    return asker.models
