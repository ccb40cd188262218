"""One episode that a learner drives step by step: its screens, rewards and end."""

from __future__ import annotations

import contextlib
import copy
import math
import shutil
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from pytest_mobileagent.agent.agent import Reply
from pytest_mobileagent.agent.phone import EpisodeOver
from pytest_mobileagent.check.episode import Episode
from pytest_mobileagent.device.device import ForkingSystem, system_of, without_screenshots
from pytest_mobileagent.episode.record import Termination
from pytest_mobileagent.episode.running import LiveEpisode
from pytest_mobileagent.episode.store import Recorder
from pytest_mobileagent.errors import DeviceError, InfrastructureError, UndecidedError
from pytest_mobileagent.rollout.reward import Reward
from pytest_mobileagent.run.attempt import finish, start
from pytest_mobileagent.run.plan import AttemptPlan, ChosenAgent, Limits
from pytest_mobileagent.run.side_effects import EffectsFinder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.check.body import Held
    from pytest_mobileagent.episode.screens import ScreenStore
    from pytest_mobileagent.rollout.leasing import RolloutPhone
    from pytest_mobileagent.rollout.tasks import Judge, RolloutTask
    from pytest_mobileagent.run.session import Session
    from pytest_mobileagent.screen.screen import Screen

AGENT = "rollout"  # the agent's name in records
_effects = EffectsFinder()  # what solutions change is the same for all phones of a process


@dataclass(frozen=True, slots=True)
class Moved:
    """What followed a decision.

    - `terminated`: the agent reported, or met the goal of a task that stops on success.
      `truncated`: the last permitted step was made, or the phone broke.
    - `broken`: why infrastructure or the task broke, which says nothing about the agent: the reward
      is 0, and the episode must not be trained on. Empty otherwise.
    - `held`: the verdict, at the end of an episode that is not broken; None if it is undecided.
    """

    reward: float = 0.0
    terminated: bool = False
    truncated: bool = False
    broken: str = ""
    held: bool | None = None
    about: dict[str, Any] = field(default_factory=dict)


