"""The actor in which a worker runs. Its code is sent to the machine instead of imported there.

So no module of the plugin is imported before pytest is ready to rewrite its asserts.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from pathlib import Path
from typing import Any

_QUIET = "'-Wignore:Module already imported:pytest.PytestAssertRewriteWarning'"


class Worker:
    """Runs one pytest session, and ends."""

    def arrive(self) -> None:
        """Do nothing; once this returns, the actor is known to run on a machine."""

    def work(self, start: dict[str, Any]) -> str:
        """Run the session; return why it failed, or an empty string.

        `start` has the command line's `args`, the folder (`cwd`) in which they were given, whether
        that folder `is_packed` by Ray's runtime environment, and the fields that `worker.run`
        reads.
        """
        try:
            _settle_in(start)
            config = _prepared(start["args"])
            from pytest_mobileagent.plugin.engine.ray import worker

            worker.run(config, start)
        except BaseException as error:  # noqa: BLE001 - any error, or an exit, ends the worker
            usage = type(error).__name__ in {"UsageError", "FileNotFoundError"}
            return str(error) if usage else traceback.format_exc()
        return ""


def _prepared(args: list[str]) -> Any:
    """Return pytest's configuration for the arguments, with all plugins loaded.

    Ray has already imported packages that are pytest plugins, too. pytest would warn that it cannot
    rewrite their asserts; that warning is suppressed.
    """
    from pytest_mobileagent.plugin.pytest_private import prepared_config

    own = os.environ.get("PYTEST_ADDOPTS")
    os.environ["PYTEST_ADDOPTS"] = f"{own or ''} {_QUIET}"
    try:
        return prepared_config(args)
    finally:
        del os.environ["PYTEST_ADDOPTS"]
        if own is not None:
            os.environ["PYTEST_ADDOPTS"] = own


def _settle_in(start: dict[str, Any]) -> None:
    """Prepare this process to run pytest as if it had been started in the project's folder."""
    cwd = str(Path.cwd()) if start["is_packed"] else start["cwd"]
    if not Path(cwd).is_dir():
        why = f"{cwd} is not on this machine, {os.uname().nodename}"
        msg = f"{why}: put the project there, or have Ray bring it (docs/fleets.md)"
        raise FileNotFoundError(msg)
    os.chdir(cwd)
    if start["has_cwd"]:  # as with `python -m pytest`
        sys.path.insert(0, cwd)
    # Ray's handler would end the process at once, and pytest's output would fill Ray's logs.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
