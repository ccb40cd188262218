"""The sheet that asks which of several apps should handle an intent, just once or always."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.content.filters import (
    SEND,
    SEND_MULTIPLE,
    SENDTO,
    VIEW,
    WEB,
    scheme_of,
)
from pytest_mobileagent.virtual.image.sheet import Sheet
from pytest_mobileagent.virtual.ui import MATCH, WRAP, Button, Column, Image, List, Row, Text

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.app.app import Activity, App
    from pytest_mobileagent.virtual.content.intent import Intent
    from pytest_mobileagent.virtual.ui import View

TITLES = {
    VIEW: "Open with",
    "android.intent.action.EDIT": "Edit with",
    SEND: "Share",
    SEND_MULTIPLE: "Share",
    SENDTO: "Send using",
    "android.media.action.IMAGE_CAPTURE": "Capture image with",
}


class ResolverActivity(Sheet):
    """A list of apps, one of which is selected and then used just once or always."""

    name = "com.android.internal.app.ResolverActivity"
    main = ()

    def on_create(self) -> None:
        """Start with no app selected."""
        super().on_create()
        self.state = {"chosen": ""}

    def _found(self) -> list[tuple[App, type[Activity]]]:
        return self.phone.defaults.candidates(self.target)

    def content(self) -> View:
        """Build the sheet."""
        found = self._found()
        if not found:
            return self.sheet([_title(self.t("No apps can perform this action."))], id=PANEL)
        rows = List(  # scrolls if there are too many rows; the buttons stay
            [self._row(app, kind) for app, kind in found],
            id="android:id/resolver_list",
            class_name="android.widget.ListView",
        )
        title = _title(self.t(_words(self.target)))
        return self.sheet([title, rows, self._buttons()], id=PANEL)

    def _row(self, app: App, kind: type[Activity]) -> View:
        component = kind.component(app.package)
        texts = Column([Text(app.name, id="android:id/text1", size=16, max_lines=1)], weight=1)
        if kind.title and kind.title != app.label and self._ambiguous(app):
            texts.children = [*texts.children, Text(kind.title, id="android:id/text2", max_lines=1)]
        chosen = component == self.state["chosen"]
        choose = partial(self.set, chosen=component)
        return Row(
            [Image(app.icon or "android", id="android:id/icon", size=40, margin=(0, 0, 20, 0)),
             texts],
            key=component,
            padding=(24, 10),
            selected=chosen,
            background="secondary_container" if chosen else "",
            on_click=partial(self._take, component, always=False) if chosen else choose,
        )  # fmt: skip

    def _ambiguous(self, app: App) -> bool:
        return sum(other is app for other, _ in self._found()) > 1

    def _buttons(self) -> View:
        chosen = self.state["chosen"]
        once, always = (
            Button(
                self.t(text),
                id=f"android:id/button_{word}",
                style="text",
                enabled=bool(chosen),
                on_click=partial(self._take, chosen, always=word == "always"),
            )
            for text, word in (("Just once", "once"), ("Always", "always"))
        )
        bar = Row([once, always], id="android:id/button_bar", width=WRAP, padding=(12, 8))
        bar.align = "end"
        return bar

    def _take(self, component: str, *, always: bool) -> None:
        for app, kind in self._found():
            if kind.component(app.package) == component:
                if always:
                    self.phone.defaults.remember(self.target, component)
                self.hand_over(app, kind)
                return


PANEL = "android:id/contentPanel"


def _title(text: str) -> View:
    return Text(text, id="android:id/title", size=18, padding=(24, 16), width=MATCH)


def _words(intent: Intent) -> str:
    if intent.action == VIEW and scheme_of(intent.data) in WEB:
        return "Open links with"
    return TITLES.get(intent.action, "Complete action using")
