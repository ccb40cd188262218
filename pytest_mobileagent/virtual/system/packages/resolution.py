"""Intent resolution among the activities of a single app."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.content.filters import Filter
from pytest_mobileagent.virtual.content.intent import DEFAULT, LAUNCHER, MAIN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.virtual.app.app import Activity, App
    from pytest_mobileagent.virtual.content.intent import Intent


def answers(app: App, kind: type[Activity], intent: Intent) -> bool:
    """Return whether an activity handles an intent that does not name it."""
    if intent.action == MAIN:
        entry = _entry(app, kind)
        return bool(entry) and set(intent.categories) <= {*entry, DEFAULT}
    return any(each.matches(intent) for each in kind.intent_filters())


def filters(app: App, kind: type[Activity]) -> Iterator[Filter]:
    """Yield all filters of an activity, starting with that of its launcher icon."""
    if entry := _entry(app, kind):
        yield Filter((MAIN,), categories=entry)
    yield from (each for each in kind.intent_filters() if each.actions)


def _entry(app: App, kind: type[Activity]) -> tuple[str, ...]:
    """Return the categories with which an activity is an entry point of its app."""
    if kind.main is None:
        return (LAUNCHER,) if kind is app.activities[0] else ()
    return tuple(kind.main)
