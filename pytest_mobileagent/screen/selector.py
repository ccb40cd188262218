"""Criteria and relations by which a screen is searched, and the closest elements for messages."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import did_you_mean
from pytest_mobileagent.screen.element import FLAGS, Element
from pytest_mobileagent.screen.explain import CriteriaError
from pytest_mobileagent.screen.picture import SIMILARITY, beside_caller
from pytest_mobileagent.screen.text import SPOKEN, likeness, meets, meets_as_read

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent.screen.element import Bounds


RELATIONS = ("inside", "child_of", "above", "below", "after", "before")


def related(name: str, other: Element, elements: Sequence[Element]) -> Callable[[Element], bool]:
    """Return a test of whether an element has a relation to another one of the same screen.

    `elements` are all elements of the hierarchy, in document order. Elements are distinguished by
    identity, not by their attributes. See `Selector` for the meaning of the relations.

    Raises:
        CriteriaError: if the other element belongs to another screen.
    """
    where = _IN_PICTURE[name]
    if name in {"above", "below"} or other.in_picture:
        return lambda element: where(element.bounds, other.bounds)
    among = {id(element) for element in _related_in_tree(name, other, elements)}
    return lambda element: (
        id(element) in among or (element.in_picture and where(element.bounds, other.bounds))
    )


def check_same_screen(name: str, other: Element, root: Element) -> None:
    """Check that the other element of a relation belongs to the screen with this root.

    Raises:
        CriteriaError: if the element belongs to another screen.
    """
    if [other, *other.ancestors][-1] is not root:
        raise CriteriaError(
            f"{name}={other.describe()} belongs to another screen: look it up on the one that is "
            f"searched (for several screens, pass a function: tapped(lambda screen: …))"
        )


def _related_in_tree(name: str, other: Element, elements: Sequence[Element]) -> Sequence[Element]:
    if name == "child_of":
        return other.children
    below = list(other.iter())
    if name == "inside":
        return below[1:]
    place = next((n for n, element in enumerate(elements) if element is other), -1)
    if name == "after":
        return elements[place + len(below) :]
    around = {id(element) for element in other.ancestors}
    return [element for element in elements[: max(place, 0)] if id(element) not in around]


def _is_below(one: Bounds, other: Bounds) -> bool:
    if not (one.height and one.width and other.height and other.width):
        return False
    # Doubled, so that the middle of an odd height is an integer.
    return one.top + one.bottom >= 2 * other.bottom and other.top + other.bottom <= 2 * one.top


def _reads_after(one: Bounds, other: Bounds) -> bool:
    beside = other.top <= one.center[1] < other.bottom
    return (beside and one.center[0] >= other.right) or _is_below(one, other)


_IN_PICTURE: dict[str, Callable[[Bounds, Bounds], bool]] = {
    "inside": lambda one, other: one != other and other.contains(*one.center),
    "child_of": lambda _one, _other: False,
    "below": _is_below,
    "above": lambda one, other: _is_below(other, one),
    "after": _reads_after,
    "before": lambda one, other: _reads_after(other, one),
}


__all__ = ["CRITERIA", "CriteriaError", "Selector"]

_WORDS = ("text", "resource_id", "content_desc", "class_name")
PATTERNS = (*_WORDS, "package")
WAYS = ("ocr", "fuzzy", "similarity")  # how the other criteria are compared
CRITERIA = (*PATTERNS, "xpath", *FLAGS, *RELATIONS, "image", *WAYS)


@dataclass(frozen=True, slots=True)
class Selector:
    """Criteria, all of which an element must meet.

    - `text`, `content_desc`: compared after Unicode spaces are normalised; or, with `fuzzy` from 0
      to 100, the minimum similarity without spaces (rapidfuzz's `ratio`).
    - `resource_id`: short ("storage_used") or full ("org.coursera.android:id/storage_used").
    - `class_name`: short ("EditText") or full ("android.widget.EditText"); `package`.
    - `xpath`: an XPath 1.0 expression over either dialect of the hierarchy.
    - flags: `checked=True`, `enabled=False`, …
    - relations to another element of the same screen. `inside`: a descendant of it; `child_of`: a
      child of it. `after`, `before`: in document order, excluding its descendants and ancestors
      (XPath's axes following and preceding); use both for a position between two elements. `below`,
      `above`: by bounds, regardless of the columns: the middle of each must be beyond the other's
      edge, so they may overlap by half. An element without an extent is neither below nor above. If
      the other element is None, because it was not found, nothing matches.
    - `ocr=True`: if nothing in the hierarchy meets the criteria, search for `text` among the lines
      read in the screenshot; these are compared without spaces (`text.folded`).
    - `image`: the path of a picture to search for in the screenshot, relative to the calling file;
      only with relations and `similarity` (see `screen.image`).

    Every text except `xpath` may be a compiled regular expression, which is searched for. A match
    in the picture is not part of the hierarchy: it is inside the elements that contain its middle,
    and after the elements that it is below, or beside and to the right of.
    """

    criteria: tuple[tuple[str, Any], ...]

    @classmethod
    def of(cls, criteria: Mapping[str, Any]) -> Selector:
        """Return a selector with these criteria, after checking them.

        Raises:
            CriteriaError: if there are no criteria, one is unknown or of the wrong type, some
                cannot be combined, or the image's file is missing.
        """
        if not criteria:
            msg = f"nothing to search for: pass at least one of {', '.join(CRITERIA)}"
            raise CriteriaError(msg)
        for name, value in criteria.items():
            _check(name, value)
        _check_together(criteria)
        if "image" in criteria:
            criteria = {**criteria, "image": beside_caller(criteria["image"])}
        return cls(tuple(criteria.items()))

    @property
    def xpath(self) -> str | None:
        """The XPath expression among the criteria, or None."""
        return self._get("xpath", None)  # type: ignore[no-any-return]

    @property
    def image(self) -> Path | None:
        """The file of the image to search for, or None."""
        return self._get("image", None)  # type: ignore[no-any-return]

    @property
    def similarity(self) -> float:
        """The minimum similarity to the image."""
        return self._get("similarity", SIMILARITY)  # type: ignore[no-any-return]

    @property
    def ocr(self) -> bool:
        """Whether the text is also searched for in the screenshot."""
        return self._get("ocr", False)  # type: ignore[no-any-return]

    @property
    def relations(self) -> dict[str, Element | None]:
        """The relations among the criteria, each with its other element."""
        return {name: value for name, value in self.criteria if name in RELATIONS}

    def test(
        self, elements: Sequence[Element], *, as_read: bool = False
    ) -> Callable[[Element], bool]:
        """Return a test of whether an element meets all criteria except `xpath` and `image`.

        `elements` are the screen's, in document order; `as_read`: the text was read in the picture.
        """
        tests = [*self._own_tests(as_read=as_read), *self._relation_tests(elements).values()]
        return _all_of(tests)

    def own_test(self) -> Callable[[Element], bool]:
        """Return a test of the criteria that concern only an element's own attributes."""
        return _all_of(self._own_tests())

    def relation_test(self, elements: Sequence[Element]) -> Callable[[Element], bool]:
        """Return a test of the relations to other elements (see `test`)."""
        return _all_of(list(self._relation_tests(elements).values()))

    def _own_tests(self, *, as_read: bool = False) -> list[Callable[[Element], bool]]:
        fuzzy, make = self._get("fuzzy", None), meets_as_read if as_read else meets
        own = (each for each in self.criteria if each[0] in PATTERNS or each[0] in FLAGS)
        return [make(name, value, fuzzy) for name, value in own]

    def _relation_tests(self, elements: Sequence[Element]) -> dict[str, Callable[[Element], bool]]:
        known = {name: other for name, other in self.relations.items() if other is not None}
        return {name: related(name, other, elements) for name, other in known.items()}

    def _get(self, name: str, default: Any) -> Any:
        return next((value for given, value in self.criteria if given == name), default)

    def nearest(self, elements: Sequence[Element], read: Sequence[Element] = ()) -> list[Element]:
        """Return the three elements whose texts are most similar to those sought, best first.

        Among equally similar elements, those with the sought relations come first. `elements` are
        all elements of the hierarchy, in document order; `read` are texts read in the picture.
        """
        sought = [(n, _text_of(v)) for n, v in self.criteria if n in _WORDS and n != "class_name"]
        of_class = [meets(n, v) for n, v in self.criteria if n == "class_name"]
        relations = self._relation_tests(elements).values()
        scored = []
        for order, element in enumerate((*elements, *read)):
            if sought or any(test(element) for test in of_class):
                score = max((likeness(n, v, element) for n, v in sought), default=0.0)
                in_place = sum(test(element) for test in relations)
                scored.append((score, in_place, -order, element))
        best = sorted(scored, key=lambda s: s[:3], reverse=True)[:3]
        return [element for score, *_, element in best if score > 0.35 or not sought]

    def misplaced(self, element: Element, elements: Sequence[Element]) -> list[str]:
        """Return the names of the relations that an element does not have."""
        return [name for name, test in self._relation_tests(elements).items() if not test(element)]

    def __str__(self) -> str:
        return ", ".join(f"{name}={_show(value)}" for name, value in self.criteria)


def _all_of(tests: Sequence[Callable[[Element], bool]]) -> Callable[[Element], bool]:
    if len(tests) == 1:
        return tests[0]
    return lambda element: all(test(element) for test in tests)


def _check(name: str, value: Any) -> None:
    if name not in CRITERIA:
        hint = did_you_mean(name, CRITERIA)
        raise CriteriaError(f"there is no criterion {name!r}{hint} (known: {', '.join(CRITERIA)})")
    if value is None and name not in RELATIONS:
        raise CriteriaError(f"{name}=None matches nothing; leave {name} out")
    types, kind = _type_of(name)
    if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
        raise CriteriaError(f"{name}={value!r} must be {kind}, not {type(value).__name__}")
    if name in _HIGHEST and not 0 <= value <= _HIGHEST[name]:
        raise CriteriaError(f"{name}={value!r} must be a number from 0 to {_HIGHEST[name]}")


_HIGHEST = {"fuzzy": 100, "similarity": 1}


def _type_of(name: str) -> tuple[tuple[type[Any], ...], str]:
    if name in FLAGS or name == "ocr":
        return (bool,), "True or False"
    if name in RELATIONS:
        return (Element, type(None)), "an element of the screen"
    if name in _HIGHEST:
        return (int, float), f"a number from 0 to {_HIGHEST[name]}"
    if name == "image":
        return (str, os.PathLike), "the path of a picture"
    also = " or a compiled regular expression" if name in PATTERNS else ""
    return ((str, re.Pattern) if also else (str,)), f"a string{also}"


def _check_together(criteria: Mapping[str, Any]) -> None:
    if "image" in criteria:
        others = [n for n in criteria if n not in {"image", "similarity", *RELATIONS}]
        why = f"image=… can be combined with relations only, not with {', '.join(others)}"
        problem = why if others else ""
    elif "similarity" in criteria:
        problem = "similarity=… applies to image=…, which is missing"
    elif criteria.get("ocr") and "text" not in criteria:
        problem = "ocr=True searches for text=… in the picture, which is missing"
    elif criteria.get("ocr") and ("xpath" in criteria or "child_of" in criteria):
        problem = "text read in the picture is not part of the hierarchy: use inside=…"
    elif "fuzzy" in criteria and not any(isinstance(criteria.get(n), str) for n in SPOKEN):
        problem = "fuzzy=… needs text or content_desc that is not a pattern"
    elif not set(criteria) - set(WAYS):
        problem = f"nothing to search for besides {', '.join(criteria)}"
    else:
        return
    if problem:
        raise CriteriaError(problem)


def _text_of(wanted: Any) -> str:
    return wanted.pattern if isinstance(wanted, re.Pattern) else str(wanted)


def _show(wanted: Any) -> str:
    if isinstance(wanted, Element):
        return wanted.describe()
    if isinstance(wanted, os.PathLike):
        return repr(os.path.basename(wanted))  # noqa: PTH119 - any kind of path
    return f"/{wanted.pattern}/" if isinstance(wanted, re.Pattern) else repr(wanted)
