"""The layout of views."""

# ruff: noqa: E501 - tables are read across

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.virtual.ui import (
    MATCH,
    WRAP,
    Button,
    Column,
    Divider,
    Frame,
    Grid,
    HScroll,
    Input,
    List,
    Panes,
    Row,
    Scroll,
    Space,
    Text,
    View,
)
from pytest_mobileagent.virtual.ui.layout import areas
from pytest_mobileagent.virtual.ui.metrics import Metrics
from pytest_mobileagent.virtual.ui.node import Node

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.virtual.ui.layout import Box
    from pytest_mobileagent.virtual.ui.metrics import Rect
    from tests.virtual.ui.conftest import Screen


def square(size: float = 100, **common: object) -> View:
    return View(width=size, height=size, **common)  # type: ignore[arg-type]


def bounds(boxes: Sequence[Box]) -> list[Rect]:
    return [box.bounds for box in boxes]


@pytest.fixture
def plain(screen: Screen) -> Screen:
    """A display with one pixel per dp, for readable numbers."""
    screen.metrics = Metrics(400, 800, 1.0)
    return screen


@pytest.mark.parametrize(
    ("view", "expected"),
    [
        (Column([square(), square(50)]), [(0, 0, 100, 100), (0, 100, 50, 150)]),
        (Column([square()], gravity="end"), [(300, 0, 400, 100)]),
        (Column([square()], height=MATCH, gravity="center"), [(150, 350, 250, 450)]),
        (Column([square(margin=(1, 2, 3, 4)), square()]), [(1, 2, 101, 102), (0, 106, 100, 206)]),
        (Column([square(), Text("", weight=1)], height=MATCH), [(0, 0, 100, 100), (0, 100, 0, 800)]),
        (Row([square(), square(50)]), [(0, 0, 100, 100), (100, 25, 150, 75)]),
        (Row([square(), square(50)], gravity="top"), [(0, 0, 100, 100), (100, 0, 150, 50)]),
        (Row([square(50), Space(), square(50)]), [(0, 0, 50, 50), (50, 0, 350, 50), (350, 0, 400, 50)]),
        (Row([square(10, weight=1), square(10, weight=3)]), [(0, 0, 100, 10), (100, 0, 400, 10)]),
        (Row([square(10)], gravity="end"), [(390, 0, 400, 10)]),
        (Frame([square(), square(50, align="bottom|end")], height=200), [(0, 0, 100, 100), (350, 150, 400, 200)]),
        (Frame([square(50, align="center")], height=200, padding=10), [(175, 75, 225, 125)]),
        (Grid([square(10), square(20), square(10)], 2), [(0, 0, 10, 10), (200, 0, 220, 20), (0, 20, 10, 30)]),
        (Column([square(visible=False), square()]), [(0, 0, 100, 100)]),
        (Column([Divider()]), [(0, 0, 400, 1)]),
    ],
)  # fmt: skip
def test_groups_place_their_children(plain: Screen, view: View, expected: list[Rect]) -> None:
    assert bounds(plain.show(view).children) == expected


def test_a_row_that_wraps_is_no_wider_than_its_children(plain: Screen) -> None:
    row = Row([square(), Column([square(50)])], width=WRAP, padding=5)
    assert plain.show(row).bounds == (0, 0, 160, 110)


def test_text_wraps_in_the_width_that_is_left(plain: Screen) -> None:
    text = Text("the quick brown fox jumps over the lazy dog", weight=1, size=20)
    root = plain.show(Row([square(250), text]))
    lines = root.children[1].lines
    assert " ".join(lines) == text.text
    assert len(lines) > 1
    assert root.children[1].bounds[3] > 20 * len(lines)


def test_a_larger_font_makes_a_taller_text(screen: Screen) -> None:
    normal = screen.show(Text("Hello")).bounds
    screen.metrics = Metrics(font_scale=1.3)
    larger = screen.show(Text("Hello")).bounds
    assert normal[3] == 49  # 14 sp at 420 dpi, as on a Pixel
    assert larger[3] > normal[3]
    assert larger[2] > normal[2]


def test_a_scrolling_view_moves_its_child_up_to_its_end(plain: Screen) -> None:
    scroll = Scroll(Column([square(500), square(500, id="last")]), key="scroll")
    assert plain.show(scroll).reach == 200
    plain.state.scroll["scroll"] = 1000
    root = plain.show(scroll)
    assert root.offset == 200
    last = root.find("last")
    assert last
    assert last.bounds == (0, 300, 500, 800)
    assert last.visible == (0, 300, 400, 800)


def test_only_rows_in_view_are_attached_to_a_list(plain: Screen) -> None:
    rows = [Row([Text(str(number))], height=100) for number in range(50)]
    plain.state.scroll["list"] = 250
    root = plain.show(List(rows, key="list"))
    shown = [box.children[0].view.label for box in root.children]
    assert (shown[0], shown[-1]) == ("2", "10")
    assert root.reach == 50 * 100 - 800


def test_a_sideways_scrolling_row_has_its_preferred_width(plain: Screen) -> None:
    root = plain.show(HScroll(Row([square(300), square(300)], width=WRAP)))
    assert root.reach == 200
    assert root.children[0].children[1].visible == (300, 0, 400, 300)


