from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.virtual.ui import (
    MATCH,
    Button,
    CheckBox,
    Column,
    Dialog,
    Frame,
    HScroll,
    Input,
    List,
    Row,
    Scroll,
    SeekBar,
    Space,
    Text,
    Touch,
    View,
)
from pytest_mobileagent.virtual.ui.metrics import Metrics
from pytest_mobileagent.virtual.ui.touch import (
    drag,
    long_press,
    scroll,
    scroller,
    tap,
    target,
    trace,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.virtual.ui.conftest import Screen


@pytest.fixture
def plain(screen: Screen) -> Screen:
    screen.metrics = Metrics(400, 800, 1.0)
    return screen


def tapped(screen: Screen, view: View, x: int, y: int) -> bool:
    """Tap a point; return whether a view consumed the touch and reacted to it."""
    box = target(screen.show(view), x, y)
    return box is not None and tap(box, x, y, screen.state)


class Log(list[str]):
    def says(self, word: str) -> Callable[..., None]:
        return lambda *given: self.append(" ".join(map(str, (word, *given))))


@pytest.fixture
def log() -> Log:
    return Log()


def area(size: float = 100, **common: object) -> View:
    return View(width=size, height=size, **common)  # type: ignore[arg-type]


def test_a_tap_on_a_text_goes_to_the_row_that_holds_it(plain: Screen, log: Log) -> None:
    row = Row([Text("title"), Text("value")], on_click=log.says("row"))
    assert tapped(plain, row, 5, 5)
    assert log == ["row"]


def test_the_view_drawn_last_is_touched_first(plain: Screen, log: Log) -> None:
    below, above = area(on_click=log.says("below")), area(50, on_click=log.says("above"))
    tapped(plain, Frame([below, above]), 20, 20)
    tapped(plain, Frame([below, above]), 70, 70)
    assert log == ["above", "below"]


def test_a_raised_view_is_touched_before_later_ones(plain: Screen, log: Log) -> None:
    raised, later = area(on_click=log.says("raised"), elevation=6), area(on_click=log.says("later"))
    tapped(plain, Frame([raised, later]), 20, 20)
    assert log == ["raised"]


def test_a_touch_passes_through_views_that_do_not_accept_it(plain: Screen, log: Log) -> None:
    tapped(plain, Frame([area(on_click=log.says("below")), area()]), 20, 20)
    assert log == ["below"]


def test_a_disabled_button_eats_the_tap(plain: Screen, log: Log) -> None:
    button = area(on_click=log.says("button"), enabled=False)
    assert not tapped(plain, Frame([button], on_click=log.says("frame")), 20, 20)
    assert log == []


def test_a_disabled_text_lets_the_tap_through(plain: Screen, log: Log) -> None:
    tapped(plain, Frame([area(enabled=False)], on_click=log.says("frame")), 20, 20)
    assert log == ["frame"]


@pytest.mark.parametrize(("x", "taken"), [(176, True), (223, True), (175, False), (224, False)])
def test_a_small_button_takes_touches_in_48_dp(plain: Screen, x: int, taken: bool) -> None:
    small = area(20, on_click=print, align="center")
    box = target(plain.show(Frame([small], height=MATCH)), x, 400)
    assert (box is not None) == taken


def test_a_neighbour_hit_directly_wins_over_a_larger_touch_area(plain: Screen, log: Log) -> None:
    row = Row([area(20, on_click=log.says("small")), area(20, on_click=log.says("next"))])
    tapped(plain, row, 21, 10)
    assert log == ["next"]


def test_rows_scrolled_out_of_view_are_not_touched(plain: Screen, log: Log) -> None:
    rows = [area(on_click=log.says(str(number)), key=f"{number}") for number in range(20)]
    plain.state.scroll["list"] = 150
    view = Column([Space(height=100), List(rows, key="list")], height=MATCH)
    assert not tapped(plain, view, 10, 50)
    tapped(plain, view, 10, 120)
    assert log == ["1"]


def test_ticking_asks_the_app_for_the_other_value(plain: Screen, log: Log) -> None:
    tapped(plain, CheckBox("", True, log.says("now")), 5, 5)
    assert log == ["now False"]


def test_a_menu_opens_at_the_view_that_has_it(plain: Screen) -> None:
    tapped(plain, area(menu=[("One", print)], key="anchor"), 5, 5)
    assert plain.state.menu == "anchor"


@pytest.mark.parametrize(("x", "value"), [(0, 0), (16, 0), (200, 50), (384, 100), (399, 100)])
def test_a_slider_follows_the_finger(plain: Screen, log: Log, x: int, value: int) -> None:
    box = target(plain.show(SeekBar(10, 100, log.says("value"))), 30, 20)
    assert box is not None
    drag(box, x, 20)
    assert log == [f"value {value:.1f}"]


def test_a_text_longer_than_its_field_shows_the_lines_around_the_cursor(plain: Screen) -> None:
    text = "\n".join(f"line {number}" for number in range(40))
    field = Input(text, key="field", multiline=True, height=200)
    tapped(plain, field, 300, 20)
    assert plain.state.cursor == len("line 0")
    plain.state.cursor = len(text)
    tapped(plain, field, 300, 185)
    assert plain.state.cursor == len(text)


def test_a_tap_in_a_field_puts_the_cursor_between_the_nearest_characters(plain: Screen) -> None:
    field = Input("iiiiiiiiWW", key="field")
    box = plain.show(field)
    for x, cursor in ((0, 0), (17, 0), (30, 5), (399, 10)):
        tap(box, x, 30, plain.state)
        assert (plain.state.focused, plain.state.cursor) == ("field", cursor)


def test_a_tap_in_a_long_text_finds_the_line(plain: Screen) -> None:
    field = Input("first\nsecond\nthird", multiline=True, key="field", padding=0)
    box = plain.show(field)
    top = box.bounds[1]
    tap(box, 399, top + 30, plain.state)
    assert plain.state.cursor == len("first\nsecond")


def test_a_long_press_selects_a_word(plain: Screen) -> None:
    box = plain.show(Input("two words", key="field"))
    assert long_press(box, 70, 30, plain.state)
    assert sorted((plain.state.anchor or 0, plain.state.cursor)) == [4, 9]


def test_a_long_press_reaches_views_that_accept_it(plain: Screen, log: Log) -> None:
    box = plain.show(area(on_long_click=log.says("held")))
    assert long_press(box, 5, 5, plain.state)
    assert not long_press(plain.show(Button("OK", on_click=print)), 5, 5, plain.state)
    assert log == ["held"]


def nested() -> View:
    """A list of rows that scroll sideways, within a page that scrolls."""
    row = HScroll(Row([area(300), area(300)], width=600), key="row")
    inner = List([row, *(area() for _ in range(20))], key="list", height=300)
    return Scroll(Column([inner, area(1000)]), key="page")


@pytest.mark.parametrize(
    ("dx", "dy", "offset", "found"),
    [
        (0, -100, 0, "list"),
        (0, -100, 9999, "page"),  # the list is at its end
        (0, 100, 0, "list"),  # at both ends: the innermost
        (-100, 0, 0, "row"),
        (-100, -20, 0, "row"),
    ],
)
def test_the_innermost_view_that_can_scrolls(
    plain: Screen, dx: int, dy: int, offset: float, found: str
) -> None:
    plain.state.scroll["list"] = offset
    box = scroller(plain.show(nested()), 50, 50, dx, dy)
    assert box is not None
    assert box.key == found


def test_nothing_scrolls_where_nothing_is_longer_than_its_room(plain: Screen) -> None:
    assert scroller(plain.show(List([area()])), 50, 50, 0, -100) is None


def test_scrolling_stops_at_the_ends(plain: Screen) -> None:
    view = List([area() for _ in range(10)], key="list")
    assert not scroll(plain.show(view), 0, 50, plain.state)
    assert scroll(plain.show(view), 0, -150, plain.state)
    assert plain.state.scroll["list"] == 150
    assert scroll(plain.show(view), 0, -150, plain.state)
    assert plain.state.scroll["list"] == 200
    assert not scroll(plain.show(view), 0, -150, plain.state)


@pytest.mark.parametrize("edge", ["above", "below"])
def test_the_buttons_of_a_dialog_take_touches_on_both_sides(screen: Screen, edge: str) -> None:
    dialog = screen.show(Dialog("Delete?", "It is lost.", buttons=[("Delete", print)]))
    button = next(box for box in dialog.walk() if box.view.id == "android:id/button1")
    left, top, right, bottom = button.bounds
    hit = target(dialog, (left + right) // 2, top - 8 if edge == "above" else bottom + 8)
    assert hit is button


def test_a_view_gets_the_path_of_a_finger_in_its_own_pixels(plain: Screen) -> None:
    touches: list[Touch] = []
    pad = area(on_touch=touches.append, on_click=print, margin=(20, 30))
    hit = target(plain.show(Column([pad])), 25, 35)
    assert hit is not None
    assert trace(hit, [(25, 35), (60, 90), (5, 300)])
    assert tap(hit, 25, 35, plain.state)
    assert touches == [
        Touch(((5, 5), (40, 60), (-15, 270)), 100, 100),
        Touch(((5, 5),), 100, 100),
    ]


def test_a_disabled_view_gets_no_paths(plain: Screen, log: Log) -> None:
    hit = target(plain.show(area(on_touch=log.says("touched"), enabled=False)), 5, 5)
    assert hit is not None
    assert not trace(hit, [(5, 5), (60, 90)])
    assert not log
