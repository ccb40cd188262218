"""Many phones as one environment of Gymnasium, each in a thread of its own."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

import gymnasium
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.vector.utils import iterate

from pytest_mobileagent.rollout.env import MobileEnv

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_mobileagent.rollout.leasing import RolloutPhone
    from pytest_mobileagent.rollout.tasks import RolloutTask


class MobileVectorEnv(SyncVectorEnv):
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
        make = partial(MobileEnv, tasks, **more)
        self._each = [_Threaded(env, self._threads) for env in self._threads.map(make, phones)]
        makers = [partial(_identity, env) for env in self._each]
        super().__init__(makers, copy=False, autoreset_mode=autoreset_mode)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode everywhere, or where `options["reset_mask"]` is true.

        An integer is the seed of the first group, which the others count on from.
        """
        if seed is None:
            seed = int(self._each[0].np_random.integers(2**31))
        if isinstance(seed, int):
            seed = [seed + place // self.group for place in range(self.num_envs)]
        mask = (options or {}).get("reset_mask", [True] * self.num_envs)
        given = {name: value for name, value in (options or {}).items() if name != "reset_mask"}
        for env, one, is_reset in zip(self._each, seed, mask, strict=True):
            if is_reset:
                env.begin(partial(env.env.reset, seed=one, options=given))
        return super().reset(seed=seed, options=options)

    def step(self, actions: Any) -> Any:
        """Perform an action on each phone."""
        if self.autoreset_mode == AutoresetMode.DISABLED:
            self._autoreset_envs[:] = False
        each = iterate(self.action_space, actions)
        for env, action, is_over in zip(self._each, each, self._autoreset_envs, strict=True):
            if not is_over:
                env.begin(partial(env.step_or_stay, action))
        return super().step(actions)

    def close_extras(self, **kwargs: Any) -> None:
        """End the episodes; the phones go on."""
        super().close_extras(**kwargs)
        self._threads.shutdown()


def _identity(env: _Threaded) -> _Threaded:
    return env


class _Threaded(gymnasium.Wrapper[Any, Any, Any, Any]):
    """An environment whose next result is computed in a thread, once `begin` has been called."""

    def __init__(self, env: MobileEnv, threads: ThreadPoolExecutor) -> None:
        super().__init__(env)
        self._threads = threads
        self._begun: Future[Any] | None = None
        self._last: Any = None  # the last result of `step`, if it ended the episode

    def begin(self, work: Callable[[], Any]) -> None:
        self._begun = self._threads.submit(work)

    def step_or_stay(self, action: Any) -> Any:
        if self._last is None:
            found = self.env.step(action)
            self._last = found if found[2] or found[3] else None
            return found
        seen, _, *over, info = self._last
        return seen, 0.0, *over, info

    def step(self, action: Any) -> Any:
        return self._result(lambda: self.step_or_stay(action))

    def reset(self, **given: Any) -> Any:
        found = self._result(lambda: self.env.reset(**given))
        self._last = None
        return found

    def _result(self, otherwise: Callable[[], Any]) -> Any:
        begun, self._begun = self._begun, None
        return otherwise() if begun is None else begun.result()
