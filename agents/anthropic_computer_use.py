"""Anthropic's models with the computer-use tools, on a phone."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pytest_mobileagent.agent import Image, Tool
from pytest_mobileagent.dialect import AnthropicComputerUse as Dialect
from pytest_mobileagent.dialect import Frame
from pytest_mobileagent.perception import encode, resized

from ._computer import ComputerAgent, Shown, without_pictures

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.agent import Briefing, Message, ToolCall

    Size = tuple[int, int]

Version = Literal["20241022", "20250124", "20251124", "20260801"]
TOOLSET: Version = "20260801"
# The picture's longer side unless an option says otherwise: points are most accurate, and cost
# least, on pictures of about a megapixel.
LONGEST = 1568
# With more than 20 pictures in a request, none may have a longer side.
MOST_PICTURES, LONGEST_OF_MANY = 20, 2000
# How many screenshots join before old ones are left out, where that invalidates thinking blocks.
STRETCH = 15
MAX_TOKENS = 16_384  # of a reply, which includes the thinking of models that always think
BINDING = "thinking-binding-controls-2026-08-01"
EDITING = "context-management-2025-06-27"


@dataclass(frozen=True, slots=True)
class Limits:
    """What the API accepts of a model: the newest and the oldest tool, and the largest picture.

    `fits` says whether a picture, as (width, height) in pixels, is small enough. `binds` says that
    the model's thinking blocks are valid only after the same messages as when they were made.
    """

    tool: Version
    longest: int
    fits: Callable[[Size], bool]
    binds: bool = False
    oldest: Version = "20241022"


# By family and version, as of 2026-11-28. Sources: "Computer use tool", "Vision" and "Preserved
# thinking" in Anthropic's documentation. A model that is not listed is an error.
_OLD = 1568, lambda size: size[0] * size[1] <= 1_150_000
_NEW = 2576, lambda size: math.ceil(size[0] / 28) * math.ceil(size[1] / 28) <= 4784
MODELS = {
    "3-5-sonnet 3-5-haiku": Limits("20241022", *_OLD),
    "3-7-sonnet sonnet-4 sonnet-4-0 sonnet-4-5 haiku-4-5 opus-4 opus-4-0 opus-4-1": Limits(
        "20250124", *_OLD
    ),
    "opus-4-5 opus-4-6 sonnet-4-6": Limits("20251124", *_OLD),
    "opus-4-7 mythos-preview": Limits("20251124", *_NEW),
    "opus-4-8 opus-5 sonnet-5 fable-5 mythos-5": Limits(TOOLSET, *_NEW),
    "fable-5-1 mythos-5-1": Limits(TOOLSET, *_NEW, binds=True),
    "opus-5-5 sonnet-5-5 haiku-5-5 fable-5-2 mythos-5-2": Limits(
        TOOLSET, *_NEW, binds=True, oldest=TOOLSET
    ),
}
_BY_NAME = {name: limits for names, limits in MODELS.items() for name in names.split()}


class AnthropicComputerUse(ComputerAgent):
    """Uses the toolset or the tool `computer`, and functions for a phone.

    Source: Anthropic's documentation "Computer use tool" and "Preserved thinking", and
    anthropics/claude-quickstarts `computer-use-demo`, which keeps the three newest screenshots. One
    call per step. Every tool call is answered; the last one of a reply with the picture. A phone
    has neither a mouse nor key combinations: keys like back and home are functions of our own.

    The toolset's calls are performed in order, until one fails; those after it are answered as the
    documentation requires. A screenshot or a zoom gets its own picture: of the screen as it is
    after the calls before it, for which calls after it wait until the next step. A zoom shows the
    region enlarged, and does not count as a step. The older tools declare the picture's size, and
    offer no zoom.

    - `version`: the tool's; by default, the newest one that `MODELS` lists for the model. The
      client of `anthropic:` sends the corresponding beta header.
    - `longest`: the longer side of the picture in pixels. The API refuses, or scales down, pictures
      that are larger than the model's limits; these are never exceeded.
    - `history`: "prune" leaves out all but the newest `pictures`; "drop" does so in stretches, and
      asks the API to ignore thinking blocks that this invalidates; "edit" sends everything, and
      asks the API to clear old results; "append" sends everything. By default "drop" for models
      that bind their thinking to the conversation, "prune" for others.
    """

    provider = "anthropic"

    class Options(ComputerAgent.Options):
        """The tool's version, the picture's size, and what remains of the conversation."""

        version: Literal["", Version] = ""
        pictures: int = 3
        longest: int = LONGEST
        history: Literal["", "prune", "drop", "edit", "append"] = ""

    @classmethod
    def variant_of(cls, model: str, options: Options) -> Version:
        known = limits_of(model, options.version)
        return options.version or known.tool

    def start(self, briefing: Briefing) -> None:
        super().start(briefing)
        self.limits = limits_of(self.model.name, self.options.version)
        self.mouse = Dialect(self.variant_of(self.model.name, self.options))
        self.dialect = self.mouse
        self.is_toolset = self.mouse.version == TOOLSET
        if self.is_toolset:
            self.skipped = "Not executed: an earlier computer action in this turn failed."
            self.looks = ("screenshot", "zoom", "cursor_position")
            self.settings.setdefault("max_tokens", MAX_TOKENS)
        self.history = self.options.history or ("drop" if self.limits.binds else "prune")
        self.settings |= self._extra()
        self.left_out = 0

    def _extra(self) -> dict[str, Any]:
        """Return the fields of requests that the history needs."""
        if self.history == "drop":
            binding = {"block_binding": {"prefix_mismatch_behavior": "drop_block"}}
            return {"extra": {"thinking": {"type": "adaptive", **binding}, "betas": [BINDING]}}
        if self.history == "edit":
            kept = max(1, self.options.pictures)
            edit = {
                "type": "clear_tool_uses_20250919",
                "trigger": {"type": "tool_uses", "value": kept + STRETCH},
                "keep": {"type": "tool_uses", "value": kept},
            }
            return {"extra": {"context_management": {"edits": [edit]}, "betas": [EDITING]}}
        return {}

    def size(self, size: Size) -> Size:
        most = min(self.limits.longest, self.options.longest or self.limits.longest, max(size))
        pictures = self.options.pictures + STRETCH * (self.history == "drop")
        if (
            self.history in {"edit", "append"}
            or not 0 < self.options.pictures <= pictures <= MOST_PICTURES
        ):
            most = min(most, LONGEST_OF_MANY)
        return self._fitted(size, most)

    def _fitted(self, size: Size, longest: int) -> Size:
        factor = longest / max(size)
        while True:
            fitted = max(1, int(size[0] * factor)), max(1, int(size[1] * factor))
            if self.limits.fits(fitted):
                return fitted
            factor *= 0.999

    def computer(self, size: Size) -> Tool:
        if self.is_toolset:
            return Tool("computer", provider={"type": f"computer_toolset_{TOOLSET}"})
        kind = {"type": f"computer_{self.mouse.version}", "name": "computer"}
        display = {"display_width_px": size[0], "display_height_px": size[1]}
        return Tool("computer", provider={**kind, **display})

    def moved(self, words: str) -> None:
        self.dialect = self.mouse = self.mouse.after(words)

    def looked(self, call: ToolCall, shown: Shown) -> tuple[str, Image | None]:
        if call.name == "cursor_position":
            x, y = self.mouse.cursor or (0, 0)
            return f"X={round(x)},Y={round(y)}", None
        if call.name == "zoom":
            return "", self._enlarged(call, shown)
        return "", shown.image

    def _enlarged(self, call: ToolCall, shown: Shown) -> Image:
        """Return the region of the screen that a zoom shows, as large as allowed."""
        frame = Frame.of(shown.screen, shown=shown.size)
        part = shown.screen.image.crop(self.mouse.region(call.arguments, frame))
        return Image(encode(resized(part, self._fitted(part.size, max(shown.size)))))

    def _sent(self) -> list[Message]:
        """Return the conversation with as many of its pictures as the history keeps."""
        if self.history in {"edit", "append"} or not self.options.pictures:
            return list(self.chat)
        if self.history == "prune":
            return super()._sent()
        pictures = sum(len(message.images) for message in self.chat)
        if pictures - self.left_out > self.options.pictures + STRETCH:
            self.left_out = pictures - self.options.pictures
        return without_pictures(self.chat, self.left_out)


def limits_of(model: str, version: Literal["", Version] = "") -> Limits:
    """Return what the API accepts of a model, by its name.

    Raises:
        ValueError: if the model is not listed, and no version of the tool was chosen; or if it is
            listed without the chosen version.
    """
    if model.startswith("scripted:") and not version:
        version = TOOLSET
    name = model.lower().replace(".", "-")
    named = re.search(r"claude-((?:\d-\d-)?[a-z]+(?:-\d{1,2}(?!\d)){0,2}(?:-preview)?)", name)
    if named and (known := _BY_NAME.get(named[1])):
        on_bedrock = "anthropic.claude" in model.lower()  # which has older tools for longer
        if version and not (on_bedrock or known.oldest <= version <= known.tool):
            msg = (
                f"{model} does not have version={version} of the computer-use tool; leave the"
                f" option out for the newest that it has, {known.tool}"
            )
            raise ValueError(msg)
        return known
    if version:
        new = version == TOOLSET
        return Limits(version, *(_NEW if new else _OLD), binds=new)
    msg = (
        f"anthropic_computer_use does not know which version of the computer-use tool {model} has:"
        " choose one with --mobile-agent-option version=VERSION (20260801, 20251124, 20250124)"
    )
    raise ValueError(msg)
