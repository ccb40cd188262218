"""Markdown in which text from apps, tasks and agents is escaped."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING
from urllib.parse import quote

from pytest_mobileagent.jsonable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Only characters that could be markup, a mention or a link within a line, so ids stay readable.
_MARKUP = re.compile(r"[\\`*~\[\]<>&|#@]|(?<!\w)_|_(?!\w)|:(?=\S)|^[-+](?=\s)|^=")


def escape(text: object) -> str:
    """Return the text on one line, escaped so that Markdown shows it literally."""
    return _MARKUP.sub(lambda found: f"\\{found[0]}", printable(" ".join(str(text).split())))


def escape_url(url: str) -> str:
    """Return a URL with the characters escaped that would end a Markdown link."""
    return quote(url, safe=":/?#@!$&'*+,;=%~")


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Return the lines of a table."""
    lines = [f"| {' | '.join(map(escape, row))} |" for row in (head, *rows)]
    return [lines[0], f"|{' --- |' * len(head)}", *lines[1:]]


def collapsible(title: str, lines: Sequence[str], *, is_open: bool = False) -> list[str]:
    """Return a collapsible section with a title, expanded at first if `is_open`."""
    summary = f"<summary>{html.escape(printable(title))}</summary>"
    return ["<details open>" if is_open else "<details>", summary, "", *lines, "", "</details>", ""]
