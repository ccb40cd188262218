"""The permission controller: the dialog that asks for permissions, and the pages to change them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.content.intent import MANAGE, PACKAGE_NAME, REQUEST, REQUESTED
from pytest_mobileagent.virtual.sdk.app import Activity, App
from pytest_mobileagent.virtual.system.packages.permissions import (
    GROUP_OF,
    GROUPS,
    ONE_TIME,
    PREFIX,
    USER_SET,
    Group,
)
from pytest_mobileagent.virtual.ui import (
    MATCH,
    AppBar,
    Button,
    Column,
    Frame,
    Image,
    List,
    Preference,
    RadioButton,
    Row,
    Text,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.virtual.ui import View
    from pytest_mobileagent.virtual.ui.views import Edges

IDS = "com.android.permissioncontroller:id/"  # the module's name, whichever package carries it
SCREENS = "com.android.permissioncontroller.permission.ui"
FINE, COARSE = f"{PREFIX}ACCESS_FINE_LOCATION", f"{PREFIX}ACCESS_COARSE_LOCATION"
NAMED = {group.name: group for group in GROUPS}


class GrantPermissionsActivity(Activity):
    """Asks for one group of permissions after another."""

    name = f"{SCREENS}.GrantPermissionsActivity"
    main = ()
    actions = (REQUEST,)
    translucent = True
    exclude_from_recents = True

    def on_create(self) -> None:
        """Start with the first group."""
        self.state = {"at": 0, "precise": True}
        if "groups" not in self.extras:  # not started by an app
            self.finish()

    @property
    def _package(self) -> str:
        return str(self.extras["package"])

    @property
    def _group(self) -> Group:
        names = list(self.extras["groups"])
        return NAMED[names[min(self.state["at"], len(names) - 1)]]

    @property
    def _asked(self) -> list[str]:
        """The permissions that the current question is about."""
        return [each for each in self.extras[REQUESTED] if GROUP_OF.get(each) == self._group]

    def content(self) -> View:
        """Build the question and its buttons."""
        group, metrics = self._group, self.phone.display.metrics
        label = self.phone.packages.app(self._package).name
        icon = Image(group.icon, id=f"{IDS}permission_icon", color="primary", align="center")
        message = Text(self.t(f"Allow {{app}} to {group.words}?", app=label), size=20, width=MATCH)
        message.id, message.margin = f"{IDS}permission_message", (0, 16, 0, 24)
        message.gravity = "center_horizontal"
        parts: list[View] = [icon, message]
        if self._chooses_accuracy():
            parts.append(self._accuracy())
        body = Column(parts, id=f"{IDS}content_container", padding=(24, 0), gravity="center")
        buttons = Column(self._buttons(group), padding=(24, 0))
        dialog = Column([body, buttons], id=f"{IDS}grant_dialog", corner=28, elevation=6)
        dialog.width, dialog.padding = min(356, metrics.width_px / metrics.density - 32), (0, 24)
        dialog.background = "surface_container_high"
        whole = Frame([dialog], id=f"{IDS}grant_singleton", height=MATCH, padding=24)
        whole.gravity = "center"
        return whole

    def _chooses_accuracy(self) -> bool:
        return {FINE, COARSE} <= set(self._asked)

    def _accuracy(self) -> View:
        """Build the choice between precise and approximate location."""
        choices = []
        for text, word, precise in (("Precise", "fine", True), ("Approximate", "coarse", False)):
            choice = RadioButton(self.t(text), self.state["precise"] is precise, weight=1)
            choice.id = f"{IDS}permission_location_accuracy_radio_{word}"
            choice.on_change = partial(self._choose, precise)
            choices.append(choice)
        return Row(choices, id=f"{IDS}permission_location_accuracy", margin=(0, 0, 0, 16))

    def _choose(self, precise: bool, _on: bool) -> None:
        self.set(precise=precise)

    def _buttons(self, group: Group) -> Sequence[View]:
        flags = [self.phone.permissions.flags(self._package, each) for each in self._asked]
        again = any(USER_SET in each for each in flags)
        refuse = ("deny_and_dont_ask_again", "never") if again else ("deny", "deny")
        allow = [("Allow", "allow", "always")]
        if group.in_use:
            allow = [
                ("While using the app", "allow_foreground_only", "foreground"),
                ("Only this time", "allow_one_time", "once"),
            ]
        buttons = []
        for text, word, answer in [*allow, ("Don’t allow", *refuse)]:
            button = Button(self.t(text), id=f"{IDS}permission_{word}_button", style="tonal")
            button.width, button.margin, button.padding, button.corner = MATCH, (0, 2), (24, 16), 12
            button.on_click = partial(self._answer, answer)
            buttons.append(button)
        return buttons

    def _answer(self, answer: str) -> None:
        asked = self._asked
        approximate = self._chooses_accuracy() and not self.state["precise"]
        if approximate and answer in ("foreground", "once"):
            asked.remove(FINE)
        self.phone.permissions.answer(self._package, asked, answer)
        if self.state["at"] + 1 < len(self.extras["groups"]):
            self.set(at=self.state["at"] + 1)
        else:
            self.on_back()

    def on_back(self) -> bool:
        """Finish; unanswered permissions are not granted, and no refusal is recorded."""
        granted = self.phone.permissions.granted
        self.finish(**{each: granted(self._package, each) for each in self.extras[REQUESTED]})
        return True


class ManagePermissionsActivity(Activity):
    """Lists which permissions an app has and lacks; each row opens a page to change the choice."""

    name = f"{SCREENS}.ManagePermissionsActivity"
    main = ()
    actions = (MANAGE,)

    def on_create(self) -> None:
        """Start with the list; finish if there is no such app."""
        self.state = {"group": ""}
        if self._package not in self.phone.packages:
            self.finish()

    @property
    def _package(self) -> str:
        return str(self.extras.get(PACKAGE_NAME, ""))

    def content(self) -> View:
        """Build the list, or the page of a group."""
        if group := NAMED.get(self.state["group"]):
            title = self.t("{group} permission", group=self.t(group.label))
            views = self._choice(group)
        else:
            title, views = self.t("App permissions"), self._list()
        app = Text(self.phone.packages.app(self._package).name, id="android:id/title", size=24)
        app.padding = (24, 12)
        bar = AppBar(title, up=self.leave, id="action_bar")
        page = List([app, *views], id=f"{IDS}recycler_view", weight=1)
        return Column([bar, page], height=MATCH)

    def on_back(self) -> bool:
        """Go back from a group to the list."""
        if not self.state["group"]:
            return False
        self.set(group="")
        return True

    def _list(self) -> list[View]:
        permissions = self.phone.permissions
        groups = permissions.requested(self._package)
        allowed = [each for each in groups if permissions.group_granted(self._package, each)]
        denied = [each for each in groups if each not in allowed]
        views: list[View] = []
        for words, none, members in (
            ("Allowed", "No permissions allowed", allowed),
            ("Not allowed", "No permissions denied", denied),
        ):
            views.append(_heading(self.t(words), (24, 16, 24, 4)))
            views += [self._row(each, allowed=members is allowed) for each in members]
            if not members:
                views.append(Preference(self.t(none), enabled=False))
        return views

    def _row(self, group: Group, *, allowed: bool) -> View:
        summary = self.t("Only while app is in use") if group.in_use and allowed else ""
        row = Preference(self.t(group.label), summary, icon=group.icon, key=group.name)
        row.on_click = partial(self.set, group=group.name)
        return row

    def _choice(self, group: Group) -> list[View]:
        permissions = self.phone.permissions
        granted = permissions.group_granted(self._package, group)
        members = permissions.members(self._package, group)
        flags = [permissions.flags(self._package, each) for each in members]
        asks = any(ONE_TIME in each or USER_SET not in each for each in flags) and not granted
        rows = [("Allow", "allow", "always", granted)]
        if group.in_use:
            rows = [
                ("Allow only while using the app", "allow_foreground_only", "foreground", granted),
                ("Ask every time", "ask", "ask", asks),
            ]
        rows.append(("Don’t allow", "deny", "deny", not granted))
        chosen = next(row for row in rows if row[3])
        title = self.t("{group} access for this app", group=self.t(group.label))
        views: list[View] = [_heading(title, (24, 12))]
        for row in rows:
            text, word, answer, _ = row
            button = RadioButton(self.t(text), row is chosen, partial(self._answer, group, answer))
            button.id, button.width = f"{IDS}{word}_radio_button", MATCH
            button.padding, button.size = (24, 8), 18
            views.append(button)
        return views

    def _answer(self, group: Group, answer: str, _on: bool) -> None:
        permissions = self.phone.permissions
        members = permissions.members(self._package, group)
        had = permissions.group_granted(self._package, group)
        kept = {"ask": "deny", "deny": "never"}.get(answer, answer)
        permissions.answer(self._package, members, kept)
        if answer == "ask":
            for each in members:
                permissions.flag(self._package, each, USER_SET, on=False)
        if had and answer in ("ask", "deny"):
            self.phone.activities.kill(self._package, f"permission of {group.name} revoked")


def _heading(text: str, padding: Edges) -> View:
    return Text(text, bold=True, color="primary", padding=padding)


class PermissionController(App):
    """The app that manages permissions."""

    package = "com.google.android.permissioncontroller"
    label = "Permission controller"
    version_name, version_code = "14", 340_000_000
    system = True
    accent = "#0b57d0"
    activities = (GrantPermissionsActivity, ManagePermissionsActivity)
