"""Elements as texts in prompts, in the papers' conventions.

What dumps of UIAutomator lack is said in `marks`. A mark without an element is written as an
element of which nothing but its bounds is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.perception.marks import is_editable, letters
from pytest_mobileagent.screen.element import Element

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_mobileagent.perception.marks import Mark

# A part of the class, SeeAct's name for such elements, and for the state of being checked.
_KINDS = [
    ("radiobutton", "radio button", "selected"),
    ("button", "button", ""),
    ("image", "image", ""),
    ("switch", "switch", "checked"),
    ("checkbox", "checkbox", "checked"),
]


def m3a_lines(marks: Iterable[Mark]) -> str:
    """Return M3A's list: `UI element 3: {"index": 3, "text": "Save", "is_clickable": True, …}`.

    Words are in plain quotes, unescaped; flags are Python's. Source: AndroidWorld's M3A
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

    Each line has all attributes of AndroidWorld's `UIElement` as Python writes them; those that a
    dump lacks are None. Source: AndroidWorld's T3A (`_generate_ui_elements_description_list_full`).
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
    """Return B-MoCA's list, as Python writes a list of dictionaries.

    Ids and classes are without what is before the last "/" or "."; "checked" is also said of what
    is selected or has the focus. Source: B-MoCA's released code (`parse_obs`).
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
    """Return SeeAct's multiple choice: `A. "Save" button`; the last choice is none of them.

    Source: AndroidWorld's SeeAct (`format_action_options`).
    """
    none = letters(len(marks))
    lines = [f"{mark.label}. {seeact_description(_element(mark))}" for mark in marks]
    lines.append(f"{none}. None of these elements is the right one.")
    return "\n".join(lines)


def seeact_description(element: Element) -> str:
    """Return SeeAct's words for an element, which it also uses in its history: `"Save" button`.

    An empty field shows its hint as its text in a dump, so hints are said as texts. Source:
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
