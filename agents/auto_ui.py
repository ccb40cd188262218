"""Auto-UI (Auto-GUI), a T5 model that sees the screen through BLIP-2's features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pytest_mobileagent.agent import EndpointAgent, Message, goal_at
from pytest_mobileagent.dialect import Aitw

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent.agent import Briefing, Image, Observation
    from pytest_mobileagent.dialect import Decision

_MAX_TOKENS = 128


class AutoUi(EndpointAgent):
    """Receives its last eight actions, and plans ahead before it decides ("chain of actions").

    Sources: arXiv 2309.11436; cooelf/Auto-GUI (utils_data.py, main.py); SPA-Bench
    (framework/models/AutoUI). The prompt has the format of the model's training. One call per step,
    with the whole screenshot: the server turns it into 1,408 features, and truncates the prompt at
    512 tokens. The project has no program for phones. SPA-Bench wrote one, which sends all past
    actions, clears the field and presses enter when typing, treats only points less than √10 pixels
    apart as a tap, waits 5 s before each step, and stops at replies that it cannot parse: this is
    `preset=spa-bench`. Without it, the paper's rules apply (eight actions, AITW's taps, plain
    typing), and a reply that cannot be parsed gives up.

    Run it with `--mobile-model=predict:auto-ui@URL`. Not reproduced: SPA-Bench's parser treats
    STATUS_TASK_IMPOSSIBLE as an error (see `Aitw`).
    """

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

    def past(self, decision: Decision) -> str:
        """Return a past action as it appears in the prompt."""
        return Aitw.decision_of(decision.words)

    def prompt(self, past: Sequence[str], goal: str) -> str:
        """Return the text of the prompt."""
        return "Previous Actions: {}\nGoal: {}".format("\n".join(past), goal)
