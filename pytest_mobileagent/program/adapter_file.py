"""Finds and reads the adapter file of a program, a short TOML file."""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.program import (
    COMMAND,
    PREFIX,
    SPA_BENCH,
    Adapter,
    BadAdapterError,
    Ending,
    ReportPlace,
    flaw,
    from_command,
    missing,
    split,
    used,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_ENDINGS: tuple[Ending, ...] = ("done", "impossible", "error", "step limit")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HOST = re.compile(r"[\w.-]+|[0-9A-Fa-f:]*:[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*")
_MOST_GRACE = 600.0


def find_program(reference: str, folders: Iterable[Path]) -> Adapter | None:
    """Return the adapter that `--agent` names: cmd:COMMAND, FILE.toml, or NAME for a NAME.toml.

    The result is None if the reference names no program. NAME.toml is looked for in `folders`, of
    which the last one that has it wins, as with other agents.

    Raises:
        BadAdapterError: if the adapter cannot be used.
    """
    if reference.startswith(COMMAND):
        return from_command(reference)
    if reference.endswith(".toml"):
        return read_adapter(Path(reference))
    if not reference or "/" in reference or ":" in reference:
        return None
    for folder in reversed(list(folders)):
        path = folder / f"{reference}.toml"
        others = (folder / f"{reference}.py", folder / reference / "__init__.py")
        other = next((each for each in others if each.is_file()), None)
        if path.is_file() and other is not None:
            raise BadAdapterError(f"--agent={reference} could be {path} or {other}: name the file")
        if path.is_file():
            return read_adapter(path)
        if other is not None:
            return None
    return None


def read_adapter(path: Path) -> Adapter:
    """Read an adapter file; paths in it are relative to its folder.

    Raises:
        BadAdapterError: if the file cannot be read, or a value is invalid; it names file and key.
    """
    try:
        values = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise BadAdapterError(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:  # not TOML, or not UTF-8
        raise BadAdapterError(f"{path} is not TOML: {error}") from None
    return _Reader(path).adapter(values)


class _Reader:
    """Reads the values of one file; errors name the file and the key."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.shell = False

    def wrong(self, key: str, problem: str) -> BadAdapterError:
        return BadAdapterError(f"{self.path}: {key} {problem}")

    def adapter(self, values: dict[str, Any]) -> Adapter:
        keys: dict[str, Callable[[str, Any], Any]] = {
            "command": self.command,
            "folder": self.folder,
            "copy": self.truth,
            "files": self.texts,
            "requirements": self.text,
            "image": self.text,
            "env": self.env,
            "stdin": self.stdin,
            "shell": self.truth,
            "done": self.report_place,
            "answer": self.report_place,
            "impossible": self.report_place,
            "error": self.report_place,
            "step_limit": self.report_place,
            "exit_codes": self.exit_codes,
            "network": self.network,
            "model_hosts": partial(self.named, _HOST, ": name a host, without a scheme or a port"),
            "roles": self.roles,
            "own_keys": partial(self.named, _VARIABLE, ", which is not a valid variable"),
            "include_usage": self.truth,
            "screenshots_after_actions": self.truth,
            "grace": self.seconds,
        }
        for key in values:
            if key not in keys:
                near = difflib.get_close_matches(key, keys, 1)
                hint = f"did you mean {near[0]}?" if near else f"the keys are {', '.join(keys)}"
                raise self.wrong(key, f"is not a key of an adapter; {hint}")
        if "command" not in values:
            raise self.wrong("command", 'is missing, as in command = ["python", "run.py"]')
        self.shell = values.get("shell") is True
        read = {key: keys[key](key, value) for key, value in values.items()}
        requirements = read.pop("requirements", None)
        adapter = Adapter(self.path.stem, path=self.path, **read)
        if requirements is not None:
            adapter = replace(adapter, requirements=self.requirements(adapter, requirements))
        self.check(adapter)
        return adapter

    def check(self, adapter: Adapter) -> None:
        """Check keys against each other."""
        if adapter.image and adapter.requirements:
            why = "cannot be combined with image: install the packages in the image"
            raise self.wrong("requirements", why)
        if adapter.files and adapter.folder is None:
            raise self.wrong("files", "needs folder: the files are filled in in a copy of it")
        if adapter.files and not adapter.copy:
            why = "cannot be combined with copy = false, because the originals must not be changed"
            raise self.wrong("files", why)
        for name in adapter.files:
            assert adapter.folder is not None
            path = (adapter.folder / name).resolve()
            if not path.is_relative_to(adapter.folder.resolve()) or not path.is_file():
                why = f"names {name!r}, which is not a file in {adapter.folder}"
                raise self.wrong("files", why)
        if not (adapter.shell or adapter.image or adapter.requirements):
            search = adapter.env.get("PATH") or os.environ.get("PATH")
            folder = adapter.folder or Path.cwd()
            if problem := missing(adapter.command, folder, search):
                raise self.wrong("command", f"cannot be run: {problem}")

    def command(self, key: str, value: Any) -> tuple[str, ...]:
        if self.shell:
            if not (isinstance(value, str) and value.strip()):
                raise self.wrong(key, "must be one text for the shell, because shell = true")
            for name in sorted(used([re.sub(r"\$\{\w+\}", "", value)])):
                variable = f'"${PREFIX}{name.upper()}"'
                raise self.wrong(key, f"is run by a shell: write {variable} instead of {{{name}}}")
            return (value,)
        words = self._split(key, value) if isinstance(value, str) else list(self.texts(key, value))
        if not words or not words[0]:
            raise self.wrong(key, 'has no words, as in command = ["python", "run.py"]')
        for word in words:
            self.filled(key, word)
        return tuple(words)

    def _split(self, key: str, value: str) -> list[str]:
        try:
            return split(value)
        except BadAdapterError as error:
            raise self.wrong(key, f"cannot be split into words: {error}") from None

    def filled(self, key: str, text: str) -> str:
        if problem := flaw(text):
            raise self.wrong(key, f"= {text!r}: {problem}")
        return text

    def stdin(self, key: str, value: Any) -> str:
        return self.filled(key, self.text(key, value))

    def text(self, key: str, value: Any) -> str:
        if not isinstance(value, str) or not value.strip() or "\0" in value:
            raise self.wrong(key, f"= {value!r} must be a string")
        return value

    def texts(self, key: str, value: Any) -> tuple[str, ...]:
        is_list = isinstance(value, list) and all(isinstance(each, str) for each in value)
        if not is_list or any("\0" in each for each in value):
            raise self.wrong(key, f'= {value!r} must be a list of texts, as in ["…", "…"]')
        return tuple(value)

    def named(self, pattern: re.Pattern[str], flaw: str, key: str, value: Any) -> tuple[str, ...]:
        names = self.texts(key, value)
        for name in names:
            if not pattern.fullmatch(name):
                raise self.wrong(key, f"names {name!r}{flaw}")
        return names

    def truth(self, key: str, value: Any) -> bool:
        if not isinstance(value, bool):
            raise self.wrong(key, f"= {value!r} must be true or false")
        return value

    def seconds(self, key: str, value: Any) -> float:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not (is_number and 0 <= value <= _MOST_GRACE):
            raise self.wrong(key, f"= {value!r} must be seconds from 0 to {_MOST_GRACE:g}")
        return float(value)

    def folder(self, key: str, value: Any) -> Path:
        path = self._path(key, value, self.path.parent)
        if not path.is_dir():
            raise self.wrong(key, f"= {value!r}: the folder {path} does not exist")
        return path

    def requirements(self, adapter: Adapter, value: str) -> Path:
        folders = [adapter.folder] if adapter.folder else []
        tried = [self._path("requirements", value, each) for each in (*folders, self.path.parent)]
        for path in tried:
            if path.is_file():
                return path
        there = " or ".join(str(path) for path in dict.fromkeys(tried))
        raise self.wrong("requirements", f"= {value!r}: no file {there} exists")

    def _path(self, key: str, value: Any, base: Path) -> Path:
        try:
            return (base / Path(self.text(key, value)).expanduser()).resolve()
        except (OSError, RuntimeError) as error:  # the home of an unknown user, or a link loop
            raise self.wrong(key, f"= {value!r} is not a path: {error}") from None

    def env(self, key: str, value: Any) -> dict[str, str]:
        table = self._table(key, value, 'NAME = "text"')
        for name, text in table.items():
            if not _VARIABLE.fullmatch(name) or "\0" in text:
                raise self.wrong(key, f"names {name!r}, which is not a valid variable")
            self.filled(f"{key}.{name}", text)
        return table

    def roles(self, key: str, value: Any) -> dict[str, str]:
        table = self._table(key, value, '"gpt-4o*" = "actor"')
        if any(not role.strip() for role in table.values()):
            raise self.wrong(key, "has an empty role")
        return table

    def _table(self, key: str, value: Any, example: str) -> dict[str, str]:
        if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
            raise self.wrong(key, f"= {value!r} must be a table of texts, as in {{{example}}}")
        return dict(value)

    def report_place(self, key: str, value: Any) -> ReportPlace:
        found = value if isinstance(value, dict) else {"pattern": value}
        if not found or found.keys() - {"pattern", "file"}:
            raise self.wrong(key, f'= {value!r} must be a pattern, or {{file = "…"}}')
        place = ReportPlace(**{name: self.text(key, text) for name, text in found.items()})
        try:
            re.compile(place.pattern)
        except re.error as error:
            raise self.wrong(key, f"= {place.pattern!r} is not a pattern: {error}") from None
        return place

    def exit_codes(self, key: str, value: Any) -> Mapping[int, Ending]:
        if value == "spa-bench":
            return SPA_BENCH
        kinds = ", ".join(_ENDINGS)
        if not isinstance(value, dict):
            example = f'"spa-bench", or a table such as {{"3" = "done"}} with values from {kinds}'
            raise self.wrong(key, f"= {value!r} must be {example}")
        for status, ending in value.items():
            if not (status.isascii() and status.isdigit() and int(status) < 256):
                raise self.wrong(key, f"names {status!r}, which is not an exit status (0 to 255)")
            if ending not in _ENDINGS:
                raise self.wrong(f"{key}.{status}", f"= {ending!r} must be one of {kinds}")
        return {0: "done", **{int(status): ending for status, ending in value.items()}}

    def network(self, key: str, value: Any) -> str:
        if value not in ("open", "models"):
            raise self.wrong(key, f'= {value!r} must be "open" or "models"')
        return str(value)
