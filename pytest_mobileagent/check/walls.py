"""Walls: pages that block access to an app, such as a log-in page or a CAPTCHA.

A suite's file `walls.toml` describes them. Each wall is a table, whose name appears in reports:

    [a-log-in-form]
    package = "com.example.shop|com.example.market"   # the apps; omit for all apps
    texts = ["Log in|Sign in", "Password"]            # each on some element of the screen
    ids = ["login_button"]                            # and each of these resource ids

Alternatives are separated by `|`, and `*` matches any characters. Texts and descriptions are
compared as a whole, ignoring case and runs of spaces; resource ids with or without their package.

A screen that looks like a wall proves nothing: the wall is then tried (see `episode.findings`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent._task.wording import display_path, read_toml
from pytest_mobileagent.errors import ScreenError, TaskError
from pytest_mobileagent.screen.text import normalise

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent.screen import Screen

FILE = "walls.toml"
LAST = 3  # how many different screens at the end of an episode are examined
ALIKE = 0.7  # the minimum share of words and ids that two screens of one page have in common
_FIELDS = ("package", "texts", "ids")

_Parts = tuple[str, ...]  # the parts of the text between its asterisks
_Words = tuple[_Parts, ...]  # alternatives


@dataclass(frozen=True, slots=True)
class Wall:
    """The description of a wall; `where` is the file, line and name of its table."""

    where: str
    packages: tuple[str, ...]
    texts: tuple[_Words, ...]
    ids: tuple[_Words, ...]

    def stands_on(self, screen: Screen) -> bool:
        """Return whether a screen matches; a screen whose hierarchy cannot be read does not."""
        if self.packages and screen.package not in self.packages:
            return False
        texts, ids = _words_on(screen)
        pairs = ((self.texts, texts), (self.ids, ids))
        return all(_is_there(each, found) for wanted, found in pairs for each in wanted)


@dataclass(frozen=True, slots=True)
class Sighting:
    """A screen of an episode that may be a wall, as an index into `episode.screens`.

    `by`: file and line of the pattern that it matches, or the words of a judge (`is_claimed`).
    """

    screen: int
    by: str
    is_claimed: bool = False


def look(walls: Sequence[Wall], screens: Sequence[Screen]) -> Sighting | None:
    """Return the latest of an episode's last screens that looks like a wall, or None."""
    seen: list[tuple[str, str]] = []
    for place in reversed(range(len(screens))):
        screen = screens[place]
        if (each := (screen.xml, screen.key)) in seen:
            continue
        if len(seen) == LAST:
            return None
        seen.append(each)
        if (wall := wall_on(walls, screen)) is not None:
            return Sighting(place, f"the screen looks like the wall in {wall.where}")
    return None


def wall_on(walls: Sequence[Wall], screen: Screen) -> Wall | None:
    """Return the first wall that a screen looks like, or None."""
    return next((wall for wall in walls if wall.stands_on(screen)), None)


def was_passed(screens: Sequence[Screen], place: int) -> bool:
    """Return whether other pages of the screen's app were seen too, so that it is not a wall."""
    wall = screens[place]
    return any(each.package == wall.package and not is_same_page(each, wall) for each in screens)


def is_same_page(one: Screen, other: Screen) -> bool:
    """Return whether two screens show the same page of an app, by their words and ids."""
    if one.package != other.package:
        return False
    (texts, ids), (others, their_ids) = _words_on(one), _words_on(other)
    own, theirs = texts | ids, others | their_ids
    return len(own & theirs) >= ALIKE * len(own | theirs) > 0


def app_behind(screens: Sequence[Screen], place: int, packages: Sequence[str]) -> str | None:
    """Return which of a task's apps a wall blocks: the last one in use when it appeared.

    The wall's own package may differ, such as that of the browser or of Google's services.
    """
    used = (screen.package for screen in reversed(screens[: place + 1]))
    return next((package for package in used if package in packages), next(iter(packages), None))


