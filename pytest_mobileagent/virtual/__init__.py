"""A small Android in Python; this module holds the names that an app's author imports."""

from pytest_mobileagent.virtual import ui
from pytest_mobileagent.virtual.app import Activity, App
from pytest_mobileagent.virtual.data import Database, Preferences
from pytest_mobileagent.virtual.intent import Intent
from pytest_mobileagent.virtual.ui import *  # noqa: F403 - its own __all__ is the list

__all__ = ["Activity", "App", "Database", "Intent", "Preferences"]
__all__ += ui.__all__
