"""Notifications as shown in the shade, and as heads-up notifications over an app."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.ui import (
    MATCH,
    WRAP,
    Button,
    Card,
    Image,
    ImageButton,
    Input,
    Row,
    Space,
    Text,
    View,
)

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.system.notifications import Notification
    from pytest_mobileagent.virtual.systemui.system_ui import SystemUi


def notice(ui: SystemUi, shown: Notification, *, expanded: bool, floating: bool = False) -> View:
    """Build a notification's row; `floating` is for a heads-up notification over an app."""
    t = ui.t
    app = ui.packages.app(shown.package)
    age = _age(ui, shown)
    head: list[View] = [
        Image(app.icon or "android", id="android:id/icon", size=20),
        Text(app.name, id="android:id/app_name_text", size=12, margin=(8, 0), max_lines=1),
        Text(age, id="android:id/time", size=12, color="on_surface_variant"),
        Space(height=0),
    ]
    has_more = bool(shown.long_text or shown.deeds)
    if has_more and not floating:
        icon, word = ("expand_less", "Collapse") if expanded else ("expand_more", "Expand")
        button = ImageButton(icon, id="android:id/expand_button", desc=t(word), size=20, padding=4)
        button.on_click = partial(ui.shade.toggle, shown)
        head.append(button)
    full = (expanded or floating) and bool(shown.long_text)
    text = shown.long_text if full else shown.text
    words = Text(
        text,
        id="android:id/big_text" if full else "android:id/text",
        max_lines=0 if full else 1,
        color="on_surface_variant",
        width=MATCH,
        visible=bool(text),
    )
    parts: list[View] = [
        Row(head, id="android:id/notification_top_line"),
        Text(shown.title, id="android:id/title", bold=True, margin=(0, 6, 0, 0), max_lines=1,
             width=MATCH, visible=bool(shown.title)),
        words,
    ]  # fmt: skip
    if shown.deeds and (expanded or floating):
        parts.append(_deeds(ui, shown))
    if ui.shade.replying == shown.key and not floating:
        parts.append(_field(ui, shown))
    card = Card(
        parts,
        key=f"notice:{shown.key}",
        id="expandableNotificationRow",
        on_click=partial(ui.notifications.open, shown),
        padding=16,
        margin=(0, 4),
        background="surface",
    )
    card.class_name = "android.widget.FrameLayout"
    return card


def _age(ui: SystemUi, shown: Notification) -> str:
    t = ui.t
    minutes = int(ui.clock.time() - shown.time) // 60
    if minutes < 1:
        return t("now")
    return t("{n}m", n=minutes) if minutes < 60 else t("{n}h", n=minutes // 60)


def _deeds(ui: SystemUi, shown: Notification) -> View:
    buttons: list[View] = []
    for at, deed in enumerate(shown.deeds):
        act = partial(ui.notifications.do, shown, deed)
        if deed.reply:
            act = partial(ui.shade.answer, shown)
        button = Button(deed.label, id="android:id/action0", style="text", padding=(12, 10))
        if deed.color:
            button.style, button.background, button.color = "filled", deed.color, "#ffffff"
            button.corner, button.margin = 20, (0, 0, 8, 0)
        button.key, button.on_click = f"deed:{shown.key}:{at}", act
        buttons.append(button)
    return Row(buttons, id="android:id/actions", margin=(0, 6, 0, 0), width=WRAP)


def _field(ui: SystemUi, shown: Notification) -> View:
    hint = next((deed.reply for deed in shown.deeds if deed.reply), "")
    field = Input(
        ui.shade.reply,
        id="remote_input_text",
        key=f"reply:{shown.key}",
        hint=hint,
        action="send",
        on_change=ui.shade.typed,
        on_submit=partial(ui.shade.send, shown),
        weight=1,
    )
    send = ImageButton("send", id="remote_input_send", desc=ui.t("Send"))
    send.on_click = partial(ui.shade.send, shown)
    return Row([field, send], id="remote_input_content", margin=(0, 8, 0, 0))


def heads_up(ui: SystemUi, shown: Notification) -> View:
    """Build the heads-up notification that is shown over an app for some seconds."""
    card = notice(ui, shown, expanded=False, floating=True)
    card.margin = (8, 32, 8, 0)
    card.elevation, card.corner, card.align = 6, 28, "top"
    return card
