"""Questions that the checks of several apps ask about an episode.

Success counts once it was reached, as in the release: each question is asked about every moment.
"""

from __future__ import annotations

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


def digits(text: str) -> str:
    return "".join(filter(str.isdecimal, text))


def at(activity: str) -> Question:
    """Ask whether an activity of the app is in front, by the end of its name."""
    return lambda e: e.screen.package == e.app and e.screen.activity.endswith(activity)


def has(name: str, text: str) -> Question:
    """Ask whether an element of the app, by its id, has a text."""
    return lambda e: says(view(e, name), text)


def is_on(name: str, *, on: bool = True) -> Question:
    """Ask whether a box of the app is checked."""
    return lambda e: view(e, name, checked=on)


def searched(text: str) -> Question:
    """Ask whether a text is in the search at the top."""
    return has("top_toolbar_search", text)


def confirmed(episode: Any, *on: str, off: tuple[str, ...] = (), to: str = "") -> bool:
    """Return whether a dialog was closed by OK with boxes, by their ids or texts, on or off.

    With `to`, the screen after it has an element with this id. Of a dialog that scrolls, each box
    counts as it was last seen.
    """
    wanted = {**dict.fromkeys(on, True), **dict.fromkeys(off, False)}
    return any(
        {name: seen.get(name) for name in wanted} == wanted and (not to or view(episode, to, after))
        for seen, after in _closed(episode, list(wanted))
    )


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
            yield seen, after


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
