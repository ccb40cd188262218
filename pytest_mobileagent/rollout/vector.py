"""Many phones as one environment of Gymnasium, each in a thread of its own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.vector.utils import concatenate, create_empty_array, iterate

from pytest_mobileagent.rollout.env import MobileEnv

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.rollout.phone import RolloutPhone
    from pytest_mobileagent.rollout.tasks import RolloutTask

    Result = tuple[Any, Any, bool, bool, dict[str, Any]]  # of a step


class MobileVectorEnv(SyncVectorEnv[Any, Any]):
    """Environments of the same tasks on several phones, which work at the same time.

    - `group`: how many neighbours begin with the same task, parameters and seed, as GRPO wants; the
      number of phones is a multiple of it.
    - `autoreset_mode`: by default, an environment that is over stays over: it ignores actions, with
      a reward of 0, until all of a group are reset together. The other modes are Gymnasium's.
    - `more`: further arguments of each `MobileEnv`.

    Threads suffice, as the work is done in the phones' processes.

    Raises:
        ValueError: if the number of phones is not a multiple of `group`.
    """

    def __init__(
        self,
        tasks: Sequence[RolloutTask],
        phones: Sequence[RolloutPhone],
        group: int = 1,
        *,
        autoreset_mode: AutoresetMode = AutoresetMode.DISABLED,
        **more: Any,
    ) -> None:
        if group < 1 or len(phones) % group:
            raise ValueError(f"group={group} does not divide {len(phones)} phones")
        self.group = group
        self._threads = ThreadPoolExecutor(len(phones), "rollout")
        made = self._threads.map(partial(MobileEnv, tasks, **more), phones)
        super().__init__([partial(next, made) for _ in phones], autoreset_mode=autoreset_mode)
        self._last: list[Result] = []  # the last result of each environment

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode everywhere, or where `options["reset_mask"]` is true.

        An integer is the seed of the first group, which the others count on from.
        """
        options = dict(options or {})
        chosen = np.flatnonzero(options.pop("reset_mask", [True] * self.num_envs)).tolist()
        if seed is None:
            seed = int(self.envs[0].np_random.integers(2**31))
        if isinstance(seed, int):
            seed = [seed + place // self.group for place in range(self.num_envs)]

        def begin(place: int) -> Result:
            return self._begun(place, seed=seed[place], options=options)

        begun = dict(zip(chosen, self._threads.map(begin, chosen), strict=True))
        self._last = [begun.get(place) or self._last[place] for place in range(self.num_envs)]
        seen, *_, info = self._together({place: result[-1] for place, result in begun.items()})
        return seen, info

    def step(self, actions: Any) -> Any:
        """Perform an action on each phone."""
        each = iterate(self.action_space, actions)
        self._last = [*self._threads.map(self._stepped, range(self.num_envs), each)]
        return self._together({place: result[-1] for place, result in enumerate(self._last)})

    def _begun(self, place: int, **given: Any) -> Result:
        seen, info = self.envs[place].reset(**given)
        return seen, 0.0, False, False, info

    def _stepped(self, place: int, action: Any) -> Result:
        last, mode = self._last[place], self.autoreset_mode
        if last[2] or last[3]:  # it is over
            if mode is AutoresetMode.NEXT_STEP:
                return self._begun(place)
            if mode is AutoresetMode.DISABLED:
                return last[0], 0.0, *last[2:]
        result = self.envs[place].step(action)
        if mode is AutoresetMode.SAME_STEP and (result[2] or result[3]):
            seen, _, _, _, info = self._begun(place)
            return seen, *result[1:4], {"final_obs": result[0], "final_info": result[-1]} | info
        return result

    def _together(self, infos: dict[int, dict[str, Any]]) -> Any:
        """Return the last results as one, with some of their infos."""
        seen, rewards, terminated, truncated, _ = zip(*self._last, strict=True)
        space, info = self.single_observation_space, dict[str, Any]()
        for place, each in infos.items():
            info = self._add_info(info, each, place)
        empty: Any = create_empty_array(space, self.num_envs)
        joined = concatenate(space, seen, empty)
        return joined, np.array(rewards, float), np.array(terminated), np.array(truncated), info

    def close_extras(self, **kwargs: Any) -> None:
        """End the episodes; the phones go on."""
        super().close_extras(**kwargs)
        self._threads.shutdown()
