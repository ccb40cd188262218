"""The adapter of a program: how the program is run, and where it reports the outcome.

An adapter is read from a short file (see `adapter_file`), or made from a command alone.
"""

from __future__ import annotations

import os
import shlex
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pytest_mobileagent.processes import may_hold_key
from pytest_mobileagent.program import placeholders

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


Ending = Literal["done", "impossible", "error", "step limit"]
# The exit statuses of SPA-Bench's agents (arXiv 2410.15164, and the contract in its repository): 1
# is an unexpected error, 2 and 3 are expected ones. 5 is ours, for programs that give up. Any other
# status is an error, too.
SPA_BENCH: Mapping[int, Ending] = {
    0: "done", 1: "error", 2: "error", 3: "error", 4: "step limit", 5: "impossible",
}  # fmt: skip
COMMAND = "cmd:"
_REAL_KEY = 20  # characters


class BadAdapterError(ValueError):
    """An adapter or a command cannot be used; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class ReportPlace:
    """Where a program reports something: by a pattern in its output, or in a file that it writes.

    With both, the pattern is searched for in the file. The last match counts: its first group that
    matched, or the whole match. The path of the file is relative to the folder in which the program
    runs.
    """

    pattern: str = ""
    file: str = ""


@dataclass(frozen=True, slots=True)
class Adapter:
    """How a program is run, and how it reports the outcome.

    - `name`: its name in reports; `path`: the adapter's file, None for a command.
    - `command`: its words, with placeholders. With `shell`, one text for `sh -c`, without
      placeholders.
    - `folder`: where it runs; None for the folder in which pytest was started. `copy`: whether each
      episode has a fresh copy of it. `files`: the files of the copy that have placeholders.
    - `requirements`: what pip installs for it. `image`: of the container in which it runs.
    - `env`: variables, with placeholders. `stdin`: the content of its standard input.
    - `done`: what it prints when its task is done; without this output, an exit status of success
      counts as an error. If None, the exit status is enough.
    - `answer`, `impossible`: where it reports its answer, and why the task cannot be done; `error`,
      `step_limit`: where it reports that it has failed, or reached its own limit, whatever its exit
      status.
    - `exit_codes`: what its exit statuses mean; all others, except 0, are errors.
    - `network`: whether it may reach all hosts, or only models. `model_hosts`: hosts of models
      in addition to the known ones. `roles`: the role of each model whose name matches a pattern.
    - `own_keys`: variables whose real keys it gets; all others hold stand-ins.
    - `include_usage`: whether streamed replies may be asked for their token counts.
    - `screenshots_after_actions`: whether MCP's actions return the screen.
    - `grace`: the seconds that it has to end by itself once the episode is over.
    """

    name: str
    command: tuple[str, ...]
    path: Path | None = None
    folder: Path | None = None
    copy: bool = True
    files: tuple[str, ...] = ()
    requirements: Path | None = None
    image: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    stdin: str = ""
    shell: bool = False
    done: ReportPlace | None = None
    answer: ReportPlace | None = None
    impossible: ReportPlace | None = None
    error: ReportPlace | None = None
    step_limit: ReportPlace | None = None
    exit_codes: Mapping[int, Ending] = field(default_factory=lambda: SPA_BENCH)
    network: Literal["open", "models"] = "open"
    model_hosts: tuple[str, ...] = ()
    roles: Mapping[str, str] = field(default_factory=dict)
    own_keys: tuple[str, ...] = ()
    include_usage: bool = True
    screenshots_after_actions: bool = False
    grace: float = 3.0

    @property
    def used(self) -> frozenset[str]:
        """The names of the placeholders that the adapter uses."""
        return placeholders.used(self._texts())

    @property
    def real_keys(self) -> tuple[str, ...]:
        """The variables that contain real keys: the user's, or long values that the adapter sets.

        A short value, such as "EMPTY", is for programs that only require some key.
        """
        written = (name for name, text in self.env.items()
                   if may_hold_key(name) and len(text) >= _REAL_KEY
                   and not placeholders.used([text]))  # fmt: skip
        return tuple(dict.fromkeys((*self.own_keys, *written)))

    @property
    def needs_open_port(self) -> bool:
        """Whether it calls models at a host and a port, to which no path with a token belongs."""
        is_named = placeholders.PORT_VARIABLE in " ".join(self.command)
        return "openai_port" in self.used or (self.shell and is_named)

    def _texts(self) -> Iterator[str]:
        yield from self.command
        yield from self.env.values()
        yield self.stdin
        for name in self.files:
            assert self.folder is not None
            yield (self.folder / name).read_text("utf-8", "replace")


def from_command(text: str) -> Adapter:
    """Return the adapter of a command in `--agent=cmd:…`, which no shell interprets.

    Raises:
        BadAdapterError: if the command is empty, its quotes are not closed, it contains an unknown
            placeholder, or its program does not exist.
    """
    command = text.removeprefix(COMMAND)
    words = split(command)
    if problem := _flaw_of(words) or missing(words, Path.cwd()):
        raise BadAdapterError(f"--agent={COMMAND}{command}: {problem}")
    return Adapter(_name_of(words), tuple(words))


def split(command: str) -> list[str]:
    """Split a command into words like a shell.

    Raises:
        BadAdapterError: if the command's quotes are not closed.
    """
    try:
        return shlex.split(command)
    except ValueError as error:
        quotes = "its quotes are not closed" if "quotation" in str(error) else str(error).lower()
        raise BadAdapterError(f"--agent={COMMAND}{command}: {quotes}") from None


def _flaw_of(words: list[str]) -> str:
    if not words or not words[0]:
        return "a command is missing, as in --agent='cmd:python run.py --task {goal}'"
    if "\0" in "".join(words):
        return "a command cannot contain a NUL character"
    return next(filter(None, map(placeholders.flaw, words)), "")


def missing(words: Iterable[str], folder: Path, search: str | None = None) -> str:
    """Return why a command's program cannot be found; empty if it can.

    `search` is the PATH; a path is relative to the folder in which the program is started.
    """
    program = next(iter(words))
    if placeholders.used([program]):
        return ""
    path = folder / program
    if "/" in program:
        if not path.is_file():
            return f"the file {path} does not exist"
        return "" if os.access(path, os.X_OK) else f"{path} is not executable: run chmod +x on it"
    if shutil.which(program, path=search) is not None:
        return ""
    if path.is_file():
        return f"no program {program!r} is on the PATH; did you mean ./{program}?"
    shell = " (no shell is involved)" if "=" in program or program in _SHELL_WORDS else ""
    return f"no program {program!r} is on the PATH{shell}"


_SHELL_WORDS = {"cd", "source", ".", "export", "set", "eval", "exec", "if", "for", "while"}
_PYTHONS = {"python", "python3"}  # and python3.11, whose stem this is
_RUNNERS = {"node", "sh", "bash", "uv", "npx", "uvx", "env", "poetry", "run"}


def _name_of(words: list[str]) -> str:
    """Return a short name for a command: its first word that is not an interpreter or runner."""
    for word in words:
        path = Path(word)
        runs_another = path.name in _RUNNERS or path.stem in _PYTHONS
        if path.stem and not (runs_another or word.startswith("-") or "=" in word):
            return Path(words[0]).stem if placeholders.used([word]) else path.stem
    return Path(words[0]).stem