class Rollout:
    """An episode of a task on a phone, recorded in a folder.

    `seed` is that of the case, with which the agent is to be seeded. `judge` decides about tasks
    whose bodies ask one. With `pictures` False, no screenshots are taken, if the phone can work
    without.

    Raises:
        InfrastructureError: if the phone breaks.
        TaskError: if the task is broken, or cannot be played on the phone.
    """

    def __init__(
        self,
        task: RolloutTask,
        phone: RolloutPhone,
        folder: Path,
        screens: ScreenStore,
        *,
        seed: int = 0,
        reward: Reward | None = None,
        judge: Judge | None = None,
        pictures: bool = True,
    ) -> None:
        self.task, self.phone, self.reward = task, phone, reward or Reward()
        self._judge = judge
        self._screens, self._credit = screens, 0.0
        self._live = LiveEpisode(folder, Episode)
        self._spares = contextlib.ExitStack()
        self._recorder = Recorder(folder, screens)
        stops = task.case.task.stop_on_success
        plan = AttemptPlan(
            task.case,
            ChosenAgent(AGENT, _has_no_runner),
            Limits(task.step_limit, math.inf),
            seed=seed,
            environment=task.environment,
            clock=phone.clock,
            spares_screenshots=not pictures,
            is_done=_is_done(task, judge) if stops else None,
            watch=_effects.watch() if self.reward.side_effects else None,
        )
        device = phone.device()
        if not pictures:
            self._spares.enter_context(without_screenshots(device))
        try:
            self.session: Session = start(plan, device, self._recorder)
            self._credit = self._now() if self.reward.progress else 0.0
        except BaseException:
            self.close()
            raise
        self._decided_at = time.monotonic()

    @property
    def goal(self) -> str:
        """The goal, with its placeholders filled."""
        return self.session.goal

    @property
    def screen(self) -> Screen:
        """The screen that the agent sees."""
        return self.session.observation.screen

    @property
    def episode(self) -> Episode:
        """The episode as recorded so far."""
        return self._live.read()

    def move(self, actions: Action | tuple[Action, ...], said: str = "") -> Moved:
        """Perform a decision, and return its reward and whether the episode is over.

        An error of the phone is `broken`; nothing is raised for it.
        """
        session = self.session
        seconds = time.monotonic() - self._decided_at
        try:
            with contextlib.suppress(EpisodeOver):
                session.decide(Reply(actions, said), seconds)
                if session.steps >= session.limits.steps:  # the session only ends with a later one
                    session.end(Termination.STEP_LIMIT)
            over = session.ending is not None
            if not over:
                return Moved(self._progress() if self.reward.progress else 0.0)
            finish(session, session.device)
            return self._ended()
        except UndecidedError as error:
            return Moved(truncated=True, broken=f"undecided: {error}")
        except InfrastructureError as error:
            return Moved(truncated=True, broken=f"{error}{self.phone.give_up()}")
        finally:
            self._decided_at = time.monotonic()

    def _ended(self) -> Moved:
        held, weights = self._held(), self.reward
        ending = self.session.ending
        assert ending is not None
        truncated = ending.termination is Termination.STEP_LIMIT
        false_finish = ending.termination is Termination.SELF_REPORTED and not held.held
        value = weights.success * held.held + weights.false_finish * false_finish
        effects = None
        if weights.side_effects:
            effects = _effects.effects(self.session.plan, self.session.device)
            value += weights.side_effects * (effects.count or 0)  # unknown ones cost nothing
        if weights.progress:
            value += self._progress(held)
        about = {"reason": held.reason, "credit": held.credit, "false_finish": false_finish,
                 "termination": str(ending.termination), "side_effects": effects}  # fmt: skip
        return Moved(value, not truncated, truncated, held=held.held, about=about)

    def _held(self) -> Held:
        return self.task.decide(self._live.read(), self._judge)

    def _now(self, held: Held | None = None) -> float:
        """Return the credit for the sub-goals met so far; 0 without sub-goals."""
        return (held or self._held()).credit or 0.0

    def _progress(self, held: Held | None = None) -> float:
        before, self._credit = self._credit, self._now(held)
        return self.reward.progress * (self._credit - before)

    def fork(self, phone: RolloutPhone, folder: Path, task: RolloutTask) -> Self:
        """Return this episode as it goes on, from here, on another phone in another folder.

        `task` is this episode's, as the other is recorded.

        Raises:
            DeviceError: if the phones cannot be forked (see `phones`).
            HostError: if the folder cannot be written.
        """
        mine, theirs = self.session.device, phone.device()
        system = system_of(mine)
        if not isinstance(system, ForkingSystem):
            raise DeviceError(f"device {mine.info.serial} cannot be forked")
        system.fork(system_of(theirs))
        shutil.copytree(self.session.folder, folder, symlinks=True)
        other = copy.copy(self)
        other.task, other.phone = task, phone
        other._spares = contextlib.ExitStack()  # noqa: SLF001 - of the same class
        other._live = LiveEpisode(folder, Episode)  # noqa: SLF001
        other._recorder = self._recorder.copy(folder)  # noqa: SLF001
        other.session = self.session.fork(theirs, other._recorder)  # noqa: SLF001
        if self.session.plan.spares_screenshots:
            other._spares.enter_context(without_screenshots(theirs))  # noqa: SLF001
        return other

    def close(self) -> None:
        """Close the record, whether or not the episode has ended."""
        self._recorder.close()
        self._spares.close()


def _is_done(task: RolloutTask, judge: Judge | None) -> Callable[[Path], bool]:
    return lambda folder: task.decide(LiveEpisode(folder, Episode).read(), judge).held


def _has_no_runner(_case: Case, _values: Any) -> Any:
    raise NotImplementedError("a rollout is driven step by step")
