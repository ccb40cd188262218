"""Tests of finding images, such as icons, in a screenshot."""

from __future__ import annotations

import re

import pytest
from PIL import Image, ImageDraw

from pytest_mobileagent import Screen
from pytest_mobileagent._task.solution import tap
from pytest_mobileagent.perception.picture import encode
from pytest_mobileagent.screen.explain import NotFoundError
from pytest_mobileagent.screen.picture import find_image
from pytest_mobileagent.screen.selector import CriteriaError

HEART = [(0, 30), (12, 8), (32, 6), (50, 22), (68, 6), (88, 8), (100, 30), (92, 55), (50, 95),
         (8, 55)]  # fmt: skip


def heart(side: int, color: str, *, filled: bool, background: str = "white") -> Image.Image:
    """Return a heart in a square, drawn large and scaled down, like an icon."""
    picture = Image.new("RGB", (480, 480), background)
    points = [(4.4 * x + 20, 4.4 * y + 20) for x, y in HEART]
    pen = ImageDraw.Draw(picture)
    if filled:
        pen.polygon(points, fill=color)
    else:
        pen.line([*points, points[0], points[1]], fill=color, width=40, joint="curve")
    return picture.resize((side, side), Image.Resampling.LANCZOS)


@pytest.fixture
def hearts() -> Screen:
    """Return a screen with an empty, a filled and a faint heart, among texts."""
    picture = Image.new("RGB", (360, 640), "white")
    pen = ImageDraw.Draw(picture)
    for row in range(8):
        pen.text((20, 10 + 80 * row), f"Row {row} of this list", "black", font_size=24)
    places = {
        (40, 60): heart(40, "#d32f2f", filled=False),
        (200, 220): heart(40, "#d32f2f", filled=True),
        (100, 460): heart(40, "#f5c6c6", filled=True),
    }
    for place, drawn in places.items():
        picture.paste(drawn, place)
    below = '<node text="Top" bounds="[0,0][360,200]"/><node text="End" bounds="[0,500][360,640]"/>'
    return Screen(f"<hierarchy>{below}</hierarchy>", encode(picture))


@pytest.mark.parametrize("side", [24, 70])
@pytest.mark.parametrize(("filled", "place"), [(False, (40, 60)), (True, (200, 220))])
def test_an_image_is_found_in_any_size_and_distinguished_from_others(
    hearts, tmp_path, side, filled, place
):
    file = tmp_path / "heart.png"
    heart(side, "#d32f2f", filled=filled).save(file)
    (element,) = hearts.find_all(image=file)
    assert (element.class_name, element.in_picture) == ("image", True)
    left, top, right, bottom = element.bounds
    assert abs(left - place[0]) <= 4 >= abs(top - place[1])
    assert abs(right - left - 40) <= 5 >= abs(bottom - top - 40)


def test_images_are_found_beside_the_file_that_calls_and_with_relations(
    hearts, tmp_path, monkeypatch
):
    heart(40, "#d32f2f", filled=True).save(tmp_path / "heart.png")
    top, end = hearts.elements
    code = compile("find(image='heart.png', **more)", tmp_path / "test_it.py", "eval")
    scope = {"find": hearts.find, "more": {"below": top, "above": end}}
    assert eval(code, scope)
    scope["more"] = {"below": end}
    assert eval(code, scope) is None
    move = eval(compile("tap(image='heart.png')", tmp_path / "test_it.py", "eval"), {"tap": tap})
    assert str(move) == "tap(image='heart.png')"


def test_an_image_of_other_colours_is_missed_and_what_looks_most_like_it_is_told(hearts, tmp_path):
    file = tmp_path / "heart.png"
    heart(40, "#1976d2", filled=True).save(file)
    assert hearts.find_all(image=file) == []
    with pytest.raises(NotFoundError) as caught:
        hearts.get(image=file)
    lines = str(caught.value).splitlines()
    assert lines[0] == "nothing on the screen of ? has image='heart.png'"
    assert re.fullmatch(r"  closest: [3-7]\d % alike at \[\d+,\d+\]\[\d+,\d+\]", lines[1])
    assert hearts.find(image=file, similarity=0.3)


@pytest.mark.parametrize(
    "picture", [Image.new("RGB", (40, 40), "red"), heart(3, "red", filled=True)]
)
def test_an_image_of_nothing_is_an_error_of_the_task(hearts, tmp_path, picture):
    picture.save(tmp_path / "blank.png")
    with pytest.raises(CriteriaError, match=r"blank.png is too small, or has a single colour"):
        hearts.find(image=tmp_path / "blank.png")


def test_an_image_that_is_larger_than_the_screen_is_not_on_it(tmp_path):
    file = tmp_path / "heart.png"
    heart(400, "red", filled=True).save(file)
    assert find_image(Image.new("RGB", (90, 90), "white"), file) == []


def test_transparent_parts_are_taken_as_white(hearts, tmp_path):
    drawn = heart(40, "#d32f2f", filled=True)
    drawn.putalpha(drawn.getchannel("G").point(lambda green: 0 if green == 255 else 255))
    drawn.save(tmp_path / "heart.png")
    assert len(hearts.find_all(image=tmp_path / "heart.png")) == 1