def test_a_list_leaves_room_for_what_is_below_it(plain: Screen) -> None:
    rows: list[View] = [square(100) for _ in range(20)]
    root = plain.show(Column([List(rows), Button("Done", height=48)], height=MATCH))
    assert bounds(root.children)[0] == (0, 0, 400, 752)
    assert bounds(root.children)[1][3] == 800


@pytest.mark.parametrize(
    ("likes", "gets"),
    [
        ((100, 300), (300, 500)),  # unneeded room is shared out
        ((100, 5000), (100, 700)),  # a child that needs little leaves the rest
        ((5000, 5000), (400, 400)),
    ],
)
def test_scrolling_views_share_a_column_by_what_they_like(
    plain: Screen, likes: tuple[int, int], gets: tuple[int, int]
) -> None:
    root = plain.show(Column([Scroll(View(height=like)) for like in likes], height=MATCH))
    assert tuple(box.bounds[3] - box.bounds[1] for box in root.children) == gets


def test_a_window_goes_where_its_root_wants(plain: Screen) -> None:
    root = plain.show(Frame([square()], width=WRAP, align="bottom|end", margin=16))
    assert root.bounds == (284, 684, 384, 784)


def test_small_things_to_tap_take_touches_around_them(plain: Screen) -> None:
    button = square(20, on_click=print, align="center")
    padded = square(20, on_click=print, touch_padding=2, align="bottom")
    root = plain.show(Frame([button, padded], height=MATCH))
    assert root.children[0].touch == (176, 376, 224, 424)
    assert root.children[1].touch == (0, 778, 22, 800)


def test_an_id_keeps_its_key_when_a_view_before_it_comes(screen: Screen) -> None:
    field = Text("", id="name")
    before = screen.show(Column([field])).find("name")
    after = screen.show(Column([Text("new"), field])).find("name")
    assert before
    assert after


@pytest.mark.parametrize(
    ("field", "top"),
    [
        (Input("a", height=400), 189),
        (Input("a", height=400, multiline=True), 17),
        (Input("a", multiline=True), 17),
        (Input("a\nb\nc\nd", multiline=True), 8),
    ],
)
def test_many_lines_start_at_the_top_of_a_field(plain: Screen, field: Input, top: int) -> None:
    box = plain.show(field)
    room, _ = areas(box)
    assert room[1] == top


REVEALED = [("row 0", 0, 0), ("row 3", 0, 0), ("row 9", 0, 250), ("row 0", 700, 0), ("no", 5, 5)]


@pytest.mark.parametrize(("row", "before", "after"), REVEALED)
def test_a_row_is_revealed_once_and_above_the_padding(
    plain: Screen, row: str, before: int, after: int
) -> None:
    rows = [square(key=f"row {number}") for number in range(10)]
    view = List(rows, id="list", height=MATCH, padding=(0, 0, 0, 50))
    plain.state.scroll["list"], plain.state.reveal = before, row
    assert plain.show(view).offset == after
    plain.state.scroll["list"] = 100
    assert plain.show(view).offset == 100


def test_the_row_with_the_focus_stays_in_a_list_that_has_become_too_short_for_it(
    screen: Screen,
) -> None:
    rows = [square(), square(), Column([Input("", key="field")]), square()]
    screen.state.focused = "field"
    box = screen.show(List(rows, height=150))
    assert len(box.children) == 3
    assert box.find("field")


def test_a_column_with_too_little_room_shrinks_what_can_and_then_scrolls(plain: Screen) -> None:
    low = [square(300, min_height=100), square(300), square(300)]
    column = plain.show(Column(low, height=MATCH))
    assert [box.bounds[3] - box.bounds[1] for box in column.children] == [200, 300, 300]
    assert column.reach == 0
    column = plain.show(Column([*low, square(300)], height=MATCH))
    assert [box.bounds[3] - box.bounds[1] for box in column.children] == [100, 300, 300, 300]
    assert column.reach == 200
    assert Node.tree(column, "app").class_name == "android.widget.ScrollView"


def test_a_view_that_takes_the_rest_keeps_some_room_before_a_column_scrolls(plain: Screen) -> None:
    rows = List([square() for _ in range(20)], weight=1)
    column = plain.show(Column([square(780), rows], height=MATCH))
    assert column.children[1].bounds == (0, 780, 400, 876)
    assert column.reach == 76


def test_panes_lie_side_by_side_on_a_wide_display(plain: Screen) -> None:
    view = Panes([Column([square()]), List([square()], weight=1)])
    assert bounds(plain.show(view).children) == [(0, 0, 400, 100), (0, 100, 400, 800)]
    plain.metrics = Metrics(800, 400, 1.0)
    assert bounds(plain.show(view).children) == [(0, 0, 400, 100), (400, 0, 800, 400)]


def test_a_grid_has_more_columns_where_they_have_room(plain: Screen) -> None:
    view = Grid([square() for _ in range(5)], 2, cell=150)
    assert len({box.bounds[0] for box in plain.show(view).children}) == 2
    plain.metrics = Metrics(800, 400, 1.0)
    assert len({box.bounds[0] for box in plain.show(view).children}) == 5
