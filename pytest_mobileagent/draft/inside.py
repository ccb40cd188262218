"""The process in which a draft is run: it loads an episode, and runs the draft on each prefix.

It starts with an empty environment, which contains no keys, reads one request from standard input,
and writes one reply to standard output:

    {"episode": "runs/…/wifi.0", "source": "…", "name": "test_wifi", "seconds": 10, "memory": 1e9}
    {"answers": [{"holds": false, "reason": "…", "broke": false}, …]}

A request without an episode only tests whether this system can isolate processes.

For each prefix, the draft runs in a new process forked from this one, which has loaded the episode
and all modules. The new process therefore needs no files once it is isolated, and everything that
the function does to itself or to the episode ends with it.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import json
import os
import resource
import signal
import sys
import time
import traceback
import warnings
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from pytest_mobileagent.answers import read_answer
from pytest_mobileagent.check.body import collect_subgoals
from pytest_mobileagent.check.episode import load
from pytest_mobileagent.draft.sandbox import PrefixAnswer, SandboxLimits
from pytest_mobileagent.errors import ScreenError, UndecidedError, in_one_line
from pytest_mobileagent.isolation import UnavailableError, leave_networks, limit, shut_off
from pytest_mobileagent.processes import die_with_parent, is_readable
from pytest_mobileagent.screen.explain import collect_misses

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_mobileagent.check.episode import Episode


def main() -> None:
    """Answer one request."""
    leave_networks()
    die_with_parent()  # again, because leaving namespaces resets it
    try:
        reply = _reply(json.load(sys.stdin))
    except UnavailableError as error:
        reply = {"unavailable": str(error)}
    json.dump(reply, sys.stdout)


def _reply(request: dict[str, Any]) -> dict[str, Any]:
    limits = SandboxLimits(request["seconds"], request["memory"])
    time.tzset()  # reads a file, once
    if request["episode"] is None:
        ask(lambda: PrefixAnswer(holds=True), limits)
        return {"answers": []}
    episode = load(Path(request["episode"]))
    prepare(request["source"], episode)
    return {"answers": _answers(request["source"], request["name"], episode, limits)}


def _answers(
    source: str, name: str, episode: Episode, limits: SandboxLimits
) -> list[dict[str, Any]]:
    """Return the answers for all prefixes; after a timeout, the function is not run any more."""
    last = len(episode.steps)
    found: list[PrefixAnswer] = []
    for length in range(last + 1):
        if found and found[-1].reason == TOO_LONG:
            found.append(found[-1])
            continue
        function = partial(answer, source, name, episode.prefix(length), explain=length == last)
        found.append(ask(function, limits))
    return [each.to_json() for each in found]


# The modules that a draft may import, with their submodules.
MODULES = ("pytest_mobileagent", "datetime", "decimal", "math", "re", "unicodedata")
_BELOW = ("pytest_mobileagent.answers.", "pytest_mobileagent.check.")
_FILE = "<draft>"
_LINES = 6  # lines of the explanation of a failed assert
# Modules that Python loads on first use, which is too late in an isolated process.
_USED_LATER = (
    "_strptime", "copy", "encodings.ascii", "encodings.latin_1", "encodings.utf_16_le",
    "lxml.etree", "rapidfuzz.distance", "rapidfuzz.fuzz", "xml.etree.ElementTree",
)  # fmt: skip


def may_import(module: str) -> bool:
    """Return whether a draft may import a module."""
    return module in {*MODULES, "__future__"} or f"{module}.".startswith(_BELOW)


def prepare(source: str, episode: Episode) -> None:
    """Load all modules and data that a draft may use, because an isolated process cannot.

    The forked processes share the parsed screens.
    """
    for module in _USED_LATER:
        with contextlib.suppress(ImportError):  # an extra may not be installed
            importlib.import_module(module)
    for expected, said in (("May 6", "6 May"), ("3", "三"), ("+1 555 010 4567", "555 010 4568")):
        read_answer(said, expected)  # loads the libraries that read answers
    for screen in episode.screens:
        with contextlib.suppress(ScreenError):
            screen.find_all(xpath="/*", text=".")
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=aliases):
                _load(*(alias.name for alias in aliases))
            case ast.ImportFrom(module=str(module), names=aliases):
                _load(module, *(f"{module}.{alias.name}" for alias in aliases))


def _load(*names: str) -> None:
    """Import modules, including names that they import lazily."""
    for name in names:
        module, _, attribute = name.rpartition(".")
        with contextlib.suppress(ImportError, AttributeError):  # the draft gets the error
            if may_import(name):
                importlib.import_module(name)
            elif may_import(module):
                getattr(importlib.import_module(module), attribute)


def answer(source: str, name: str, episode: Episode, *, explain: bool) -> PrefixAnswer:
    """Run a draft's function, and return whether it held; with `explain`, also what it missed."""
    with collect_misses() as misses, collect_subgoals() as subgoals:
        try:
            namespace: dict[str, Any] = {"__name__": "draft"}
            exec(compile(source, _FILE, "exec", dont_inherit=True), namespace)  # noqa: S102 - here is where it may
            namespace[name](episode, **episode.case.parameters)
            subgoals.settle()
        except AssertionError as error:
            closest = misses[-1:] if explain else ()
            return PrefixAnswer(holds=False, reason=_failed(source, error, closest))
        except UndecidedError as error:
            return PrefixAnswer(holds=False, reason=str(error))
        except BaseException as error:  # noqa: BLE001 - SystemExit is an error of the draft, too
            where = _line(source, error)
            reason = f"{in_one_line(error)}{where and f' in: {where}'}"
            return PrefixAnswer(holds=False, reason=reason, broke=True)
    return PrefixAnswer(holds=True)


