"""A phone as an environment of Gymnasium: one episode after another, of one task or of several."""

from __future__ import annotations

import copy
import math
import os
import shutil
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict

from pytest_mobileagent.agent.agent import Reply
from pytest_mobileagent.agent.phone import EpisodeOver
from pytest_mobileagent.check.episode import Episode
from pytest_mobileagent.device.device import ForkingSystem, system_of
from pytest_mobileagent.dialect import DialectError, Frame
from pytest_mobileagent.episode import Termination
from pytest_mobileagent.episode.running import LiveEpisode
from pytest_mobileagent.episode.store import Recorder
from pytest_mobileagent.errors import DeviceError, InfrastructureError, MobileAgentError, TaskError
from pytest_mobileagent.rollout.phone import PNG, TEXT, Actions, phones, pixels_of
from pytest_mobileagent.rollout.tasks import AGENT, Reward, RolloutTask, load_tasks
from pytest_mobileagent.rollout.tasks import split as divide
from pytest_mobileagent.run.attempt import finish, sparing, start
from pytest_mobileagent.run.folder import RunFolder
from pytest_mobileagent.run.plan import AttemptPlan, ChosenAgent, Limits
from pytest_mobileagent.run.side_effects import EffectsFinder
from pytest_mobileagent.screen.sight import SIGHTS, hidden_part

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.check.body import Held
    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.dialect import Dialect
    from pytest_mobileagent.rollout.phone import RolloutPhone
    from pytest_mobileagent.rollout.recording import RecordedRollouts
    from pytest_mobileagent.rollout.tasks import By, Judge
    from pytest_mobileagent.run.session import Session
    from pytest_mobileagent.screen.sight import Sight

_effects = EffectsFinder()  # what solutions change is the same for all phones of a process


