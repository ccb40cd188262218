"""OpenAI's models with the computer-use tool, on a phone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pytest_mobileagent.agent import Tool
from pytest_mobileagent.dialect import OpenAiComputerUse as Dialect

from ._computer import ComputerAgent

if TYPE_CHECKING:
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

    `tool` is "computer" (gpt-5.4 and later) or "computer_use_preview" (computer-use-preview); by
    default the one that suits the model's name. `longest` is the longer side of the picture in
    pixels, 0 for the original size.
    """

    class Options(ComputerAgent.Options):
        """The tool, and the picture's size."""

        tool: Literal["", "computer", "computer_use_preview"] = ""
        longest: int = LONGEST

    def start(self, briefing: Briefing) -> None:
        super().start(briefing)
        self.dialect = Dialect()
        preview = "computer-use-preview" in self.model.name
        self.tool = self.options.tool or ("computer_use_preview" if preview else "computer")

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
