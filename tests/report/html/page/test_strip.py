"""Tests in a real browser of the film strip of an episode."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.slow  # starts a browser
ITEMS = "[...document.querySelectorAll('#reel li')]"
FILM = "document.querySelector('#film')"


@pytest.fixture
def reader(read: Any, invented: Any, pictures: Any) -> Any:
    """Return a reader of episodes of 3 and of 100 steps."""
    short = invented.episode("short.0", pictures, invented.STEPS[:3])
    for frame, thinking in zip(short["frames"], (2.0, 6.0, 1.0), strict=True):
        frame.update(thinking=thinking, acting=1.0)
    for frame, at in zip(short["frames"], (0.0, 3.0, 10.0), strict=True):
        frame["at"] = at
    short["frames"][0]["noise"] = {"kind": "popup", "name": "ad", "reaction": "closed"}
    short["frames"][1]["crashes"] = [{"text": "it broke", "kind": "crash"}]
    short["held"] = [False, True, False, False]
    long = invented.episode("long.0", pictures, invented.STEPS[:1] * 100)
    rows = [invented.row("clock/short", e="short.0"), invented.row("clock/long", e="long.0")]
    reader = read(invented.index(rows), [short, long])
    reader.go("#e=short.0&s=1")
    reader.sees("#place", "Step 1 / 3")
    return reader


def test_strip_is_to_scale(reader: Any) -> None:
    lefts = reader.ask(f"{ITEMS}.map((n) => n.offsetLeft)")
    first, second, third = lefts
    assert (third - first) / (second - first) == pytest.approx(10 / 3, rel=0.02)
    widths = "[...document.querySelectorAll('.lane.thinking')].map((n) => n.getBBox().width)"
    two, six, one = reader.ask(widths)
    assert (six + 1) / (two + 1) == pytest.approx((6.0 - 0.3) / (2.0 - 0.3), rel=0.02)
    assert one < two  # of the seconds in the agent, the 0.3 s of waiting for the model are apart
    sums = "waiting 0.9 s|thinking 8.1 s|acting 3 s|3 model calls|9,255 tokens"
    assert reader.texts("#strip-head .key") == sums.split("|")
    meanings = ["⚡ noise", "⚑ goal met", "✖ crash", "⚐ goal lost"]
    assert reader.texts("#strip-head .sign-key") == meanings
    signs = "[...document.querySelectorAll('.film-sign')].map((n) => n.lastChild.data)"
    assert reader.ask(signs) == ["⚡", "⚑", "✖", "⚐"]


def test_pictures_of_a_hundred_steps_appear_with_zoom(reader: Any) -> None:
    reader.go("#e=long.0&s=60")
    reader.sees("#place", "Step 60 / 100")
    shown = "[...document.querySelectorAll('#reel .shot')].filter((n) => n.offsetWidth).length"
    some = reader.ask(shown)
    assert 5 < some < 60
    assert reader.ask("document.querySelector('#reel [aria-current] .shot').offsetWidth") > 10
    reader.press("+", "+", "+")
    assert reader.ask(shown) == 100
    left, right = (f"{ITEMS}[59].getBoundingClientRect().{side}" for side in ("left", "right"))
    assert reader.ask(f"{left} >= 0 && {right} <= innerWidth")
    before = reader.ask(f"{FILM}.scrollLeft")
    _drag(reader, "#reel li:nth-child(60)", -150)
    reader.until(f"{FILM}.scrollLeft === {before} + 150")
    reader.sees("#place", "Step 60 / 100")
    reader.press("0")
    reader.until(f"{FILM}.scrollWidth === {FILM}.clientWidth")
    reader.click("#reel li:nth-child(7) button")
    reader.sees("#place", "Step 7 / 100")


def test_dragging_the_ruler_moves_through_the_episode(reader: Any) -> None:
    end = reader.ask("film.x(11) - film.x(0)")
    _drag(reader, "#strip-head .key", end, down=20)
    reader.sees("#place", "Step 1 / 3")  # It did not begin on the strip.
    _drag(reader, "#reel svg", 0.95 * end, from_left=True)
    reader.sees("#place", "Step 3 / 3")


def _drag(reader: Any, selector: str, by: float, *, down: int = 0, from_left: bool = False) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    element = reader.chrome.find_element("css selector", selector)
    chain = ActionChains(reader.chrome, duration=0)
    wide, high = element.size["width"], element.size["height"]
    corner = (round(20 - wide / 2), round(5 - high / 2))
    chain.move_to_element_with_offset(element, *(corner if from_left else (0, 0)))
    chain.click_and_hold().move_by_offset(round(by), down).release().perform()


def test_an_episode_without_times_has_equal_steps(reader: Any) -> None:
    frames = "[{step: 1}, {step: 2}, {step: null}]"
    assert reader.ask(f"spansOf({frames}).map(({{from, to}}) => [from, to])") == [
        [0, 1], [1, 2], [2, 2],
    ]  # fmt: skip
