"""Tests that golden actions of a real data set match themselves under every applicable rule."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent import Bounds, Key, LongPress, Open, Scroll, Tap, Type, Wait, check

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_mobileagent.action.matching import Golden

SIZE = (1080, 2400)


@pytest.fixture(scope="module")
def golden_actions(recordings: Path) -> list[Golden]:
    """Return the AndroidControl steps that UI-S1 evaluates, with the boxes that count as right."""
    path = recordings / "androidcontrol-uis1" / "android_control_evaluation_std.json"
    episodes = json.loads(path.read_text("utf-8"))
    return [golden(step["check_options"]) for episode in episodes for step in episode["steps"]]


def golden(options):
    boxes = tuple(Bounds(*box) for box in options.get("candidate_bbox", ()))
    return check.Golden(action(options), SIZE, boxes)


def action(options):
    point = options.get("coordinate")
    match options["action"]:
        case "click" | "long_press" as press:
            return Tap(*point) if press == "click" else LongPress(*point)
        case "type" | "open" as name:
            return (Type if name == "type" else Open)(options["text"])
        case "swipe":
            return Scroll(options["direction"])
        case "wait":
            return Wait(options["time"])
    return Key(options["button"].lower())


# The action types of AndroidControl that each rule's own data set lacks.
UNKNOWN = {
    check.aitw: (Wait, Open),
    check.aitz: (Wait, Open, LongPress),
    check.androidcontrol: (),
    check.cagui: (),
    check.mobile_bench: (),
    check.odyssey: (Wait, Open),
}


@pytest.mark.parametrize(("rule", "unknown"), UNKNOWN.items())
def test_golden_actions_match_themselves(golden_actions, rule, unknown):
    wrong = [
        each
        for each in golden_actions
        if not isinstance(each.action, unknown) and not rule(each.action, each)
    ]
    # A rule that excludes edges rejects a point on the edge of its only box.
    on_edges = [each for each in wrong if rule is check.mobile_bench and each.boxes]
    assert len(golden_actions) == 8444
    assert wrong == on_edges


def test_the_published_counts_of_steps_come_out(golden_actions):
    counts = Counter(type(each.action).__name__ for each in golden_actions)
    assert counts == {
        "Tap": 5074, "Scroll": 1211, "Type": 632, "Open": 608, "Wait": 567, "Key": 343,
        "LongPress": 9,
    }  # fmt: skip


@pytest.mark.parametrize("scorer", ["qwen2.5-vl", "agentcpm", "os-atlas"])
def test_golden_actions_match_themselves_by_every_scorer(golden_actions, scorer):
    for each in golden_actions:
        assert check.androidcontrol(each.action, each, scorer=scorer), each
