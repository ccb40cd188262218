"""DigiRL: Auto-UI's model, trained further on emulators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pytest_mobileagent.dialect import Aitw, DialectError

from .auto_ui import AutoUi

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.dialect import Decision


class DigiRl(AutoUi):
    """Receives its last action only.

    Sources: arXiv 2406.11896; DigiRL-agent/digirl (autoui_utils.py, env.py, autoui_agent.py);
    SPA-Bench (framework/models/DigiRL). The prompt has the format of the model's training. One call
    per step, with the whole screenshot: the server turns it into 1,408 features. Decoding is
    sampled at temperature 1, as in training and evaluation. The original waits 5 s before each
    screenshot, longer while it is nearly white, and 4 s before it types.

    A decision with invalid parts is a step without an action; a reply without a decision ends the
    episode. `preset=spa-bench` is Auto-UI's program with this model: all past actions, typing with
    clearing and enter, temperature 0.1, and an error at a reply that it cannot parse.

    Run it with `--mobile-model=predict:digirl@URL`. Not reproduced: the original's parser treats
    STATUS_TASK_IMPOSSIBLE as no action (see `Aitw`).
    """

    class Options(AutoUi.Options):
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
            return super().prompt(past, goal)
        return "Previous Actions: {}Goal: {}</s>".format("".join(f"{line} " for line in past), goal)
