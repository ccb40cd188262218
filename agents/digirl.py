"""DigiRL: Auto-UI's model, trained further by playing on emulators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pytest_mobileagent.dialect import Aitw, DialectError

from ._dual_gesture import DualGestureAgent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.dialect import Decision


class DigiRl(DualGestureAgent):
    """Sees its last action only.

    Sources: arXiv 2406.11896; DigiRL-agent/digirl (autoui_utils.py, env.py, autoui_agent.py);
    SPA-Bench (framework/models/DigiRL). The words are the form in which the model was trained. One
    call a step, of the whole screenshot: the server turns it into features of 1,408 numbers.
    Decoding is sampled at temperature 1, as in training and evaluation. The original waits 5 s
    before each screenshot, longer while it is nearly white, and 4 s before it types.

    A decision whose parts make no sense is a step in which nothing is done; words without one end
    the episode. `preset=spa-bench` is Auto-UI's program with this model: all past actions, typing
    with clearing and enter, temperature 0.1, and broken off at words that it cannot read.

    Ask it with `--mobile-model=predict:digirl@URL`. What is not reproduced: the original's parser
    takes STATUS_TASK_IMPOSSIBLE for nothing to do (see `Aitw`).
    """

    class Options(DualGestureAgent.Options):
        """Auto-UI's options, with DigiRL's defaults."""

        history: int = 1
        variant: Literal["auto-ui", "digirl", "spa-bench"] = "digirl"
        temperature: float = 1.0

    def past(self, decision: Decision) -> str:
        try:
            return Aitw.gesture_in(decision.words).line()
        except DialectError:  # nothing was done
            return ""

    def prompt(self, past: Sequence[str], goal: str) -> str:
        if self.options.variant == "spa-bench":
            return "Previous Actions: {}\nGoal: {}".format("\n".join(past), goal)
        return "Previous Actions: {}Goal: {}</s>".format("".join(f"{line} " for line in past), goal)
