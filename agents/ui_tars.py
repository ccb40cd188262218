"""UI-TARS 1, 1.5 and Doubao's UI-TARS, for phones."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pytest_mobileagent.agent import (
    EndpointAgent,
    Image,
    Message,
    PublishedSettings,
    Stated,
    goal_at,
)
from pytest_mobileagent.dialect import UiTars as Dialect

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent.agent import Briefing, Observation

SYSTEM = "You are a helpful assistant."
PROMPT = """\
You operate a phone's GUI. You get a task, and what you did so far with the screenshots on which \
you did it. Decide on the next action that brings the task forward.

## Output Format
```
Thought: ...
Action: ...
```

## Action Space

{actions}

## Note
- Write the `Thought` part in {language}.
- In it, plan a little, and end with one sentence that says the next action and what it acts on.

## User Instruction
{goal}
"""
ACTIONS = {
    "1": """\
click(start_box='<|box_start|>(x1,y1)<|box_end|>')
long_press(start_box='<|box_start|>(x1,y1)<|box_end|>', time='')
type(content='') # With "\\n" at the end of `content`, the text is submitted.
scroll(start_box='<|box_start|>(x1,y1)<|box_end|>', end_box='<|box_start|>(x3,y3)<|box_end|>')
press_home()
press_back()
wait() # Waits for five seconds.
finished(content='') # The task is over, done or not; `content` is the answer, if one is wanted.
call_user() # Asks the user for help.""",
    "1.5": """\
click(start_box='(x1,y1)')
long_press(start_box='(x1,y1)')
type(content='') # With "\\n" at the end of `content`, the text is submitted.
scroll(start_box='(x1,y1)', direction='down or up or right or left') # Shows more on that side.
open_app(app_name='')
drag(start_box='(x1,y1)', end_box='(x3,y3)')
press_home()
press_back()
wait() # Waits for five seconds.
finished(content='xxx') # Escape \\', \\" and \\n in `content`, as in a string of Python.
call_user() # Asks the user for help.""",
    "doubao": """\
click(point='<point>x1 y1</point>')
long_press(point='<point>x1 y1</point>')
type(content='') # With "\\n" at the end of `content`, the text is submitted.
scroll(point='<point>x1 y1</point>', direction='down or up or right or left') # Shows more there.
open_app(app_name='')
drag(start_point='<point>x1 y1</point>', end_point='<point>x2 y2</point>')
press_home()
press_back()
wait() # Waits for five seconds.
finished(content='xxx') # Escape \\', \\" and \\n in `content`, as in a string of Python.
call_user() # Asks the user for help.""",
}
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "1": {"temperature": 0.0, "max_tokens": 128, "extra": {"frequency_penalty": 1}},
    "1.5": {"temperature": 0.0, "max_tokens": 400},
    "doubao": {"temperature": 0.0, "max_tokens": 400},
}
LANGUAGES = {"en": "English", "zh": "Chinese"}
POINT = re.compile(r"((?:start|end)_box=')\((\d+), ?(\d+)\)'")


class UiTars(EndpointAgent):
    """Receives the full-size screenshot, and all of its own replies, with the last pictures.

    Source: bytedance/UI-TARS (README_v1.md, README_deploy.md, `codes/ui_tars/prompt.py`), its paper
    (arXiv:2501.12326), and xlang-ai/OSWorld `mm_agents/uitars_agent.py`, to which the project
    refers for acting: the history alternates the user's picture and the assistant's reply; for
    steps before the last `pictures` screenshots, it contains the reply only. One call per step,
    T=0, 400 tokens; version 1 uses 128, and a frequency penalty of 1 (settings of the READMEs;
    OSWorld's differ). Points in past replies have box tokens, except in Doubao's format.

    The wording of the prompts is our own. `wait` and `call_user` are from the prompt for desktops,
    `open_app` from Doubao's for phones. If the original cannot parse a reply, it tries again at T=1
    without giving a reason, and treats a third failure as the end. The user's answer to a question
    precedes the next picture.
    """

    # The harness of its scores on AndroidWorld was not released.
    published: ClassVar[Mapping[str, PublishedSettings]] = {
        "android-world": PublishedSettings(
            history=Stated("its replies, and the last five screenshots", "arXiv:2501.12326"),
        ),
        "android-world-1.5": PublishedSettings(),
    }

    class Options(EndpointAgent.Options):
        """The version of the model, and how many pictures it sees, including the current one."""

        version: Literal["1", "1.5", "doubao"] = "1.5"
        pictures: int = 5

        PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
            "android-world": {"version": "1"},
            "android-world-1.5": {"version": "1.5"},
        }

    def start(self, briefing: Briefing) -> None:
        super().start(briefing)
        self.dialect = Dialect(self.options.version)
        self.settings = SETTINGS[self.options.version]
        self.users: list[tuple[str, ...]] = []

    def messages(self, observation: Observation, image: Image) -> Sequence[Message]:
        self.users.append((f"The user answers: {observation.reply}",) if observation.reply else ())
        messages = [Message("system", (SYSTEM,)), Message("user", (self._prompt(),))]
        oldest = len(self.turns) + 1 - max(self.options.pictures, 1)
        for number, turn in enumerate(self.turns):
            if number >= oldest:
                messages.append(Message("user", (*self.users[number], turn.image)))
            messages.append(Message("assistant", (self._past(turn.decision.words),)))
        return [*messages, Message("user", (*self.users[-1], image))]

    def _prompt(self) -> str:
        version, language = self.options.version, self.briefing.language.partition("-")[0]
        return PROMPT.format(
            actions=ACTIONS[version],
            language=LANGUAGES.get(language, self.briefing.language),
            goal=goal_at(self.briefing, len(self.turns)),
        )

    def _past(self, words: str) -> str:
        if self.options.version == "doubao":
            return words
        return POINT.sub(r"\1<|box_start|>(\2,\3)<|box_end|>'", words)
