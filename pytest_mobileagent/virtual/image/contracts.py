"""The contracts' app, org.mobileagent.contracts: what its APK does, once it is installed.

The APK's code is contracts-apk/Main.smali in the repository; both show the same pages.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from pytest_mobileagent.virtual.content.intent import LAUNCHER
from pytest_mobileagent.virtual.sdk.app import Activity, App
from pytest_mobileagent.virtual.system.hardware import MUSIC
from pytest_mobileagent.virtual.ui import (
    MATCH,
    AppBar,
    Button,
    CheckBox,
    Column,
    HScroll,
    List,
    Row,
    SeekBar,
    Text,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent.virtual.ui import View

PACKAGE: Final = "org.mobileagent.contracts"
DOUBLE: Final = 0.3  # seconds within which a second tap makes a double tap
TICK, TICKS = 0.2, 5
_ASKED: Final = "android.permission.READ_CONTACTS"


class Main(Activity):
    """The app's one activity, whose extra `page` selects what it shows."""

    name = ".Main"
    main = (LAUNCHER,)
    refresh = True

    @property
    def secure(self) -> bool:  # type: ignore[override]  # one page of several is
        """Whether screenshots are forbidden."""
        return self._page == "secure"

    @property
    def _page(self) -> str:
        return str(self.extras.get("page", "touch"))

    def on_create(self) -> None:
        """Begin with an empty status."""
        self.state = {"last": "", "clicked": 0.0, "count": 0, "counting": 0.0, "slider": 0}
        self.state |= {"box": True, "line": "", "lines": ""}
        self._tell("ready")

    def content(self) -> View:
        """Build the status, the facts and the page."""
        said = self.state["said"]
        if self.state["counting"]:
            passed = (self.phone.clock.uptime() - self.state["counting"]) / TICK
            said = f"counted {min(TICKS, 1 + int(passed))}"
        page = {"text": self._text, "rows": self._rows, "columns": self._columns}.get(self._page)
        above: list[View] = [AppBar(title="Contracts", id="android:id/action_bar")]
        above += [Text(said), Text(self.state["facts"])]
        return Column([*above, *(page or self._touch)()], height=MATCH)

    def _touch(self) -> Sequence[View]:
        rows = (("One", "Two", "Count"), ("Log", "Ask", "Crash"))
        return [
            *(Row([self._button(name) for name in names]) for names in rows),
            SeekBar(self.state["slider"], 100, self._slide),
            CheckBox("Box", self.state["box"], lambda box: self.set(box=box)),
            Text("Colour", background="#ff00ff", padding=30, width=MATCH),
        ]

    def _text(self) -> Sequence[View]:
        line = self.field("line", desc="line", on_submit=lambda text: self._tell(f"sent {text}"))
        return [line, self.field("lines", desc="lines", multiline=True), self._button("Save")]

    def _rows(self) -> Sequence[View]:
        return [List([Text(f"Row {at}", padding=(16, 14)) for at in range(1, 61)], id="rows")]

    def _columns(self) -> Sequence[View]:
        columns = [Text(f"Column {at}", padding=(30, 30, 30, 500)) for at in range(1, 41)]
        return [HScroll(Row(columns), id="columns")]

    def _button(self, name: str) -> Button:
        click, hold = partial(self._click, name), partial(self._tell, f"long {name}")
        return Button(name, on_click=click, on_long_click=hold)

    def _click(self, name: str) -> None:
        count = self.state["count"] = self.state["count"] + 1
        match name:
            case "Crash":
                raise RuntimeError("crashed as the contract asks")
            case "Save":
                self._save(self.state["line"])
            case "Count":
                self._tell("", counting=self.phone.clock.uptime())
            case "Ask":
                self.request_permission(_ASKED)
            case _:
                now = self.phone.clock.uptime()
                soon = now - self.state["clicked"] <= DOUBLE and self.state["last"] == name
                said = f"{'double' if soon else 'tap'} {name} {count}"
                self._tell(said, clicked=now, last=name)
                self.app.log("MobileContracts", said, "W")

    def _slide(self, value: float) -> None:
        self._tell(f"slider {round(value)}", slider=round(value))

    def on_permission(self, request: str, granted: Mapping[str, bool]) -> None:
        """Say what was answered."""
        self._tell("granted" if granted.get(_ASKED) else "refused")

    def _save(self, text: str) -> None:
        database = self.app.database("contracts.db")
        database.execute("CREATE TABLE IF NOT EXISTS texts (text TEXT)")
        database.execute("INSERT INTO texts VALUES (?)", text)
        self.app.preferences("contracts").put("text", text)
        self._tell(f"saved {text}")

    def _tell(self, said: str, **state: Any) -> None:
        self.set(**{"counting": 0.0, **state}, said=said, facts=self._facts())

    def _facts(self) -> str:
        phone = self.phone
        facts = {
            "sdk": phone.props["ro.build.version.sdk"],
            "dpi": round(phone.display.metrics.density * 160),
            "locale": self.locale.tag,
            "volume": phone.audio.volume(MUSIC),
            "locked": str(phone.keyguard.secure).lower(),
            "rotation": phone.display.rotation,
            "clock": f"{phone.clock.now():%Y-%m-%dT%H:%M:%S}",
        }
        return " ".join(f"{name}={value}" for name, value in facts.items())


class Contracts(App):
    """The app's behaviour; everything else comes from its APK."""

    package = PACKAGE
    screens = (Main,)  # replaces the one that is created from the manifest