def _words_on(screen: Screen) -> tuple[set[str], set[str]]:
    """Return the texts and descriptions on a screen, and its resource ids, case-folded."""
    try:
        elements = screen.elements
    except ScreenError:
        return set(), set()
    spoken = (words for each in elements for words in (each.text, each.content_desc) if words)
    whole = [each.resource_id for each in elements if each.resource_id]
    names = [name.rpartition(":id/")[2] for name in whole]
    ids = {each.casefold() for each in (*whole, *names)}
    return {normalise(each).casefold() for each in spoken}, ids


def _is_there(words: _Words, on: set[str]) -> bool:
    return any(
        parts[0] in on if len(parts) == 1 else any(_fits(parts, text) for text in on)
        for parts in words
    )


def _fits(parts: _Parts, text: str) -> bool:
    """Return whether the text consists of the parts in order, with anything between them."""
    first, *between, last = parts
    if not (text.startswith(first) and text.endswith(last)) or len(text) < len(first + last):
        return False
    at, end = len(first), len(text) - len(last)
    for part in between:
        found = text.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True


def walls_near(folder: Path, top: Path) -> tuple[Wall, ...]:
    """Return the walls from the nearest `walls.toml`, from a suite's folder up to `top`.

    Raises:
        TaskError: if the file cannot be read or is invalid; the message gives the line.
    """
    for each in (folder, *folder.parents):
        if (file := each / FILE).is_file():
            return read(file)
        if each == top:
            break
    return ()


def read(file: Path) -> tuple[Wall, ...]:
    """Return the walls of a file.

    Raises:
        TaskError: if the file cannot be read or is invalid; the message gives the line.
    """
    text, tables = read_toml(file)
    path, lines = display_path(file), text.splitlines()
    return tuple(_wall(name, table, path, lines) for name, table in tables.items())


def _wall(name: str, table: Any, path: str, lines: Sequence[str]) -> Wall:
    head = _line(lines, rf"\s*(\[\s*)?[\"']?{re.escape(name)}[\"']?\s*[\]=.]")
    where = f"{path}, line {head} ({name})" if head else f"{path} ({name})"
    if not isinstance(table, dict):
        msg = f"{where}: a wall must be a table: [{name}], followed by `texts`, `ids` or both"
        raise TaskError(msg)

    def at(key: str) -> str:
        line = _line(lines, rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", head)
        return f"{path}, line {line} ({name})" if line else where

    if unknown := [key for key in table if key not in _FIELDS]:
        msg = f"{at(unknown[0])}: a wall has no {unknown[0]!r}; it may have {', '.join(_FIELDS)}"
        raise TaskError(msg)
    if not (table.get("texts") or table.get("ids")):
        msg = f"{where}: it needs `texts`, `ids` or both; otherwise every screen would be a wall"
        raise TaskError(msg)
    packages = table.get("package", "")
    if not isinstance(packages, str) or (packages and not all(packages.split("|"))):
        msg = f"{at('package')}: package must be a string, with | between several packages"
        raise TaskError(msg)
    texts, ids = (tuple(_read_words(key, table, at(key))) for key in ("texts", "ids"))
    return Wall(where, tuple(packages.split("|")) if packages else (), texts, ids)


def _read_words(key: str, table: Mapping[str, Any], where: str) -> Iterator[_Words]:
    listed = table.get(key, [])
    for words in listed if isinstance(listed, list) else [listed]:
        each = words.split("|") if isinstance(words, str) and listed is not words else [""]
        if not all(one.strip(" *") for one in each):
            msg = f"{where}: {key} must be a list of texts such as"
            raise TaskError(f'{msg} ["Log in|Sign in", "Password"], none of them empty or only *')
        yield tuple(tuple(normalise(part).casefold() for part in one.split("*")) for one in each)


def _line(lines: Sequence[str], pattern: str, after: int | None = None) -> int | None:
    """Return the number, from 1, of the first line that begins with a pattern, or None."""
    begins = re.compile(pattern)
    numbered = list(enumerate(lines, 1))[(after or 1) - 1 :]
    return next((number for number, line in numbered if begins.match(line)), None)
