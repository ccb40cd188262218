"""The process that calls a function of the user's copy of a release; see `official`.

It reads one request from its standard input, and writes one result to its standard output, each a
line of JSON. Questions to a model are exchanged in the same way:

    {"folder": "…/copy", "module": "ace.one", "function": "eval", "arguments": […], …}
    {"ask": "Is … right?"}      which is answered by    {"reply": "Yes"}
    {"result": true}            or    {"error": "KeyError: 'x'", "where": "ace/one.py, line 9"}

The process gives up its network if the system allows it (user_namespaces(7)). With Landlock, it
cannot change files, run programs or reach ports (`isolation.refuse_changes`). On any system, an
audit hook refuses all of these to Python code. A refused operation makes the result an error, even
if the function has caught the exception.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import resource
import sys
import traceback
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, NoReturn

from pytest_mobileagent.isolation import leave_networks, limit, refuse_changes
from pytest_mobileagent.processes import become_subreaper, die_with_parent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_MEMORY = 4 * 1024**3  # bytes; imaging libraries map much memory that they do not use
_NOFILE = 256


def main() -> None:
    """Answer one request."""
    leave_networks()
    die_with_parent()  # after leaving the namespaces, which would reset it
    become_subreaper()  # so its child processes can be found and ended
    talk = _ParentPipes()
    request = talk.read()
    _limit(request["seconds"])
    refusals: list[str] = []
    try:
        _prepare(request, talk)
        refuse_changes()
        sys.addaudithook(_refusing(refusals))
        module = importlib.import_module(request["module"])
        result = getattr(module, request["function"])(*request["arguments"])
        reply: dict[str, Any] = {"result": bool(result)}
    except BaseException as error:  # noqa: BLE001 - including SystemExit
        reply = _error_line(error, request["folder"])
    if refusals:
        reply = {"error": f"it may read the episode, but not use {refusals[0]}"}
    talk.write(reply)
    os._exit(0)  # without waiting for the function's threads


class _ParentPipes:
    """The two pipes to the parent process, hidden from the called function."""

    def __init__(self) -> None:
        self._from, self._to = os.dup(0), os.dup(1)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        self._lines = os.fdopen(self._from, "rb")

    def read(self) -> Any:
        return json.loads(self._lines.readline())

    def write(self, what: Mapping[str, Any]) -> None:
        line = json.dumps(what).encode() + b"\n"
        while line:
            line = line[os.write(self._to, line) :]

    def ask(self, text: str) -> str:
        self.write({"ask": text})
        return str(self.read()["reply"])


def _limit(seconds: float) -> None:
    """Limit this process's processor time, memory, file sizes and open files."""
    bounds = {
        resource.RLIMIT_AS: _MEMORY,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: _NOFILE,
        resource.RLIMIT_CORE: 0,
    }
    for what, wanted in bounds.items():
        with contextlib.suppress(ValueError, OSError):  # a system may not support all limits
            limit(what, wanted)
    used = max(1, round(seconds))
    resource.setrlimit(resource.RLIMIT_CPU, (used, used + 2))  # first SIGXCPU, then SIGKILL


def _prepare(request: Mapping[str, Any], talk: _ParentPipes) -> None:
    """Put the copy first on the module path, and add stand-ins for unavailable modules."""
    sys.dont_write_bytecode = True
    folder = request["folder"]
    sys.path.insert(0, folder)
    sys.meta_path.insert(0, _StandIns(request["stand_ins"], _client(talk.ask)))
    sys.meta_path.append(_Missing(folder))
    if request["now"] is not None:
        _stop_clock(dt.datetime.fromisoformat(request["now"]).replace(tzinfo=None))


# The audit events of operations that could change something, and harmless exceptions.
_REFUSED = (
    "os.", "socket.", "subprocess.", "shutil.", "pty.", "ftplib.", "smtplib.", "urllib.Request",
)  # fmt: skip
_HARMLESS = {
    "os.listdir", "os.scandir", "os.walk", "os.fwalk", "os.add_dll_directory", "os.listxattr",
    "os.getxattr", "socket.gethostname", "os.putenv", "os.unsetenv",
}  # fmt: skip
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def _refusing(refusals: list[str]) -> Callable[[str, tuple[Any, ...]], None]:
    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            what = _writes(arguments)
        else:
            what = event if event.startswith(_REFUSED) and event not in _HARMLESS else ""
        if what:
            refusals.append(what)
            msg = f"an official evaluation may read the episode, but not use {what}"
            raise PermissionError(msg)

    return refuse


