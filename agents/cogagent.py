"""CogAgent: the 18B model, as phone benchmarks ran it, and the 9B model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pytest_mobileagent.agent import EndpointAgent, Message, goal_at
from pytest_mobileagent.dialect import CogAgent as Dialect
from pytest_mobileagent.perception import square

from ._spa_bench import check_typing, keyboard_note

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from PIL.Image import Image as Picture

    from pytest_mobileagent import Screen
    from pytest_mobileagent.agent import Briefing, Image, Observation, Reply

QUESTION = 'What steps do I need to take to "{goal}"?{note}(with grounding)'
NOTE = " (note: {state} ) "
TASK = """Task: {goal}
History steps: {history}
(Platform: Mobile)
(Answer in Action-Operation-Sensitive format.)
"""
SIDE = 1120  # pixels of the 18B model's picture, whatever the screen's shape


class CogAgent(EndpointAgent):
    """Asks for the next operation in every step, in the models' training formats.

    18B (arXiv 2312.08914; DigiRL's cog_agent.py; SPA-Bench, framework/models/CogAgent): a question
    about the goal and a picture of 1120x1120 pixels, no history. With `keyboard_note`, which
    SPA-Bench added, the question says whether the keyboard is shown, and typing without it raises
    an error; the wording of the note on typing is our own. SPA-Bench waits 5 s before each step.
    MobileAgentBench ran it as it is here without options ("vanilla"), with 4-bit weights.

    9B (cogagent-9b-20241220; THUDM/CogAgent, README and app/client.py): the goal, all operations
    and actions so far, and the unscaled screenshot. A reply without an operation ends the demo, and
    here counts as a report that the task is done. Greedy decoding, as in inference/cli_demo.py; the
    demo stops after 15 steps.

    Run the 18B model with `--mobile-model=predict:cogagent@URL`, the 9B one behind vLLM with
    `--mobile-model=openai:cogagent@URL` and `version=9b`.
    """

    asks = False

    class Options(EndpointAgent.Options):
        """The options of every agent with one model, and those of this one.

        - `version`: the model's version.
        - `keyboard_note`: whether the 18B model's prompt says if the keyboard is shown.
        - `submit`: whether typing clears the field first, and presses enter afterwards.
        """

        version: Literal["18b", "9b"] = "18b"
        keyboard_note: bool = False
        submit: bool = False

        PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
            "spa-bench": {"version": "18b", "keyboard_note": True, "submit": True},
            "mobileagentbench": {"version": "18b"},
        }

    def start(self, briefing: Briefing) -> None:
        super().start(briefing)
        self.dialect = Dialect(self.options.version, self.options.submit)
        self.small = self.options.version == "9b"
        self.notes_keyboard = self.options.keyboard_note and not self.small
        self.settings = {"max_tokens": 4096 if self.small else 2048, "temperature": 0.0}
        self.on_error = "finish" if self.small else ""

    def step(self, observation: Observation) -> Reply:
        reply = super().step(observation)
        if self.notes_keyboard:
            check_typing(reply, observation.screen)
        return reply

    def picture(self, screen: Screen) -> Picture:
        return screen.image if self.small else square(screen.image, SIDE)

    def messages(self, observation: Observation, image: Image) -> Sequence[Message]:
        goal = goal_at(self.briefing, len(self.turns))
        if self.small:
            words = TASK.format(goal=goal, history=self.history())
        else:
            words = QUESTION.format(goal=goal, note=self.note(observation.screen))
        return (Message("user", (words, image)),)

    def history(self) -> str:
        line, lines = Dialect.line_of, ""
        for number, turn in enumerate(self.turns):
            words = turn.decision.words
            lines += f"\n{number}. {line('Grounded Operation', words)}\t{line('Action', words)}"
        return lines

    def note(self, screen: Screen) -> str:
        return NOTE.format(state=keyboard_note(screen)) if self.notes_keyboard else ""
