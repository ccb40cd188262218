"""Agents that are external programs: they run unchanged, and what they do is recorded as steps.

The adapter of a program says how it is run, and where it reports the outcome. It is read from a
short file (see `adapter_file`), or made from a command alone. Facts about an episode are passed to
the program by placeholders in its command and files, and by variables.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import shlex
import shutil
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pytest_mobileagent.errors import AgentError
from pytest_mobileagent.processes import may_hold_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


Ending = Literal["done", "impossible", "error", "step limit"]
# The exit statuses of SPA-Bench's agents (arXiv 2410.15164, and its repository): 1 is an unexpected
# error, 2 and 3 are expected ones. 5 is ours, for programs that give up. All others are errors.
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
    matched, or the whole match. The file's path is relative to the folder where the program runs.
    """

    pattern: str = ""
    file: str = ""


@dataclass(frozen=True, slots=True)
class Adapter:
    """How a program is run, and how it reports the outcome.

    - `name`: its name in reports; `path`: the adapter's file, None for a command.
    - `command`: its words, with placeholders; with `shell`, one text for `sh -c`, without any.
    - `folder`: where it runs; None for the folder in which pytest was started. `copy`: whether each
      episode has a fresh copy of it. `files`: the files of the copy that have placeholders.
    - `requirements`: what pip installs for it. `image`: of the container in which it runs.
    - `env`: variables, with placeholders. `stdin`: the content of its standard input.
    - `done`: what it prints when its task is done; without this output, an exit status of success
      counts as an error. If None, the exit status is enough.
    - `answer`, `impossible`: where it reports its answer, and why the task cannot be done.
    - `error`, `step_limit`: where it reports a failure, or its own limit, whatever its exit status.
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
        return used(self._texts())

    @property
    def real_keys(self) -> tuple[str, ...]:
        """The variables that contain real keys: the user's, or long values that the adapter sets.

        A short value, such as "EMPTY", is for programs that only require some key.
        """
        written = (name for name, text in self.env.items()
                   if may_hold_key(name) and len(text) >= _REAL_KEY
                   and not used([text]))  # fmt: skip
        return tuple(dict.fromkeys((*self.own_keys, *written)))

    @property
    def needs_open_port(self) -> bool:
        """Whether it calls models at a host and a port, to which no path with a token belongs."""
        return "openai_port" in self.used or (self.shell and PORT_VARIABLE in self.command[0])

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
    return next(filter(None, map(flaw, words)), "")


def missing(words: Iterable[str], folder: Path, search: str | None = None) -> str:
    """Return why a command's program cannot be found; empty if it can.

    `search` is the PATH; a path is relative to the folder in which the program is started.
    """
    program = next(iter(words))
    if used([program]):
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
            return Path(words[0]).stem if used([word]) else path.stem
    return Path(words[0]).stem


PREFIX = "MOBILEAGENT_"
_MOST_BYTES = 128 * 1024 - 1  # Linux's limit for a word of a command, or a variable with its name
_PLACEHOLDER = re.compile(r"\{\{([a-z_]+)\}\}|\{([a-z_]+)\}")
# Formats in which values are written in double quotes, or need none.
_QUOTING = {".json", ".yaml", ".yml", ".toml", ".py", ".js", ".ts"}
_OTHER_WORDS = {
    "task": "goal", "instruction": "goal", "query": "goal", "prompt": "goal", "intent": "goal",
    "device": "serial", "udid": "serial", "device_id": "serial", "port": "adb_port",
    "adb_path": "adb", "base_url": "openai_base_url", "url": "openai_base_url",
    "mcp": "mcp_config", "host": "openai_host",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Values:
    """The values of the placeholders; `mcp_command` contains the words of a command."""

    goal: str
    serial: str = ""
    adb: str = ""
    adb_port: str = ""
    mcp_url: str = ""
    mcp_config: str = ""
    mcp_command: tuple[str, ...] = field(default=())
    openai_base_url: str = ""
    openai_chat_url: str = ""
    openai_host: str = ""
    openai_port: str = ""
    anthropic_base_url: str = ""

    def text(self, name: str) -> str:
        """Return a value as one text."""
        value = getattr(self, name)
        return passable(value if isinstance(value, str) else shlex.join(value))

    def environment(self) -> dict[str, str]:
        """Return the values as variables, MOBILEAGENT_GOAL and so on.

        A value that is too long for a variable is omitted; the goal is also in a file.
        """
        texts = {f"{PREFIX}{name.upper()}": self.text(name) for name in NAMES}
        return {name: text for name, text in texts.items() if text and _fits(f"{name}={text}")}


NAMES = tuple(each.name for each in fields(Values))
# Values with a token, which would let anyone control the phone, or call models at the user's cost.
WITH_TOKENS = ("mcp_url", "openai_base_url", "openai_chat_url", "anthropic_base_url")
PORT_VARIABLE = f"{PREFIX}OPENAI_PORT"


def passable(text: str) -> str:
    """Return a string that can be passed to a program: without NUL, and valid UTF-8."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def used(texts: Iterable[str]) -> frozenset[str]:
    """Return the names of the placeholders that occur in strings."""
    return frozenset(name for text in texts for name in _names(text) if name in NAMES)


