"""The pages on which the user looks through an app's permissions, and changes them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.content.choosing import MANAGE, PACKAGE_NAME
from pytest_mobileagent.virtual.sdk.app import Activity
from pytest_mobileagent.virtual.system.packages.permissions import GROUPS, ONE_TIME, USER_SET, Group
from pytest_mobileagent.virtual.ui import (
    MATCH,
    AppBar,
    Column,
    List,
    Preference,
    RadioButton,
    Text,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_mobileagent.virtual.ui import View

IDS = "com.android.permissioncontroller:id/"


class ManagePermissionsActivity(Activity):
    """Lists what an app is allowed and what not; behind each row is the choice about it."""

    name = "com.android.permissioncontroller.permission.ui.ManagePermissionsActivity"
    main = ()
    actions = (MANAGE,)

    def on_create(self) -> None:
        """Begin with the list; leave if there is no such app."""
        self.state = {"group": ""}
        if self._package not in self.phone.packages:
            self.finish()

    @property
    def _package(self) -> str:
        return str(self.extras.get(PACKAGE_NAME, ""))

    def content(self) -> View:
        """Build the list, or the page about one group."""
        group = next((each for each in GROUPS if each.name == self.state["group"]), None)
        return self._choice(group) if group else self._list()

    def _page(self, title: str, views: Iterable[View]) -> View:
        bar = AppBar(title, up=self._leave, id="action_bar")
        return Column([bar, List(list(views), id=f"{IDS}recycler_view", weight=1)], height=MATCH)

    def _leave(self) -> None:
        if not self.on_back():
            self.finish()

    def on_back(self) -> bool:
        """Go back from a group to the list."""
        if not self.state["group"]:
            return False
        self.set(group="")
        return True

    def _list(self) -> View:
        permissions, app = self.phone.permissions, self.phone.packages.app(self._package)
        groups = permissions.requested(self._package)
        allowed = [each for each in groups if permissions.group_granted(self._package, each)]
        denied = [each for each in groups if each not in allowed]
        views: list[View] = [Text(app.name, id="android:id/title", size=24, padding=(24, 12))]
        for words, none, members in (
            ("Allowed", "No permissions allowed", allowed),
            ("Not allowed", "No permissions denied", denied),
        ):
            views.append(Text(self.t(words), bold=True, color="primary", padding=(24, 16, 24, 4)))
            views += [self._row(each) for each in members]
            if not members:
                views.append(Preference(self.t(none), enabled=False))
        return self._page(self.t("App permissions"), views)

    def _row(self, group: Group) -> View:
        in_use = group.in_use and self.phone.permissions.group_granted(self._package, group)
        summary = self.t("Only while app is in use") if in_use else ""
        act = partial(self.set, group=group.name)
        return Preference(
            self.t(group.label), summary, icon=group.icon, on_click=act, key=group.name
        )

    def _choice(self, group: Group) -> View:
        app, permissions = self.phone.packages.app(self._package), self.phone.permissions
        members = permissions.members(self._package, group)
        granted = permissions.group_granted(self._package, group)
        asks = any(
            ONE_TIME in permissions.flags(self._package, each)
            or (not granted and USER_SET not in permissions.flags(self._package, each))
            for each in members
        )
        rows = [("Don’t allow", "deny", "deny", not granted)]
        if group.in_use:
            rows = [
                ("Allow only while using the app", "allow_foreground_only", "foreground", granted),
                ("Ask every time", "ask", "ask", asks and not granted),
                *rows,
            ]
        else:
            rows = [("Allow", "allow", "always", granted), *rows]
        title = Text(
            self.t("{group} access for this app", group=self.t(group.label)),
            bold=True,
            color="primary",
            padding=(24, 12),
        )
        views: list[View] = [
            Text(app.name, id="android:id/title", size=24, padding=(24, 12)),
            title,
        ]
        chosen = next((each for each in rows if each[3]), rows[-1])
        views += [
            RadioButton(
                self.t(text),
                row is chosen,
                partial(self._answer, group, answer),
                id=f"{IDS}{word}_radio_button",
                width=MATCH,
                padding=(24, 8),
                size=18,
            )
            for row in rows
            for text, word, answer, _ in [row]
        ]
        return self._page(self.t("{group} permission", group=self.t(group.label)), views)

    def _answer(self, group: Group, answer: str, _on: bool) -> None:
        permissions = self.phone.permissions
        members = permissions.members(self._package, group)
        had = permissions.group_granted(self._package, group)
        if answer == "ask":
            permissions.answer(self._package, members, "deny")
            for each in members:
                permissions.flag(self._package, each, USER_SET, on=False)
        else:
            permissions.answer(self._package, members, "never" if answer == "deny" else answer)
        if had and answer in ("ask", "deny"):
            self.phone.activities.kill(self._package, f"permission of {group.name} revoked")
