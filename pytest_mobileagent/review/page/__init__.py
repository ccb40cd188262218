"""The page itself: one document, with its styles and scripts in it."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from pytest_mobileagent.report.html.page import script

# What the page of a run has too, then our own; each may use what those before it define.
_SHARED = ("elements.js", "marks.js", "opinions.js")
_SCRIPTS = ("state.js", "trajectory.js", "list.js", "main.js")


def page(nonce: str) -> str:
    """Return the page; `nonce` marks the only styles and scripts that may be used in it."""
    return _whole().replace("{nonce}", nonce)


@cache
def _whole() -> str:
    text = _file("page.html").replace("{style}", _file("page.css"))
    return text.replace("{script}", "\n".join([*map(script, _SHARED), *map(_file, _SCRIPTS)]))


def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")
