"""T3A, the text-only agent of AndroidWorld."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.agent import UNTIL_IT_RESTS
from pytest_mobileagent.dialect import AndroidWorld
from pytest_mobileagent.perception import t3a_lines

from ._androidworld import GUIDANCE, ROLE, AndroidWorldAgent, paper_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.perception import Mark


class T3A(AndroidWorldAgent):
    """Like M3A, without pictures, and with all attributes of each element.

    Source: google-research/android_world, agents/t3a.py; the wording of the prompts is our own. The
    original checks the index of clicks only; here that of every action is checked, and a click
    without one is a reply that cannot be parsed (there it is a crash).
    """

    dialect = AndroidWorld(text_only=True)
    published = paper_settings("t3a.py", pause=UNTIL_IT_RESTS)
    role_text = ROLE.format(
        given="At each step you get a list of the elements on the screen, and in words what you"
        " have done so far.",
        named="by its index in the list",
    )
    screen_text = "These are elements on the present screen:"
    compared_text = "You are given the elements on the screen before the action and after it."
    guidance_text = GUIDANCE.format(
        visible="For `click`, `long_press` and `input_text`, use only indices of elements that are"
        " in the list and on the screen."
    )
    summary_length = "short"
    history_line = "Step {number}: {line}"

    def listed(self, marks: Sequence[Mark]) -> str:
        return t3a_lines(marks)
