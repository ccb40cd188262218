"""The base of the bottom sheets that appear when several apps can handle an intent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.content.intent import TARGET, Intent, from_plain
from pytest_mobileagent.virtual.sdk.app import Activity
from pytest_mobileagent.virtual.ui import MATCH, Column, Frame, View

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.virtual.app import app as base

BAR = 24  # dp of the status bar and the navigation bar; the sheet extends behind the latter


class Sheet(Activity):
    """A bottom panel, closed by a tap above it, and finished when another activity covers it."""

    translucent = True
    exclude_from_recents = True
    no_history = True

    def on_create(self) -> None:
        """Finish at once if there is no intent to handle."""
        if not isinstance(self.extras.get(TARGET), dict):
            self.finish()

    @property
    def target(self) -> Intent:
        """The intent that the chosen app will handle."""
        return from_plain(self.extras[TARGET])

    def sheet(self, children: Sequence[View], *, id: str) -> View:
        """Lay out the panel's children on the screen."""
        panel = Column(
            children,
            id=id,
            align="bottom",
            margin=(0, BAR, 0, 0),
            padding=(0, 8, 0, BAR),
            corner=28,
            background="surface_container_low",
            elevation=6,
            on_click=_nothing,
        )
        panel.class_name = "android.widget.RelativeLayout"
        return Frame([panel], height=MATCH, on_click=self.finish)

    def hand_over(self, app: base.App, kind: type[base.Activity]) -> None:
        """Start an app's activity for the intent, in place of this sheet."""
        self.phone.activities.hand_over(self, self.target, kind.component(app.package))


def _nothing() -> None:
    """Consume a tap, so that it does not close the sheet."""
