"""An app that shows the touches it receives."""

from __future__ import annotations

from pytest_mobileagent.virtual.sdk import (
    Activity,
    App,
    Button,
    Column,
    Dialog,
    Icon,
    List,
    SeekBar,
    Text,
    View,
)


class Main(Activity):
    name = ".MainActivity"
    title = "Touches"

    def on_create(self) -> None:
        self.state = {"last": "nothing", "level": 0.0, "name": "", "secret": "", "asked": False}

    def content(self) -> View:
        return Column(
            [
                Text(str(self.state["last"]), id="last", size=20),
                Button(
                    "Press me",
                    id="button",
                    on_click=lambda: self.set(last="click"),
                    on_long_click=lambda: self.set(last="long click"),
                ),
                Button(
                    "Contacts",
                    id="contacts",
                    on_click=lambda: self.request_permission("android.permission.READ_CONTACTS"),
                ),
                Button("Ask", id="ask", on_click=lambda: self.set(asked=True)),
                self.field("name", id="name", hint="Name", multiline=True),
                self.field("secret", id="secret", hint="PIN", password=True, numeric=True),
                SeekBar(self.state["level"], 100, self.change, id="level", desc="Level"),
                Text("", id="pad", desc="Pad", width=-1, height=240, background="#dddddd"),
                List([Text(f"Row {n}", padding=16, key=f"row{n}") for n in range(60)], id="rows"),
            ],
            height=-1,
        )

    def change(self, level: float) -> None:
        self.set(level=level, last=f"level {level:.0f}")

    def on_swipe(self, direction: str) -> None:
        self.set(last=f"swipe {direction}")

    def on_pinch(self, scale: float) -> None:
        self.set(last="pinch open" if scale > 1 else "pinch close")

    def dialog(self) -> Dialog | None:
        if not self.state["asked"]:
            return None
        return Dialog(
            title="Really?",
            message="It cannot be undone.",
            buttons=[
                ("Yes", lambda: self.set(asked=False, last="yes")),
                ("No", lambda: self.set(asked=False, last="no")),
            ],
        )


class Touches(App):
    package = "org.touches"
    label = "Touches"
    icon = Icon("touch", "#455a64")
    activities = (Main,)
    permissions = ("android.permission.CAMERA", "android.permission.READ_CONTACTS")
