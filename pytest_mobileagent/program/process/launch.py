"""A program while it runs: started, recorded, waited for, ended with all that it has started."""

from __future__ import annotations

import contextlib
import json
import os
import secrets as tokens
import selectors
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.output import KEPT, Output
from pytest_mobileagent.episode.secrets import secrets_of
from pytest_mobileagent.errors import AgentError, HostError
from pytest_mobileagent.processes import VARIABLE, end_descendants, end_marked, without_keys
from pytest_mobileagent.program.process import keeper

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

GRACE = 3.0
_START_SECONDS = 30.0
_ENDING_SECONDS = 8.0  # for the keeper, after the grace
_DRAIN_SECONDS = 1.0  # for output that is still on its way when all has ended
_CHUNK = 1 << 16
# Fast, and without what the user's environment does to Python.
_KEEPER = [sys.executable, "-I", "-S", "-X", "utf8", str(Path(keeper.__file__))]


class ProgramProcess:
    """A program from outside, in a session of its own.

    - `words`: its command, never given to a shell. `folder`: where it runs.
    - `environment`: all variables that it has; it gets one more, a mark that begins with `run`.
    - `record`: the folder in which `stdout` and `stderr` keep what it prints, without `secrets`:
      those that are given, and what its variables hold that are named as keys are.
    - `stdin`: the file that is its standard input; by default it reads nothing.
    - `after`: a command that is run when it has been ended, such as one that removes a container.

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
        kept: int = KEPT,
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
        self.secrets, self._kept = (*secrets, *secrets_of(environment)), kept
        self._keeper: subprocess.Popen[bytes] | None = None
        self._line: socket.socket | None = None
        self._reader: threading.Thread | None = None
        self._news = threading.Condition()
        self._failed = ""
        self._gone = False  # the keeper has closed the line: nothing is left
        self._stopping = False
        self._ending = threading.Lock()

    def start(self) -> None:
        """Start the program.

        Raises:
            AgentError: it cannot be started.
            HostError: this machine cannot start any.
        """
        with contextlib.ExitStack() as undo:
            try:
                self.stdout.parent.mkdir(parents=True, exist_ok=True)
                outputs = [
                    undo.enter_context(contextlib.closing(Output(path, self.secrets, self._kept)))
                    for path in (self.stdout, self.stderr)
                ]
                self._launch(outputs)
            except OSError as error:
                msg = f"no program can be started: {error}"
                raise HostError(msg) from error
            undo.pop_all()  # the thread that reads closes them
        with self._news:
            known = self._news.wait_for(lambda: self.pid or self._gone, _START_SECONDS)
        if not known or not self.pid:
            self.end(0)
            program = self._request["words"][0]
            msg = f"cannot start {program}: {self._failed or 'its keeper has ended'}"
            raise AgentError(msg)

    def wait(self, seconds: float | None = None) -> int | None:
        """Return the status with which it has ended, negative for a signal; None if it has not."""
        with self._news:
            self._news.wait_for(lambda: self.status is not None or self._gone, seconds)
            return self.status

    @property
    def is_over(self) -> bool:
        """Whether it has ended, by itself or not; what it has started may still run."""
        return self.status is not None or self._gone

    def end(self, grace: float = GRACE) -> None:
        """End it, and whatever it has started, however that hides; it may be called again.

        It has `grace` seconds to end by itself.
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
                os.kill(self._keeper.pid, signal.SIGSTOP)  # so that it starts no more
                end_descendants(self._keeper.pid)
                self._keeper.kill()
                self._keeper.wait()
            if self._keeper.returncode != 0 and self.pid:
                # The program has killed its keeper: what it has started is known by the mark.
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self.pid, signal.SIGKILL)
            end_marked(self.mark)
            self._finish()

    def _finish(self) -> None:
        """Stop reading; what cannot be ended may hold its output open."""
        assert self._reader is not None
        self._reader.join(_DRAIN_SECONDS)
        self._stopping = True
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
                    env=without_keys(),  # whoever runs it can read that of its parent, too
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,  # Ctrl-C is ours
                )
            # What it is told shows in no command line. It has no mark itself: whoever ends what is
            # marked would end it before it has ended what hides its own.
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
        """Record what the program prints, and take what its keeper says, until all is closed."""
        assert self._keeper is not None
        assert self._line is not None
        said = b""
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
                        *lines, said = (said + data).split(b"\n")
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
