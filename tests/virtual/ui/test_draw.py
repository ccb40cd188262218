"""What is painted where, and screenshots; whether it looks good is for people to judge."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from PIL import Image as Pictures
from PIL import ImageStat

from pytest_mobileagent.virtual.ui import (
    MATCH,
    CheckBox,
    Column,
    Drawing,
    Frame,
    Icon,
    Image,
    Input,
    List,
    RadioButton,
    Switch,
    Text,
    View,
    chrome,
)
from pytest_mobileagent.virtual.ui.canvas import Part
from pytest_mobileagent.virtual.ui.metrics import Metrics
from pytest_mobileagent.virtual.ui.paint import draw, paint_all
from pytest_mobileagent.virtual.ui.screenshot import Screenshots, png
from pytest_mobileagent.virtual.ui.theme import DRAWINGS, icon, theme

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PIL.Image import Image as Picture

    from pytest_mobileagent.virtual.ui.canvas import Mark
    from tests.virtual.ui.conftest import Screen


@pytest.fixture
def plain(screen: Screen) -> Screen:
    screen.metrics = Metrics(200, 200, 1.0)
    return screen


def painted(screen: Screen, *views: View) -> Picture:
    return draw([screen.show(view) for view in views], screen.metrics).convert("RGB")


def area(color: str, size: float = 100, **common: object) -> View:
    return View(background=color, width=size, height=size, **common)  # type: ignore[arg-type]


def test_later_and_raised_views_cover_others(plain: Screen) -> None:
    red, blue = area("#ff0000", elevation=1), area("#0000ff", margin=(50, 0, 0, 0))
    picture = painted(plain, Frame([red, blue]))
    assert picture.getpixel((70, 10)) == (255, 0, 0)
    assert picture.getpixel((120, 10)) == (0, 0, 255)


def test_translucent_views_have_no_shadow(plain: Screen) -> None:
    veil = View(width=MATCH, height=MATCH, background="#80ffffff", elevation=7)
    picture = painted(plain, Frame([veil], height=MATCH, background="#ffffff"))
    assert ImageStat.Stat(picture).extrema == [(255, 255)] * 3


def test_a_rounded_group_clips_its_children_at_the_corners(plain: Screen) -> None:
    card = Frame([area("#ff0000")], width=100, corner=40)
    picture = painted(plain, card)
    assert picture.getpixel((1, 1)) == (0, 0, 0)
    assert picture.getpixel((50, 1)) == (255, 0, 0)


def test_a_window_is_shaded_by_a_scrim(plain: Screen) -> None:
    white = area("#ffffff", 200)
    assert painted(plain, white, chrome.scrim()).getpixel((9, 9)) == (173, 173, 173)


def test_nothing_is_painted_outside_a_list(plain: Screen) -> None:
    rows = [area("#ff0000") for _ in range(9)]
    plain.state.scroll["list"] = 50
    picture = painted(plain, Column([View(height=40), List(rows, key="list", height=100)]))
    assert picture.getbbox() == (0, 40, 100, 140)


def test_a_window_goes_on_behind_the_bars_in_the_colour_of_its_content(plain: Screen) -> None:
    picture = painted(plain, chrome.decor(Column([], height=MATCH, background="#ff0000")))
    assert picture.getpixel((9, 2)) == picture.getpixel((9, 198)) == (255, 0, 0)


def test_struck_through_text_has_a_line(plain: Screen) -> None:
    plainly, through = (
        painted(plain, Text("1 1", color="#fff", strike=on)) for on in (False, True)
    )
    assert ImageStat.Stat(through).sum[0] > ImageStat.Stat(plainly).sum[0]


@pytest.mark.parametrize("view", [CheckBox, RadioButton, Switch])
def test_on_and_off_look_different(plain: Screen, view: type[CheckBox]) -> None:
    assert painted(plain, view("", True)).tobytes() != painted(plain, view("", False)).tobytes()


@pytest.mark.parametrize(
    "view",
    [Text("Hello", color="#ffffff"), Image("star", color="#ffffff"), Image(Icon("C"), size=56)],
)
def test_content_is_painted_inside_the_padding(plain: Screen, view: View) -> None:
    view.padding = 10
    box = plain.show(view)
    left, top, right, bottom = draw([box], plain.metrics).convert("RGB").getbbox() or (0,) * 4
    assert left >= 10
    assert top >= 10
    assert right <= box.bounds[2] - 9
    assert bottom <= box.bounds[3] - 10


def test_a_field_shows_its_cursor_only_with_the_focus(plain: Screen) -> None:
    field = Input("", key="field", style="plain")
    assert painted(plain, field).getbbox() is None
    plain.state.focused = "field"
    assert painted(plain, field).getbbox()


def test_a_long_text_in_a_field_shows_the_end_that_is_typed(plain: Screen) -> None:
    field = Input("i" * 100 + "W", key="field", style="plain", color="#ffffff")
    start = painted(plain, field)
    plain.state.focused, plain.state.cursor = "field", 101
    assert (
        painted(plain, field).crop((0, 0, 180, 56)).tobytes()
        != start.crop((0, 0, 180, 56)).tobytes()
    )


def test_a_picture_fills_the_view(plain: Screen) -> None:
    encoded = png(draw([plain.show(area("#00ff00", 200))], plain.metrics))
    picture = painted(plain, Image(encoded, width=80, height=40))
    assert picture.getbbox() == (0, 0, 80, 40)
    assert picture.getpixel((40, 20)) == (0, 255, 0)


def test_every_icon_is_drawn_within_its_square() -> None:
    for name in DRAWINGS:
        mask = icon(name, 48)
        assert mask.size == (48, 48)
        assert mask.getbbox(), name


@pytest.mark.parametrize("dark", [False, True])
def test_ink_can_be_read_on_its_ground(dark: bool) -> None:
    colors = theme("#0056d2", dark)
    pairs = [
        ("on_surface", "surface"),
        ("on_surface_variant", "surface_container"),
        ("on_primary", "primary"),
        ("on_primary_container", "primary_container"),
        ("on_secondary_container", "secondary_container"),
        ("inverse_on_surface", "inverse_surface"),
        ("primary", "surface"),
    ]
    for ink, ground in pairs:
        difference = abs(_light(colors(ink)) - _light(colors(ground)))
        assert difference > 85, (ink, ground)


def _light(color: tuple[int, int, int, int]) -> float:
    red, green, blue, _ = color
    return 0.3 * red + 0.6 * green + 0.1 * blue


def test_every_window_wears_its_own_theme(plain: Screen) -> None:
    below = plain.show(area("primary"))
    plain.metrics = replace(plain.metrics, accent="#ff0000")
    red = plain.show(area("primary", size=50))
    plain.metrics = replace(plain.metrics, dark=True)
    night = plain.show(area("surface", size=20))
    picture = draw([below, red, night], plain.metrics).convert("RGB")
    assert picture.getpixel((70, 70)) == theme(Metrics().accent, False)("primary")[:3]
    assert picture.getpixel((30, 30)) == (255, 0, 0)
    assert max(picture.getpixel((5, 5))) < 60  # type: ignore[type-var, arg-type]


def test_alpha_comes_first_in_a_literal_colour() -> None:
    assert theme("#000000", False)("#80ff0000") == (255, 0, 0, 128)


@pytest.fixture
def taken(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> Taken:
    screen.metrics = Metrics(200, 640, 1.0)
    return Taken(screen, monkeypatch)


class Taken:
    """Takes screenshots of views, and notes the rows that were painted for the last one."""

    def __init__(self, screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
        self.screen, self.screenshots = screen, Screenshots()
        self.rows: list[tuple[int, int]] = []
        paint = Part.paint

        def noted(part: Part, marks: Iterable[Mark]) -> Pictures.Image:
            self.rows.append((part.rect[1], part.rect[3]))
            return paint(part, marks)

        monkeypatch.setattr(Part, "paint", noted)

    def __call__(self, view: View) -> bytes:
        boxes = [self.screen.show(view)]
        fresh = draw(boxes, self.screen.metrics)
        canvas = paint_all(boxes, self.screen.metrics)
        self.rows.clear()
        taken = self.screenshots.take(canvas.marks, canvas.size)
        assert pixels(taken) == fresh.tobytes()
        return taken


def pixels(png: bytes) -> bytes:
    with Pictures.open(io.BytesIO(png)) as read:
        return read.tobytes()


def rows(*texts: str) -> View:
    return Column([Text(text, height=160, color="#ffffff") for text in texts])


@pytest.mark.parametrize("size", [(1, 1), (3, 64), (5, 65), (200, 640)])
def test_a_png_file_shows_its_picture(size: tuple[int, int]) -> None:
    picture = Pictures.radial_gradient("L").resize(size).convert("RGB")
    assert pixels(png(picture)) == picture.tobytes()


def test_rows_that_look_as_before_are_not_painted_again(taken: Taken) -> None:
    taken(rows("one", "two", "three"))
    assert taken.rows == [(0, 640)]
    first = taken(rows("one", "2", "three"))
    assert taken.rows == [(128, 192)]
    assert taken(rows("one", "2", "three")) == first
    assert taken.rows == []


def test_a_drawing_that_changes_in_place_is_painted_again(taken: Taken) -> None:
    picture = Pictures.new("RGB", (200, 64))
    view = Drawing(lambda *_: picture, height=64)
    before = taken(view)
    picture.paste((255, 0, 0), (0, 0, 9, 9))
    assert taken(view) != before
    assert taken.rows == [(0, 64)]


def test_a_screen_of_another_size_is_painted_anew(taken: Taken) -> None:
    taken(rows("one"))
    taken.screen.metrics = Metrics(640, 200, 1.0)
    taken(rows("one"))
    assert taken.rows == [(0, 200)]


def test_a_label_across_two_bands_has_the_ground_of_its_upper_edge(taken: Taken) -> None:
    for top in range(40, 60, 5):
        field = Input("text", hint="Hint", style="outlined")
        taken(Column([View(height=top), field], background="#336699"))
