"""The base of Auto-UI and DigiRL: a small model prompted with past actions in AITW's format."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pytest_mobileagent.agent import EndpointAgent, Message, goal_at
from pytest_mobileagent.dialect import Aitw

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent.agent import Briefing, Image, Observation
    from pytest_mobileagent.dialect import Decision

_MAX_TOKENS = 128


class DualGestureAgent(EndpointAgent):
    """One message per step, in the models' training format: past actions, the goal, a picture."""

    asks = False

    class Options(EndpointAgent.Options):
        """The options of every agent with one model, and those of this one.

        - `history`: the number of past actions in the prompt; -1 for all of them.
        - `variant`: the dialect's variant (see `Aitw`).
        - `temperature`: 0 for greedy decoding.
        """

        history: int = 8
        variant: Literal["auto-ui", "digirl", "spa-bench"] = "auto-ui"
        temperature: float = 0.0

        # SPA-Bench wrote one program for both.
        PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
            "spa-bench": {
                "variant": "spa-bench",
                "history": -1,
                "temperature": 0.1,
                "on_error": "crash",
            },
        }

    def start(self, briefing: Briefing) -> None:
        """Receive the goal, the model, and the variant of the dialect."""
        super().start(briefing)
        self.dialect = Aitw(self.options.variant)
        self.settings = {"max_tokens": _MAX_TOKENS}

    def messages(self, observation: Observation, image: Image) -> Sequence[Message]:
        """Return one user message: the prompt and the picture."""
        goal = goal_at(self.briefing, len(self.turns))
        first = 0 if self.options.history < 0 else len(self.turns) - self.options.history
        past = [self.past(turn.decision) for turn in self.turns[max(0, first) :]]
        return (Message("user", (self.prompt(past, goal), image)),)

    @abstractmethod
    def past(self, decision: Decision) -> str:
        """Return a past action as it appears in the prompt."""

    @abstractmethod
    def prompt(self, past: Sequence[str], goal: str) -> str:
        """Return the text of the prompt."""
