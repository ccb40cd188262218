"""Rollouts for those who train agents: tasks as environments whose reward is the task's own check.

No pytest run is needed, except to collect tasks. `load_tasks` and `split` give tasks, `phones`
phones; `MobileEnv` and `MobileVectorEnv` are environments of Gymnasium, which the extra `[gym]`
installs. After an import of this module, `gymnasium.make("mobileagent/Suite-v0", suite=…)` makes a
`MobileEnv`, too. See docs/rollouts.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.extras import is_installed
from pytest_mobileagent.lazy_names import lazy_names

if TYPE_CHECKING:
    from pytest_mobileagent.rollout.env import MobileEnv
    from pytest_mobileagent.rollout.phone import RolloutPhone, phones
    from pytest_mobileagent.rollout.recording import ModelJudge, RecordedRollouts
    from pytest_mobileagent.rollout.tasks import Reward, RolloutTask, load_tasks, split
    from pytest_mobileagent.rollout.vector import MobileVectorEnv

__all__ = [
    "MobileEnv", "MobileVectorEnv", "ModelJudge", "RecordedRollouts", "Reward", "RolloutPhone",
    "RolloutTask", "load_tasks", "phones", "split",
]  # fmt: skip

__getattr__ = lazy_names(__name__)

if is_installed("gym"):
    import gymnasium

    gymnasium.register("mobileagent/Suite-v0", "pytest_mobileagent.rollout.env:of_suite")
