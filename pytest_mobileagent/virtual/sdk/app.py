"""Apps and activities as authors write them: on a phone with all its services."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.app import app

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone


class App(app.App):
    """One installed app; it keeps nothing in memory, only in its databases and preferences."""

    phone: Phone


class Activity(app.Activity):
    """One screen of an app. `content` is a pure function of state, extras and the app's data."""

    app: App

    @property
    def phone(self) -> Phone:
        """The phone that the app runs on."""
        return self.app.phone
