"""Tests in a real browser of two screens compared: as a slider, and with marked differences."""

from __future__ import annotations

import base64
import io
import json
from typing import Any

import pytest
from PIL import Image

pytestmark = pytest.mark.slow  # starts a browser
LOADED = (
    "[...document.querySelectorAll('.overlaid img')].every((i) => i.complete && i.naturalWidth)"
)


@pytest.fixture
def reader(read: Any, invented: Any, pictures: Any) -> Any:
    """Return a reader of a run and its base, whose first screens differ in one row."""
    episodes = [invented.episode(name, pictures) for name in ("a.0", "~a.0")]
    for episode, row in zip(episodes, ("Alarm", "Timer"), strict=True):
        episode["frames"][0].update(png=pictures("Clock", [row, "Clock"]), actions=[])
        episode["frames"][0]["after"] = pictures("Clock", ["Other", "Clock"])
    base = invented.index([invented.row("clock/a", e="~a.0")])
    return read(invented.index([invented.row("clock/a", e="a.0")]), episodes, base)


@pytest.mark.parametrize("place", ["#e=a.0&s=1", "#e=a.0&with=~a.0&s=1"], ids=["steps", "runs"])
def test_difference_is_marked_where_it_is(reader: Any, place: str) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    reader.go(place)
    reader.until("document.querySelector('#step h2, #pair-place')?.textContent")
    reader.press("v", "v")
    reader.until(f"document.querySelector('.regions') && {LOADED}")
    assert reader.ask("document.querySelector('.overlaid').offsetWidth") > 180
    marked = WebDriverWait(reader.chrome, 20).until(lambda _: _red(reader))
    assert min(marked) > 0.10  # The first row, where the texts differ, is from 0.12 to 0.21.
    assert max(marked) < 0.22


def _red(reader: Any) -> list[float]:
    """Return the heights of the red pixels of compared screens, from 0 to 1; none before paint."""
    box = reader.ask("JSON.stringify(document.querySelector('.overlaid').getBoundingClientRect())")
    clip = {name: json.loads(box)[name] for name in ("x", "y", "width", "height")} | {"scale": 1}
    shot = reader.chrome.execute_cdp_cmd("Page.captureScreenshot", {"clip": clip})["data"]
    image = Image.open(io.BytesIO(base64.b64decode(shot))).convert("RGB")
    pixels = enumerate(zip(*[iter(image.tobytes())] * 3, strict=True))
    wide, high = image.size
    return [at // wide / high for at, (r, g, b) in pixels if r > 200 and max(g, b) < 90]


def test_slider_shows_a_part_of_each_screen(reader: Any) -> None:
    reader.go("#e=a.0&s=1")
    reader.sees("#step h2", "Step 1")
    reader.press("v")
    reader.until(f"document.querySelector('.slider') && {LOADED}")
    cut = "getComputedStyle(document.querySelector('.slider .shot + .shot')).clipPath"
    assert reader.ask(cut) == "inset(0px 0px 0px 50%)"
    reader.ask("document.querySelector('.range').focus()")
    reader.press("\ue014")  # right
    reader.until(f"{cut} === 'inset(0px 0px 0px 51%)'")
    reader.sees("#place", "Step 1 / 6")
    wide = reader.ask("document.querySelector('.slider').clientWidth")
    reader.hover(".slider", x=wide / 4)
    reader.chrome.find_element("css selector", ".slider").click()
    reader.until(f"{cut} === 'inset(0px 0px 0px 50%)'")
    reader.press("j")
    reader.sees("#step h2", "Step 2")
    assert reader.ask("document.querySelector('.slider') !== null")  # The view is remembered.


def test_a_placeholder_stands_for_a_picture_that_loads(reader: Any) -> None:
    node = "shot({png: 'screens/0123456789abcdef.png', size: [540, 1200]}, [])"
    reader.go("#e=a.0&s=1")
    reader.sees("#step h2", "Step 1")
    reader.until(LOADED.replace(".overlaid", "#stage"))
    assert reader.ask("document.querySelectorAll('#stage .loading').length") == 0
    replaced = f"document.querySelector('#stage figure').replaceChildren({node})"
    svg = "getComputedStyle(document.querySelector('#stage figure svg')).visibility"
    loading = "document.querySelectorAll('#stage .loading').length"
    assert reader.ask(f"[{replaced}, {loading}, {svg}].slice(1)") == [1, "hidden"]
    reader.until("document.querySelector('#stage .gone')")
    reader.chrome.get_log("browser")  # Discards the messages about the missing picture.
