"""The bottom sheets that appear when several apps can handle an intent."""

from __future__ import annotations

import posixpath
from functools import partial
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.content.intent import (
    CHOOSER,
    EXTRA_STREAM,
    EXTRA_SUBJECT,
    EXTRA_TEXT,
    EXTRA_TITLE,
    SEND,
    SEND_MULTIPLE,
    SENDTO,
    TARGET,
    VIEW,
    WEB,
    Intent,
    from_plain,
    scheme_of,
)
from pytest_mobileagent.virtual.sdk.app import Activity, App
from pytest_mobileagent.virtual.ui import (
    MATCH,
    WRAP,
    Button,
    Card,
    Column,
    Frame,
    Image,
    ImageButton,
    List,
    Row,
    Text,
    View,
)

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
        panel = Column(children, id=id, align="bottom", corner=28, elevation=6)
        panel.margin, panel.padding = (0, BAR, 0, 0), (0, 8, 0, BAR)
        panel.background = "surface_container_low"
        panel.class_name = "android.widget.RelativeLayout"
        panel.on_click = lambda: None  # so that a tap on it does not close the sheet
        return Frame([panel], height=MATCH, on_click=self.finish)

    def hand_over(self, app: base.App, kind: type[base.Activity]) -> None:
        """Start an app's activity for the intent, in place of this sheet."""
        self.phone.activities.hand_over(self, self.target, kind.component(app.package))


COLUMNS = 4
MEDIA = "content://media/"


class ChooserActivity(Sheet):
    """Lists the apps that can handle the intent in its extras."""

    name = ".ChooserActivity"
    main = ()
    actions = (CHOOSER,)

    def content(self) -> View:
        """Build the sheet."""
        headline = str(self.extras.get(EXTRA_TITLE) or self.t(self._headline()))
        title = Text(headline, id="headline", size=18, width=MATCH, padding=(24, 12, 24, 12))
        handle = Row([], id="drag", width=32, height=4, corner=2, background="outline_variant")
        handle.align = "center_horizontal"
        apps = [self._app(app, kind) for app, kind in self._found()]
        grid: View = List(apps, columns=COLUMNS, id="resolver_list", padding=(12, 8))
        if not apps:
            grid = Text(self.t("No apps can perform this action."), id="empty", padding=24)
        return self.sheet([handle, title, *self._preview(), grid], id="contentPanel")

    def _found(self) -> list[tuple[base.App, type[base.Activity]]]:
        found = self.phone.packages.resolve(self.target)
        return sorted(found, key=lambda each: each[0].label.lower())

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
        ids = {EXTRA_SUBJECT: "content_preview_title", EXTRA_TEXT: "content_preview_text"}
        words = [
            Text(str(extras[name]), id=at, size=14, bold=name == EXTRA_SUBJECT, max_lines=5)
            for name, at in ids.items()
            if extras.get(name)
        ]
        copy = ImageButton("copy", id="copy", desc=self.t("Copy text"), on_click=self._copy)
        body = Row([Column(words, weight=1), copy], padding=(16, 8))
        return [Card([body], id="content_preview_text_layout", margin=(24, 0, 24, 8))]

    def _preview_of_file(self, uri: str) -> View:
        path = self._path(uri)
        picture: View = Image("document", id="content_preview_file_icon", size=32)
        if self.target.type.startswith("image/") and self.phone.files.exists(path):
            data = self.phone.files.read(path)
            picture = Image(data, id="content_preview_image_area", size=96, corner=12)
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
        icon = Image(app.icon or "android", id="android:id/icon", size=52)
        label = Text(app.name, id="android:id/text1", size=12, max_lines=2, width=MATCH)
        label.gravity, label.margin = "center_horizontal", (0, 6, 0, 0)
        cell = Column([icon, label], key=kind.component(app.package), padding=(4, 10))
        cell.gravity, cell.on_click = "center_horizontal", partial(self.hand_over, app, kind)
        return cell


class IntentResolver(App):
    """The app that contains the share sheet."""

    package, label = "com.android.intentresolver", "IntentResolver"
    version_name, version_code = "14", 34
    system = True
    accent = "#0b57d0"
    activities = (ChooserActivity,)


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

    def _found(self) -> list[tuple[base.App, type[base.Activity]]]:
        return self.phone.defaults.candidates(self.target)

    def content(self) -> View:
        """Build the sheet."""
        found = self._found()
        if not found:
            return self.sheet([_title(self.t("No apps can perform this action."))], id=PANEL)
        # The list scrolls if there are too many rows; the buttons stay.
        rows = List([self._row(app, kind) for app, kind in found], id="android:id/resolver_list")
        rows.class_name = "android.widget.ListView"
        return self.sheet([_title(self.t(_words(self.target))), rows, self._buttons()], id=PANEL)

    def _row(self, app: base.App, kind: type[base.Activity]) -> View:
        component = kind.component(app.package)
        texts = Column([Text(app.name, id="android:id/text1", size=16, max_lines=1)], weight=1)
        several = sum(other is app for other, _ in self._found()) > 1
        if several and kind.title and kind.title != app.label:
            texts.children = [*texts.children, Text(kind.title, id="android:id/text2", max_lines=1)]
        icon = Image(app.icon or "android", id="android:id/icon", size=40, margin=(0, 0, 20, 0))
        row = Row([icon, texts], key=component, padding=(24, 10))
        row.on_click = partial(self.set, chosen=component)
        if component == self.state["chosen"]:
            row.selected, row.background = True, "secondary_container"
            row.on_click = partial(self._take, component, always=False)
        return row

    def _buttons(self) -> View:
        chosen = self.state["chosen"]
        buttons = []
        for text, word in (("Just once", "once"), ("Always", "always")):
            button = Button(self.t(text), id=f"android:id/button_{word}", style="text")
            button.enabled = bool(chosen)
            button.on_click = partial(self._take, chosen, always=word == "always")
            buttons.append(button)
        bar = Row(buttons, id="android:id/button_bar", width=WRAP, padding=(12, 8))
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
