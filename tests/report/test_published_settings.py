"""Tests of the settings in which a run differs from those of its preset."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Case, Task
from pytest_mobileagent.agent import (
    NOT_SENT,
    TASKS_LIMIT,
    UNTIL_IT_RESTS,
    PublishedSettings,
    Stated,
)
from pytest_mobileagent.report.published_settings import in_words, unlike_preset
from tests.report.conftest import make

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

OPTIONS = {"retries": 2, "pictures": 3, "temperature": None}
EQUAL = PublishedSettings(
    android=Stated("13", "s"),
    screen=Stated("1080x2400", "s"),
    steps=Stated(TASKS_LIMIT, "s"),
    pause=Stated(2, "s"),
    temperature=Stated(0.0, "s"),
    max_tokens=Stated(NOT_SENT, "s"),
    retries=Stated(2, "s"),
    history=Stated("all of it", "s"),
    seed=Stated(30, "s"),
    runs=Stated("2, the mean", "s"),
)


class Folder:
    """Writes what a run of one task in two epochs leaves behind."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.settings = EQUAL.to_json()
        self.about: dict[str, Any] = {"options": {}}
        self.head = {
            "device": {"android": "13", "size": [1080, 2400]}, "step_limit": 9, "options": OPTIONS,
        }  # fmt: skip
        self.sent: Sequence[dict[str, Any]] = [{"temperature": 0.0}, {"temperature": 0.0}]
        self.task = Task("Do it.", step_limit=9)
        self.option("mobile-pace", "2")
        self.option("mobile-seed", "30")

    def option(self, name: str, value: str | None) -> None:
        self.about["options"][name] = {"value": value, "source": "default"}

    def unlike(self) -> list[str]:
        tasks = []
        for epoch in range(2):
            folder = self.path / "episodes" / f"t.{epoch}"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "episode.jsonl").write_text(json.dumps(self.head) + "\n{}\n")
            lines = [json.dumps({"call": None, "settings": each}) for each in self.sent]
            (folder / "calls.jsonl").write_text("\n".join(["damaged", *lines, ""]))
            tasks.append(make(True, epoch=epoch, episode=f"episodes/t.{epoch}"))
        cases = [Case(self.task, "t", "", "t").to_json()]
        (self.path / "run.json").write_text(json.dumps({"run": {}, "tasks": cases}))
        published = {"preset": "paper", "settings": self.settings, "options": OPTIONS}
        return in_words(unlike_preset(self.path, {**self.about, "published": published}, tasks))


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_settings_of_the_phone_and_of_the_run_are_compared(folder):
    assert folder.unlike() == []
    folder.head |= {"device": {"android": "14", "size": [720, 1600]}}
    folder.about["virtual"] = True
    folder.option("mobile-pace", None)
    folder.option("mobile-seed", "0")
    folder.option("mobile-max-steps", "5")
    assert folder.unlike() == [
        "android 14 for 13",
        "screen 720x1600 for 1080x2400",
        "steps the task's, at most 5 for the task's",
        f"pause {UNTIL_IT_RESTS} for 2",
        "seed 0 for 30",
        "phone virtual for an emulator",
    ]


def test_settings_of_the_model_are_those_that_were_sent(folder):
    folder.sent = [{"temperature": 0.7}, {"temperature": 0.0, "max_tokens": 50}]
    folder.head |= {"options": {**OPTIONS, "retries": None}}
    assert folder.unlike() == [
        "temperature 0, 0.7 for 0",
        "max_tokens 50, not sent for not sent",
        "retries 7 for 2",
    ]


def test_options_given_beside_the_preset_are_named_and_unsent_settings_unknown(folder):
    folder.head |= {"options": {**OPTIONS, "pictures": 5, "new": 1}}
    assert folder.unlike() == ["pictures 5 for 3"]
    folder.sent = []
    assert folder.unlike()[:2] == ["temperature unknown for 0", "max_tokens unknown for not sent"]


def test_settings_that_nobody_states_are_named_as_unknown(folder):
    folder.settings = PublishedSettings(android=Stated("13", "s")).to_json()
    names = [name for name in EQUAL.to_json() if name != "android"]
    assert folder.unlike() == [f"{name} unknown" for name in names]


@pytest.mark.parametrize(
    ("task", "factor", "told"),
    [
        (Task("Do it.", golden_steps=3), "2", "steps 9 for the task's"),
        (Task("Do it."), None, "steps 9 for the task's"),
    ],
)
def test_limits_that_are_not_the_tasks_own(folder, task, factor, told):
    folder.task = task
    folder.option("mobile-step-factor", factor)
    assert folder.unlike() == [told]


def test_a_run_without_a_preset_is_compared_with_nothing(tmp_path):
    assert unlike_preset(tmp_path, {}, [make(True)]) == []
    assert unlike_preset(tmp_path, {"published": None}, []) == []


def test_a_run_without_episodes_has_no_settings(tmp_path):
    published = {"preset": "paper", "settings": EQUAL.to_json(), "options": OPTIONS}
    found = in_words(unlike_preset(tmp_path, {"published": published}, [make()]))
    assert "screen unknown for 1080x2400" in found
    assert "steps unknown for the task's" in found


def test_a_setting_without_a_source_is_refused():
    with pytest.raises(ValueError, match="3 has no source: name it, or leave the setting out"):
        Stated(3, " ")