def _failed(source: str, error: AssertionError, misses: Sequence[Callable[[], str]]) -> str:
    lines = [*str(error).splitlines(), *(line for miss in misses for line in miss().splitlines())]
    return "\n".join([_line(source, error), *dict.fromkeys(lines)][: _LINES + 1])


def _line(source: str, error: BaseException) -> str:
    """Return the line of the draft in which an error arose; empty if it arose elsewhere."""
    frames = traceback.walk_tb(error.__traceback__)
    numbers = [number for frame, number in frames if frame.f_code.co_filename == _FILE]
    lines = source.splitlines()
    return lines[numbers[-1] - 1].strip() if numbers and numbers[-1] <= len(lines) else ""


_LONGEST = 64 * 1024  # bytes of an answer
_SHUT_OFF = b"shut off\n"  # is written before the function runs
_OPEN_FILES = 8  # the pipe of the answer, and the standard streams
TOO_LONG = "it takes too long"


def ask(function: Callable[[], PrefixAnswer], limits: SandboxLimits) -> PrefixAnswer:
    """Run a function in a new, isolated process, and return its answer.

    Raises:
        UnavailableError: if this system cannot isolate a process.
    """
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # Newer Pythons warn about forks beside threads. The child runs only the function.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        _answer(function, limits, writing)
    os.close(writing)
    try:
        written = _read(reading, time.monotonic() + limits.seconds)
    finally:
        os.close(reading)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
    if written is None:
        return PrefixAnswer(holds=False, reason=TOO_LONG, broke=True)
    return _answer_in(written) or _no_answer(status)


def _read(reading: int, ends: float) -> bytes | None:
    """Return the data up to its end or the size limit; None after a timeout."""
    written = b""
    while len(written) <= _LONGEST:
        if not is_readable(reading, ends - time.monotonic()):
            return None
        if not (part := os.read(reading, _LONGEST)):
            break
        written += part
    return written


def _answer_in(written: bytes) -> PrefixAnswer | None:
    """Return the written answer, or None if there is none.

    A draft may write one itself, as it may return what it likes. But what it writes comes after
    `_SHUT_OFF`, and so never passes for the report that processes cannot be isolated here.
    """
    if len(written) > _LONGEST:
        return None
    try:
        if not written.startswith(_SHUT_OFF):
            raise UnavailableError(str(json.loads(written)["unavailable"]))
        return PrefixAnswer.from_json(json.loads(written.removeprefix(_SHUT_OFF)))
    except (ValueError, LookupError, TypeError, RecursionError):
        return None


def _no_answer(status: int) -> PrefixAnswer:
    code = os.waitstatus_to_exitcode(status)
    if -code == signal.SIGXCPU:
        return PrefixAnswer(holds=False, reason=TOO_LONG, broke=True)
    # SIGKILL was sent by `ask`, to a process that closed the pipe but kept running.
    named = -code in {*signal.Signals} and -code != signal.SIGKILL
    how = f"was ended by {signal.Signals(-code).name}" if named else "ended its process"
    return PrefixAnswer(holds=False, reason=f"it {how} without an answer", broke=True)


def _answer(function: Callable[[], PrefixAnswer], limits: SandboxLimits, writing: int) -> NoReturn:
    """Isolate this process, write the function's answer, and end the process."""
    try:
        die_with_parent()
        writing = _keep_only(writing)
        _limit(limits)
        try:
            shut_off()
        except UnavailableError as error:
            _write(writing, {"unavailable": str(error)})
        os.write(writing, _SHUT_OFF)
        sys.addaudithook(_refuse)
        _write(writing, function().to_json())
    finally:
        os._exit(0)


def _write(writing: int, answer: dict[str, Any]) -> NoReturn:
    os.write(writing, json.dumps(answer).encode())
    os._exit(0)


def _keep_only(writing: int) -> int:
    """Close all files but one, and return its new descriptor; standard streams go to /dev/null."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    copy = os.dup(writing)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.dup2(copy, 3)
    os.closerange(4, max(65_536, *resource.getrlimit(resource.RLIMIT_NOFILE)))
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, closefd=False)  # noqa: SIM115 - a descriptor that is never closed
        for number, mode in enumerate("rww")
    )
    return 3


def _limit(limits: SandboxLimits) -> None:
    """Limit the resources of this process, within the machine's own limits."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    seconds = max(1, round(limits.seconds))
    bounds = {
        resource.RLIMIT_AS: pages * resource.getpagesize() + limits.memory,
        resource.RLIMIT_CPU: seconds,
        resource.RLIMIT_NPROC: 0,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: _OPEN_FILES,
        resource.RLIMIT_CORE: 0,
    }
    for what, wanted in bounds.items():
        limit(what, wanted)


# Audit events, which Python raises before an operation, so it can be refused with a message.
_REFUSED = ("open", "os.", "socket.", "subprocess.", "ctypes.", "shutil.", "mmap.", "pty.")


def _refuse(event: str, _arguments: tuple[Any, ...]) -> None:
    """Refuse access to anything outside the process, before the kernel does."""
    if event.startswith(_REFUSED):
        raise PermissionError(f"a drafted check may read the episode, but not use {event}")
