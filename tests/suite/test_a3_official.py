"""A3's own evaluation on our episodes: what it receives, and in which format."""

from __future__ import annotations

import json
from importlib import import_module
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

import pytest_mobileagent.plugin.items  # noqa: F401 - which has pytest mark tasks
from pytest_mobileagent import Finish, Key, Scroll, Tap, Type, Wait
from pytest_mobileagent.judge.official import evaluate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# Reports the arguments that it received, as the text of an exception.
SOURCE = """
import base64, json
from xml.etree import ElementTree as ET

def eval(task, xml, screenshot, history, answer, client=None, model_type="gpt"):
    texts = [ET.fromstring(each)[0].attrib["text"] for each in history["xml"]]
    sizes = {len(each) for each in history.values()}
    is_last = xml == history["xml"][-1] and screenshot == history["screenshot"][-1]
    width = ET.fromstring(xml).attrib["width"]
    picture = base64.b64decode(screenshot)[1:4].decode()
    raise ValueError(json.dumps([task, texts, len(sizes), is_last, width, picture, answer]))
"""


@pytest.fixture
def official() -> Any:
    return import_module("tasks.a3.official")


def test_each_action_stands_with_its_page_and_the_report_with_the_last(
    official: Any, make_episode: Callable[..., Any]
) -> None:
    typed = Type("Oslo", at=(3, 4), enter=True)
    episode = make_episode(Tap(1, 2), [typed, Key("back")], Wait(2), Scroll("up"), Finish("42"))
    pages = [(screen.elements[0].text, action) for screen, action in official.history(episode)]
    assert pages == [
        ("0", {"action": "tap", "x": 1, "y": 2}),
        ("1", {"action": "tap", "x": 3, "y": 4}),
        ("1", {"action": "type", "text": "Oslo"}),
        ("1", {"action": "enter"}),
        ("1", {"action": "back"}),
        ("2", {"action": "wait", "time": 2}),
        ("3", {"action": "scroll"}),
        ("5", {"action": "end", "answer": "42"}),
    ]
    unreported = [action for _, action in official.history(make_episode(Tap(1, 2)))]
    assert unreported[-1] == {"action": "end", "answer": ""}


def test_a_release_is_given_what_its_own_script_gives(
    official: Any,
    make_episode: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = tmp_path / "ace" / "task_eval" / "google_calendar"
    folder.mkdir(parents=True)
    (folder / "task10.py").write_text(SOURCE)
    named = SimpleNamespace(folder=tmp_path)
    monkeypatch.setattr(official, "release_of", lambda suite, table: named)
    episode = make_episode(Tap(1, 2), Finish("42"), goal="How many?")
    row = SimpleNamespace(id="google_calendar_10", where="v1.csv, line 9")
    found = evaluate(official.evaluation(episode, row), None)
    assert (found.scorer, found.passed) == ("a3-official", None)
    given, _, where = found.reason.removeprefix("ValueError: ").partition(", in ")
    assert where.startswith("ace/task_eval/google_calendar/task10.py, line ")
    assert where.endswith(", on v1.csv, line 9")
    assert json.loads(given) == ["How many?", ["0", "2"], 1, True, "100", "PNG", "42"]


def test_without_a_copy_there_is_no_evaluation(
    official: Any, make_episode: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(official, "release_of", lambda suite, table: None)
    row = SimpleNamespace(id="wish_0", where="v1.csv, line 2")
    assert official.evaluation(make_episode(Finish()), row) is None
