"""Pages of black and white stripes with two targets, over which ads are placed."""

from __future__ import annotations

from functools import cache
from io import BytesIO
from typing import Any

from PIL import Image

from pytest_mobileagent import Bounds, Finish, Key, Tap, Type
from pytest_mobileagent.action.matching import Golden, golden_from_json
from pytest_mobileagent.testing import make_screen

SIZE = (1080, 2400)
ICON = Bounds(850, 2100, 1000, 2300)  # at the bottom, where ads are rarely placed
ROW = Bounds(0, 400, 1080, 600)  # wider than any card
APP = "org.example.shop"


@cache
def striped(number: int = 0) -> Any:
    """Return a screen with black and white stripes, so adjacent parts always differ."""
    picture = Image.new("RGB", SIZE, "white")
    for top in range(number * 3, SIZE[1], 40):
        picture.paste((0, 0, 0), (0, top, SIZE[0], top + 20))
    stream = BytesIO()
    picture.save(stream, "PNG", compress_level=1)
    nodes = [{"text": f"to {number}", "bounds": box.describe(), "clickable": "true"}
             for box in (ICON, ROW)]  # fmt: skip
    return stream.getvalue(), make_screen(*nodes, size=SIZE).xml


PATH: tuple[Golden, ...] = (
    Golden(Tap(*ICON.center), SIZE, (Bounds(0, 0, *SIZE), ICON)),
    Golden(Type("mocha"), SIZE),
    Golden(Tap(*ROW.center), SIZE, (ROW,)),
    Golden(Key("back"), SIZE),
    Golden(Finish(), SIZE),
)


def golden(row: Any) -> list[Golden]:
    """Return the golden actions of a row of a contaminated graph."""
    return [golden_from_json(each) for each in row.golden]
