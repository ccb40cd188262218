"""Who answers an intent, of the activities of one app."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.content.filters import Filter
from pytest_mobileagent.virtual.content.intent import DEFAULT, LAUNCHER, MAIN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.virtual.app.app import Activity, App
    from pytest_mobileagent.virtual.content.intent import Intent


def answers(app: App, kind: type[Activity], intent: Intent) -> bool:
    """Tell whether an activity answers an intent that does not name it."""
    if intent.action == MAIN:
        entry = _entry(app, kind)
        return bool(entry) and set(intent.categories) <= {*entry, DEFAULT}
    return any(each.matches(intent) for each in kind.intent_filters())


def filters(app: App, kind: type[Activity]) -> Iterator[Filter]:
    """Yield all filters of an activity, that of its icon first."""
    if entry := _entry(app, kind):
        yield Filter((MAIN,), categories=entry)
    yield from (each for each in kind.intent_filters() if each.actions)


def _entry(app: App, kind: type[Activity]) -> tuple[str, ...]:
    """Give the categories in which an activity is where an app begins."""
    if kind.main is None:
        return (LAUNCHER,) if kind is app.activities[0] else ()
    return tuple(kind.main)
