"""A phone as an environment of Gymnasium: one episode after another, of one task or of several."""

from __future__ import annotations

import contextlib
import copy
from typing import TYPE_CHECKING, Any, Literal

import gymnasium

from pytest_mobileagent.dialect import DialectError, Frame
from pytest_mobileagent.errors import InfrastructureError
from pytest_mobileagent.rollout.leasing import phones
from pytest_mobileagent.rollout.recording import Scratch
from pytest_mobileagent.rollout.rollout import Rollout
from pytest_mobileagent.rollout.spaces import Actions, observation_space, observed, pixels_of
from pytest_mobileagent.rollout.tasks import RolloutTask, load_tasks
from pytest_mobileagent.rollout.tasks import split as divide

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_mobileagent.dialect import Dialect
    from pytest_mobileagent.episode.screens import ScreenStore
    from pytest_mobileagent.rollout.leasing import RolloutPhone
    from pytest_mobileagent.rollout.recording import Place
    from pytest_mobileagent.rollout.reward import Reward
    from pytest_mobileagent.rollout.spaces import Observation
    from pytest_mobileagent.rollout.tasks import By, Judge


class MobileEnv(gymnasium.Env[dict[str, Any], Any]):
    """Episodes of tasks on one phone.

    - `tasks`: each `reset` chooses one at random, draws its parameters, and brings the phone to its
      start. The same seed gives the same start on every phone.
    - `reward`: what for (see `Reward`); the task's own check decides, at the end of an episode.
    - `dialect`: reads actions that are a model's reply as text.
    - `pictures`: whether screenshots are taken; `pixels` makes them arrays instead of PNG files,
      which takes 20 to 40 ms a step.
    - `record`: where episodes are recorded; by default, only until the next one.
    - `judge`: decides about tasks whose bodies ask a judge.
    - `owned`: what is closed with the environment.

    An action is an `Action` of `pytest_mobileagent.action`, a tuple of them, or text. The info has
    the `task`, its `parameters` and `seed`, the `screen` and the `notice`; at the end also
    `success`, `reason`, `credit` and `termination`. If the phone or the task broke, the episode is
    truncated, and the info has the reason as `broken`: do not train on it.

    `terminated` and `truncated` are those of Gymnasium: the last permitted step truncates.
    """

    metadata = {"render_modes": ["rgb_array"]}  # noqa: RUF012 - as Gymnasium declares it

    def __init__(
        self,
        tasks: RolloutTask | Sequence[RolloutTask],
        phone: RolloutPhone,
        *,
        reward: Reward | None = None,
        dialect: Dialect | None = None,
        pictures: bool = True,
        pixels: bool = False,
        record: Place | None = None,
        judge: Judge | None = None,
        render_mode: str | None = None,
        owned: contextlib.ExitStack | None = None,
    ) -> None:
        self.tasks = [tasks] if isinstance(tasks, RolloutTask) else list(tasks)
        if not self.tasks:
            raise ValueError("MobileEnv needs at least one task")
        self.phone, self.reward, self.dialect, self.judge = phone, reward, dialect, judge
        self.pictures, self.render_mode = pictures or pixels, render_mode
        self._place: Place = Scratch() if record is None else record
        self._owned = owned or contextlib.ExitStack()
        if isinstance(self._place, Scratch):
            self._owned.callback(self._place.close)
        self.rollout: Rollout | None = None
        self._is_over = True
        self._size = phone.device().info.size
        apps = sorted({app for task in self.tasks for app in task.apps})
        self.action_space = Actions(self._size, apps, words=dialect is not None)
        self._parts = observation_space(self._size, pictures=self.pictures, pixels=pixels)
        self.observation_space = self._parts

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode; `options={"task": ID}` chooses the task.

        Raises:
            InfrastructureError: if two phones after each other break.
            TaskError: if the task is broken, or cannot be played on the phone.
            ValueError: if there is no such task.
        """
        super().reset(seed=seed)
        task = self._task((options or {}).get("task"))
        drawn = int(self.np_random.integers(2**31))
        self._leave()
        task, folder, screens = self._place.begin(task.at(drawn))
        try:
            self.rollout = self._begun(task, folder, screens, drawn)
        except InfrastructureError:
            self.phone.give_up()
            task, folder, screens = self._place.begin(task)
            self.rollout = self._begun(task, folder, screens, drawn)
        return self._observed(), self._info()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Perform an action, and return what followed.

        Raises:
            gymnasium.error.ResetNeeded: if no episode has begun, or it is over.
        """
        if self.rollout is None or self._is_over:
            raise gymnasium.error.ResetNeeded("call reset() before step()")
        actions, said = self._read(action)
        moved = self.rollout.move(actions, said)
        if moved.terminated or moved.truncated:
            self._is_over = True
            self._place.ended(self.rollout, moved)
        info = self._info() | moved.about
        if moved.broken:
            info["broken"] = moved.broken
        if moved.held is not None:
            info["success"] = moved.held
        return self._observed(), moved.reward, moved.terminated, moved.truncated, info

    def fork(self, phone: RolloutPhone) -> MobileEnv:
        """Return an environment whose episode goes on from here on another phone.

        Both then go their own ways. This takes a few milliseconds, but only virtual phones of one
        process can be forked.

        Raises:
            DeviceError: if the phones cannot be forked.
            gymnasium.error.ResetNeeded: if no episode has begun, or it is over.
        """
        if self.rollout is None or self._is_over:
            raise gymnasium.error.ResetNeeded("call reset() before fork()")
        other = copy.copy(self)
        other.phone = phone
        other._owned = contextlib.ExitStack()  # noqa: SLF001 - of the same class
        task, folder, _ = self._place.begin(self.rollout.task, self.rollout.session.folder)
        folder.rmdir()  # the copy of the record makes it
        other.rollout = self.rollout.fork(phone, folder, task)
        return other

    def render(self) -> Any:
        """Return the screen as an array of pixels, if the render mode is "rgb_array"."""
        if self.render_mode != "rgb_array" or self.rollout is None:
            return None
        return pixels_of(self.rollout.screen, self._size)

    def close(self) -> None:
        """End the episode, and the phone if the environment has started it."""
        self._leave()
        self._owned.close()

    def _task(self, name: str | None) -> RolloutTask:
        if name is None:
            return self.tasks[int(self.np_random.integers(len(self.tasks)))]
        found = next((task for task in self.tasks if task.id == name), None)
        if found is None:
            names = ", ".join(task.id for task in self.tasks)
            raise ValueError(f"there is no task {name!r}; there are {names}")
        return found

    def _begun(self, task: RolloutTask, folder: Path, screens: ScreenStore, seed: int) -> Rollout:
        self._is_over = False
        return Rollout(task, self.phone, folder, screens, seed=seed, reward=self.reward,
                       judge=self.judge, pictures=self.pictures)  # fmt: skip

    def _read(self, action: Any) -> tuple[Any, str]:
        """Return actions and what the agent said, from an action or a model's reply."""
        assert self.rollout is not None
        if not isinstance(action, str):
            return action, ""
        if self.dialect is None:
            raise TypeError("an action is text: MobileEnv(…, dialect=…) says how to read it")
        try:
            decision = self.dialect.parse(action, Frame.of(self.rollout.screen))
        except DialectError:
            return (), action  # a step without an action, as with an agent
        return decision.actions, action

    def _observed(self) -> Observation:
        assert self.rollout is not None
        return observed(self.rollout.goal, self.rollout.screen, self._size, self._parts)

    def _info(self) -> dict[str, Any]:
        assert self.rollout is not None
        case, plan = self.rollout.task.case, self.rollout.session.plan
        seen = self.rollout.session.observation
        return {"task": case.id, "parameters": dict(case.parameters), "seed": plan.seed,
                "screen": seen.screen, "notice": seen.notice, "reply": seen.reply}  # fmt: skip

    def _leave(self) -> None:
        if self.rollout is not None:
            self.rollout.close()
            self._place.left(self.rollout.session.folder)
            self.rollout = None


def of_suite(
    suite: str,
    split: Literal["train", "test"] | None = None,
    by: By = "parameters",
    device: str = "virtual",
    **more: Any,
) -> MobileEnv:
    """Return an environment of a suite's tasks, with a phone of its own.

    This is what `gymnasium.make("mobileagent/Suite-v0", suite="tasks/clock", split="train")` calls.
    `split` chooses a side of `rollout.split(tasks, by)`; None, all tasks. Tasks whose bodies ask
    for fixtures are left out, unless `more`, the arguments of `MobileEnv`, has a `judge`.

    Raises:
        TaskError: if the suite cannot be collected.
        ValueError: if it has no tasks on that side.
    """
    known = {"judge"} if more.get("judge") else set()
    tasks = [task for task in load_tasks(suite) if task.needs <= known]
    if split is not None:
        tasks = divide(tasks, by)[split == "test"]
    if not tasks:
        what = f"{split} tasks" if split else "tasks"
        raise ValueError(f"{suite} has no {what} whose check needs nothing but the episode")
    with contextlib.ExitStack() as stack:
        (phone,) = stack.enter_context(phones(1, device))
        return MobileEnv(tasks, phone, owned=stack.pop_all(), **more)
