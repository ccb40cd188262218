"""Tests that runs of record version 1 are read as current records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_mobileagent import Finish, ModelCall, Open, Reset, Tap, Termination, load
from pytest_mobileagent.episode import migrate
from pytest_mobileagent.jsonable import read_as

EPISODES = Path(__file__).parent / "data" / "version1" / "episodes"
COUNT = EPISODES / "tasks-counter-counter-count-2-f0cd53ef.0"
CODE = EPISODES / "tasks-counter-counter-code-9f24bafa.0"


def test_version_1_episode_is_read():
    episode = load(COUNT)
    assert [type(step.action) for step in episode.steps] == [Open, Tap, Tap, Finish]
    assert [step.probes["count"][0]["n"] for step in episode.steps] == [0, 1, 2, 2]
    assert episode.case.key == "tasks/counter/counter/count[2]"
    assert episode.case.parameters == {"times": 2}
    assert (episode.goal, episode.step_limit, episode.seed) == ("Count to 2.", 4, 1727183286)
    assert episode.case.task.golden_steps == 2
    assert episode.reset == Reset("snapshot", "default_boot")
    assert episode.device.size == (1080, 2400)
    assert (episode.calls, episode.totals.price_usd) == ((), None), "nobody knew a price"
    assert (episode.termination, episode.step_count) == (Termination.SELF_REPORTED, 3)
    assert episode.event(type="clicked", text="Add one") is not None
    assert episode.screen.size == (1080, 2400)
    assert load(CODE).answers("4711")
    assert [path.is_file() for path in EPISODES.glob("*/screens/*")].count(False) == 0


@pytest.mark.parametrize(
    ("usage", "calls"),
    [
        ({}, []),
        ({"input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0}, []),
        ({"input_tokens": 10, "cost_usd": 0.0}, [ModelCall("unknown", input_tokens=10)]),
        ({"cost_usd": 0.5}, [ModelCall("unknown", price_usd=0.5)]),
    ],
)
def test_version_1_usage_becomes_calls(usage, calls):
    assert list(map(ModelCall.from_json, migrate.calls(usage))) == calls


@pytest.mark.parametrize(
    ("words", "reset"),
    [
        ("snapshot default_boot", Reset("snapshot", "default_boot")),
        ("no snapshots: cleared nothing", Reset("cleared", reason="no snapshots")),
        (
            "no snapshots: cleared com.a, com.b",
            Reset("cleared", cleared=("com.a", "com.b"), reason="no snapshots"),
        ),
    ],
)
def test_version_1_reset_text_is_parsed(words, reset):
    data = migrate.reset(words)
    assert data is not None
    assert read_as(Reset, data, "reset") == reset
    assert migrate.reset("") is None


@pytest.mark.parametrize(
    ("action", "termination"), [("Impossible", "gave up"), ("Finish", "self-reported")]
)
def test_version_1_termination_is_translated(action, termination):
    task: dict[str, Any] = {
        "id": "a",
        "suite": "",
        "nodeid": "",
        "parameters": {},
        "environment": None,
    }
    task |= {"goal": "g", "step_limit": 1}
    records: list[dict[str, Any]] = [
        {"record": "episode", "schema_version": 1, "epoch": 0, "task": task},
        {"record": "step", "action": {"action": action}, "usage": {}, "said": "", "seconds": 0.0},
        {"record": "end", "termination": "self-reported", "error": "", "seconds": 0.0},
    ]
    assert migrate.migrate(records)[-1]["termination"] == termination


def test_only_the_screen_that_is_shown_again_is_replaced():
    marks: list[dict[str, Any]] = [{"again": True}, {}, {"again": True}, {}]
    screens = [{"record": "observation", "n": n} | mark for n, mark in enumerate(marks)]
    kept = migrate.migrate([{"record": "episode", "schema_version": 2}, *screens])
    assert [record["n"] for record in kept[1:]] == [0, 2, 3]  # the first has nothing to replace
