"""Google's Gemini models with the computer-use tool, in its environment for phones."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pytest_mobileagent import Impossible
from pytest_mobileagent.agent import Image, Tool
from pytest_mobileagent.dialect import Decision, Frame
from pytest_mobileagent.dialect import GeminiComputerUse as Dialect

from ._computer import DONE, FUNCTIONS, RULES, ComputerAgent, Shown, without_pictures

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent.agent import Briefing, Message, ToolCall

# Functions of a browser that a phone has no use for. `open_web_browser` is the older way to look.
NOT_ON_PHONES = ["go_forward", "hover_at", "navigate", "search"]
# An API request may have 20 MB, in which pictures are in base64 ("Image understanding").
MOST_BYTES = 14_000_000

MOBILE = """\
You operate an Android phone for its user. Its keys are `go_back`, `press_key` ("home", "enter") \
and `recents`; drag to scroll: what is shown follows the finger."""
BROWSER = """\
You operate an Android phone for its user; there is no browser window, and no mouse. Clicks are \
taps of a finger; use `go_back`, `go_home`, `recents` and `open_app` instead of combinations of \
keys."""


CONFIRMED = "confirmed by the user, and done"


class GeminiComputerUse(ComputerAgent):
    """Uses the predefined functions of the tool, and functions for what else a phone needs.

    Source: Google's documentation "Computer Use"; google-gemini/computer-use-preview, whose loop
    keeps the three newest screenshots, samples as the API does by default, and ends if the user
    does not confirm; Tongyi-MAI/MobileWorld, `gemini_cua_agent.py` (thinking, the resolution, the
    picture's size, and the detection of injected prompts). One call per step, in a conversation to
    which thoughts' signatures are sent back. `list_apps` and `take_screenshot` are answered at
    once, and do not count as a step.

    - `environment`: "mobile", or the older "browser" with its names of functions; by default, the
      one that the model has.
    - `confirm`: what the user says if the model asks to confirm a call, which is recorded with the
      call: "yes", as someone who wants the task to be done, or "no", which ends the task.
    - `area`: the part of the screen's pixels that the picture has.
    - `thinking`: the level of thinking, "" for the model's own; models of "browser" have none.
    - `injection_detection`: whether the API looks for instructions in screenshots.
    """

    provider = "gemini"
    option = "environment"
    # As of 2026-11-28. Sources: "Computer Use" in Google's documentation, and
    # google-gemini/computer-use-preview.
    models: ClassVar[Mapping[str, str]] = {
        "mobile": "3.5-flash 3.5-flash-lite 3.6-flash 3.8-flash",
        "browser": "2.5-computer-use 3-flash 3.1-pro",
    }
    named = re.compile(r"(?:models/)?gemini-([\d.]+(?:-[a-z]+)*?)(?:-(?:preview|latest|\d{2,4}))*")

    class Options(ComputerAgent.Options):
        """The environment, what the user confirms, the picture's size, and thinking."""

        environment: Literal["", "mobile", "browser"] = ""
        confirm: Literal["yes", "no"] = "yes"
        pictures: int = 3
        area: float = 0.75
        thinking: Literal["", "minimal", "low", "medium", "high"] = "medium"
        injection_detection: bool = True

    def start(self, briefing: Briefing) -> None:
        super().start(briefing)
        self.environment = self.variant_of(self.model.name, self.options)
        self.dialect = Dialect(self.environment)
        self.looks = ("screenshot", "list_apps")
        is_mobile = self.environment == "mobile"
        self.system = f"{MOBILE if is_mobile else BROWSER} {RULES}"
        if is_mobile:
            config: dict[str, Any] = {"mediaResolution": "MEDIA_RESOLUTION_HIGH"}
            if self.options.thinking:
                config["thinkingConfig"] = {"thinkingLevel": self.options.thinking.upper()}
            self.settings["extra"] = {"generationConfig": config}

    def size(self, size: tuple[int, int]) -> tuple[int, int]:
        factor = max(0.0, min(1.0, self.options.area)) ** 0.5
        return max(1, round(size[0] * factor)), max(1, round(size[1] * factor))

    def computer(self, size: tuple[int, int]) -> Tool:
        tool: dict[str, Any] = {"environment": f"ENVIRONMENT_{self.environment.upper()}"}
        if self.options.injection_detection:
            tool["enablePromptInjectionDetection"] = True
        if self.environment == "browser":
            tool["excludedPredefinedFunctions"] = NOT_ON_PHONES
        return Tool("computer", provider={"computerUse": tool})

    def functions(self) -> Sequence[Tool]:
        ours = [each for each in FUNCTIONS if each.name in {"recents", "ask_user", "give_up"}]
        return ours if self.environment == "mobile" else [*OLDER_FUNCTIONS, *ours]

    def looked(self, call: ToolCall, shown: Shown) -> tuple[str, Image | None]:
        if call.name == "list_apps":
            return "\n".join(sorted(self.briefing.installed)), None
        return "", shown.image

    def _read(self, calls: Sequence[ToolCall], frame: Frame, *, is_cut: bool = False) -> Decision:
        for call in calls:
            safety = call.arguments.get("safety_decision")
            if self.options.confirm == "no" and safety:
                why = safety.get("explanation") if isinstance(safety, dict) else None
                return Decision((Impossible(f"the user does not confirm: {why or call.name}"),))
        decision = super()._read(calls, frame, is_cut=is_cut)
        for each in self.open:
            if each.call.arguments.get("safety_decision") and each.words == DONE:
                each.words = CONFIRMED
        return decision

    def _sent(self) -> list[Message]:
        """Return the conversation with as many of its newest pictures as a request may have."""
        sizes = [len(image.data) for message in self.chat for image in message.images]
        most = self.options.pictures or len(sizes)
        left_out = max(0, len(sizes) - most)
        while sum(sizes[left_out:]) > MOST_BYTES and left_out < len(sizes) - 1:
            left_out += 1
        return without_pictures(self.chat, left_out)


def takes(**properties: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the schema of a function's parameters, all of which are required."""
    return {"type": "object", "properties": properties, "required": list(properties)}


_THOUSANDTHS = {"type": "integer", "description": "from 0 to 999"}
# What the environment of a browser lacks, under the names of the documentation's example.
OLDER_FUNCTIONS = [
    Tool("go_home", "Go to the phone's home screen."),
    Tool("open_app", "Start an app.", takes(app_name={"type": "string"})),
    Tool("long_press_at", "Hold a finger on a point.", takes(x=_THOUSANDTHS, y=_THOUSANDTHS)),
]
