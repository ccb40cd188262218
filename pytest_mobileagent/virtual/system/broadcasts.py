"""Broadcasts: what is told to every app that wants to know, or to one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from pytest_mobileagent.virtual.content.intent import Intent, Reply

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.system.packages.packages import Packages


class Surviving(Protocol):
    """Who runs the apps that are told."""

    def surviving(self, package: str) -> AbstractContextManager[None]:
        """Let a failure of an app's own code end it."""


class Broadcasts:
    """Delivers intents to receivers."""

    def __init__(self, changes: Changes, packages: Packages) -> None:
        self._changes = changes
        self._packages = packages
        self._receivers: dict[str, Callable[[], object]] = {}

    def link(self, activities: Surviving) -> None:
        """Learn who runs the apps."""
        self._activities = activities

    def receive(self, action: str, receiver: Callable[[], object]) -> None:
        """Let a service of the system's be told, before any app."""
        self._receivers[action] = receiver

    def send(self, intent: Intent) -> Reply:
        """Tell every app, or the one whose receiver is named; give the last answer."""
        if receiver := self._receivers.get(intent.action):
            receiver()
        answers: list[str | Reply | None] = []
        wanted = intent.component.partition("/")[0] or intent.package
        for app in self._packages.apps():
            if wanted in ("", app.package) and self._packages.enabled(app.package):
                with self._activities.surviving(app.package):
                    answers.append(app.on_broadcast(intent))
        self._changes.note()
        last = next((answer for answer in reversed(answers) if answer is not None), None)
        return last if isinstance(last, Reply) else Reply(0, last)