class MobileEnv(gymnasium.Env[dict[str, Any], Any]):
    """Episodes of tasks on one phone.

    - `tasks`: each `reset` chooses one at random, draws its parameters, and brings the phone to its
      start. The same seed gives the same start on every phone.
    - `reward`: what for (see `Reward`); the task's own check decides, at the end of an episode.
    - `dialect`: reads actions that are a model's reply as text.
    - `sees`: what agents see of each screen, "screenshot", "hierarchy" or "both", as in
      `--mobile-sees`; checks see both. With "hierarchy", no screenshots are taken, if the phone can
      work without, unless a judge decides.
    - `pixels`: makes screenshots arrays instead of PNG files, which takes 20 to 40 ms a step.
    - `record`: the run in which episodes are recorded; by default, only until the next one.
    - `judge`: decides about tasks whose bodies ask a judge, at the end.

    An action is an `Action` of `pytest_mobileagent.action`, a tuple of them, or text. The info has
    the `task`, its `parameters` and `seed`, the `screen` and the `notice`; at the end also
    `success`, `reason`, `credit` and `termination`. If the phone, the task or the judge broke, the
    episode is truncated, and the info has the reason as `broken`: do not train on it.

    `terminated` and `truncated` are those of Gymnasium: the last permitted step truncates.

    Raises:
        ValueError: if there is no task, or `sees` is unknown.
    """

    metadata = {"render_modes": ["rgb_array"]}  # noqa: RUF012 - as Gymnasium declares it

    def __init__(
        self,
        tasks: RolloutTask | Sequence[RolloutTask],
        phone: RolloutPhone,
        *,
        reward: Reward | None = None,
        dialect: Dialect | None = None,
        sees: Sight = "both",
        pixels: bool = False,
        record: RecordedRollouts | None = None,
        judge: Judge | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.tasks = [tasks] if isinstance(tasks, RolloutTask) else list(tasks)
        if not self.tasks or sees not in SIGHTS:
            raise ValueError(f"MobileEnv needs a task, and sees={sees!r} must be one of {SIGHTS}")
        self.phone, self.reward, self.dialect = phone, reward or Reward(), dialect
        self.sees, self.pixels, self.record, self.judge = sees, pixels, record, judge
        self.render_mode = render_mode
        self.session: Session | None = None  # of the episode that goes on, or is over
        self._episode = ExitStack()  # closed with each episode
        self.owned = ExitStack()  # closed with the environment
        self._size = width, height = phone.device().info.size
        apps = sorted({app for task in self.tasks for app in task.apps})
        self.action_space = Actions(self._size, apps, words=dialect is not None)
        picture = Box(0, 255, (height, width, 3), np.uint8) if pixels else PNG
        parts = {"goal": TEXT, "hierarchy": TEXT, "screenshot": picture}
        self.observation_space = Dict({n: s for n, s in parts.items() if n != hidden_part(sees)})

    @property
    def episode(self) -> Episode:
        """The episode as recorded so far."""
        return self._live.read()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin an episode; `options={"task": ID}` chooses the task.

        Raises:
            InfrastructureError: if two phones after each other break.
            TaskError: if the task is broken, or cannot be played on the phone.
            ValueError: if there is no such task.
        """
        super().reset(seed=seed)
        task = self._chosen((options or {}).get("task"))
        if lacks := ", ".join(task.needs - ({"judge"} if self.judge else set())):
            raise TaskError(f"{task.id}: its body asks for {lacks}, which only pytest can provide")
        drawn = int(self.np_random.integers(2**31))
        self._leave()
        self.task, self._run = self._placed(task.at(drawn))
        try:
            self._begin(drawn)
        except InfrastructureError:
            self.phone.give_up()
            self._begin(drawn)
        return self._observed(), self._info()

    def _chosen(self, name: str | None) -> RolloutTask:
        if name is None:
            return self.tasks[int(self.np_random.integers(len(self.tasks)))]
        named = {task.id: task for task in self.tasks}
        if name not in named:
            raise ValueError(f"there is no task {name!r}; there are {', '.join(named)}")
        return named[name]

    def _placed(self, task: RolloutTask) -> tuple[RolloutTask, RunFolder]:
        """Return the task as it is recorded, and the run in which its episode is recorded."""
        if self.record is not None:
            return self.record.next_epoch(task), self.record.folder
        scratch = TemporaryDirectory(prefix="rollout-", dir=self.phone.folder)
        self._episode.callback(scratch.cleanup)
        return task, RunFolder(Path(scratch.name), AGENT, "")

    def _begin(self, seed: int) -> None:
        task, device = self.task, self.phone.device()
        folder, number = self._run.attempt(task.case)
        plan = AttemptPlan(
            task.case,
            ChosenAgent(AGENT, _has_no_runner),
            Limits(task.step_limit, math.inf),
            seed=seed,
            environment=task.environment,
            clock=self.phone.clock,
            sees=self.sees,
            spares_screenshots=self.sees == "hierarchy" and not task.needs,
            is_done=_is_done(task) if task.case.task.stop_on_success else None,
            about={"attempt": number},
            watch=_effects.watch() if self.reward.side_effects else None,
        )
        self._keep_record(plan, device, Recorder(folder, self._run.screens))
        session = start(plan, device, self._recorder)
        self._credit = 0.0
        self._progress()
        self.session, self._is_over, self._decided_at = session, False, time.monotonic()

    def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Perform an action, and return what followed.

        Raises:
            gymnasium.error.ResetNeeded: if no episode has begun, or it is over.
        """
        session = self._going_on("step")
        reply = self._read(action, session)
        seconds, self._is_over = time.monotonic() - self._decided_at, True
        broke: MobileAgentError | None = None
        try:
            with suppress(EpisodeOver):
                session.decide(reply, seconds)
                if session.steps >= session.limits.steps:  # the session only ends with a later one
                    session.end(Termination.STEP_LIMIT)
            reward, ending = self._rewarded(session)
        except MobileAgentError as error:
            broke, is_phone = error, isinstance(error, InfrastructureError)
            reward, ending = 0.0, {"broken": f"{error}{self.phone.give_up() if is_phone else ''}"}
        self._decided_at, self._is_over = time.monotonic(), bool(ending)
        if ending and self.record is not None:
            self.record.ended(self.task.case, session.folder, ending, broke)
        terminated = ending.get("termination", Termination.STEP_LIMIT) != Termination.STEP_LIMIT
        truncated = bool(ending) and not terminated
        return self._observed(), reward, terminated, truncated, self._info() | ending

    def _going_on(self, what: str) -> Session:
        if self.session is None or self._is_over:
            raise gymnasium.error.ResetNeeded(f"no episode goes on: reset first, then {what}")
        return self.session

    def _read(self, action: Any, session: Session) -> Reply:
        """Return a decision, given as actions or as a model's reply."""
        if not isinstance(action, str):
            return Reply(action)
        if self.dialect is None:
            raise TypeError("an action is text, but no dialect= is given that could read it")
        try:
            decision = self.dialect.parse(action, Frame.of(session.observation.screen))
        except DialectError:
            return Reply((), action)  # a step without an action, as with an agent
        return Reply(decision.actions, action)

    def _rewarded(self, session: Session) -> tuple[float, dict[str, Any]]:
        """Return the reward of the last decision, and how the episode ended if it did."""
        weights, ending = self.reward, session.ending
        if ending is None:
            return weights.progress * self._progress(), {}
        finish(session, session.device)
        held = self._held()
        is_false = ending.termination is Termination.SELF_REPORTED and not held.held
        value = weights.success * held.held + weights.false_finish * is_false
        value += weights.progress * ((held.credit or 0.0) - self._credit)
        effects = None
        if weights.side_effects:
            effects = _effects.effects(session.plan, session.device)
            value += weights.side_effects * (effects.count or 0)  # unknown ones cost nothing
        return value, {
            "success": held.held,
            "reason": held.reason,
            "credit": held.credit,
            "false_finish": is_false,
            "termination": str(ending.termination),
            "side_effects": effects,
        }

    def _held(self) -> Held:
        return self.task.decide(self._live.read(), self.judge)

    def _progress(self) -> float:
        """Return the change of the credit for sub-goals; judges are asked only at the end."""
        if not self.reward.progress or self.task.needs:
            return 0.0
        before, self._credit = self._credit, self._held().credit or 0.0
        return self._credit - before

    def fork(self, phone: RolloutPhone) -> MobileEnv:
        """Return an environment whose episode goes on from here on another phone.

        Both then go their own ways. It takes milliseconds, on virtual phones of one process only.

        Raises:
            DeviceError: if the phones cannot be forked.
            gymnasium.error.ResetNeeded: if no episode has begun, or it is over.
        """
        session = self._going_on("fork")
        system = system_of(session.device)
        if not isinstance(system, ForkingSystem):
            raise DeviceError(f"device {session.device.info.serial} cannot be forked")
        system.fork(system_of(phone.device()))
        other = copy.copy(self)
        other._go_on(session, phone)  # noqa: SLF001 - of the same class
        return other

    def _go_on(self, session: Session, phone: RolloutPhone) -> None:
        """Go on with a copy of a session, and of its record, on a phone in the same state."""
        device, run = phone.device(), self._run
        self.phone, self._episode, self.owned = phone, ExitStack(), ExitStack()
        self.task, self._run = self._placed(self.task)
        folder, _ = self._run.attempt(self.task.case)
        shutil.copytree(session.folder, folder, symlinks=True, dirs_exist_ok=True)
        if self.record is None:  # a recorded run has one store of screens
            shutil.copytree(run.screens.folder, self._run.screens.folder, copy_function=os.link)
        recorder = self._recorder.copy(folder, self._run.screens, self.task.case)
        self._keep_record(session.plan, device, recorder)
        self.session = session.fork(device, recorder)

    def _keep_record(self, plan: AttemptPlan, device: Device, recorder: Recorder) -> None:
        self._recorder, self._live = recorder, LiveEpisode(recorder.folder, Episode)
        self._episode.callback(recorder.close)
        self._episode.enter_context(sparing(plan, device))

    def render(self) -> Any:
        """Return the screen as an array of pixels, if the render mode is "rgb_array"."""
        if self.render_mode != "rgb_array" or self.session is None:
            return None
        return pixels_of(self.session.observation.screen, self._size)

    def close(self) -> None:
        """End the episode, and the phone if the environment has started it."""
        self._leave()
        self.owned.close()

    def _leave(self) -> None:
        self.session = None
        self._episode.close()

    def _observed(self) -> dict[str, Any]:
        assert self.session is not None
        screen = self.session.observation.screen
        picture = pixels_of(screen, self._size) if self.pixels else screen.png
        seen = {"goal": self.session.goal, "hierarchy": screen.xml, "screenshot": picture}
        return {name: part for name, part in seen.items() if name != hidden_part(self.sees)}

    def _info(self) -> dict[str, Any]:
        assert self.session is not None
        case, seen = self.task.case, self.session.observation
        return {
            "task": case.id,
            "parameters": dict(case.parameters),
            "seed": self.session.plan.seed,
            "screen": seen.screen,
            "notice": seen.notice,
            "reply": seen.reply,
        }


def _is_done(task: RolloutTask) -> Callable[[Path], bool]:
    return lambda folder: task.decide(LiveEpisode(folder, Episode).read()).held


def _has_no_runner(_case: Case, _values: Any) -> Any:
    raise NotImplementedError("a rollout is driven step by step")


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
        TaskError: if the suite cannot be collected, or has no tasks.
        ValueError: if it has no tasks on that side.
    """
    tasks = load_tasks(suite, fixtures={"judge"} if more.get("judge") else set())
    if split is not None and not (tasks := divide(tasks, by)[split == "test"]):
        raise ValueError(f"{suite} has no {split} tasks whose check needs only the episode")
    with ExitStack() as stack:
        (phone,) = stack.enter_context(phones(1, device))
        env = MobileEnv(tasks, phone, **more)
        env.owned = stack.pop_all()
        return env
