"""The system's decor around an app's screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.virtual.boot import boot
from pytest_mobileagent.virtual.sdk import (
    MATCH,
    Activity,
    App,
    AppBar,
    BottomNav,
    Column,
    Dialog,
    List,
    NavItem,
    Space,
    Text,
)

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.sdk import View
    from pytest_mobileagent.virtual.ui.layout import Box

ROWS = [Text(f"row {n}", padding=(0, 12)) for n in range(40)]
SCREENS = {
    "short": Column([Text("here")]),
    "long": Column([Text("here"), *ROWS]),
    "list": List([Text("here"), *ROWS]),
    "barred": Column([AppBar("Own"), Text("here")]),
    "whole": Column([Text("here")], height=MATCH),
    "placed": Column(
        [AppBar("Own"), Space(), BottomNav([NavItem("home", "home", "Home")])], height=MATCH
    ),
}


class Main(Activity):
    name = ".Main"
    title = "First"

    def content(self) -> View:
        return SCREENS[self.state.get("screen", "short")]

    def dialog(self) -> Dialog | None:
        asks = self.state.get("asks")
        return Dialog("Which?", content=self.field("name")) if asks else None


class First(App):
    package = "com.example.first"
    label = "An app"
    activities = (Main,)


@pytest.fixture(scope="module")
def phone() -> Phone:
    phone = boot([First])
    phone.activities.launch(First.package)
    return phone


def shown(phone: Phone) -> Main:
    activity = phone.activities.top.activity
    assert isinstance(activity, Main)
    return activity


def boxes(phone: Phone) -> list[Box]:
    return list(phone.windows.active.box.walk())


@pytest.mark.parametrize(
    ("screen", "bars", "scrolls"),
    [
        ("short", ["First"], False),
        ("long", ["First"], True),
        ("list", ["First"], True),
        ("barred", ["Own"], False),
        ("whole", [], False),
    ],
)
def test_a_screen_that_does_not_fill_the_window_is_headed_by_its_title(
    phone: Phone, screen: str, bars: list[str], scrolls: bool
) -> None:
    shown(phone).set(screen=screen)
    found = boxes(phone)
    assert [box.view.title for box in found if isinstance(box.view, AppBar)] == bars
    assert any(box.reach for box in found) is scrolls
    here = next(box for box in found if box.view.label == "here")
    assert here.bounds[1] >= phone.display.metrics.px(24 + 64 * len(bars)), "under a bar"


def test_a_field_of_a_dialog_that_opens_takes_the_focus_asked_for(phone: Phone) -> None:
    activity = shown(phone)
    activity.set(asks=True)
    activity.focus("name")
    typed = [box for box in boxes(phone) if box.key == phone.windows.active.state.focused]
    assert [box.view.kind for box in typed] == ["android.widget.EditText"]
    activity.set(asks=False)


def test_the_systems_bar_is_not_mirrored_by_the_language_of_an_app(phone: Phone) -> None:
    def places() -> tuple[float, float]:
        bar = next(each for each in phone.windows.stack if each.kind == "status")
        clock = next(box for box in bar.box.walk() if box.view.id.endswith("clock"))
        here = next(box for box in boxes(phone) if box.view.label == "here")
        return clock.bounds[0], here.bounds[0]

    shown(phone).set(screen="short")
    clock, here = places()
    phone.locales.set_own(First.package, ["ar-EG"])
    again, mirrored = places()
    phone.locales.set_own(First.package, [])
    assert again == clock
    assert mirrored > here


def test_a_bar_at_the_bottom_goes_on_behind_the_systems(phone: Phone) -> None:
    shown(phone).set(screen="placed")
    box = next(each for each in boxes(phone) if each.view.id.endswith("navigationBarBackground"))
    assert box.view.background == "surface_container"
