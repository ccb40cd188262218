"""Questions that the checks of several apps ask about an episode.

Success counts once it was reached, as in the release: each question is asked about every moment.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_mobileagent import Tap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Question = Callable[[Any], Any]

OK = "android:id/button1"


def view(episode: Any, name: str, screen: Any = None, **criteria: Any) -> Any:
    """Return the element of the task's app that has an id, on the last screen, or None."""
    shown = screen or episode.screen
    return shown.find(resource_id=f"{episode.app}:id/{name}", **criteria)


def texts(episode: Any, name: str) -> list[str]:
    """Return the texts of the elements that have an id."""
    return [each.text for each in episode.screen.find_all(resource_id=f"{episode.app}:id/{name}")]


def last(episode: Any, name: str) -> Any:
    """Return the element that has an id on the latest screen with such an element, or None."""
    each = (view(episode, name, screen) for screen in reversed(episode.screens))
    return next((found for found in each if found), None)


def says(element: Any, text: str) -> bool:
    """Return whether an element has a text; capitals do not matter."""
    return element is not None and element.text.strip().lower() == text.lower()


def equal(actual: Any, wanted: Any) -> bool:
    """Return True if two values are equal; else raise what a failed task reports."""
    assert actual == wanted, f"there was {actual!r} instead of {wanted!r}"
    return True


def digits(text: str) -> str:
    return "".join(filter(str.isdecimal, text))


def at(activity: str) -> Question:
    """Ask whether an activity of the app is in front, by the end of its name."""

    def shown(episode: Any) -> bool:
        screen = episode.screen
        assert screen.package == episode.app, f"{screen.package} was in front"
        assert screen.activity.endswith(activity), f"{screen.activity} was in front"
        return True

    return shown


def has(name: str, text: str) -> Question:
    """Ask whether an element of the app, by its id, has a text."""
    wanted = re.compile(rf"(?i)^\s*{re.escape(text)}\s*$")
    return lambda e: view(e, name, text=wanted)


def is_on(name: str, *, on: bool = True) -> Question:
    """Ask whether a box of the app is checked."""
    return lambda e: view(e, name, checked=on)


def searched(text: str) -> Question:
    """Ask whether a text is in the search at the top."""
    return has("top_toolbar_search", text)


def confirmed(episode: Any, *on: str, off: tuple[str, ...] = (), to: str = "") -> bool:
    """Return True if a dialog was closed by OK with boxes, by their ids or texts, on or off.

    With `to`, the screen after it has an element with this id. Of a dialog that scrolls, each box
    counts as it was last seen. Otherwise, raise what a failed task reports.
    """
    wanted = {**dict.fromkeys(on, True), **dict.fromkeys(off, False)}
    closed = [*_closed(episode, list(wanted))]
    right = [after for seen, after in closed if seen == wanted]
    boxes = ", ".join(f"{name} {'on' if state else 'off'}" for name, state in wanted.items())
    assert right, f"no dialog was closed by OK with {boxes}: {[seen for seen, _ in closed]}"
    assert not to or any(view(episode, to, after) for after in right), f"{to} was not below it"
    return True


def _closed(episode: Any, names: list[str]) -> Iterator[tuple[dict[str, bool], Any]]:
    """Yield the state of boxes in each dialog that OK closed, and the next screen."""
    seen: dict[str, bool] = {}
    for step, after in zip(episode.steps, episode.screens[1:], strict=False):
        button = step.screen.find(resource_id=OK)
        if button is None:
            seen = {}
            continue
        for name in names:
            if found := view(episode, name, step.screen) or step.screen.find(text=name):
                seen[name] = found.checked
        if any(isinstance(act, Tap) and button.bounds.contains(act.x, act.y) for act in step.done):
            yield {**seen}, after


def agreed(episode: Any, pattern: Any) -> bool:
    """Return whether a dialog with a text was confirmed."""
    return episode.tapped(lambda s: s.find_all(resource_id=OK) if s.find(text=pattern) else [])


def saved(episode: Any, home: str, **fields: str) -> bool:
    """Return whether a form was saved with texts in its fields, by their ids, and left.

    Each field counts as it was last seen. `home` is the id of an element of the screen after it.
    """

    def filled(e: Any) -> bool:
        return all(says(last(e, name), text) for name, text in fields.items())

    def keep(e: Any) -> bool:
        return e.tapped(resource_id=f"{e.app}:id/save") or e.tapped(text="Save")

    return bool(view(episode, home)) and filled(episode) and episode.in_order(filled, keep)
