"""The agent that A3 fine-tuned: InternVL2-8B on AMEX and AndroidControl."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from pytest_mobileagent.agent import EndpointAgent, Message
from pytest_mobileagent.dialect import A3

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent.agent import Image, Observation

PROMPT = """You work on an Android phone, towards the goal of its user. The picture is the phone's
screen now; it is {width} pixels wide and {height} high.

Goal: {goal}
{instruction}Actions so far:
{history}

Say the next action, one of these, and nothing else:
CLICK[x,y]
LONG_PRESS[x,y]
SCROLL[direction], with up, down, left or right: the way of the finger
TYPE[text]
OPEN[name of the app]
ENTER
BACK
HOME
WAIT
COMPLETE[answer, if the goal asks for one]
IMPOSSIBLE
"""


class InternVl2(EndpointAgent):
    """Receives the screenshot, the goal and its past actions, and chooses one action in one call.

    Source: A3 (arXiv 2501.01149), sections 3.2 and 4.1 and Table 4. Neither the weights nor the
    prompt nor the code were released: the paper gives the model, the data, the names of the
    actions, and the fact that past actions are part of the input, at two levels, of which the low
    one has an instruction for each step. Everything else is our own, above all pixels as
    coordinates, the notation of actions, and greedy decoding. A reply that cannot be parsed ends
    the episode, as in A3's translators.

    Run it behind vLLM or LMDeploy: `--mobile-model=openai:InternVL2-8B@URL`.
    """

    asks = False
    dialect = A3("paper")
    settings = MappingProxyType({"max_tokens": 256, "temperature": 0.0})

    class Options(EndpointAgent.Options):
        """The options of agents with one model, and `history`: how many past actions; -1: all."""

        history: int = -1

        PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {"a3": {"history": -1}}

    def messages(self, observation: Observation, image: Image) -> Sequence[Message]:
        width, height = observation.screen.size
        words = PROMPT.format(
            width=width,
            height=height,
            goal=self.briefing.goal,
            instruction=self.instruction(),
            history="\n".join(self.history()) or "None",
        )
        return (Message("user", (image, words)),)

    def instruction(self) -> str:
        """Return the line with the step's instruction, for tasks at the low level."""
        step, instructions = len(self.turns), self.briefing.instructions
        return f"At this step: {instructions[step]}\n" if step < len(instructions) else ""

    def history(self) -> list[str]:
        lines = [f"{n}. {turn.decision.words.strip()}" for n, turn in enumerate(self.turns, 1)]
        if self.options.history < 0:
            return lines
        return lines[max(0, len(lines) - self.options.history) :]
