"""Anthropic's models with the computer-use tool, on a phone."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Literal

from pytest_mobileagent.agent import Tool
from pytest_mobileagent.dialect import AnthropicComputerUse as Dialect

from ._computer import ComputerAgent

if TYPE_CHECKING:
    from pytest_mobileagent.agent import Briefing

# The API scales larger pictures down to these limits, in pixels.
LONGEST = 1568
MOST = 1_150_000
# Names of models that support an older tool only.
OLDER = {
    "20241022": re.compile(r"claude-3-5"),
    "20250124": re.compile(r"claude-(3-7|sonnet-4(-5|-0|-2025|$)|haiku-4-5|opus-4(-1|-0|-2025|$))"),
}


class AnthropicComputerUse(ComputerAgent):
    """Uses the tool `computer`, with one action per call, and functions for a phone.

    Source: Anthropic's documentation "Computer use tool", and anthropics/claude-quickstarts
    `computer-use-demo`, which keeps the three newest screenshots. One call per step. The screenshot
    is scaled down as the API would do it (1568 pixels, 1.15 megapixels), and that size is declared,
    so the model's points are pixels of the picture that it sees. Every tool call is answered; the
    last one of a reply with the picture. A phone has neither a mouse nor key combinations: keys
    like back and home are functions of our own. Zooming is not offered.

    `version` is the tool's; by default the one that suits the model's name. The client of
    `anthropic:` sends the corresponding beta header.
    """

    class Options(ComputerAgent.Options):
        """The tool's version, and the number of screenshots kept."""

        version: Literal["", "20241022", "20250124", "20251124"] = ""
        pictures: int = 3

    def start(self, briefing: Briefing) -> None:
        super().start(briefing)
        self.mouse = Dialect(self.options.version or version_of(self.model.name))
        self.dialect = self.mouse

    def size(self, size: tuple[int, int]) -> tuple[int, int]:
        width, height = size
        factor = min(1.0, LONGEST / max(size), math.sqrt(MOST / (width * height)))
        return max(1, int(width * factor)), max(1, int(height * factor))

    def computer(self, size: tuple[int, int]) -> Tool:
        kind = {"type": f"computer_{self.mouse.version}", "name": "computer"}
        display = {"display_width_px": size[0], "display_height_px": size[1]}
        return Tool("computer", provider={**kind, **display})

    def moved(self, words: str) -> None:
        self.dialect = self.mouse = self.mouse.after(words)


def version_of(model: str) -> Literal["20241022", "20250124", "20251124"]:
    """Return the newest version of the tool that a model supports, by the model's name."""
    if OLDER["20241022"].search(model):
        return "20241022"
    return "20250124" if OLDER["20250124"].search(model) else "20251124"
