"""The dialog that asks for a permission."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.content.choosing import REQUEST, REQUESTED
from pytest_mobileagent.virtual.image.manage import ManagePermissionsActivity
from pytest_mobileagent.virtual.sdk.app import Activity, App
from pytest_mobileagent.virtual.system.packages.permissions import GROUP_OF, PREFIX, USER_SET, Group
from pytest_mobileagent.virtual.ui import (
    MATCH,
    Button,
    Column,
    Frame,
    Image,
    RadioButton,
    Row,
    Text,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.virtual.ui import View

IDS = "com.android.permissioncontroller:id/"  # the module's name, whichever package carries it
FINE, COARSE = f"{PREFIX}ACCESS_FINE_LOCATION", f"{PREFIX}ACCESS_COARSE_LOCATION"


class GrantPermissionsActivity(Activity):
    """Asks for one group of permissions after the other."""

    name = "com.android.permissioncontroller.permission.ui.GrantPermissionsActivity"
    main = ()
    actions = (REQUEST,)
    translucent = True
    exclude_from_recents = True

    def on_create(self) -> None:
        """Start with the first group."""
        self.state = {"at": 0, "precise": True}
        if "groups" not in self.extras:  # started by somebody who is no app
            self.finish()

    @property
    def _package(self) -> str:
        return str(self.extras["package"])

    @property
    def _names(self) -> list[str]:
        return list(self.extras[REQUESTED])

    @property
    def _group(self) -> Group:
        names = list(self.extras["groups"])
        wanted = names[min(self.state["at"], len(names) - 1)]
        return next(group for group in GROUP_OF.values() if group.name == wanted)

    def _asked(self) -> list[str]:
        """Give the permissions that the present question is about."""
        return [each for each in self._names if GROUP_OF.get(each) == self._group]

    def content(self) -> View:
        """Build the question and its buttons."""
        group, label = self._group, self.phone.packages.app(self._package).name
        parts: list[View] = [
            Image(group.icon, id=f"{IDS}permission_icon", color="primary", align="center"),
            Text(
                self.t(f"Allow {{app}} to {group.words}?", app=label),
                id=f"{IDS}permission_message",
                size=20,
                gravity="center_horizontal",
                width=MATCH,
                margin=(0, 16, 0, 24),
            ),
        ]
        if self._chooses_accuracy():
            parts.append(self._accuracy())
        body = Column(parts, id=f"{IDS}content_container", padding=(24, 0), gravity="center")
        dialog = Column(
            [body, Column(self._buttons(group), padding=(24, 0))],
            id=f"{IDS}grant_dialog",
            width=min(356, self.phone.display.metrics.width_px / self._density - 32),
            padding=(0, 24),
            corner=28,
            background="surface_container_high",
            elevation=6,
        )
        return Frame(
            [dialog], id=f"{IDS}grant_singleton", height=MATCH, gravity="center", padding=24
        )

    @property
    def _density(self) -> float:
        return self.phone.display.metrics.density

    def _chooses_accuracy(self) -> bool:
        asked = self._asked()
        return FINE in asked and COARSE in asked

    def _accuracy(self) -> View:
        """Build the choice between the precise and the approximate location."""
        choices: list[View] = [
            RadioButton(
                self.t(text),
                self.state["precise"] is precise,
                partial(self._choose_accuracy, precise),
                id=f"{IDS}permission_location_accuracy_radio_{word}",
                weight=1,
            )
            for text, word, precise in (("Precise", "fine", True), ("Approximate", "coarse", False))
        ]
        return Row(choices, id=f"{IDS}permission_location_accuracy", margin=(0, 0, 0, 16))

    def _choose_accuracy(self, precise: bool, _on: bool) -> None:
        self.set(precise=precise)

    def _buttons(self, group: Group) -> Sequence[View]:
        before = any(
            USER_SET in self.phone.permissions.flags(self._package, each) for each in self._asked()
        )
        refuse = ("deny_and_dont_ask_again", "never") if before else ("deny", "deny")
        rows = [("Don’t allow", *refuse)]
        if group.in_use:
            rows = [
                ("While using the app", "allow_foreground_only", "foreground"),
                ("Only this time", "allow_one_time", "once"),
                *rows,
            ]
        else:
            rows = [("Allow", "allow", "always"), *rows]
        return [
            Button(
                self.t(text),
                id=f"{IDS}permission_{word}_button",
                style="tonal",
                width=MATCH,
                margin=(0, 2),
                padding=(24, 16),
                corner=12,
                on_click=partial(self._answer, answer),
            )
            for text, word, answer in rows
        ]

    def _answer(self, answer: str) -> None:
        asked = self._asked()
        if self._chooses_accuracy() and not self.state["precise"] and answer in GIVES:
            asked = [each for each in asked if each != FINE]
        self.phone.permissions.answer(self._package, asked, answer)
        if self.state["at"] + 1 < len(self.extras["groups"]):
            self.set(at=self.state["at"] + 1)
        else:
            self._done()

    def on_back(self) -> bool:
        """Leave without an answer: nothing is granted, and nothing remembered."""
        self._done()
        return True

    def _done(self) -> None:
        self.finish(**results(self, self._package, self._names))


GIVES = ("foreground", "once")


def results(activity: Activity, package: str, names: Sequence[str]) -> dict[str, Any]:
    """Tell which of some permissions an app holds."""
    return {name: activity.phone.permissions.granted(package, name) for name in names}


class PermissionController(App):
    """The app that manages permissions."""

    package = "com.google.android.permissioncontroller"
    label = "Permission controller"
    version_name, version_code = "14", 340_000_000
    system = True
    accent = "#0b57d0"
    activities = (GrantPermissionsActivity, ManagePermissionsActivity)
