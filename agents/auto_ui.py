"""Auto-UI (Auto-GUI), a T5 that sees the screen through BLIP-2's features."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.dialect import Aitw

from ._dual_gesture import DualGestureAgent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.dialect import Decision


class AutoUi(DualGestureAgent):
    """Sees its last eight actions, and plans ahead before it decides ("chain of actions").

    Sources: arXiv 2309.11436; cooelf/Auto-GUI (utils_data.py, main.py); SPA-Bench
    (framework/models/AutoUI). The words are the form in which the model was trained. One call a
    step, of the whole screenshot: the server turns it into features of 1,408 numbers, and cuts the
    words at 512 tokens. The project has no program for phones. SPA-Bench wrote one, which tells all
    past actions, types with clearing and enter, takes only points less than √10 pixels apart for a
    tap, waits 5 s before each step, and breaks off at words that it cannot read: that is
    `preset=spa-bench`. Without it, the paper's rules hold (eight actions, AITW's taps, plain
    typing), and what cannot be read gives up.

    Ask it with `--mobile-model=predict:auto-ui@URL`. What is not reproduced: SPA-Bench's parser
    takes STATUS_TASK_IMPOSSIBLE for an error (see `Aitw`).
    """

    def past(self, decision: Decision) -> str:
        return Aitw.decision_of(decision.words)

    def prompt(self, past: Sequence[str], goal: str) -> str:
        return "Previous Actions: {}\nGoal: {}".format("\n".join(past), goal)
