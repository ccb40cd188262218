"""Which of several apps answers an intent: what the user has chosen always, and what last."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.content.filters import WEB, scheme_of
from pytest_mobileagent.virtual.content.intent import MAIN
from pytest_mobileagent.virtual.snapshots.kept import Kept

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.app.app import Activity, App
    from pytest_mobileagent.virtual.content.intent import Intent
    from pytest_mobileagent.virtual.system.packages.packages import Packages

    Found = tuple[App, type[Activity]]


@dataclass(eq=False)
class Defaults(Kept):
    """Choices by action, scheme and type, as preferred activities are kept."""

    KEPT = ("_always", "_last")

    packages: Packages
    _always: dict[str, str] = field(default_factory=dict)
    _last: dict[str, str] = field(default_factory=dict)

    def choose(self, intent: Intent, found: list[Found]) -> Found | None:
        """Give the one that answers without a question; None if the user has to choose."""
        if len(found) == 1 or intent.component or intent.action == MAIN:
            return found[0]
        if scheme_of(intent.data) in WEB:
            found = [each for each in found if names_host(each[1], intent)] or found
        always = self._always.get(_subject(intent))
        for app, kind in found:
            if len(found) == 1 or kind.component(app.package) == always:
                return app, kind
        return None

    def candidates(self, intent: Intent) -> list[Found]:
        """Give those among which the user has to choose, by label, the last chosen one first."""
        found = self.packages.resolve(intent)
        if scheme_of(intent.data) in WEB:
            found = [each for each in found if names_host(each[1], intent)] or found
        last = self._last.get(_subject(intent))
        return sorted(
            found,
            key=lambda each: (each[1].component(each[0].package) != last, each[0].label.lower()),
        )

    def last(self, intent: Intent) -> str:
        """Give the component that was chosen the last time, "" if none was."""
        return self._last.get(_subject(intent), "")

    def remember(self, intent: Intent, component: str, *, always: bool) -> None:
        """Keep what the user has chosen."""
        self._last[_subject(intent)] = component
        if always:
            self._always[_subject(intent)] = component

    def opens(self, package: str) -> list[str]:
        """Give what an app is always chosen for."""
        return [key for key, component in self._always.items() if _owner(component) == package]

    def forget(self, package: str) -> None:
        """Clear an app's defaults."""
        for kept in (self._always, self._last):
            for key in [key for key, component in kept.items() if _owner(component) == package]:
                del kept[key]


def names_host(kind: type[Activity], intent: Intent) -> bool:
    """Tell whether an activity names the host of a link, which makes it the link's own app."""
    return any(each.hosts and each.matches(intent) for each in kind.intent_filters())


def _owner(component: str) -> str:
    return component.partition("/")[0]


def _subject(intent: Intent) -> str:
    return f"{intent.action}|{scheme_of(intent.data)}|{intent.type}"
