"""What a rollout is rewarded for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reward:
    """The weights of a reward, all of which may be 0.

    - `success`: given at the end if the task's own check holds.
    - `progress`: times the change of the credit for sub-goals (0 to 1), at each step. A check that
      holds from the start, such as "nothing was deleted", therefore gives nothing. To know the
      credit, the check is run after each step.
    - `false_finish`: given at the end, usually negative, if the agent reports success without it.
    - `side_effects`: given for each unexpected side effect at the end, usually negative.

    MobileGym rewards the same four; the weights of its training are not published.
    """

    success: float = 1.0
    progress: float = 0.0
    false_finish: float = 0.0
    side_effects: float = 0.0
