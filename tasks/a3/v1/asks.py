"""What the bodies of A3's first release ask in common, by ids and words of its apps."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pytest_mobileagent as mobile

    Body = Callable[[mobile.Episode], object]
    Criteria = Mapping[str, Any]


def word(text: str) -> re.Pattern[str]:
    """Return the pattern of a whole text, whatever its case."""
    return re.compile(rf"(?i)^\s*{re.escape(text)}\s*$")


def part(text: str) -> re.Pattern[str]:
    """Return the pattern of a part of a text, whatever its case."""
    return re.compile(rf"(?i){re.escape(text)}")


def shows(*each: Criteria, **one: Any) -> Body:
    """Return the body that wants elements on the last screen: one for each of the criteria."""

    def body(episode: mobile.Episode) -> None:
        for criteria in (*each, *([one] if one else [])):
            episode.screen.get(**criteria)

    return body


def touches(*each: Criteria) -> Body:
    """Return the body that wants elements to have been tapped, one after the other."""

    def body(episode: mobile.Episode) -> None:
        taps = [lambda moment, criteria=criteria: moment.tapped(**criteria) for criteria in each]
        if len(taps) == 1:
            assert episode.tapped(**each[0]), f"nothing with {each[0]} was tapped"
        else:
            assert episode.in_order(*taps), f"what was tapped is not, in this order, {each}"

    return body


def both(*bodies: Body) -> Body:
    """Return the body that wants what several want."""

    def body(episode: mobile.Episode) -> None:
        for each in bodies:
            each(episode)

    return body


def button(condition: str) -> dict[str, str]:
    """Return the criteria of what can be tapped around the first element of an XPath condition."""
    return {"xpath": f"(//*[{condition}])[1]/ancestor-or-self::*[@clickable='true'][1]"}


def named(condition: str) -> dict[str, str]:
    """Return the criteria of what is selected, and is or directly holds an element."""
    return {"xpath": f"//*[@selected='true'][self::*[{condition}] or *[{condition}]]"}