def flaw(text: str) -> str:
    """Return what is wrong with the placeholders in the text; empty if all are valid."""
    for name in _names(text):
        if name not in NAMES:
            near = difflib.get_close_matches(name, NAMES, 1) or [_OTHER_WORDS.get(name, "")]
            hint = f"did you mean {{{near[0]}}}?" if near[0] else f"write {{{{{name}}}}} for"
            hint += "" if near[0] else " these very characters"
            there = " ".join(f"{{{each}}}" for each in NAMES)
            return f"there is no placeholder {{{name}}}; {hint} (the placeholders are: {there})"
    return ""


def fill(text: str, values: Values) -> str:
    """Return the text with its placeholders filled in; {{goal}} becomes {goal}.

    Placeholders within the values are left unchanged.
    """

    def value(found: re.Match[str]) -> str:
        literal, name = found.groups()
        if name is None:
            return f"{{{literal}}}"
        return values.text(name) if name in NAMES else found[0]

    return _PLACEHOLDER.sub(value, text)


def fill_words(words: Iterable[str], values: Values) -> list[str]:
    """Return the words of a command, filled in; {mcp_command} alone becomes several words.

    Raises:
        AgentError: if the goal makes a word too long for the operating system.
    """
    filled: list[str] = []
    for word in words:
        if word == "{mcp_command}":
            filled += map(passable, values.mcp_command)
        else:
            filled.append(fill(word, values))
    for word in filled:
        if not _fits(word):
            raise AgentError(
                f"the goal is too long for a word of a command ({len(word)} characters): "
                f"have the program read the file named by the variable {PREFIX}GOAL_FILE"
            )
    return filled


def fill_file(path: Path, values: Values) -> None:
    """Fill in a file in place; braces around other text than a placeholder are left unchanged.

    In formats with quoted strings, a value is escaped for double quotes.

    Raises:
        AgentError: if the file cannot be read as text, or cannot be written.
    """

    def value(found: re.Match[str]) -> str:
        text = values.text(found[1])
        return json.dumps(text, ensure_ascii=False)[1:-1] if path.suffix in _QUOTING else text

    try:
        text = path.read_bytes().decode("utf-8")
        filled = re.sub(r"\{(" + "|".join(NAMES) + r")\}", value, text)
        path.write_bytes(filled.encode("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise AgentError(f"cannot fill in {path.name}: {error}") from error


def _names(text: str) -> Iterator[str]:
    return (found[2] for found in _PLACEHOLDER.finditer(text) if found[2])


def _fits(text: str) -> bool:
    return len(text) <= _MOST_BYTES // 4 or len(text.encode("utf-8", "replace")) < _MOST_BYTES
