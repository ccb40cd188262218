"""How goals are worded: templates with placeholders, and the goals of official releases.

A suite's goals are in our own words. Users with a copy of the official release name its folder in a
file `releases.toml`, which is not part of a project: `b_moca = "../b-moca"`, relative to the file,
for the suite in the folder `b_moca`. A suite whose tables belong to several releases names them by
table: `a3.v1 = "../A3"`, for `a3/v1.csv`.
"""

from __future__ import annotations

import os
import re
import string
import tomllib
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_mobileagent.errors import TaskError, in_one_line

if TYPE_CHECKING:
    from collections.abc import Sequence


_DAYS_FROM = re.compile(r"(today)([+-]\d{1,4})")
_WIDTH = re.compile(r"\d{4,}")
_WIDTH_OF_TIME = re.compile(r"(?<!%)(?:%%)*%[-_^#+]*\d{4,}")


def fill(template: str, values: Mapping[str, Any]) -> str:
    """Replace each `{name}` or `{name:format}` in a template; `{{` and `}}` stand for braces.

    `{today+2:%d %B}` is two days after `today`, `{today-7:%d %B}` seven days before it.

    Raises:
        TaskError: if the template is malformed, or a name has no value, or one of another format.
    """
    try:
        return _Names().vformat(template, (), values)
    except Exception as error:  # values may be of any class and raise any error
        known = f"names with a value: {', '.join(sorted(values)) or 'none'}"
        raise TaskError(f"cannot fill {template!r}: {error} ({known})") from error


class Template(str):
    """An official goal with placeholders, which are filled like those of our own goals."""

    __slots__ = ()


def literal(text: str) -> str:
    """Return a template that produces exactly this text, with any braces escaped."""
    return text.replace("{", "{{").replace("}", "}}")


def times(now: datetime) -> dict[str, datetime]:
    """Return the time values available to every template, from the phone's clock.

    `{now:%H:%M}`, `{today:%A}`, `{tomorrow:%d %B}`, `{yesterday:%Y-%m-%d}`, `{today+2:%d %B}`.
    """
    day = timedelta(days=1)
    return {"now": now, "today": now, "tomorrow": now + day, "yesterday": now - day}


class _Names(string.Formatter):
    """A formatter that accepts plain names only, so a template cannot access attributes."""

    def get_field(
        self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> tuple[Any, str]:
        if later := _DAYS_FROM.fullmatch(field_name):
            day, _ = self.get_field(later[1], args, kwargs)
            return day + timedelta(days=int(later[2])), later[1]
        if not field_name.isidentifier():
            raise ValueError(f"{{{field_name}}} is not a plain name")
        if field_name not in kwargs:
            raise ValueError(f"{{{field_name}}} has no value")
        return kwargs[field_name], field_name

    def format_field(self, value: Any, format_spec: str) -> str:
        # In a time format, only digits after "%" are a width: "{now:%H:%M on 2026-05-04}" has none.
        width = _WIDTH_OF_TIME if hasattr(value, "strftime") else _WIDTH
        if width.search(format_spec):
            raise ValueError(f"the format {format_spec!r} has a width or precision above 999")
        return str(super().format_field(value, format_spec))


RELEASES = "releases.toml"
# A release's goals by row id: one goal, several by variant name, or None.
Goals = Mapping[str, str | Mapping[str, str] | None]
Official = Callable[[Path], Goals]
# Files that only a project's top folder contains.
_TOP = ("pyproject.toml", "pytest.toml", "pytest.ini", "tox.ini", "setup.cfg", ".git")


class Named(NamedTuple):
    """The folder of a release, and the place that names it, for error messages."""

    folder: Path
    where: str


def official_goals(table: Path, official: Official) -> Goals | None:
    """Return the goals of a table's release, or None if the user has not named one.

    Raises:
        TaskError: if the release cannot be found or read by `official`.
    """
    if (named := release_of(table.parent, table.stem)) is None:
        return None
    folder, where = named
    try:
        goals = official(folder)
    except (TaskError, ValueError, OSError, SyntaxError) as error:  # their messages say why
        raise TaskError(f"{where}: {' '.join(str(error).split())}") from error
    except Exception as error:
        raise TaskError(f"{where}: reading the release raised {in_one_line(error)}") from error
    if not isinstance(goals, Mapping):
        must = "the suite's release.py must return goals by id"
        raise TaskError(f"{where}: {must}, not {goals!r:.60}")
    return goals


def release_of(suite: Path, table: str = "") -> Named | None:
    """Return the release folder of the suite in a folder, or None if no file names one.

    `table` is the name of a table, without its suffix, for suites with one release per table. The
    nearest file that names the suite is used, in this folder or one above it up to the project's.

    Raises:
        TaskError: if a file cannot be read, or names something that is not a folder.
    """
    suite = Path(os.path.abspath(suite))  # noqa: PTH100 - a link counts as its own folder
    for folder in (suite, *suite.parents):
        file = folder / RELEASES
        if file.is_file() and (named := _named(file, suite, table)) is not None:
            return named
        if any((folder / name).exists() for name in _TOP):
            break
    return None


def _named(file: Path, folder: Path, table: str) -> Named | None:
    suite, path = folder.name, display_path(file)
    text, releases = read_toml(file)
    if suite not in releases:
        return None
    name, value, key = suite, releases[suite], rf"[\[\"']*{re.escape(suite)}"
    if isinstance(value, dict):
        tables = {path.stem for path in folder.iterdir()}
        if unknown := [each for each in value if each not in tables]:
            raise TaskError(f"{path} ({suite}.{unknown[0]}): {suite} has no table {unknown[0]!r}")
        if table not in value:
            return None
        name, value = f"{suite}.{table}", value[table]
        key = rf"({key}[\"']?\s*\.\s*)?[\"']?{re.escape(table)}"
    begins = re.compile(rf"\s*{key}\b")
    line = next((n for n, each in enumerate(text.split("\n"), 1) if begins.match(each)), None)
    where = f"{path}, line {line} ({name})" if line else f"{path} ({name})"
    return Named(_folder(file, value, name, where), where)


def _folder(file: Path, value: Any, name: str, where: str) -> Path:
    """Return the release folder that a file names, relative to the file."""
    if not isinstance(value, str) or not value.strip():
        must = f'the folder of the release must be a string: {name} = "../a/folder"'
        raise TaskError(f"{where}: {must}")
    if "\0" in value:
        raise TaskError(f"{where}: {value!r} is not a path")
    try:
        path = file.parent / Path(value).expanduser()
    except RuntimeError:
        raise TaskError(f"{where}: {value!r} names the home folder of an unknown user") from None
    if not path.is_dir():
        msg = f"{where}: there is no folder {path}"
        raise TaskError(f"{msg}: name the release's folder, or remove the line")
    return path


def read_toml(file: Path) -> tuple[str, dict[str, Any]]:
    """Return the text of a suite's TOML file, and the parsed data.

    Raises:
        TaskError: if the file cannot be read or is not valid TOML.
    """
    path = display_path(file)
    try:
        text = file.read_text("utf-8-sig")
        return text, tomllib.loads(text)
    except OSError as error:
        raise TaskError(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        raise TaskError(f"{path} is not TOML: {error}") from None


def display_path(file: Path) -> str:
    """Return a path for messages: relative to the current folder if it is below that folder."""
    return os.path.relpath(file) if file.is_relative_to(Path.cwd()) else str(file)
