"""OS-Atlas (Pro): a foundation action model whose prompt lists the actions."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pytest_mobileagent.agent import EndpointAgent, Message
from pytest_mobileagent.dialect import OsAtlas as Dialect

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent.agent import Briefing, Image, Observation, Turn

INTRODUCTION = """You operate digital devices as people do: you look at a screenshot, and say what
to do next. You are in Executable Language Grounding mode: propose the executable action that brings
the user's task forward. There are basic actions, and custom ones of this platform.
"""
BASIC = {
    "CLICK": ("Click at a position.", "CLICK <point>[[x-axis, y-axis]]</point>"),
    "TYPE": ("Enter text where the focus is.", "TYPE [input text]"),
    "SCROLL": ("Scroll in a direction.", "SCROLL [direction (UP/DOWN/LEFT/RIGHT)]"),
}
CUSTOM = {
    "LONG_PRESS": ("Press long at a position.", "LONG_PRESS <point>[[x-axis, y-axis]]</point>"),
    "OPEN_APP": ("Open an application by its name.", "OPEN_APP [app_name]"),
    "PRESS_BACK": ("Go back to the screen before.", "PRESS_BACK"),
    "PRESS_HOME": ("Go to the home page.", "PRESS_HOME"),
    "PRESS_RECENT": ("Show the applications that were used last.", "PRESS_RECENT"),
    "ENTER": ("Press the enter key.", "ENTER"),
    "WAIT": ("Wait until the screen has loaded.", "WAIT"),
    "COMPLETE": ("Say that the task is finished.", "COMPLETE"),
    "IMPOSSIBLE": ("Say that the task cannot be finished.", "IMPOSSIBLE"),
}
SECTIONS = """Mostly, tasks are general. Read the task and the history of actions with care, and
reason about which action comes next. Answer in exactly two sections:
Thoughts: how you have reasoned at this step.
Actions: the action that you decided on.

Here are your task, the history of actions, and the screenshot.
Screenshot:"""
TASK = "Task: {task}\nHistory: \n{history}\n"


class OsAtlas(EndpointAgent):
    """Receives all actions with their formats, its past thoughts, and the screenshot, in one call.

    Sources: arXiv 2410.23218; OS-Copilot/OS-Atlas (eval/data); the card of OS-Atlas-Pro-7B. The
    sections and formats are those of the model's training, the sentences our own. The prompt
    declares the custom actions of AndroidControl, GUI-Odyssey and GUI-Act together. The history has
    one line per step: its thought, or its action if there was no thought. Greedy decoding, 128
    tokens. The original is an offline evaluation, in which unreadable replies are simply wrong:
    here they are steps without an action.

    Mobile-Bench-v2 and AndroidControl specify no settings except the training data, on which the
    meaning of SCROLL depends. Run it behind vLLM: `--mobile-model=openai:OS-Atlas-Pro-7B@URL`.
    """

    asks = False
    settings = MappingProxyType({"max_tokens": 128, "temperature": 0.0})

    class Options(EndpointAgent.Options):
        """The options of every agent with one model, and `scroll`, the meaning of SCROLL."""

        scroll: Literal["finger", "content"] = "finger"

        PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
            "mobile-bench-v2": {"scroll": "finger"},
            "androidcontrol": {"scroll": "content"},
        }

    def start(self, briefing: Briefing) -> None:
        super().start(briefing)
        self.dialect = Dialect(self.options.scroll)

    def messages(self, observation: Observation, image: Image) -> Sequence[Message]:
        before = "\n".join(
            (
                INTRODUCTION,
                "1. Basic Actions",
                *declared("Basic", BASIC),
                "2. Custom Actions",
                *declared("Custom", CUSTOM),
                SECTIONS,
            )
        )
        lines = [f"Step {number}: {line_of(turn)}" for number, turn in enumerate(self.turns, 1)]
        after = TASK.format(task=self.task(), history="\n".join(lines) or "None")
        return (Message("user", (before, image, after)),)

    def task(self) -> str:
        """Return the goal, with the step's instruction, as at AndroidControl's low level."""
        step, instructions = len(self.turns), self.briefing.instructions
        if step >= len(instructions):
            return self.briefing.goal
        return f"{self.briefing.goal} You need to: {instructions[step]}"


def declared(kind: str, actions: dict[str, tuple[str, str]]) -> list[str]:
    """Return the entries of actions in the prompt."""
    return [
        f"{kind} Action {number}: {name}\n    - purpose: {purpose}\n    - format: {form}\n"
        for number, (name, (purpose, form)) in enumerate(actions.items(), 1)
    ]


def line_of(turn: Turn) -> str:
    """Return a past step as one line."""
    words = turn.decision.words
    action = re.sub(r"\A.*?actions:", "", words, flags=re.DOTALL | re.IGNORECASE)
    return " ".join((turn.decision.said.get("thought") or action or words).split())
