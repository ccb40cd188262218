"""A screen in the format of AndroidArena's agent: an outline of elements with text or a use."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_mobileagent.perception import Mark, name_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_mobileagent import Element, Screen
    from pytest_mobileagent.dialect import Frame

_SYSTEM = "com.android.systemui"
_UNINFORMATIVE = {"View", "FrameLayout", "LinearLayout", "RelativeLayout"}  # uninformative classes
_USES = (
    ("clickable", "click"),
    ("scrollable", "scroll"),
    ("long_clickable", "long-click"),
    ("checkable", "check"),
)
_FLAGS = (
    "checkable",
    "checked",
    "clickable",
    "focusable",
    "scrollable",
    "long_clickable",
    "password",
    "selected",
)
_INDENT = "    "


@dataclass(frozen=True, slots=True)
class Page:
    """The outline, its entries as marks, their names by label, and the foreground app."""

    text: str
    marks: tuple[Mark, ...]
    names: Mapping[str, str]
    app: str

    def name_at(self, x: int, y: int, frame: Frame) -> str:
        """Return the name of the entry with this centre, or else of the smallest one around it."""
        exact = [mark.label for mark in self.marks if mark.bounds.center == (x, y)]
        return self.names[exact[0] if exact else frame.mark_at(x, y).label]


@dataclass(slots=True)
class _Entry:
    """An element that has text or can be used, with the text of those merged into it."""

    element: Element
    use: str
    words: str
    children: list[_Entry] = field(default_factory=list)


def compress(screen: Screen) -> Page:
    """Return the outline of a screen.

    Elements with neither text nor a use are left out, as are those of the system's bars. Read-only
    text is merged into the nearest enclosing entry, word by word, without words that the entry
    already has. A line has the id, the class if it is informative, the resource id, the uses of the
    element, its state, and its text. Source: android_env2/xml_tool.py (two levels of compression,
    as plain text). Ids are the positions in the outline; the original draws them at random at each
    step.
    """
    roots = _merged(_informative(screen))
    lines, marks, names = [], [], {}
    for number, (entry, depth) in enumerate(_outline(roots)):
        label = f"n{number:04x}"
        lines.append(f"{_INDENT * depth}[{label}] {_described(entry)}:")
        marks.append(Mark(label, entry.element.bounds, entry.element))
        names[label] = _name(entry.element)
    app = _app(screen.package)
    first = "This is the home screen:" if app == "home" else f"The app in front is {app}:"
    return Page("\n".join([first, *lines]), tuple(marks), names, app)


def _informative(screen: Screen) -> list[_Entry]:
    """Return the entries of elements that have text or can be used, nested like the elements."""
    within: dict[int, list[_Entry]] = {}
    for element in reversed(screen.elements):  # children come before their parents
        inside = [entry for child in element.children for entry in within.pop(id(child))]
        if _says_nothing(element):
            within[id(element)] = inside
        else:
            words = "".join(f"{each} " for each in (element.text, element.content_desc) if each)
            within[id(element)] = [_Entry(element, _use(element), words, inside)]
    return [entry for root in screen.root.children for entry in within[id(root)]]


def _merged(entries: list[_Entry]) -> list[_Entry]:
    """Return the entries that can be used and the outermost ones, with the text of all others."""
    roots: list[_Entry] = []
    pending: list[tuple[_Entry, _Entry | None]] = [(entry, None) for entry in reversed(entries)]
    while pending:
        entry, around = pending.pop()
        if around is not None and not entry.use:
            around.words = _with_words(around.words, entry.words)
            owner = around
        else:
            owner = _Entry(entry.element, entry.use, entry.words)
            (roots if around is None else around.children).append(owner)
        pending += [(child, owner) for child in reversed(entry.children)]
    return roots


def _outline(roots: list[_Entry]) -> Iterator[tuple[_Entry, int]]:
    pending = [(entry, 1) for entry in reversed(roots)]
    while pending:
        entry, depth = pending.pop()
        yield entry, depth
        pending += [(child, depth + 1) for child in reversed(entry.children)]


def _says_nothing(element: Element) -> bool:
    if element.package == _SYSTEM:
        return True
    words = element.text or element.content_desc
    return not words and not any(getattr(element, flag) for flag in _FLAGS)


def _use(element: Element) -> str:
    use = "".join(f"{word} " for flag, word in _USES if getattr(element, flag))
    if not use and element.focusable:
        use = "focusable "
    # The numbers of a clock face are not marked as clickable.
    on_clock = element.parent is not None and "material_clock_face" in element.parent.resource_id
    return use + "click" * on_clock


def _with_words(words: str, more: str) -> str:
    known = set(_without_punctuation(words).split())
    added = "".join(f" {word}" for word in _without_punctuation(more).split() if word not in known)
    return f"{words}{added}".replace(";", ". ")


def _without_punctuation(words: str) -> str:
    return words.replace(";", " ").replace(",", " ").replace(".", " ")


def _described(entry: _Entry) -> str:
    element = entry.element
    class_name = element.class_name.rpartition(".")[2]
    _, found, name = element.resource_id.partition(":id/")
    what = [class_name if class_name not in _UNINFORMATIVE else "", name if found else ""]
    flags = ("checked", "password", "selected")
    state = "".join(f"{flag} " for flag in flags if getattr(element, flag))
    state += "unchecked " * (element.checkable and not element.checked)
    notes = " you can input password, " * element.password + " selected, " * element.selected
    head = "".join(f"{each} " for each in what if each)
    return f"{head};{entry.use}; {state};{notes};{entry.words}".replace("\n", "")


def _name(element: Element) -> str:
    """Return an entry's name in the history: its first five words, and its class."""
    words = (element.text or element.content_desc).split()[:5]
    return " ".join([*words, element.class_name.rpartition(".")[2]])


def _app(package: str) -> str:
    if "launcher" in package:
        return "home"
    name = name_of(package)
    return name if name != package else package.rpartition(".")[2] or "unknown"
