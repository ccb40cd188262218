"""Runs the evaluation of a benchmark's official release, from the user's copy, on our episodes.

The copy's code is neither trusted nor imported here. Its function is called in a separate process
(`official_process`) without keys and network, which cannot change files, works in an empty folder,
and has a time limit. Its result or error becomes a verdict, which decides if the user says so.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, Any

from pytest_mobileagent.errors import JudgeError, ScreenError
from pytest_mobileagent.isolation import python_command
from pytest_mobileagent.jsonable import cut, printable
from pytest_mobileagent.judge.ask import reply_of
from pytest_mobileagent.llm.model import Message
from pytest_mobileagent.processes import VARIABLE, end_descendants, end_marked, is_readable
from pytest_mobileagent.screen.xml import in_appiums_dialect
from pytest_mobileagent.verdict import Verdict, beside

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from pytest_mobileagent.llm.model import Model
    from pytest_mobileagent.screen import Screen

    Ask = Callable[[str], str]

SECONDS = 60.0  # for one evaluation, without the time of its model
_LOADING = 30.0  # additional seconds for importing its modules, which may be large
_MOST = 1_000_000  # bytes that the process may write
_LONGEST = 300  # characters of a reason
_MOST_QUESTIONS = 20
_MODULE = "pytest_mobileagent.judge.official_process"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A function of a release's copy, and its arguments.

    - `scorer`: its name, such as "a3-official". `row`: our table's row, its file and line.
    - `folder`: the copy's folder. `module`, `function`: the function to call with the JSON-able
      `arguments`. Any true result is a success.
    - `now`: the time that the function sees, as goals may name days; None for the current time.
    - `stand_ins`: modules that are replaced by stand-ins, for example those for devices. The client
      in "openai" is replaced by our own judge; all others raise an error when they are used.
    """

    scorer: str
    row: str
    folder: Path
    module: str
    function: str
    arguments: Sequence[Any] = ()
    now: datetime | None = None
    stand_ins: Sequence[str] = ()

    @property
    def file(self) -> str:
        """The file of the function, relative to the copy."""
        return f"{self.module.replace('.', '/')}.py"


class _EvaluationError(Exception):
    """The evaluation failed; the message says how, and `where` the line of the copy."""

    def __init__(self, why: str, where: str = "") -> None:
        super().__init__(why)
        self.where = where[:_LONGEST]


def evaluate(evaluation: Evaluation, ask: Ask | None, seconds: float = SECONDS) -> Verdict:
    """Return the verdict of an official evaluation; its `passed` is None if the evaluation failed.

    `ask` returns a model's reply to a question of the evaluation; None without a model.

    Raises:
        BudgetSpent: from `ask`, if the budget is spent.
    """
    try:
        passed = _result(evaluation, ask, seconds)
    except (_EvaluationError, JudgeError) as error:
        why = cut(printable(" ".join(str(error).split())), _LONGEST)
        where = printable(getattr(error, "where", "") or evaluation.file)
        return beside(Verdict(None, evaluation.scorer, f"{why}, in {where}, on {evaluation.row}"))
    outcome = "done" if passed else "not done"
    return beside(Verdict(passed, evaluation.scorer, f"{evaluation.file}: {outcome}"))


def asking(model: Model) -> Ask:
    """Return a function that asks a model one question, or raises JudgeError (see `reply_of`)."""
    return lambda text: reply_of(model, [Message("user", (text,))]).text


def hierarchy_of(screen: Screen, size: tuple[int, int]) -> str:
    """Return a screen's view hierarchy in the format of Appium's page source, which releases read.

    `size`: width and height of the root element, in pixels. It is empty if the screen has none.
    """
    try:
        return in_appiums_dialect(screen.xml, size)
    except ScreenError:
        return in_appiums_dialect("<hierarchy/>", size)


def _result(evaluation: Evaluation, ask: Ask | None, seconds: float) -> bool:
    mark = f"official {os.urandom(8).hex()}"
    request = {
        "folder": str(evaluation.folder.absolute()),
        "module": evaluation.module,
        "function": evaluation.function,
        "arguments": evaluation.arguments,
        "now": evaluation.now and evaluation.now.isoformat(),
        "stand_ins": evaluation.stand_ins,
        "seconds": seconds,
    }
    with TemporaryDirectory(prefix="official-", ignore_cleanup_errors=True) as empty:
        process = subprocess.Popen(
            python_command(_MODULE),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={VARIABLE: mark},
            cwd=empty,
            start_new_session=True,
        )
        try:
            return _ScorerDialogue(process, seconds).result(request, ask)
        finally:
            end_descendants(process.pid)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            for stream in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    _open(stream).close()
            process.wait()
            end_marked(mark)


class _ScorerDialogue:
    """The dialogue with the process: the request, its questions and our replies, its result."""

    def __init__(self, process: subprocess.Popen[bytes], seconds: float) -> None:
        self._process = process
        self._seconds, self._left = seconds, seconds + _LOADING
        self._read = b""

    def result(self, request: Mapping[str, Any], ask: Ask | None) -> bool:
        self._write(request)
        for _ in range(_MOST_QUESTIONS + 1):
            reply = self._line()
            if "ask" in reply:
                if ask is None:
                    msg = "it asks a model, but there is no judge: --llm-judge=single"
                    raise _EvaluationError(msg)
                self._write({"reply": ask(str(reply["ask"]))})
            elif "error" in reply:
                raise _EvaluationError(str(reply["error"]), str(reply.get("where", "")))
            elif isinstance(passed := reply.get("result"), bool):
                return passed
            else:
                break
        raise _EvaluationError("it writes something unreadable, or asks too many questions")

    def _write(self, what: Mapping[str, Any]) -> None:
        try:
            stream = _open(self._process.stdin)
            stream.write(json.dumps(what).encode() + b"\n")
            stream.flush()
        except OSError:
            raise self._gone() from None

    def _line(self) -> dict[str, Any]:
        """Return the next line from the process as JSON-able data; empty if it is unreadable."""
        stream = _open(self._process.stdout).fileno()
        while b"\n" not in self._read:
            began = time.monotonic()
            if not is_readable(stream, self._left):
                raise _EvaluationError(f"it takes longer than {self._seconds:g} s")
            self._left -= time.monotonic() - began
            part = os.read(stream, 65_536)
            self._read += part
            if not part:
                raise self._gone()
            if len(self._read) > _MOST:
                raise _EvaluationError(f"it writes more than {_MOST} bytes")
        line, _, self._read = self._read.partition(b"\n")
        try:
            reply = json.loads(line)
        except (ValueError, RecursionError):
            reply = None
        return reply if isinstance(reply, dict) else {}

    def _gone(self) -> _EvaluationError:
        try:
            status = self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            return _EvaluationError("it has closed its connection")
        if status < 0 and -status in {*signal.Signals}:
            name = signal.Signals(-status).name
            how = "it takes too long" if -status == signal.SIGXCPU else f"it was ended by {name}"
            return _EvaluationError(how)
        return _EvaluationError("it ended its process without a result")


def _open(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None  # the process was started with pipes
    return stream
