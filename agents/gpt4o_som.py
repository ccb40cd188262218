"""A3's baseline: GPT-4o with set-of-marks."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from pytest_mobileagent.agent import EndpointAgent, Image, Message, goal_at
from pytest_mobileagent.dialect import A3, Frame
from pytest_mobileagent.perception import draw_som, som_marks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from PIL.Image import Image as Picture

    from pytest_mobileagent import Screen
    from pytest_mobileagent.agent import Observation
    from pytest_mobileagent.dialect import Decision

PROMPT = """You operate an Android phone. This is your task:
{goal}

The screenshot shows the phone as it is now. Elements that can be operated have a coloured box with
a number at its top left.

The actions are:
- CLICK[number]: tap the element with this number
- LONG_PRESS[number]: touch and hold it
- SCROLL[direction]: move the finger up, down, left or right over the screen; up shows what is
  further down. SCROLL[number, direction] does so on one element.
- TYPE[text]: type into the field that has the focus; click a field first
- ENTER: press the enter key
- BACK: go back
- HOME: go to the home screen
- OPEN[name]: open an app
- WAIT: wait until the screen has loaded
- COMPLETE[answer]: the task is done. If it asks for something, this is your answer to it; else
  just COMPLETE
- IMPOSSIBLE: the task cannot be done

Your actions so far:
{history}
{notice}
Think about what the screen shows and what is left to do. Then give one action, alone on the last
line of your answer.
"""


class Gpt4oSom(EndpointAgent):
    """Receives the screenshot with numbered boxes, and the actions so far.

    Source: A3 (arXiv:2501.01149), sections 3.2 and 4.2, which says that GPT-4o was run with
    set-of-marks because it is poor at coordinates. Neither its prompt nor its code was released:
    the action space is the paper's, and the boxes are drawn as by its authors' helper (AITK,
    aitk/utils/som.py); the choice of marked elements, the prompt, the history of actions without
    earlier screenshots, and the temperature of 0 are our own. The original waits as its controller
    does: a second after keys, three for WAIT.
    """

    sees = ("screenshot", "hierarchy")
    asks = False
    dialect = A3("paper")
    settings = MappingProxyType({"temperature": 0.0})

    class Options(EndpointAgent.Options):
        """The options of every agent with one model."""

        PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {"a3": {}}

    def picture(self, screen: Screen) -> Picture:
        return draw_som(screen.image, som_marks(screen))

    def frame(self, screen: Screen, picture: Picture) -> Frame:
        return Frame.of(screen, som_marks(screen), shown=picture.size)

    def messages(self, observation: Observation, image: Image) -> Sequence[Message]:
        history = (
            f"{number}. {_line(turn.decision)}" for number, turn in enumerate(self.turns, start=1)
        )
        notice = f"{observation.notice}\n" if observation.notice else ""
        prompt = PROMPT.format(
            goal=goal_at(self.briefing, len(self.turns)),
            history="\n".join(history) or "none",
            notice=f"The last one could not be done: {notice}" if observation.failure else notice,
        )
        return [Message("user", (prompt, image))]


def _line(decision: Decision) -> str:
    """Return the line of a decision that contained its action, for the history."""
    if decision.error:
        return f"an answer that could not be read: {decision.error}"
    return decision.words.strip().rpartition("\n")[2]
