"""Broadcasts: intents delivered to every app with a receiver, or to a single app."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.content.intent import Intent, Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.system.later import Running
    from pytest_mobileagent.virtual.system.packages.packages import Packages


@dataclass(eq=False)
class Broadcasts:
    """Delivers intents to receivers."""

    changes: Changes
    packages: Packages
    _receivers: dict[str, Callable[[], object]] = field(default_factory=dict)

    def link(self, activities: Running) -> None:
        """Connect the service that runs the apps."""
        self._activities = activities

    def receive(self, action: str, receiver: Callable[[], object]) -> None:
        """Register a receiver of a system service, which is called before any app."""
        self._receivers[action] = receiver

    def send(self, intent: Intent) -> Reply:
        """Send an intent to every app, or to the app it names; return the last answer."""
        if receiver := self._receivers.get(intent.action):
            receiver()
        answers: list[str | Reply | None] = []
        wanted = intent.component.partition("/")[0] or intent.package
        for app in self.packages.apps():
            if wanted in ("", app.package) and self.packages.enabled(app.package):
                with self._activities.guard(app.package):
                    answers.append(app.on_broadcast(intent))
        self.changes.note()
        last = next((answer for answer in reversed(answers) if answer is not None), None)
        return last if isinstance(last, Reply) else Reply(0, last)
