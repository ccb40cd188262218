"""What agents take from replies for their histories: more than actions, in some dialects."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.dialect import (
    Aitw,
    AndroidWorld,
    AutoDroid,
    CogAgent,
    MobileAgentV2,
    MobileAgentV3,
    SeeAct,
)


def test_aitw_has_gestures_with_four_decimals():
    points = '"touch_point": "[0.7761, 0.70891]", "lift_point": "[0.7761, 0.7089]"'
    words = f'Action Decision: "action_type": "DUAL_POINT", {points}, "typed_text": ""'
    assert Aitw.gesture_in(words).line() == (
        '"action_type": "DUAL_POINT", "touch_point": "[0.7761, 0.7089]", '
        '"lift_point": "[0.7761, 0.7089]", "typed_text": ""'
    )


def test_androidworld_has_the_action_as_one_line_of_json():
    words = "Reason: It is next.\nAction: ```{'action_type': 'click',\n 'index': 3}```"
    assert AndroidWorld.action_json(words) == '{"action_type": "click", "index": 3}'


@pytest.mark.parametrize(
    ("words", "label"),
    [("{'id': '0'}", "0"), ("{'id': 7}", "7"), ("{'id': -1}", ""), ("Hm.", ""), ("{}", "")],
)
def test_autodroid_has_the_chosen_element(words, label):
    assert AutoDroid.chosen(words) == label


def test_cogagent_has_a_line_of_the_reply():
    words = "Action: Stop.\nGrounded Operation:  END()\n<<x>>"
    assert CogAgent.line_of("Grounded Operation", words) == "END()"
    assert CogAgent.line_of("Action", words) == "Stop."
    assert CogAgent.line_of("Action", "nothing") == ""


@pytest.mark.parametrize(
    ("words", "outcome"),
    [
        ("### Thought ###\nB would be bad.\n### Answer ###\nA", "A"),
        ("### Thought ###\nA\n### Answer ###\nB: A wrong page.", "B"),
        ("### Answer ###\n**C**", "C"),
        ("### Answer ###\nMy answer is B", "B"),
        ("### Answer:\nC", "C"),
        ("All is well.", "A"),
        ("none", ""),
        ("", ""),
    ],
)
def test_mobile_agent_v2_has_the_letter_of_an_outcome(words, outcome):
    assert MobileAgentV2.outcome(words) == outcome


@given(st.text())
def test_any_reflection_has_an_outcome_or_none(words):
    assert MobileAgentV2.outcome(words) in {"A", "B", "C", ""}


def test_mobile_agent_v3_has_the_action_as_json():
    action = "```json\n{'action': 'click',\n'coordinate': [5, 6]}\n```"
    words = f"### Thought ###\nSo.\n\n### Action ###\n{action}\n\n### Description ###\nI do it."
    assert MobileAgentV3.action_json(words) == '{"action": "click", "coordinate": [5, 6]}'


@pytest.mark.parametrize(
    ("element", "action", "value", "line"),
    [
        ("B", "CLICK", "None", '"Save" button -> CLICK'),
        ("B", "INPUT TEXT", "hi", '"Save" button -> INPUT TEXT: hi'),
        ("None", "SWIPE", "up", "SWIPE: up"),
        ("B", "SWIPE", "up", '"Save" button -> SWIPE: up'),
        ("B", "NAVIGATE BACK", "None", "NAVIGATE BACK"),
        ("None", "ANSWER", "5", "ANSWER: 5"),
    ],
)
def test_seeact_has_the_action_and_its_element(element, action, value, line):
    words = f"ELEMENT: {element}\n\nACTION: {action}\n\nVALUE: {value}"
    assert SeeAct.described(words, {"B": '"Save" button'}) == line
