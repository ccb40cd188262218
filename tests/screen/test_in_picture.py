"""Tests of finding texts in the screenshot that the hierarchy lacks."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image, ImageDraw

from pytest_mobileagent import Bounds, Element, Screen, extras
from pytest_mobileagent._task.solution import tap
from pytest_mobileagent.errors import ScreenError, TaskError
from pytest_mobileagent.extras import MissingExtraError
from pytest_mobileagent.screen import ocr
from pytest_mobileagent.screen.explain import NotFoundError
from pytest_mobileagent.screen.ocr import TextBox, read_text, use_engine
from pytest_mobileagent.screen.selector import CriteriaError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Reader:
    """An engine that reads the same lines in every picture, and records the pictures' sizes."""

    def __init__(self, *lines: tuple[str, tuple[int, int, int, int]]) -> None:
        self.lines = [TextBox(text, Bounds(*bounds), 0.9) for text, bounds in lines]
        self.sizes: list[tuple[int, int]] = []

    def read(self, image: Image.Image) -> Sequence[TextBox]:
        self.sizes.append(image.size)
        return self.lines


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Reader:
    """Return the default engine, replaced by a fake."""
    reader = Reader(
        ("Total：￥14.99", (10, 300, 200, 340)),
        ("NewYork", (10, 400, 200, 440)),
        ("Save", (10, 500, 200, 540)),
    )
    monkeypatch.setattr(ocr, "_chosen", "rapidocr")
    monkeypatch.setattr(ocr, "_engines", {})
    monkeypatch.setitem(ocr.ENGINES, "fake", lambda: reader)
    use_engine("fake")
    return reader


@pytest.fixture
def screen(make_screen: Callable[..., Screen]) -> Screen:
    return make_screen(
        {"text": "Save", "bounds": "[0,0][300,100]"},
        {"text": "Colour", "content-desc": "Choose a colour", "bounds": "[0,100][300,200]"},
        {"class": "android.widget.ImageView", "bounds": "[0,250][300,460]"},
        size=(300, 600),
    )


@pytest.mark.parametrize(
    ("criteria", "texts"),
    [
        ({"text": "Total: ¥14.99"}, ["Total：￥14.99"]),
        ({"text": "New York"}, ["NewYork"]),
        ({"text": "York"}, []),
        ({"text": re.compile(r"^Total: ¥\d+\.\d\d$")}, ["Total：￥14.99"]),
        ({"text": re.compile("New York|#1")}, ["NewYork"]),
        ({"text": re.compile("：￥")}, ["Total：￥14.99"]),
        ({"text": "New Work", "fuzzy": 80}, ["NewYork"]),
        ({"text": "New Work", "fuzzy": 90}, []),
        ({"text": "NewYork", "class_name": "ocr"}, ["NewYork"]),
        ({"text": "NewYork", "class_name": "TextView"}, []),
        ({"text": "NewYork", "clickable": True}, []),
    ],
)
def test_a_text_that_the_hierarchy_does_not_have_is_read_in_the_picture(
    reader, screen, criteria, texts
):
    assert screen.find_all(**criteria) == []
    assert not reader.sizes
    found = screen.find_all(ocr=True, **criteria)
    assert [element.text for element in found] == texts
    assert all(element.in_picture and element.class_name == "ocr" for element in found)


def test_the_picture_is_read_once_and_only_where_it_must_be(reader, screen):
    assert screen.find_all(text="Save", ocr=True) == [screen.elements[0]]
    assert screen.find_all(text="New York", ocr=True, below=screen.find(text="?")) == []
    assert reader.sizes == []
    for text in ("New York", "Old York", "New York"):
        screen.find(text=text, ocr=True)
    assert reader.sizes == [(300, 600)]


def test_text_that_was_read_has_relations_by_its_bounds(reader, screen):
    save, _, photo = screen.elements
    york = screen.get(text="New York", ocr=True)
    total = screen.get(text=re.compile("Total"), ocr=True)
    assert york.parent is screen.root
    assert york not in screen.elements
    for criteria, holds in [
        ({"text": "New York", "inside": photo}, True),
        ({"text": "New York", "inside": save}, False),
        ({"text": "New York", "below": total}, True),
        ({"text": "New York", "above": total}, False),
        ({"text": "New York", "after": total}, True),
        ({"text": "New York", "before": total}, False),
        ({"text": "Total:¥14.99", "before": york}, True),
    ]:
        assert bool(screen.find(ocr=True, **criteria)) is holds
    assert screen.find_all(above=york) == [save, screen.elements[1]]
    assert screen.find_all(before=york) == [save, screen.elements[1]]


