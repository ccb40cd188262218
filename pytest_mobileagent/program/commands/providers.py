"""Android's `content` command: providers of tools that show the screen, or type."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from pytest_mobileagent.action.action import Raw
from pytest_mobileagent.program.commands import portal
from pytest_mobileagent.program.watching import Command

if TYPE_CHECKING:
    from collections.abc import Sequence

_PORTAL = re.compile(r"content://com\.(?:droidrun|mobilerun)\.portal/([^?]*)")
_CHANGES = {"insert", "update", "delete"}
_BINDING = re.compile(r"([^:]+):([sbilfdn]):(.*)", re.DOTALL)


def read_content(arguments: Sequence[str], raw: str) -> Command:
    """Return what a `content` command does; `raw` is it in its own words."""
    pairs = list(pairwise(arguments))
    uri = next((value for option, value in pairs if option == "--uri"), "")
    match = _PORTAL.match(uri)
    if not match:
        return Command(raw, (Raw(raw),) if arguments[:1] and arguments[0] in _CHANGES else ())
    if arguments[:1] == ["query"]:
        return Command(raw, looks=portal.shows(match[1]))
    bound = [_BINDING.fullmatch(value) for option, value in pairs if option == "--bind"]
    values = {each[1]: _value(each[2], each[3]) for each in bound if each}
    return Command(raw, portal.acts(match[1], values, raw))


def _value(kind: str, text: str) -> object:
    return text == "true" if kind == "b" else text
