"""Common checks for A3's first release, by the ids and texts of its apps."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pytest_mobileagent as mobile

    Body = Callable[[mobile.Episode], object]
    Criteria = Mapping[str, Any]


def word(text: str) -> re.Pattern[str]:
    """Return a pattern for a whole text, ignoring case."""
    return re.compile(rf"(?i)^\s*{re.escape(text)}\s*$")


def part(text: str) -> re.Pattern[str]:
    """Return a pattern for a part of a text, ignoring case."""
    return re.compile(rf"(?i){re.escape(text)}")


def shows(*each: Criteria, **one: Any) -> Body:
    """Return a body that requires an element on the last screen for each of the criteria."""

    def body(episode: mobile.Episode) -> None:
        for criteria in (*each, *([one] if one else [])):
            episode.screen.get(**criteria)

    return body


def touches(*each: Criteria) -> Body:
    """Return a body that requires taps on elements, one after another."""

    def body(episode: mobile.Episode) -> None:
        taps = [lambda moment, criteria=criteria: moment.tapped(**criteria) for criteria in each]
        if len(taps) == 1:
            assert episode.tapped(**each[0]), f"nothing with {each[0]} was tapped"
        else:
            assert episode.in_order(*taps), f"what was tapped is not, in this order, {each}"

    return body


def both(*bodies: Body) -> Body:
    """Return a body that requires everything that several bodies require."""

    def body(episode: mobile.Episode) -> None:
        for each in bodies:
            each(episode)

    return body


def button(condition: str) -> dict[str, str]:
    """Return criteria for the clickable element around the first match of an XPath condition."""
    return {"xpath": f"(//*[{condition}])[1]/ancestor-or-self::*[@clickable='true'][1]"}


def named(condition: str) -> dict[str, str]:
    """Return criteria for a selected element that meets a condition or has a child that does."""
    return {"xpath": f"//*[@selected='true'][self::*[{condition}] or *[{condition}]]"}