def test_a_miss_names_the_nearest_text_that_was_read(reader, screen):
    with pytest.raises(NotFoundError) as caught:
        screen.get(text="Newer York", ocr=True)
    assert "closest: <ocr text='NewYork' at [10,400][200,440]>" in str(caught.value)


def test_an_elements_part_of_the_picture_is_read(reader, screen):
    photo = screen.elements[2]
    assert photo.ocr() == photo.ocr() == "Total：￥14.99\nNewYork\nSave"
    assert reader.sizes == [(300, 210)]
    assert Element("a", bounds=Bounds(0, 0, 0, 0), parent=screen.root).ocr() == ""
    assert Element("a", bounds=Bounds(290, -20, 400, 30), parent=screen.root).ocr()
    assert reader.sizes[1:] == [(10, 30)]


def test_an_element_of_no_screen_has_no_picture():
    with pytest.raises(ScreenError, match=r"<Button text='OK' at .* belongs to no screen"):
        Element("android.widget.Button", text="OK").ocr()


@pytest.mark.parametrize(
    ("criteria", "found"),
    [
        ({"text": "Color", "fuzzy": 90}, [1]),
        ({"text": "Color", "fuzzy": 100}, []),
        ({"text": "Co lo ur", "fuzzy": 100}, [1]),
        ({"content_desc": "Chose the colour", "fuzzy": 80}, [1]),
        ({"text": "Color", "fuzzy": 80, "clickable": True}, []),
        ({"text": "anything", "fuzzy": 0}, [0, 1, 2]),
    ],
)
def test_texts_may_be_nearly_alike(screen, criteria, found):
    assert screen.find_all(**criteria) == [screen.elements[place] for place in found]


@pytest.mark.parametrize(
    ("criteria", "complaint"),
    [
        ({"ocr": True}, "ocr=True searches for text=… in the picture, which is missing"),
        ({"ocr": "yes", "text": "a"}, "must be True or False, not str"),
        ({"ocr": False}, "nothing to search for besides ocr"),
        ({"ocr": True, "text": "a", "xpath": "//node"}, "is not part of the hierarchy"),
        ({"fuzzy": 90}, "fuzzy=… needs text or content_desc"),
        ({"fuzzy": 90, "text": re.compile("a")}, "that is not a pattern"),
        ({"fuzzy": 101, "text": "a"}, "must be a number from 0 to 100"),
        ({"fuzzy": True, "text": "a"}, "must be a number from 0 to 100, not bool"),
        ({"similarity": 0.9, "text": "a"}, "image=…, which is missing"),
        ({"image": __file__, "text": "a"}, "with relations only, not with text"),
        ({"image": 7}, "must be the path of a picture, not int"),
        ({"image": "missing.png"}, f"there is no file {Path(__file__).parent / 'missing.png'}"),
        ({"image": __file__}, "is not an image that can be read"),
    ],
)
def test_criteria_that_are_invalid_together_are_reported(screen, criteria, complaint):
    with pytest.raises(CriteriaError, match=re.escape(complaint)):
        screen.find(**criteria)


@pytest.mark.parametrize("criteria", [{"text": "?", "ocr": True}, {"image": __file__}])
def test_a_missing_engine_is_not_a_miss(screen, criteria, monkeypatch):
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    monkeypatch.setattr(ocr, "_engines", {})
    with pytest.raises(MissingExtraError, match=r'pip install "\.\[vision\]"'):
        screen.find(**criteria)


def test_a_tap_hits_a_text_that_was_read(reader, screen, make_episode):
    from pytest_mobileagent import Tap

    episode = make_episode(Tap(20, 410), screens=(screen, screen))
    assert episode.tapped(text="New York", ocr=True)
    assert episode.saw(text="New Work", ocr=True, fuzzy=80)
    assert not episode.tapped(text="Total:¥14.99", ocr=True)


def test_a_solution_has_no_element_to_relate_to(screen):
    with pytest.raises(TaskError, match="below=… needs an element of a screen"):
        tap(text="Total", below=screen.elements[0])


@pytest.mark.slow  # An engine is loaded twice.
def test_a_forked_process_reads_with_an_engine_of_its_own():
    image = Image.new("RGB", (300, 80), "white")
    ImageDraw.Draw(image).text((20, 20), "Settings", "black", font_size=36)
    read = [box.text for box in read_text(image)]
    pid = os.fork()
    if pid == 0:
        os._exit(0 if [box.text for box in read_text(image)] == read == ["Settings"] else 1)
    assert os.waitpid(pid, 0)[1] == 0
