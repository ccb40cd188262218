"""MAI-UI and Qwen-UI-Agent, for phones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pytest_mobileagent.agent import (
    EndpointAgent,
    Image,
    Message,
    PublishedSettings,
    Stated,
    goal_at,
)
from pytest_mobileagent.dialect import Qwen
from pytest_mobileagent.perception import name_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent.agent import Briefing, Observation

ACTIONS = """\
{"action": "click", "coordinate": [x, y]}
{"action": "long_press", "coordinate": [x, y]}
{"action": "type", "text": ""}
{"action": "swipe", "direction": "up, down, left or right", "coordinate": [x, y]}: \
moves a finger; "coordinate" only to swipe over one element
{"action": "open", "text": "name of an app"}
{"action": "drag", "start_coordinate": [x1, y1], "end_coordinate": [x2, y2]}
{"action": "system_button", "button": "back, home, menu or enter"}
{"action": "wait"}
{"action": "terminate", "status": "success or fail"}
{"action": "answer", "text": "the reply, if the task is a question"}"""
MORE_ACTIONS = """
{"action": "ask_user", "text": "a question that only the user can answer"}
{"action": "double_click", "coordinate": [x, y]}"""
SYSTEM = """\
You operate a phone, to do a task of its user. You see the task, what you did before, and \
screenshots; say what to do next.

## Format
The reasoning goes into <thinking> tags, and one call, a JSON object, into <tool_call> tags:
<thinking>
...
</thinking>
<tool_call>
{{"name": "mobile_use", "arguments": <args-json-object>}}
</tool_call>

## Actions
{actions}

## Hints
- Apps on this phone: {apps}. To open an app, prefer `open`: it is the fastest way.
- In <thinking>, plan briefly, then say in one sentence what you do, and with which element."""

AGENT = "Tongyi-MAI/MAI-UI@4dd07b9, src/mai_naivigation_agent.py"


class MaiUi(EndpointAgent):
    """Receives its own past replies, and the newest three screenshots.

    Source: Tongyi-MAI/MAI-UI (4dd07b9), `src/mai_naivigation_agent.py` and `src/prompt.py`: a
    system message, the task, then the reply of each step with its thought, preceded by its
    screenshot if it is among the newest `pictures`, T=0, top_p 1, top_k -1, repetition penalty 1,
    seed 42, 2,048 tokens. Qwen-UI-Agent (arXiv:2607.28227) was run on MobileWorld by the same code.
    One call per step; the screenshots have full size.

    The wording of the prompt is our own, and it lists the apps of the phone, in place of a fixed
    list for each benchmark. The original offers MCP tools as well. It prints past replies anew,
    with rounded points; here, as in MobileWorld's later code (d42de47), they are what the model
    wrote. If a reply cannot be read, it sends the same request up to twice more, and then does
    nothing; here, the model is told why, and a third failure ends the episode. The user's answer to
    a question follows the reply that asks it.
    """

    settings: Mapping[str, Any] = {
        "temperature": 0.0,
        "top_p": 1.0,
        "max_tokens": 2048,
        "seed": 42,
        "extra": {"top_k": -1, "repetition_penalty": 1.0},
    }
    dialect = Qwen("mai-ui")
    on_error = "ask again"
    # The harness of its scores on AndroidWorld was not released; these are its agent's.
    published: ClassVar[Mapping[str, PublishedSettings]] = {
        "android-world": PublishedSettings(
            temperature=Stated(0.0, AGENT),
            max_tokens=Stated(2048, AGENT),
            history=Stated("its replies, and the newest three screenshots", AGENT),
        ),
    }

    class Options(EndpointAgent.Options):
        """How many screenshots it sees, and whether it may ask the user, and tap twice.

        The original's prompt for AndroidWorld has neither of the two; that for MobileWorld has
        both.
        """

        pictures: int = 3
        asks: bool = True

        PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
            "android-world": {"pictures": 3, "asks": False},
            "mobileworld": {"pictures": 3, "asks": True},
        }

    def start(self, briefing: Briefing) -> None:
        super().start(briefing)
        self.answers: list[str] = []

    def messages(self, observation: Observation, image: Image) -> Sequence[Message]:
        self.answers.append(observation.reply or "")
        goal = goal_at(self.briefing, len(self.turns))
        messages = [Message("system", (self._system(),)), Message("user", (goal,))]
        oldest = len(self.turns) + 1 - max(self.options.pictures, 1)
        for number, turn in enumerate(self.turns):
            if turn.decision.error:
                continue
            if number >= oldest:
                messages.append(Message("user", (turn.image,)))
            messages.append(Message("assistant", (turn.decision.words,)))
            if answer := self.answers[number + 1]:
                messages.append(Message("user", (answer,)))
        return [*messages, Message("user", (image,))]

    def _system(self) -> str:
        actions = ACTIONS + MORE_ACTIONS if self.options.asks else ACTIONS
        common = (name for each in self.briefing.installed if (name := name_of(each)) != each)
        apps = sorted({*common, *map(name_of, self.briefing.apps)})
        return SYSTEM.format(actions=actions, apps=", ".join(apps) or "unknown")
