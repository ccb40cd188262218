"""Recorded episodes, each with a goal and a few screens, and scripted judges."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent import Agent, Finish, Tap, Task
from pytest_mobileagent.testing import (
    FakePhone,
    ScriptedModel,
    ScriptedReply,
    When,
    make_screen,
    play,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class TwoSteps(Agent):
    """Taps once and then reports that it is done."""

    def start(self, briefing):
        self.actions = [Tap(5, 5), Finish("done")]

    def step(self, observation):
        return self.actions.pop(0)


@pytest.fixture
def record(tmp_path: Path) -> Callable[..., Path]:
    """Records an episode in the folder of a run; returns the folder of the episode."""
    count = 0

    def make(goal: str, run: Path | None = None, language: str = "en", **fields) -> Path:
        nonlocal count
        count += 1
        screens = [
            make_screen(f"{goal} {n}", size=(40, 80), shade=10 * n + count, **fields)
            for n in (1, 2)
        ]
        there = tmp_path / f"made{count}"
        play(TwoSteps, Task(goal, language=language), phone=FakePhone(screens), folder=there)
        return (there / "episodes" / "play.0").resolve()

    return make


@pytest.fixture
def labelled(record: Callable[..., Path], tmp_path: Path) -> Callable[..., Path]:
    """Writes a file of labels; each line says whether a goal was met, and has further fields."""

    def make(*labels: tuple[str, bool] | tuple[str, bool, dict]) -> Path:
        lines = []
        for goal, done, *more in labels:
            folder = record(goal).relative_to(tmp_path)
            lines.append(json.dumps({"episode": str(folder), "done": done, **(dict(*more))}))
        path = tmp_path / "labels.jsonl"
        path.write_text("\n".join(lines) + "\n")
        return path

    return make


def judge(done: str, **fields) -> ScriptedModel:
    """Return a model that judges a goal such as "Do 3." as met if its number is in `done`."""

    def answer(request):
        (number, *_) = re.findall(r"\| Do (\d+)", request.text)
        return ScriptedReply(f"Result: {int(number in done.split())}", input_tokens=1000,
                             output_tokens=10)  # fmt: skip

    return ScriptedModel([When("", answer)], **fields)
