"""Screenshots: PNG files, and what is kept of the last one."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest
from PIL import Image as Pictures

from pytest_mobileagent.virtual.ui import Column, Drawing, Input, Text, View
from pytest_mobileagent.virtual.ui.canvas import Part
from pytest_mobileagent.virtual.ui.metrics import Metrics
from pytest_mobileagent.virtual.ui.paint import draw, paint_all
from pytest_mobileagent.virtual.ui.screenshot import Screenshots, png

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_mobileagent.virtual.ui.canvas import Mark
    from tests.virtual.ui.conftest import Screen


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
