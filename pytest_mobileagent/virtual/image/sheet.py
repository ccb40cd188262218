"""What the sheets have in common that come up from the bottom when several apps would answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.content.intent import TARGET, Intent, from_plain
from pytest_mobileagent.virtual.sdk.app import Activity
from pytest_mobileagent.virtual.ui import MATCH, Column, Frame, View

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.virtual.app import app as base

BAR = 24  # dp of the navigation bar, which the sheet's ground goes on behind, and of the status bar


class Sheet(Activity):
    """A panel at the bottom that a tap above it closes; it goes when something covers it."""

    translucent = True
    exclude_from_recents = True
    no_history = True

    def on_create(self) -> None:
        """Leave at once if there is nothing to answer."""
        if not isinstance(self.extras.get(TARGET), dict):
            self.finish()

    @property
    def target(self) -> Intent:
        """The intent that some app shall answer."""
        return from_plain(self.extras[TARGET])

    def sheet(self, children: Sequence[View], *, id: str) -> View:
        """Put the panel's parts on the screen."""
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
        """Let an app answer, in place of this sheet."""
        self.phone.activities.hand_over(self, self.target, kind.component(app.package))


def _nothing() -> None:
    """Take a tap, so that it does not close the sheet."""
