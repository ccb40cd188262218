"""How apps and the system ask the user which app shall answer an intent."""

from __future__ import annotations

from typing import Any, Final

from pytest_mobileagent.virtual.content.intent import Intent, to_plain

CHOOSER: Final = "android.intent.action.CHOOSER"
EXTRA_TEXT: Final = "android.intent.extra.TEXT"
EXTRA_SUBJECT: Final = "android.intent.extra.SUBJECT"
EXTRA_STREAM: Final = "android.intent.extra.STREAM"
EXTRA_TITLE: Final = "android.intent.extra.TITLE"
TARGET: Final = "android.intent.extra.INTENT"
REQUEST: Final = "android.content.pm.action.REQUEST_PERMISSIONS"
REQUESTED: Final = "android.content.pm.extra.REQUEST_PERMISSIONS_NAMES"
MANAGE: Final = "android.intent.action.MANAGE_APP_PERMISSIONS"
PACKAGE_NAME: Final = "android.intent.extra.PACKAGE_NAME"
SHARE_SHEET: Final = "com.android.intentresolver/.ChooserActivity"
RESOLVER: Final = "android/com.android.internal.app.ResolverActivity"


def carried(intent: Intent) -> dict[str, Any]:
    """Give the extras by which a sheet is told what shall be answered."""
    return {TARGET: to_plain(intent)}


def chooser(target: Intent) -> Intent:
    """Wrap an intent so that the user is asked which app shall answer it."""
    return Intent(CHOOSER, component=SHARE_SHEET, extras=carried(target))
