"""Which of several apps handles an intent: the user's default choices."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.content.intent import MAIN, WEB, scheme_of
from pytest_mobileagent.virtual.snapshots import Kept

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.app.app import Activity, App
    from pytest_mobileagent.virtual.content.intent import Intent
    from pytest_mobileagent.virtual.system.packages.packages import Packages

    Found = tuple[App, type[Activity]]


@dataclass(eq=False)
class Defaults(Kept):
    """The choices by action, scheme and type, as Android stores preferred activities."""

    KEPT = ("_always",)

    packages: Packages
    _always: dict[str, str] = field(default_factory=dict)

    def choose(self, intent: Intent, found: list[Found]) -> Found | None:
        """Return the activity that handles an intent, or None if the user has to choose."""
        if len(found) == 1 or intent.component or intent.action == MAIN:
            return found[0]
        found = _closest(intent, found)
        always = self._always.get(_subject(intent))
        for app, kind in found:
            if len(found) == 1 or kind.component(app.package) == always:
                return app, kind
        return None

    def candidates(self, intent: Intent) -> list[Found]:
        """Return the activities among which the user has to choose, sorted by label."""
        found = _closest(intent, self.packages.resolve(intent))
        return sorted(found, key=lambda each: each[0].label.lower())

    def remember(self, intent: Intent, component: str) -> None:
        """Store the activity that the user has chosen for always."""
        self._always[_subject(intent)] = component

    def opens(self, package: str) -> list[str]:
        """Return the subjects for which an app is the default."""
        return [key for key, component in self._always.items() if _owner(component) == package]

    def forget(self, package: str) -> None:
        """Clear an app's defaults."""
        for key in self.opens(package):
            del self._always[key]


def _closest(intent: Intent, found: list[Found]) -> list[Found]:
    """For a web link, keep only the activities that name its host, if there are any."""
    if scheme_of(intent.data) not in WEB:
        return found
    return [each for each in found if _names_host(each[1], intent)] or found


def _names_host(kind: type[Activity], intent: Intent) -> bool:
    return any(each.hosts and each.matches(intent) for each in kind.intent_filters())


def _owner(component: str) -> str:
    return component.partition("/")[0]


def _subject(intent: Intent) -> str:
    return f"{intent.action}|{scheme_of(intent.data)}|{intent.type}"
