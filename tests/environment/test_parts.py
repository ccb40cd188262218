"""Tests of the generated parts of an environment: icon positions and wallpapers."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from pytest_mobileagent.environment import DEFAULT_WALLPAPER, WALLPAPERS
from pytest_mobileagent.environment.apply import COLUMNS, DESKTOP, HOTSEAT, ROWS, places
from pytest_mobileagent.environment.wallpapers import paint


@pytest.mark.parametrize("seed", [0, 1, 105])
@pytest.mark.parametrize("count", [0, 1, 12, 40, 90])
def test_every_icon_has_a_place_of_its_own_on_the_grid(count, seed):
    found = places(count, seed)
    assert len(found) == len(set(found)) == count
    for container, screen, x, y in found:
        if container == HOTSEAT:
            assert (screen, y) == (x, 0)
        else:
            assert container == DESKTOP
            assert 0 <= x < COLUMNS
            assert (1 if screen == 0 else 0) <= y < ROWS


def test_a_seed_is_a_layout():
    assert places(12, 105) == places(12, 105)
    assert places(12, 105) != places(12, 106)
    assert [place.container for place in places(6, 0)] == [HOTSEAT] * 5 + [DESKTOP]


@pytest.mark.parametrize("name", [n for n in WALLPAPERS if n != DEFAULT_WALLPAPER])
def test_a_wallpaper_has_the_shape_of_the_screen_and_is_small(name):
    for size in ((1080, 2160), (1280, 800)):
        data = paint(name, size)
        picture = Image.open(io.BytesIO(data))
        assert picture.width / picture.height == pytest.approx(size[0] / size[1], rel=0.01)
        assert len(data) < 40_000
        assert data == paint.__wrapped__(name, size)


def test_wallpapers_differ():
    names = [name for name in WALLPAPERS if name != DEFAULT_WALLPAPER]
    assert len({paint(name, (1080, 2160)) for name in names}) == len(names) == 12
