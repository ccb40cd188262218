"""What to look for on a screen, and the elements that come closest to it."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.screen.element import FLAGS
from pytest_mobileagent.screen.text import normalise

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_mobileagent.screen.element import Element

_WORDS = ("text", "resource_id", "content_desc", "class_name")
PATTERNS = (*_WORDS, "package")
CRITERIA = (*PATTERNS, "xpath", *FLAGS)


class CriteriaError(TaskError, TypeError):
    """The criteria of a search make no sense: an unknown name, a wrong type, a bad XPath."""


@dataclass(frozen=True, slots=True)
class Selector:
    """Criteria, all of which an element has to meet.

    - `text`, `content_desc`: compared after Unicode spaces are normalised.
    - `resource_id`: short ("storage_used") or full ("org.coursera.android:id/storage_used").
    - `class_name`: short ("EditText") or full ("android.widget.EditText"); `package`.
    - `xpath`: an XPath 1.0 expression over either dialect of the hierarchy.
    - flags: `checked=True`, `enabled=False`, …

    A compiled regular expression may take the place of any text but `xpath`; it is searched for.
    """

    criteria: tuple[tuple[str, Any], ...]

    @classmethod
    def of(cls, criteria: Mapping[str, Any]) -> Selector:
        """Check the criteria and return them as a selector.

        Raises:
            CriteriaError: there is no criterion, an unknown one, or one of the wrong type.
        """
        if not criteria:
            msg = f"nothing to look for: give at least one of {', '.join(CRITERIA)}"
            raise CriteriaError(msg)
        for name, value in criteria.items():
            if name not in CRITERIA:
                near = difflib.get_close_matches(name, CRITERIA, 1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                msg = f"there is no criterion {name!r}{hint} (known: {', '.join(CRITERIA)})"
                raise CriteriaError(msg)
            if value is None:
                msg = f"{name}=None matches nothing; leave {name} out"
                raise CriteriaError(msg)
            if not isinstance(value, _type_of(name)):
                kind = "True or False" if name in FLAGS else "a text"
                also = " or a compiled regular expression" if name in PATTERNS else ""
                msg = f"{name}={value!r} has to be {kind}{also}, not {type(value).__name__}"
                raise CriteriaError(msg)
        return cls(tuple(criteria.items()))

    @property
    def xpath(self) -> str | None:
        """The XPath expression among the criteria; None if there is none."""
        return next((value for name, value in self.criteria if name == "xpath"), None)

    def matches(self, element: Element) -> bool:
        """Whether the element meets all criteria except `xpath`."""
        return all(_meets(element, name, wanted) for name, wanted in self.criteria)

    def nearest(self, elements: Iterable[Element], count: int = 3) -> list[Element]:
        """Return the `count` elements whose words are most like those sought, best first."""
        sought = [(n, _plain(v)) for n, v in self.criteria if n in _WORDS and n != "class_name"]
        classes = [v for n, v in self.criteria if n == "class_name"]
        scored = [
            (max((_likeness(n, v, element) for n, v in sought), default=0.0), -order, element)
            for order, element in enumerate(elements)
            if sought or any(_meets(element, "class_name", c) for c in classes)
        ]
        best = sorted(scored, key=lambda s: s[:2], reverse=True)[:count]
        return [element for likeness, _, element in best if likeness > 0.35 or not sought]

    def __str__(self) -> str:
        return ", ".join(f"{name}={_show(value)}" for name, value in self.criteria)


def _type_of(name: str) -> type[Any] | tuple[type[Any], ...]:
    if name in FLAGS:
        return bool
    return (str, re.Pattern) if name in PATTERNS else str


def _meets(element: Element, name: str, wanted: Any) -> bool:
    if name == "xpath":
        return True
    actual = getattr(element, name)
    if isinstance(wanted, re.Pattern):
        return wanted.search(normalise(actual)) is not None
    if name in FLAGS:
        return actual is wanted
    if name == "resource_id":
        return wanted in (actual, actual.rpartition(":id/")[2]) and bool(actual)
    if name == "class_name":
        return wanted in (actual, actual.rpartition(".")[2])
    return normalise(actual) == normalise(wanted)


def _plain(wanted: Any) -> str:
    return wanted.pattern if isinstance(wanted, re.Pattern) else str(wanted)


def _show(wanted: Any) -> str:
    return f"/{wanted.pattern}/" if isinstance(wanted, re.Pattern) else repr(wanted)


def _likeness(name: str, wanted: str, element: Element) -> float:
    """Return how similar an element's words are to those wanted, 0 to 1."""
    if name == "resource_id":
        return _ratio(wanted.rpartition("/")[2], element.resource_id.rpartition("/")[2])
    own, other = (
        (element.text, element.content_desc)
        if name == "text"
        else (element.content_desc, element.text)
    )
    return max(_ratio(wanted, own), 0.95 * _ratio(wanted, other))


def _ratio(one: str, other: str) -> float:
    one, other = normalise(one).lower(), normalise(other).lower()
    if not one or not other:
        return 0.0
    if one in other or other in one:
        return 0.7 + 0.3 * min(len(one), len(other)) / max(len(one), len(other))
    return difflib.SequenceMatcher(None, one, other).ratio()
