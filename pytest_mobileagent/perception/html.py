"""A screen as the simplified HTML that AutoDroid puts into its prompts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_mobileagent.perception.marks import Mark, is_editable
from pytest_mobileagent.screen.element import Bounds, Element

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_mobileagent.screen.screen import Screen

GO_BACK = "go back"

_BARS = {"android:id/navigationBarBackground", "android:id/statusBarBackground"}
_LONGEST = 50


class _Entry(NamedTuple):
    """One element of the page: its tag, attributes and words, and the view that it stands for."""

    tag: str
    state: str
    description: str
    words: str
    element: Element

    def html(self, number: int | str) -> str:
        description = f" text='{self.description}'" if self.description else ""
        return f"<{self.tag} id={number}{self.state}{description}>{self.words}</{self.tag}>"


def autodroid_html(
    screens: Sequence[Screen], *, merged: bool | None = None
) -> tuple[str, tuple[Mark, ...]]:
    """Return AutoDroid's HTML of one screen, or of several scroll positions merged, and its marks.

    One line for each element: `<p>`, `<button>`, `<checkbox checked=True>` or `<input>`, with ids
    from 0; words inside are the text, `text='…'` is the description. Behind the elements of the
    first screen there is the button "go back", whose mark has no element; it is the last one of a
    single screen. If `merged`, as several screens from the top down always are, elements that would
    read the same are listed once, as of the first screen that has them: `position` says which.

    What is inside something clickable becomes one button, with words of up to 50 characters each,
    joined by `<br>`; a tap goes to the first element in it that has words or can be scrolled. What
    has no words is not listed, nor are the backgrounds of the system's bars. Words are not escaped.

    Source: AutoDroid (arXiv:2308.15272), with the order and details of its released code
    (`get_described_actions`): elements with clickable ones inside stay clickable themselves (the
    function that changes it is switched off). There, words with "@", "#" or "&" are mistaken for
    places to fill in, which is not so here. AutoDroid's own app sees which views can be edited; a
    dump only has their class.
    """
    once = len(screens) > 1 if merged is None else merged
    pages: list[list[_Entry | None]] = []
    seen: set[str] = set()
    for screen in screens:
        pages.append([])
        for entry in _entries(screen):
            line = entry.html("")
            if not (once and line in seen):
                seen.add(line)
                pages[-1].append(entry)
    back: list[_Entry | None] = [None]
    entries = [entry for page in (*pages[:1], back, *pages[1:]) for entry in page]
    lines, marks = [], []
    for number, listed in enumerate(entries):
        if listed is None:
            lines.append(f"<button id={number}>{GO_BACK}</button>")
            marks.append(Mark(str(number), Bounds(0, 0, 0, 0)))
        else:
            lines.append(listed.html(number))
            marks.append(Mark(str(number), listed.element.bounds, listed.element))
    return "\n".join(lines), tuple(marks)


def position(mark: Mark, screens: Sequence[Screen]) -> int:
    """Return the place, from 0, of the screen that a mark's element is on; 0 for "go back"."""
    element = mark.element
    while element is not None and element.parent is not None:
        element = element.parent
    return next((n for n, screen in enumerate(screens) if screen.root is element), 0)


def _entries(screen: Screen) -> Iterator[_Entry]:
    """Yield the entries of one screen, without "go back"."""
    clickable = _nearest(screen, "clickable")
    checkable = _nearest(screen, "checkable")
    merged: set[int] = set()
    for element in screen.elements:
        words, description = element.text, element.content_desc
        if id(element) in merged or element.resource_id in _BARS:
            continue
        if not (words or description or element.scrollable):
            continue
        if is_editable(element):
            yield _Entry("input", "", description, words, element)
        elif checkable[id(element)]:
            state = f" checked={element.checked or element.selected}"
            yield _Entry("checkbox", state, description, words, element)
        elif button := clickable[id(element)]:
            parts = list(_below(button))
            parts += [element] if all(part is not element for part in parts) else []
            description, words = _joined(parts)
            if words or description:
                merged |= {id(part) for part in parts}
                yield _Entry("button", "", description, words, element)
        elif not element.scrollable:
            yield _Entry("p", "", description, words, element)


def _nearest(screen: Screen, flag: str) -> dict[int, Element | None]:
    """Return, by identity, each element's nearest one with a flag: itself or an ancestor."""
    found: dict[int, Element | None] = {id(screen.root): None}
    for element in screen.elements:
        inherited = found[id(element.parent)]
        found[id(element)] = element if getattr(element, flag) else inherited
    return found


def _below(element: Element) -> Iterator[Element]:
    """Yield all elements below one, siblings together, as AutoDroid merges their words."""
    for each in element.iter():
        yield from each.children


def _joined(parts: Sequence[Element]) -> tuple[str, str]:
    """Return the descriptions and the texts of a button's parts."""
    shown = [part for part in parts if part.resource_id not in _BARS]
    descriptions = [part.content_desc[:_LONGEST] for part in shown if part.content_desc]
    texts = [part.text[:_LONGEST] for part in shown if part.text]
    return "<br>".join(descriptions), "<br>".join(texts)
