"""Describes screens as text for prompts, in the papers' conventions: element lists and HTML.

`marks` lists the information that UIAutomator's dumps lack. A mark without an element is written
like an element that has only bounds. The HTML is AutoDroid's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_mobileagent.perception.marks import Mark, is_editable, letters
from pytest_mobileagent.screen.element import Bounds, Element

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_mobileagent.screen import Screen


# A part of the class name, SeeAct's name for such elements, and its word for their checked state.
_KINDS = [
    ("radiobutton", "radio button", "selected"),
    ("button", "button", ""),
    ("image", "image", ""),
    ("switch", "switch", "checked"),
    ("checkbox", "checkbox", "checked"),
]


def m3a_lines(marks: Iterable[Mark]) -> str:
    """Return M3A's list: `UI element 3: {"index": 3, "text": "Save", "is_clickable": True, …}`.

    Texts are in quotes, without escapes; flags are Python's. Source: AndroidWorld's M3A
    (`_generate_ui_element_description`).
    """
    return "\n".join(_m3a_line(mark.label, _element(mark)) for mark in marks)


def _m3a_line(label: str, element: Element) -> str:
    parts = [f'"index": {label}']
    words = {"text": element.text, "content_description": element.content_desc}
    parts += [f'"{name}": "{value}"' for name, value in words.items() if value]
    parts.append(f'"is_clickable": {element.clickable}')
    parts.append(f'"is_long_clickable": {element.long_clickable}')
    parts.append(f'"is_editable": {is_editable(element)}')
    sometimes = {"is_scrollable": element.scrollable, "is_focusable": element.focusable}
    parts += [f'"{name}": True' for name, flag in sometimes.items() if flag]
    parts.append(f'"is_selected": {element.selected}')
    parts.append(f'"is_checked": {element.checked}')
    return f"UI element {label}: {{{', '.join(parts)}}}"


def t3a_lines(marks: Iterable[Mark]) -> str:
    """Return T3A's list: `UI element 3: UIElement(text='Save', content_description=None, …)`.

    Each line has all attributes of AndroidWorld's `UIElement` in Python's format; those that a dump
    lacks are None. Source: AndroidWorld's T3A (`_generate_ui_elements_description_list_full`).
    """
    return "\n".join(f"UI element {mark.label}: {_t3a_element(_element(mark))}" for mark in marks)


def _t3a_element(element: Element) -> str:
    left, top, right, bottom = element.bounds
    box = f"BoundingBox(x_min={left}, x_max={right}, y_min={top}, y_max={bottom})"
    parts = {
        "text": repr(element.text or None),
        "content_description": repr(element.content_desc or None),
        "class_name": repr(element.class_name or None),
        "bbox": "None",
        "bbox_pixels": box,
        "hint_text": "None",
        "is_checked": element.checked,
        "is_checkable": element.checkable,
        "is_clickable": element.clickable,
        "is_editable": is_editable(element),
        "is_enabled": element.enabled,
        "is_focused": element.focused,
        "is_focusable": element.focusable,
        "is_long_clickable": element.long_clickable,
        "is_scrollable": element.scrollable,
        "is_selected": element.selected,
        "is_visible": True,
        "package_name": repr(element.package or None),
        "resource_name": repr(element.resource_id or None),
        "tooltip": "None",
        "resource_id": "None",
        "metadata": "None",
    }
    return f"UIElement({', '.join(f'{name}={value}' for name, value in parts.items())})"


def bmoca_lines(marks: Iterable[Mark]) -> str:
    """Return B-MoCA's list: a list of dictionaries in Python's format.

    Only the last part of ids and classes is kept, after "/" or "."; "checked" is also true of
    elements that are selected or focused. Source: B-MoCA's released code (`parse_obs`).
    """
    return str([_bmoca_entry(mark.label, _element(mark)) for mark in marks])


def _bmoca_entry(label: str, element: Element) -> dict[str, int | str]:
    checked = element.checked or element.selected or element.focused
    return {
        "numeric_tag": int(label) if label.isdecimal() else label,
        "resource_id": element.resource_id.rpartition("/")[2],
        "class": element.class_name.rpartition(".")[2],
        "content_description": element.content_desc,
        "text": element.text,
        "checked": "true" if checked else "false",
    }


def seeact_choices(marks: Sequence[Mark]) -> str:
    """Return SeeAct's multiple choice: `A. "Save" button`; the last choice rejects all elements.

    Source: AndroidWorld's SeeAct (`format_action_options`).
    """
    none = letters(len(marks))
    lines = [f"{mark.label}. {seeact_description(_element(mark))}" for mark in marks]
    lines.append(f"{none}. None of these elements is the right one.")
    return "\n".join(lines)


def seeact_description(element: Element) -> str:
    """Return SeeAct's description of an element, also for its history: `"Save" button`.

    In a dump, the text of an empty field is its hint, so hints appear as texts. Source:
    AndroidWorld's SeeAct (`_get_element_description`).
    """
    kind = element.class_name.rpartition(".")[2].lower()
    for part, name, state in _KINDS:
        if part in kind:
            return _with_state(element, name, state) if state else _named(element, name)
    return _text_box(element) if is_editable(element) else _named(element, "icon")


def _named(element: Element, kind: str) -> str:
    name = element.text or element.content_desc or element.resource_id
    return f'"{name}" {kind}' if name else kind


def _text_box(element: Element) -> str:
    named = f'a "{element.content_desc}" text box' if element.content_desc else "a text box"
    return named + (f' with the text "{element.text}"' if element.text else " that is empty")


def _with_state(element: Element, kind: str, state: str) -> str:
    if element.text:
        named = f'a {kind} with the text "{element.text}"'
    elif element.content_desc:
        named = f'a "{element.content_desc}" {kind}'
    else:
        named = f"a {kind}"
    return f"{named} that is {'' if element.checked else 'not '}{state}"


def _element(mark: Mark) -> Element:
    return mark.element or Element(class_name="", bounds=mark.bounds)


GO_BACK = "go back"

_BARS = {"android:id/navigationBarBackground", "android:id/statusBarBackground"}
_LONGEST = 50


class _Entry(NamedTuple):
    """One element of the page: its tag, attributes and text, and the view element behind it."""

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

    There is one line for each element: `<p>`, `<button>`, `<checkbox checked=True>` or `<input>`,
    with ids from 0; its content is the text, and `text='…'` the description. The button "go back",
    whose mark has no element, follows the elements of the first screen, so it is the last one of a
    single screen. If `merged`, which is the default for several screens (given from the top down),
    elements with equal lines are listed once, for the first screen that has them (see `position`).

    The content of a clickable element becomes one button, with texts of up to 50 characters each,
    joined by `<br>`; a tap goes to the first element in it that has text or can be scrolled.
    Neither elements without text nor backgrounds of system bars are listed. Texts are not escaped.

    Source: AutoDroid (arXiv:2308.15272), with the order and details of its released code
    (`get_described_actions`): elements with clickable ones inside remain clickable themselves (the
    function that changes this is disabled). There, texts with "@", "#" or "&" are mistaken for
    placeholders; here they are not. AutoDroid's app knows which views are editable; dumps do not.
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
    """Return the index, from 0, of the screen that contains a mark's element; 0 for "go back"."""
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
    """Map the `id` of each element to the nearest one with a flag: itself, an ancestor, or None."""
    found: dict[int, Element | None] = {id(screen.root): None}
    for element in screen.elements:
        found[id(element)] = element if getattr(element, flag) else found[id(element.parent)]
    return found


def _below(element: Element) -> Iterator[Element]:
    """Yield all descendants of an element, grouped by parent, as AutoDroid merges their texts."""
    for each in element.iter():
        yield from each.children


def _joined(parts: Sequence[Element]) -> tuple[str, str]:
    """Return the descriptions and the texts of a button's parts."""
    inside = [part for part in parts if part.resource_id not in _BARS]
    descriptions = [part.content_desc[:_LONGEST] for part in inside if part.content_desc]
    texts = [part.text[:_LONGEST] for part in inside if part.text]
    return "<br>".join(descriptions), "<br>".join(texts)
