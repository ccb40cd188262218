"""OpenAI's models with the computer-use tool, on a phone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pytest_mobileagent.agent import Message, Tool
from pytest_mobileagent.dialect import OpenAiComputerUse as Dialect

from ._computer import OLDER, ComputerAgent, words_and_calls

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.agent import Briefing

# Pictures may be larger, but points are more accurate at about 1600x900.
LONGEST = 1600


class OpenAiComputerUse(ComputerAgent):
    """Uses `computer_call`s, which may contain several actions, and functions for a phone.

    Source: OpenAI's guide "Computer use" (Responses API). One call per step; the whole conversation
    is sent back, with the reasoning items, instead of a `previous_response_id`; every call is
    answered with the screenshot, and safety checks are acknowledged (by the client of
    `openai-responses:`). None of the tool's environments is a phone, so keys like back and home are
    functions of our own, and the older tool is told that it sees a "browser".

    Every answer to a `computer_call` needs a screenshot. If older ones are left out (`pictures`),
    the calls that they answer are told in words.

    `tool` is "computer" or "computer_use_preview"; by default, the one that the model has.
    `longest` is the longer side of the picture in pixels, 0 for the original size.
    """

    provider = "openai-responses"
    option = "tool"
    # As of 2026-11-28; names may end in a variant and a date. Source: OpenAI's guide "Computer
    # use".
    models: ClassVar[Mapping[str, str]] = {
        "computer": "gpt-5.4 gpt-5.5 gpt-5.6 gpt-6 gpt-6.1 gpt-6.2",
        "computer_use_preview": "computer-use-preview",
    }
    named = re.compile(r"(computer-use-preview|gpt-\d+(?:\.\d+)?)(?:-[a-z]+)*(?:-\d{4}-\d\d-\d\d)?")

    class Options(ComputerAgent.Options):
        """The tool, and the picture's size."""

        tool: Literal["", "computer", "computer_use_preview"] = ""
        longest: int = LONGEST

    def start(self, briefing: Briefing) -> None:
        super().start(briefing)
        self.dialect = Dialect()
        self.tool = self.variant_of(self.model.name, self.options)

    def size(self, size: tuple[int, int]) -> tuple[int, int]:
        longest = self.options.longest
        if not longest or max(size) <= longest:
            return size
        factor = longest / max(size)
        return round(size[0] * factor), round(size[1] * factor)

    def computer(self, size: tuple[int, int]) -> Tool:
        tool: dict[str, Any] = {"type": self.tool}
        if self.tool == "computer_use_preview":
            display = {"display_width": size[0], "display_height": size[1]}
            tool |= {**display, "environment": "browser"}
        return Tool("computer", provider=tool)

    def _sent(self) -> list[Message]:
        messages, told = super()._sent(), set()
        left_out = {each.answers for each in messages if each.answers and OLDER in each.content}
        for at, each in enumerate(messages):
            calls = {call.id for call in each.tool_calls}
            if calls & left_out:
                told |= calls
                messages[at] = Message("assistant", (words_and_calls(each),))
            elif each.answers in told:
                messages[at] = Message("user", each.content)
        return messages
