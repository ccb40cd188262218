"""Key components: which screenshot has them all, found from the last one backwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent import Screen, Tap
from pytest_mobileagent.errors import ScreenError, TaskError
from pytest_mobileagent.judge.coarse import Coarse, coarse, reader
from pytest_mobileagent.screen.element import Bounds
from pytest_mobileagent.screen.ocr import TextBox
from tests.judge.asking import screen, worked

if TYPE_CHECKING:
    from collections.abc import Callable

    from PIL.Image import Image

    from pytest_mobileagent.episode.record import EpisodeRecord


def seen(*texts: str) -> tuple[EpisodeRecord, Callable[[Screen], str], list[str]]:
    """An episode whose screenshots have these texts, how to read them, and what was read."""
    screens = [screen(text, shade=shade) for shade, text in enumerate(texts)]
    by_picture = {each.png: text for each, text in zip(screens, texts, strict=True)}
    read: list[str] = []

    def reading(each: Screen) -> str:
        read.append(by_picture[each.png])
        return read[-1]

    steps = [(each, Tap(1, 1)) for each in screens[:-1]]
    return worked(*steps, last=screens[-1]), reading, read


def test_the_last_screenshot_with_all_components_is_found_and_no_other_is_read() -> None:
    episode, reading, read = seen("Oslo 12 May", "Oslo 12 May", "Paid: Oslo, 12 May", "Home")
    assert coarse(episode, ["oslo", "12 May"], reading) == Coarse(2, (), 2, 2)
    assert read == ["Home", "Paid: Oslo, 12 May"]


def test_components_have_to_be_on_one_screenshot() -> None:
    episode, reading, _ = seen("Start", "Oslo", "12 May", "Home")
    found = coarse(episode, ["Oslo", "12 May"], reading)
    assert found == Coarse(None, ("Oslo",), 2, 4)  # of those that lack one, the last
    assert not found.passed
    assert found.to_json() == {"found": None, "nearest": 2, "missing": ["Oslo"], "read": 4}


@pytest.mark.parametrize(
    ("component", "text"),
    [
        ("Wi-Fi", "network&internet wi-fi on"),
        ("New York", "Flights to NEWYORK"),  # OCR loses spaces
        ("3:30 PM", "at 3：30 pm"),
        ("无线 网络", "设置无线网络已开"),
        ("9:41 AM", "9:41\u200aAM"),
    ],
)
def test_case_spaces_and_widths_do_not_matter(component: str, text: str) -> None:
    episode, reading, _ = seen(text)
    assert coarse(episode, [component], reading).found == 0


@pytest.mark.parametrize(("component", "text"), [("iPhone 12", "iPhone 11"), ("Oslo", "0slo")])
def test_near_is_not_enough(component: str, text: str) -> None:
    episode, reading, _ = seen(text)
    assert coarse(episode, [component], reading).missing == (component,)


def test_without_components_nothing_is_read() -> None:
    episode, reading, read = seen("Home", "Home")
    assert coarse(episode, (), reading).found == 1
    assert read == []


def test_equal_screenshots_are_read_once() -> None:
    home = screen("Home")
    read: list[Screen] = []
    steps = [(home, Tap(1, 1))] * 5

    def reading(each: Screen) -> str:
        read.append(each)
        return "Home"

    found = coarse(worked(*steps, last=home), ["Oslo"], reading)
    assert (found.read, len(read), found.nearest) == (1, 1, 5)


def test_a_component_that_cannot_be_seen_is_the_tasks_fault() -> None:
    episode, reading, _ = seen("Home")
    with pytest.raises(TaskError, match="no visible letter"):
        coarse(episode, ["\u200b"], reading)


def test_a_broken_screenshot_fails_nobody() -> None:
    broken = Screen("<hierarchy/>", b"no picture")
    good = screen("Oslo")

    def reading(each: Screen) -> str:
        return "Oslo" if each is good else str(each.image)

    assert coarse(worked((good, Tap(1, 1)), last=broken), ["Oslo"], reading).found == 0
    with pytest.raises(ScreenError):
        coarse(worked((good, Tap(1, 1)), last=broken), ["Paris"], reading)


class Engine:
    def __init__(self) -> None:
        self.asked = 0

    def read(self, image: Image) -> list[TextBox]:
        self.asked += 1
        box = Bounds(0, 0, 9, 9)
        return [TextBox("New", box, 1.0), TextBox("York", Bounds(9, 0, 20, 9), 1.0)]


def test_each_picture_is_read_by_ocr_once_in_a_process() -> None:
    engine = Engine()
    episode = worked(last=screen("New York", shade=7))
    for _ in range(3):
        assert coarse(episode, ["New York"], reader(engine)).found == 0
    assert engine.asked == 1
    assert "image" not in vars(episode.screen)  # a decoded picture is not kept


@pytest.mark.slow  # it loads an OCR engine
def test_by_default_screenshots_are_read_by_ocr() -> None:
    from tests.judge.attacks import Attack, episode

    assert coarse(episode(Attack("", "en", "shown", "Paid to Oslo")), ["Paid to Oslo"]).passed
