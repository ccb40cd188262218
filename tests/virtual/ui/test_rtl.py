"""Right-to-left layouts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.virtual.ui import (
    AppBar,
    HScroll,
    ImageButton,
    Input,
    Row,
    SeekBar,
    Space,
    Switch,
    Text,
    View,
)
from pytest_mobileagent.virtual.ui.editing import line_left
from pytest_mobileagent.virtual.ui.layout import Box, UiState, layout
from pytest_mobileagent.virtual.ui.metrics import Metrics
from pytest_mobileagent.virtual.ui.paint import draw
from pytest_mobileagent.virtual.ui.touch import drag, scroll, tap

if TYPE_CHECKING:
    from PIL.Image import Image

METRICS = Metrics(400, 400, 1.0, rtl=True)


def show(view: View, state: UiState | None = None) -> Box:
    return layout(view, METRICS.screen, METRICS, state or UiState())


def ink(picture: Image) -> tuple[int, int, int, int] | None:
    """The bounds of what was drawn on black."""
    return picture.convert("L").point(lambda value: 255 * (value > 60)).getbbox()


def test_the_way_up_is_at_the_right_and_its_arrow_points_there() -> None:
    bar = show(AppBar("Title", up=lambda: None))
    assert bar.children[0].bounds[2] == 400 - 4
    button = ImageButton("arrow_back", color="#ffffff")
    leftwards = replace(METRICS, rtl=False)
    ends = [
        ink(draw([layout(button, METRICS.screen, metrics, UiState())], metrics))
        for metrics in (METRICS, leftwards)
    ]
    assert ends[0] is not None
    assert ends[1] is not None
    assert 400 - ends[0][2] == pytest.approx(ends[1][0], abs=1)
    pictures = [
        draw([layout(button, METRICS.screen, metrics, UiState())], metrics).crop(box)
        for metrics, box in zip((METRICS, leftwards), ends, strict=True)
    ]
    assert pictures[0].tobytes() != pictures[1].tobytes()


def test_text_stands_at_the_start() -> None:
    picture = draw([show(Text("Settings", color="#ffffff", width=-1))], METRICS)
    place = ink(picture)
    assert place is not None
    assert place[2] > 395
    assert place[0] > 300


def test_letters_at_the_end_of_a_view_are_whole() -> None:
    words = Text("0 items", color="#ffffff", size=14)
    shown = [
        draw([layout(Row([words]), METRICS.screen, metrics, UiState())], metrics)
        for metrics in (METRICS, replace(METRICS, rtl=False))
    ]
    leftwards, rightwards = (picture.crop(ink(picture)) for picture in shown)
    assert leftwards.tobytes() == rightwards.tobytes()


def test_a_dial_is_not_mirrored() -> None:
    keys = Row([Text("1", id="one"), Text("2", id="two")], direction="ltr", width=100)
    row = show(Row([keys, Space(height=0)]))
    assert row.children[0].bounds[2] == 400
    one, two = row.children[0].children
    assert one.bounds[0] < two.bounds[0]


def test_a_slider_grows_to_the_left() -> None:
    seen: list[float] = []
    slider = show(SeekBar(0, 100, seen.append))
    for x in (380, 200, 20):
        drag(slider, x, slider.bounds[1] + 20)
    assert seen == pytest.approx([1.1, 50, 98.9], abs=2)


def test_a_finger_to_the_right_goes_on_in_what_scrolls_sideways() -> None:
    state = UiState()
    tabs = HScroll(Row([View(id=f"tab{i}", width=150, height=40) for i in range(5)]), id="tabs")
    first = show(tabs, state).find("tab0")
    assert first is not None
    assert first.bounds[2] == 400
    scroll(show(tabs, state), 150, 0, state)
    second = show(tabs, state).find("tab1")
    assert second is not None
    assert second.bounds[2] == 400


def test_a_switch_that_is_on_has_its_thumb_at_the_left() -> None:
    on, off = (draw([show(Switch("", checked))], METRICS) for checked in (True, False))
    assert on.tobytes() != off.tobytes()
    bounds = show(Switch("", True)).bounds
    left, right = ((bounds[0] + 16, 24), (bounds[2] - 16, 24))
    assert on.getpixel(left) != on.getpixel(right)
    assert on.getpixel((bounds[0] + 26, 24)) == on.getpixel((bounds[0] + 16, 24))


def test_a_tap_puts_the_cursor_where_it_is_seen() -> None:
    state = UiState()
    field = Input("سلام", id="field", on_change=lambda _: None)
    box = show(field, state)
    y = (box.bounds[1] + box.bounds[3]) // 2
    tap(box, box.bounds[2] - 18, y, state)
    assert state.cursor == 0
    tap(box, box.bounds[0] + 20, y, state)
    assert state.cursor == 4
    assert line_left("سلام", box, 16) > 300