def _writes(arguments: tuple[Any, ...]) -> str:
    """Return a description if a file is opened for writing; empty if it is only read."""
    path, _, flags = arguments
    if isinstance(path, int) or path == os.devnull or not flags & _WRITING:
        return ""
    return f"open({Path(os.fsdecode(path)).name!r}) to write to it"


def _error_line(error: BaseException, folder: str) -> dict[str, str]:
    """Return the error in one line, and the innermost line of the copy in its traceback."""
    inside = [
        (Path(frame.f_code.co_filename), line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if frame.f_code.co_filename.startswith(folder)
    ]
    where = ""
    if inside:
        path, line = inside[-1]
        where = f"{path.relative_to(folder).as_posix()}, line {line}"
    text = str(error) if isinstance(error, Exception) else ""
    words = " ".join(text.split())[:500].replace(folder, ".")
    return {"error": f"{type(error).__name__}{words and f': {words}'}", "where": where}


def _stop_clock(now: dt.datetime) -> None:
    """Make `datetime.now()`, `datetime.today()` and `date.today()` return a fixed time."""

    class Datetime(dt.datetime):
        @classmethod
        def now(cls, tz: dt.tzinfo | None = None) -> Any:
            return now if tz is None else now.replace(tzinfo=tz)

        @classmethod
        def today(cls) -> Any:
            return now

        @classmethod
        def utcnow(cls) -> Any:
            return now

    class Date(dt.date):
        @classmethod
        def today(cls) -> Any:
            return now.date()

    dt.datetime, dt.date = Datetime, Date  # type: ignore[misc]


def _client(ask: Callable[[str], str]) -> type:
    """Return a class that replaces OpenAI's client and sends requests to our model."""

    def create(*, messages: Sequence[Mapping[str, Any]], **_: Any) -> Any:
        text = ask("\n\n".join(_text(message["content"]) for message in messages))
        message = SimpleNamespace(role="assistant", content=text)
        return SimpleNamespace(choices=[SimpleNamespace(index=0, message=message)])

    class OpenAI:
        def __init__(self, *_: Any, **__: Any) -> None:
            self.chat = SimpleNamespace(completions=SimpleNamespace(create=create))

    return OpenAI


def _text(content: Any) -> str:
    """Return the text of a message.

    Raises:
        ValueError: if it has a picture, as pictures are not passed on.
    """
    if isinstance(content, str):
        return content
    if any(part["type"] != "text" for part in content):
        raise ValueError("it shows its judge pictures, which are not passed on")
    return "\n".join(part["text"] for part in content)


class _Absent(type):
    """The class of all attributes of a missing module: any use of them raises an error."""

    why: str

    def __call__(cls, *_: Any, **__: Any) -> NoReturn:
        raise ModuleNotFoundError(cls.why)

    def __getattr__(cls, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise ModuleNotFoundError(cls.why)


class _Module(ModuleType):
    """A stand-in for a missing module: names can be imported from it, but not used."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        why = f"the evaluation uses {self.__name__}.{name}, which is not available here"
        return _Absent(name, (), {"why": why})


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return _Module(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        module.__path__ = []


class _StandIns(_Finder):
    """Finds stand-ins for modules that are never loaded, even if they are installed."""

    def __init__(self, names: Sequence[str], client: type) -> None:
        self._names, self._client = {*names}, client

    def find_spec(self, name: str, *_: Any) -> importlib.machinery.ModuleSpec | None:
        if name.partition(".")[0] not in self._names:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        if module.__name__ == "openai":
            module.OpenAI = self._client  # type: ignore[attr-defined]


class _Missing(_Finder):
    """Finds stand-ins for libraries that are not installed, and for their submodules."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._own = {path.name for path in Path(folder).iterdir()}

    def find_spec(self, name: str, *_: Any) -> importlib.machinery.ModuleSpec | None:
        top = name.partition(".")[0]
        is_known = top in self._own or top in sys.stdlib_module_names
        is_below = top != name and isinstance(sys.modules.get(top), _Module)
        if is_known or not (is_below or (top == name and self._is_asked_by_copy())):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def _is_asked_by_copy(self) -> bool:
        """Return whether the copy's code imports this, and not a library with optional imports."""
        frames = traceback.walk_stack(None)
        files = (frame.f_code.co_filename for frame, _ in frames)
        asking = (file for file in files if file != __file__ and not file.startswith("<frozen"))
        return next(asking, "").startswith(self._folder)
