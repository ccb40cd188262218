"""AndroidWorld's own task classes, in an interpreter that the user names in `releases.toml`.

    android_world.tasks = "../../android_world"           # a checkout
    android_world.helper = "../../android_world/.venv"    # the environment that has what it needs

The library pins old versions of large packages, so it never enters this process: each worker starts
one process of `helper.py`, and asks it by lines of JSON. `make android-world` makes the environment
of a checkout; if only the checkout is named, it is `.venv` there.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import tempfile
import time
import warnings
from functools import cache
from pathlib import Path
from typing import IO, Any

import adbutils
import pytest

from pytest_mobileagent.device.device import system_of
from pytest_mobileagent.errors import DeviceError, InfrastructureError, TaskError
from pytest_mobileagent.processes import is_readable, was_killed, without_keys
from pytest_mobileagent.releases import release_of

HERE = Path(__file__).parent
HELPER = HERE / "helper.py"
VERSION = "d9c569f"  # the commit whose facts tasks.csv has
LACKING = (
    "AndroidWorld is not there: name a checkout of github.com/google-research/android_world in "
    "tasks/releases.toml, and run `make android-world` (docs/suites.md)"
)
ADVICE = "`make android-world` installs what it needs"
# How long a request may take, in seconds.
LIMITS = {"goals": 120.0, "prepare": 600.0, "score": 300.0, "tear_down": 120.0}
# The property in which a phone says how long programs need to pause for it, as a share of what is
# usual; anybody may set it.
PAUSES = "debug.mobileagent.pause_scale"


class Library:
    """The process in which AndroidWorld runs; it is started at the first request, and again."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._printed: IO[bytes] | None = None
        self._is_open = False  # whether a task has been prepared, and not been torn down

    def goals(self, seed: int, epoch: int) -> dict[str, Any]:
        """Return the goals and parameters of all tasks, and why some have none.

        Raises:
            TaskError: if the library cannot be used.
        """
        try:
            return dict(self._ask("goals", seed=seed, epoch=epoch))
        except InfrastructureError as error:
            raise TaskError(str(error)) from error
        except TaskError as error:
            python, checkout = place()
            msg = f"{python} cannot run AndroidWorld in {checkout}: {error}"
            raise TaskError(msg) from error

    def prepare(self, device: Any, name: str, goal: str, seed: int, epoch: int) -> None:
        """Initialise a task on a device; its goal was told for the seed and the epoch.

        Raises:
            InfrastructureError: if the device or the helper is gone.
            TaskError: if the library raises.
        """
        system = system_of(device)
        if (address := system.adb) is None:
            pytest.skip("AndroidWorld needs adb, which does not reach a phone behind Appium")
        if self._is_open:  # an earlier task has been interrupted
            self.tear_down()
        adb = {"program": adbutils.adb_path(), "host": address.adb_host, "port": address.adb_port}
        scale = system.shell(f"getprop {PAUSES}").strip()
        self._is_open = True
        try:
            self._ask(
                "prepare",
                name=name,
                goal=goal,
                seed=seed,
                epoch=epoch,
                adb={**adb, "serial": address.serial, "home": address.home},
                pause_scale=float(scale) if scale.replace(".", "", 1).isdigit() else 1.0,
            )
        except TaskError:
            self.tear_down()
            raise
        with contextlib.suppress(DeviceError):  # it may have restarted adbd as root
            system.shell("true")

    def score(self, answer: str) -> float:
        """Return the score of the task that has been prepared, from 0 to 1.

        Raises:
            InfrastructureError, TaskError: as `prepare`.
        """
        if self._process is not None and self._process.poll() is not None:
            raise InfrastructureError(self._end("before score"))  # a new one knows of no task
        return float(self._ask("score", answer=answer))

    def tear_down(self) -> None:
        """Tear the task down that has been prepared; an error is a warning."""
        self._is_open = False
        if self._process is None:
            return
        try:
            self._ask("tear_down")
        except (InfrastructureError, TaskError) as error:
            warn(f"AndroidWorld's tear_down failed: {error}")

    def _ask(self, do: str, **request: Any) -> Any:
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps({"do": do, **request}).encode() + b"\n")
            process.stdin.flush()
            line = _line(process.stdout, LIMITS[do])
        except OSError:
            line = b""
        except BaseException:  # such as Ctrl-C: a late reply would be taken for that of the next
            self._end("")
            raise
        if not line:
            raise InfrastructureError(self._end(f"during {do}"))
        if line == TOO_LATE:
            self._end("")
            raise DeviceError(f"AndroidWorld's {do} took longer than {LIMITS[do]:g} s")
        reply = json.loads(line)
        if reply.get("lost"):
            self._is_open = False  # there is nothing left to tear down
            raise DeviceError(f"AndroidWorld's {do} lost the phone: {reply['error']}")
        if "error" in reply:
            is_lacking = reply["error"].startswith(("ImportError", "ModuleNotFoundError"))
            advice = f"; {ADVICE}" if is_lacking else ""
            raise TaskError(f"AndroidWorld's {do} raised {reply['error']}{advice}")
        return reply["value"]

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self._end("")
        python, checkout = place()
        self._printed = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        try:
            self._process = subprocess.Popen(
                [str(python), str(HELPER), str(checkout)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._printed,
                env={**without_keys(), "PYTHONDONTWRITEBYTECODE": "1"},
                start_new_session=True,  # Ctrl-C is for pytest
            )
        except OSError as error:
            raise TaskError(f"cannot start {python}: {error}; {ADVICE}") from error
        return self._process

    def _end(self, when: str) -> str:
        """End the process, and return what can be said about its end."""
        process, self._process = self._process, None
        self._is_open = False
        if process is None:
            return ""
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            process.wait(1.0)
        status = process.poll()
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                stream.close()  # type: ignore[union-attr]
        assert self._printed is not None
        with self._printed as printed:
            printed.seek(max(0, printed.seek(0, os.SEEK_END) - 1000))
            lines = printed.read().decode("utf-8", "replace").strip().splitlines()
        how = "was killed" if was_killed(status) else f"ended with status {status}"
        last = f": {lines[-1]}" if lines else ""
        return f"AndroidWorld's helper {how} {when}{last}"


LIBRARY = Library()
TOO_LATE = b"\n"
REPLIES = (b'{"value": ', b'{"error": ')


def _line(stream: IO[bytes], seconds: float) -> bytes:
    """Return the next reply; TOO_LATE if it does not arrive in time, and b"" at the end.

    What an interpreter prints before it runs the helper, as scripts around one do, is passed over.
    """
    ends, found = time.monotonic() + seconds, b""
    while not (found.endswith(b"\n") and found.splitlines()[-1].startswith(REPLIES)):
        if not is_readable(stream, ends - time.monotonic()):
            return TOO_LATE
        part = os.read(stream.fileno(), 65_536)
        if not part:
            return b""
        found += part
    return found.splitlines()[-1]


def warn(what: str) -> None:
    """Warn of something that is no error, even where pytest is to take warnings for errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.warn(what, stacklevel=2)


@cache
def place() -> tuple[Path, Path]:
    """Return the interpreter and the checkout that `releases.toml` names.

    Raises:
        TaskError: if it names none, or there is no interpreter.
    """
    checkout, folder = release_of(HERE, "tasks"), release_of(HERE, "helper")
    if checkout is None:
        raise TaskError(LACKING)
    named = folder or checkout
    for environment in (named.folder, named.folder / ".venv"):
        for python in (environment / "bin" / "python", environment / "Scripts" / "python.exe"):
            if python.exists():
                return python, checkout.folder
    msg = f"{named.where}: {named.folder} has no Python: `make android-world` makes one"
    raise TaskError(msg)


def is_named() -> bool:
    """Return whether `releases.toml` names a checkout."""
    return release_of(HERE, "tasks") is not None


@cache
def version() -> str:
    """Return the commit of the checkout; "" if it is not known."""
    command = ["git", "-C", str(place()[1]), "rev-parse", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip() if not done.returncode else ""
