"""The clipboard, of which Android tells nothing here."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import Service

service = Service("clipboard", interface="android.content.IClipboard")
