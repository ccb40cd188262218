"""What an activity asks the user for: permissions, and an app to share something with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.content.filters import SEND
from pytest_mobileagent.virtual.content.intent import Intent
from pytest_mobileagent.virtual.image import chooser, grant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.virtual.app.app import Activity

ASKED = "@android:requestPermissions:"  # how the request of an activity for permissions starts


def ask_permission(activity: Activity, names: Sequence[str], request: str) -> None:
    """Ask the user for permissions; if there is nothing to ask, the answer comes at once."""
    phone, package = activity.phone, activity.app.package
    groups = [group.name for group in phone.permissions.to_ask(package, names)]
    if not groups:
        granted = {name: phone.permissions.granted(package, name) for name in names}
        activity.on_permission(request, granted)
        return
    component = grant.GrantPermissionsActivity.component(grant.PermissionController.package)
    extras = {grant.NAMES: list(names), "package": package, "groups": groups}
    intent = Intent(grant.REQUEST, component=component, extras=extras)
    phone.activities.start_from(activity, intent, f"{ASKED}{request}")


def share(activity: Activity, text: str, *, subject: str, stream: str, type: str) -> None:
    """Open the share sheet for a text, or for the file at a URI."""
    extras = {
        chooser.EXTRA_TEXT: text,
        chooser.EXTRA_SUBJECT: subject,
        chooser.EXTRA_STREAM: stream,
    }
    kept = {name: value for name, value in extras.items() if value}
    shared = Intent(SEND, type=type or ("*/*" if stream else "text/plain"), extras=kept)
    activity.phone.activities.start_from(activity, chooser.chooser(shared))
