"""The share sheet: a preview of the shared content, and the apps that accept it."""

from __future__ import annotations

import posixpath
from functools import partial
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.content.filters import SEND, SEND_MULTIPLE
from pytest_mobileagent.virtual.content.intent import (
    CHOOSER,
    EXTRA_STREAM,
    EXTRA_SUBJECT,
    EXTRA_TEXT,
    EXTRA_TITLE,
)
from pytest_mobileagent.virtual.image.sheet import Sheet
from pytest_mobileagent.virtual.sdk.app import App
from pytest_mobileagent.virtual.ui import MATCH, Card, Column, Image, ImageButton, List, Row, Text

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.app import app as base
    from pytest_mobileagent.virtual.ui import View

COLUMNS = 4
MEDIA = "content://media/"


class ChooserActivity(Sheet):
    """Lists the apps that can handle the intent in its extras."""

    name = ".ChooserActivity"
    main = ()
    actions = (CHOOSER,)

    def content(self) -> View:
        """Build the sheet."""
        self_made = self.extras.get(EXTRA_TITLE)
        headline = str(self_made) if self_made else self.t(self._headline())
        title = Text(headline, id="headline", size=18, width=MATCH, padding=(24, 12, 24, 12))
        handle = Row([], id="drag", width=32, height=4, corner=2, background="outline_variant")
        handle.align = "center_horizontal"
        apps = [self._app(app, kind) for app, kind in self._found()]
        grid: View = List(apps, columns=COLUMNS, id="resolver_list", padding=(12, 8))
        if not apps:
            grid = Text(self.t("No apps can perform this action."), id="empty", padding=24)
        parts = [handle, title, *self._preview(), grid]
        return self.sheet(parts, id="contentPanel")

    def _found(self) -> list[tuple[base.App, type[base.Activity]]]:
        return sorted(
            self.phone.packages.resolve(self.target), key=lambda each: each[0].label.lower()
        )

    def _headline(self) -> str:
        target = self.target
        if target.action not in (SEND, SEND_MULTIPLE):
            return "Open with"
        kind = target.type.partition("/")[0]
        if EXTRA_STREAM in target.extras and kind == "image":
            return "Sharing image"
        if EXTRA_STREAM in target.extras:
            return "Sharing video" if kind == "video" else "Sharing file"
        text = str(target.extras.get(EXTRA_TEXT, ""))
        is_link = text.startswith(("http://", "https://")) and not text.split()[1:]
        return "Sharing link" if is_link else "Sharing text"

    def _preview(self) -> list[View]:
        extras = self.target.extras
        if self.target.action not in (SEND, SEND_MULTIPLE):
            return []
        if EXTRA_STREAM in extras:
            return [self._preview_of_file(str(extras[EXTRA_STREAM]))]
        words = [
            Text(str(extras[name]), id=at, size=14, bold=name == EXTRA_SUBJECT, max_lines=5)
            for name, at in (
                (EXTRA_SUBJECT, "content_preview_title"),
                (EXTRA_TEXT, "content_preview_text"),
            )
            if extras.get(name)
        ]
        copy = ImageButton("copy", id="copy", desc=self.t("Copy text"), on_click=self._copy)
        body = Row([Column(words, weight=1), copy], padding=(16, 8))
        return [Card([body], id="content_preview_text_layout", margin=(24, 0, 24, 8))]

    def _preview_of_file(self, uri: str) -> View:
        path = self._path(uri)
        picture: View = Image("document", id="content_preview_file_icon", size=32)
        if self.target.type.startswith("image/") and self.phone.files.exists(path):
            picture = Image(
                self.phone.files.read(path), id="content_preview_image_area", size=96, corner=12
            )
        label = Text(posixpath.basename(path), id="content_preview_filename", max_lines=1, weight=1)
        label.margin = (16, 0)
        row = Row([picture, label], padding=16)
        return Card([row], id="content_preview_file_layout", margin=(24, 0, 24, 8))

    def _path(self, uri: str) -> str:
        known = self.phone.resolver.query(uri, ("_data",)) if uri.startswith(MEDIA) else []
        return str(known[0]["_data"]) if known else uri.removeprefix("file://")

    def _copy(self) -> None:
        self.phone.clipboard.text = str(self.target.extras.get(EXTRA_TEXT, ""))
        self.finish()

    def _app(self, app: base.App, kind: type[base.Activity]) -> View:
        label = Text(
            app.name,
            id="android:id/text1",
            size=12,
            max_lines=2,
            gravity="center_horizontal",
            width=MATCH,
            margin=(0, 6, 0, 0),
        )
        return Column(
            [Image(app.icon or "android", id="android:id/icon", size=52), label],
            key=kind.component(app.package),
            gravity="center_horizontal",
            padding=(4, 10),
            on_click=partial(self.hand_over, app, kind),
        )


class IntentResolver(App):
    """The app that contains the share sheet."""

    package, label = "com.android.intentresolver", "IntentResolver"
    version_name, version_code = "14", 34
    system = True
    accent = "#0b57d0"
    activities = (ChooserActivity,)
