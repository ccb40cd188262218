"""Runs a program or its container: starts it, records its output, and ends it with its children."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import re
import secrets as tokens
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.output import PART_SIZE, Output
from pytest_mobileagent.episode.secrets import secrets_of
from pytest_mobileagent.errors import AgentError, HostError
from pytest_mobileagent.processes import VARIABLE, end_descendants, end_marked, without_keys
from pytest_mobileagent.program import keeper

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


GRACE = 3.0
_START_SECONDS = 30.0
_ENDING_SECONDS = 8.0  # for the keeper, after the grace
_DRAIN_SECONDS = 1.0  # for output that is still on its way at the end
_CHUNK = 1 << 16
# These options start Python fast, and ignore the user's environment.
_KEEPER = [sys.executable, "-I", "-S", "-X", "utf8", str(Path(keeper.__file__))]


class ProgramProcess:
    """An external program, which runs in a new session.

    - `words`: its command, which no shell interprets. `folder`: where it runs.
    - `environment`: its variables; one more is added, a mark that begins with `run`.
    - `record`: the folder for the files `stdout` and `stderr` with its output, from which `secrets`
      and the values of variables that are named like keys are removed.
    - `stdin`: the file that is its standard input; empty by default.
    - `after`: a command that runs when it has ended, such as one that removes a container.

    `wait` and `end` may be called by any thread.
    """

    def __init__(
        self,
        words: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        record: Path,
        *,
        run: str = "program",
        secrets: Sequence[str] = (),
        stdin: Path | None = None,
        after: Sequence[str] = (),
        recorded: int = PART_SIZE,
    ) -> None:
        self.mark = f"{run}-{tokens.token_hex(8)}"
        self.pid = 0
        self.status: int | None = None
        self.stdout, self.stderr = record / "stdout", record / "stderr"
        self._request: dict[str, Any] = {
            "words": list(words),
            "folder": str(folder),
            "environment": {**environment, VARIABLE: self.mark},
            "stdin": str(stdin or os.devnull),
            "after": list(after),
        }
        self.secrets, self._recorded = (*secrets, *secrets_of(environment)), recorded
        self._keeper: subprocess.Popen[bytes] | None = None
        self._line: socket.socket | None = None
        self._reader: threading.Thread | None = None
        self._news = threading.Condition()
        self._failed = ""
        self._gone = False  # whether the keeper has closed the line, as no process is left
        self._stopping = False
        self._ending = threading.Lock()

    def start(self) -> None:
        """Start the program.

        Raises:
            AgentError: if the program cannot be started.
            HostError: if this machine cannot start any program.
        """
        with contextlib.ExitStack() as undo:
            try:
                self.stdout.parent.mkdir(parents=True, exist_ok=True)
                outputs = []
                for path in (self.stdout, self.stderr):
                    outputs.append(Output(path, self.secrets, self._recorded))
                    undo.callback(outputs[-1].close)
                self._launch(outputs)
            except OSError as error:
                raise HostError(f"no program can be started: {error}") from error
            undo.pop_all()  # the reading thread closes them
        with self._news:
            known = self._news.wait_for(lambda: self.pid or self._gone, _START_SECONDS)
        if not known or not self.pid:
            self.end(0)
            program = self._request["words"][0]
            raise AgentError(f"cannot start {program}: {self._failed or 'its keeper has ended'}")

    def wait(self, seconds: float | None = None) -> int | None:
        """Wait until the program has ended, for up to `seconds`.

        Return its exit status, negative for a signal; None if it has not ended.
        """
        with self._news:
            self._news.wait_for(lambda: self.status is not None or self._gone, seconds)
            return self.status

    @property
    def is_over(self) -> bool:
        """Whether the program has ended, by itself or not; its children may still be running."""
        return self.status is not None or self._gone

    def end(self, grace: float = GRACE) -> None:
        """End the program and all its descendants, even those that hide; further calls do nothing.

        The program has `grace` seconds to end by itself.
        """
        with self._ending:
            if self._keeper is None:
                return
            with contextlib.suppress(OSError):
                assert self._line is not None
                self._line.sendall(json.dumps({"grace": grace}).encode() + b"\n")
            try:
                self._keeper.wait(grace + _ENDING_SECONDS)
            except subprocess.TimeoutExpired:
                os.kill(self._keeper.pid, signal.SIGSTOP)  # so that it starts nothing more
                end_descendants(self._keeper.pid)
                self._keeper.kill()
                self._keeper.wait()
            if self._keeper.returncode != 0 and self.pid:
                # The program has killed its keeper; its children are found by the mark.
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self.pid, signal.SIGKILL)
            end_marked(self.mark)
            assert self._reader is not None
            self._reader.join(_DRAIN_SECONDS)
            self._stopping = True  # a process that cannot be killed may hold its output open
            self._reader.join()
            self._keeper = None

    def _launch(self, outputs: list[Output]) -> None:
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                process = subprocess.Popen(
                    [*_KEEPER, str(theirs.fileno())],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    bufsize=0,
                    env=without_keys(),  # the program can read its parent's environment
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,  # Ctrl-C is for this process
                )
            # The request is sent over the socket, because command lines are visible to other users.
            # The keeper itself has no mark. Otherwise it would be killed with the marked processes,
            # before it can end processes that hide their mark.
            ours.sendall(json.dumps(self._request).encode() + b"\n")
        except BrokenPipeError:
            pass
        except BaseException:
            ours.close()
            raise
        self._keeper, self._line = process, ours
        self._reader = threading.Thread(target=self._read, args=(outputs,), daemon=True)
        self._reader.start()

    def _read(self, outputs: list[Output]) -> None:
        """Record the program's output, and handle the keeper's messages, until all are closed."""
        assert self._keeper is not None
        assert self._line is not None
        rest = b""
        files: dict[Any, Output | None] = {self._line: None}
        files |= dict(zip((self._keeper.stdout, self._keeper.stderr), outputs, strict=True))
        with selectors.DefaultSelector() as selector:
            for file in files:
                selector.register(file, selectors.EVENT_READ)
            while selector.get_map() and not self._stopping:
                for key, _ in selector.select(_DRAIN_SECONDS / 4):
                    data = _received(key.fd)
                    output = files[key.fileobj]
                    if output is not None:
                        output.write(data)
                    else:
                        *lines, rest = (rest + data).split(b"\n")
                        for line in lines:
                            self._take(json.loads(line))
                    if not data:
                        selector.unregister(key.fileobj)
                        if output is None:
                            self._take({"gone": True})
        for output in outputs:
            output.close()
        for file in files:
            file.close()

    def _take(self, message: dict[str, Any]) -> None:
        with self._news:
            match message:
                case {"pid": int(pid)}:
                    self.pid = pid
                case {"status": int(status)}:
                    self.status = status
                case {"failed": str(why)}:
                    self._failed = why
                case {"gone": True}:
                    self._gone = True
            self._news.notify_all()


def _received(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, _CHUNK)
    except OSError:  # the keeper was killed
        return b""


PREFIX = "mobileagent-"  # of container names: `docker ps --filter name=mobileagent-`
_ENGINES = ("docker", "podman")
_ANSWER_SECONDS = 30.0
# Variables whose values in the image are used.
_NOT_PASSED = {"HOME", "HOSTNAME", "PATH", "PWD", "SHELL", "TMPDIR", "USER", "LOGNAME", "LANG"}
_ENTRY = 'PATH="$MOBILEAGENT_PATH:$PATH"; export PATH; exec "$@"'  # the image's PATH is the last


@dataclass(frozen=True, slots=True)
class Container:
    """A command that runs a program in a container.

    `words` and `environment` belong to the command, which passes variables by name, so that no key
    is visible in the list of processes. `after` removes the container if the command is killed.
    """

    name: str
    words: tuple[str, ...]
    environment: dict[str, str]
    after: tuple[str, ...]


def engine() -> str:
    """Return the path of docker or podman.

    Raises:
        HostError: if neither is installed, or it does not answer.
    """
    found = next(filter(None, map(shutil.which, _ENGINES)), None)
    if found is None:
        raise HostError(f"image = … needs a container engine: install {' or '.join(_ENGINES)}")
    try:
        done = subprocess.run(
            [found, "version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_ANSWER_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise HostError(f"image = … needs {found}, which does not answer: {error}") from error
    if done.returncode != 0:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        msg = f"image = … needs {found}, which does not work: {lines[-1] if lines else 'no reason'}"
        raise HostError(msg)
    return found


def contained(
    command: Sequence[str],
    image: str,
    folder: Path,
    environment: Mapping[str, str],
    *,
    run: str,
    own: Iterable[str] = (),
    paths: Iterable[Path] = (),
    search: Sequence[str] = (),
) -> Container:
    """Return a command that runs another command in a container of an image, in a folder.

    - `environment`: all variables; the container gets only those in `own`, which were set for the
      program or contain the user's keys. The image's variables, such as its PATH, are preserved.
    - `paths`: what the container needs in addition to `folder`. `search`: more folders of its PATH.
    - `run`: a part of the container's name.

    Raises:
        HostError: if this machine has no container engine.
    """
    program = engine()
    name = PREFIX + re.sub(r"[^A-Za-z0-9_.-]", "-", run)[:80] + f"-{tokens.token_hex(4)}"
    words = [program, "run", "--rm", "--init", "--interactive", "--network=host", "--name", name]
    words += ["--user", f"{os.getuid()}:{os.getgid()}"]
    for path in dict.fromkeys([folder, *paths]):
        words += ["--mount", _mount(path)]
    words += ["--workdir", str(folder), "--entrypoint", "sh"]
    passed = {each for each in own if each not in _NOT_PASSED and each in environment}
    for each in sorted(passed | {"MOBILEAGENT_PATH"}):
        words += ["--env", each]
    words += [image, "-c", _ENTRY, "sh", *command]
    variables = {**environment, "MOBILEAGENT_PATH": os.pathsep.join(search) or "/usr/bin"}
    return Container(name, tuple(words), variables, (program, "rm", "--force", name))


def _mount(path: Path) -> str:
    """Return the option that mounts a path at the same path; its fields are quoted as in CSV."""
    option = io.StringIO(newline="")
    csv.writer(option).writerow(["type=bind", f"source={path}", f"target={path}"])
    return option.getvalue().removesuffix("\r\n")
