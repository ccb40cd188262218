"""OdysseyAgent of GUI-Odyssey: Qwen-VL with a memory of past screenshots."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pytest_mobileagent.agent import EndpointAgent, Message, goal_at
from pytest_mobileagent.dialect import Odyssey as Dialect
from pytest_mobileagent.perception import square

from ._spa_bench import check_typing, keyboard_note

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from PIL.Image import Image as Picture

    from pytest_mobileagent import Screen
    from pytest_mobileagent.agent import Briefing, Image, Observation, Reply

SYSTEM = "You are a helpful assistant."
SIDE = 448  # pixels of Qwen-VL's picture, whatever the screen's shape
QUESTION = "I'm looking for guidance on how to {goal}"
REQUEST = "Provide the command-style action directly."
GRADIO = SYSTEM + ' I\'m looking for guidance on how to "{goal}"? (note: {state} )'
SEPARATOR = "<sep>"
SETTINGS = {"max_tokens": 30, "temperature": 0.0}


class Odyssey(EndpointAgent):
    """Receives the screen and up to four past ones, with its commands there; one call per step.

    Sources: GUI-Odyssey (arXiv 2406.08451; src/eval_mm/evaluate_GUIOdyssey.py), SPA-Bench
    (framework/models/GUI-Odyssey). The prompt has the format of the model's training; pictures have
    448x448 pixels. The original's model looks past screenshots up by the path of the current one,
    and compresses them in a separate module; here they are pictures in the same message.

    `preset=spa-bench` is SPA-Bench's program: two past steps, the state of the keyboard in the
    question, typing with clearing and enter, an error when typing without a keyboard; waits of 5 s.
    Its Gradio server builds the prompt itself: `inputs=gradio` sends the question, the screenshot,
    past screenshots and past commands. A single past step is lost there (its server looks for the
    separator between two); with `inputs=chat` it is kept. The wording of the note on typing is our
    own.

    Run it with `--mobile-model=predict:odyssey@URL`, or on a chat server with `inputs=chat`.
    """

    asks = False

    class Options(EndpointAgent.Options):
        """The options of every agent with one model, and those of this one.

        - `history`: the number of past steps shown to the model.
        - `inputs`: "chat" for a message with all pictures, "gradio" for SPA-Bench's server.
        - `keyboard_note`: whether the prompt says if the keyboard is shown.
        - `submit`: whether typing clears the field first, and presses enter afterwards.
        """

        history: int = 4
        inputs: Literal["chat", "gradio"] = "chat"
        keyboard_note: bool = False
        submit: bool = False

        PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
            "spa-bench": {
                "history": 2,
                "inputs": "gradio",
                "keyboard_note": True,
                "submit": True,
            },
        }

    def start(self, briefing: Briefing) -> None:
        super().start(briefing)
        self.dialect = Dialect(self.options.submit)

    def step(self, observation: Observation) -> Reply:
        reply = super().step(observation)
        if self.options.keyboard_note:
            check_typing(reply, observation.screen)
        return reply

    def picture(self, screen: Screen) -> Picture:
        return square(screen.image, SIDE)

    def messages(self, observation: Observation, image: Image) -> Sequence[Message]:
        past = self.turns[-self.options.history :] if self.options.history > 0 else []
        images = [turn.image for turn in past]
        commands = [turn.decision.words.strip() for turn in past]
        question = self.question(observation.screen)
        if self.options.inputs == "gradio":
            encoded = (base64.b64encode(each.data).decode() for each in images)
            inputs = [SEPARATOR.join(encoded), SEPARATOR.join(commands)]
            self.settings = {**SETTINGS, "extra": {"inputs": inputs}}
            return (Message("user", (question, image)),)
        self.settings = SETTINGS
        past_content = past_steps(images, commands)
        content = ("Picture 1:", image, question, *past_content, REQUEST)
        return (Message("system", (SYSTEM,)), Message("user", content))

    def question(self, screen: Screen) -> str:
        goal = goal_at(self.briefing, len(self.turns))
        if not self.options.keyboard_note:
            return QUESTION.format(goal=goal)
        return GRADIO.format(goal=goal, state=keyboard_note(screen))


def past_steps(images: Sequence[Image], commands: Sequence[str]) -> Sequence[str | Image]:
    """Return past steps in the format of a chat."""
    if not images:
        return ("Previous screenshots: None\nPrevious Actions: None",)
    numbered = "\n".join(f"{number}. {command}" for number, command in enumerate(commands, 1))
    return ("Previous screenshots:", *images, f"Previous Actions: {numbered}\n")
