"""Passes facts about an episode to a program: placeholders in its command, and variables."""

from __future__ import annotations

import difflib
import json
import re
import shlex
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import AgentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

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
            name = f"{PREFIX}GOAL_FILE"
            msg = (
                f"the goal is too long for a word of a command ({len(word)} characters): "
                f"have the program read the file named by the variable {name}"
            )
            raise AgentError(msg)
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
