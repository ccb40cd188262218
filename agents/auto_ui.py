"""Auto-UI (Auto-GUI), a T5 model that sees the screen through BLIP-2's features."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.dialect import Aitw

from ._dual_gesture import DualGestureAgent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.dialect import Decision


class AutoUi(DualGestureAgent):
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

    def past(self, decision: Decision) -> str:
        return Aitw.decision_of(decision.words)

    def prompt(self, past: Sequence[str], goal: str) -> str:
        return "Previous Actions: {}\nGoal: {}".format("\n".join(past), goal)
