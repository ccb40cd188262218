"""The actor in which a worker runs. Its code is sent to the machine, and not found there.

So nothing of the plugin is loaded before pytest prepares to load it, which rewrites its asserts.
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
    """Runs one session of pytest, and ends."""

    def arrive(self) -> None:
        """Do nothing: that it returns shows that the actor has a machine and runs there."""

    def work(self, start: dict[str, Any]) -> str:
        """Run the session; return why it ended early, as its last words, or nothing.

        `start` has the `args` of the command line, the folder (`cwd`) in which it was given,
        whether that `is_packed` by Ray's runtime environment, and what `worker.run` reads.
        """
        try:
            _settle_in(start)
            config = _prepared(start["args"])
            from pytest_mobileagent.plugin.engine.ray import worker

            worker.run(config, start)
        except BaseException as error:  # noqa: BLE001 - a usage error, or an exit: all end it
            usage = type(error).__name__ in {"UsageError", "FileNotFoundError"}
            return str(error) if usage else traceback.format_exc()
        return ""


def _prepared(args: list[str]) -> Any:
    """Return pytest's configuration for the arguments, with all plugins loaded.

    Ray has loaded packages that are plugins of pytest, too: that their asserts are not rewritten is
    nothing to warn of, or to fail for.
    """
    from _pytest.config import _prepareconfig

    own = os.environ.get("PYTEST_ADDOPTS")
    os.environ["PYTEST_ADDOPTS"] = f"{own or ''} {_QUIET}"
    try:
        return _prepareconfig(args, None)
    finally:
        del os.environ["PYTEST_ADDOPTS"]
        if own is not None:
            os.environ["PYTEST_ADDOPTS"] = own


def _settle_in(start: dict[str, Any]) -> None:
    """Make this process one in which pytest runs as if it had been started there."""
    cwd = str(Path.cwd()) if start["is_packed"] else start["cwd"]
    if not Path(cwd).is_dir():
        why = f"{cwd} is not on this machine, {os.uname().nodename}"
        msg = f"{why}: put the project there, or have Ray bring it (docs/fleets.md)"
        raise FileNotFoundError(msg)
    os.chdir(cwd)
    if start["has_cwd"]:  # as `python -m pytest` has it
        sys.path.insert(0, cwd)
    # Ray's handler would end the process at once, and what pytest prints would fill Ray's logs.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
