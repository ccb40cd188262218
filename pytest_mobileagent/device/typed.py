"""Whether typed text has arrived, as far as the view hierarchies before and after it tell.

Text is lost if another keyboard than ADBKeyboard is the current one, if no field has the focus, or
if a field refuses it. Nothing is lost where a field formats, completes, shortens or hides its text.
"""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

from pytest_mobileagent.action.action import Type, Wait
from pytest_mobileagent.errors import ScreenError
from pytest_mobileagent.screen import xml as hierarchy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.screen.element import Element

_EDITABLE = ("EditText", "AutoCompleteTextView", "SearchAutoComplete")
_HIDDEN = re.compile(r"[•●∙·*]*")
_SIMILAR = 0.5  # at least this ratio has text that a field has changed


class Typing:
    """The last thing that was typed on a device, until the next look."""

    def __init__(self) -> None:
        self._action: Type | None = None
        self._before = ""  # the hierarchy of the last look

    def note(self, action: Action) -> None:
        """Note an action on the device; after anything else, it is unknown whether text arrived."""
        if not isinstance(action, Wait):
            self._action = action if isinstance(action, Type) else None

    def forget(self) -> None:
        """Forget the last look, after a reset or a change of the display."""
        self._action, self._before = None, ""

    def seen(self, xml: str) -> str:
        """Note the hierarchy of a look; return a notice if the text before it was lost, else ""."""
        action, before = self._action, self._before
        self._action, self._before = None, xml
        return "" if action is None or not before else lost(action, before, xml)


def lost(action: Type, before: str, after: str) -> str:
    """Return a notice if text is missing in the hierarchy after it was typed; "" if unknown."""
    # A key that submits the text may clear the field, or leave the page.
    if action.enter or not action.text.strip() or re.search(r"[\r\n\t]", action.text):
        return ""
    try:
        earlier, now = list(hierarchy.parse(before).iter()), list(hierarchy.parse(after).iter())
    except ScreenError:
        return ""
    fields = [each for each in now if each.class_name.endswith(_EDITABLE)]
    if _arrived(action.text, earlier, now, fields):
        return ""
    field = next((each for each in fields if each.focused), None)
    if field is None:
        no_field = not any(each.focused for each in now) and before == after
        return _notice(action, "no field has the focus") if no_field else ""
    previous = _same(field, [e for e in earlier if e.class_name.endswith(_EDITABLE)], fields)
    old = None if previous is None else previous.text
    if field.password and not (field.text and _HIDDEN.fullmatch(field.text)):
        return ""
    if old is None:
        typed, shown = _plain(action.text), _plain(field.text)
        ratio = difflib.SequenceMatcher(None, typed[:200], shown[:200]).ratio()
        is_lost = not field.password and not (shown and shown in typed) and ratio < _SIMILAR
    else:
        is_lost = field.text == old or (action.clear and not field.text)
    return _notice(action, f"{field.describe()[:200]} has the focus") if is_lost else ""


def _notice(action: Type, where: str) -> str:
    return f"the typed text {action.text[:50]!r} is not on the screen: {where}"


def _arrived(
    text: str, earlier: Sequence[Element], now: Sequence[Element], fields: Sequence[Element]
) -> bool:
    """Return whether fields, one or several together, or new elements contain the text."""
    known = {element.text for element in earlier}
    places = [element.text for element in now if element.text not in known]
    places += [element.text for element in fields]
    places.append("".join(element.text for element in fields))  # one field for each digit
    wanted = _plain(text) or text.strip()
    return any(wanted in _plain(place) or text.strip() in place for place in places)


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _same(field: Element, earlier: Sequence[Element], now: Sequence[Element]) -> Element | None:
    """Return the field as it was earlier: by its bounds, its id if that is unique, or its place."""
    for alike in (
        [each for each in earlier if each.bounds == field.bounds],
        [each for each in earlier if field.resource_id and each.resource_id == field.resource_id],
    ):
        if len(alike) == 1:
            return alike[0]
    place = next(place for place, each in enumerate(now) if each is field)
    return earlier[place] if len(earlier) == len(now) else None
