from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_mobileagent.action import Type
from pytest_mobileagent.action.gestures import Tap
from pytest_mobileagent.dialect import AndroidControl, Frame, Qwen

GOLDEN = (
    Path(__file__).parents[3]
    / "shared/data/androidcontrol-uis1/android_control_evaluation_std.json"
)


@pytest.fixture(scope="module")
def golden() -> list[dict[str, Any]]:
    if not GOLDEN.exists():
        pytest.skip(f"the recordings are not here: {GOLDEN}")
    episodes = json.loads(GOLDEN.read_text("utf-8"))
    return [step["action_content"] for episode in episodes for step in episode["steps"]]


def test_golden_actions_are_parsed_and_call_the_tool_of_qwen(golden):
    # The data do not state the screens' sizes.
    frame, dialect = Frame((4000, 4000)), AndroidControl("mobile_use")
    read = set()
    for step in golden[::10]:
        decision = dialect.parse(json.dumps(step), frame)
        read.add(type(decision.actions[0]).__name__)
        assert dialect.parse(dialect.print(decision, frame), frame) == decision
        # Pictures of this size, whose sides are multiples of 28, are not resized by Qwen2.5-VL.
        (action,) = Qwen("2.5").parse(json.dumps(step), Frame((3360, 3360))).actions
        if step["action"] == "click":
            assert action == Tap(*map(int, step["coordinate"]))
        elif step["action"] == "type":
            assert action == Type(step["text"])
    assert read >= {"Tap", "Swipe", "Type", "Open", "Wait", "Key"}
