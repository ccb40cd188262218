"""The session that an agent drives: it counts steps, performs valid actions, and records both."""

from __future__ import annotations

import time
from copy import copy
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pytest_mobileagent._task.wording import fill
from pytest_mobileagent.action import Finish, Impossible, Wait, ends_episode
from pytest_mobileagent.action.gestures import Scroll, Swipe
from pytest_mobileagent.agent.phone import EpisodeOver
from pytest_mobileagent.device.device import log_of, noise_of, system_of
from pytest_mobileagent.device.probes import since_now
from pytest_mobileagent.episode import Termination
from pytest_mobileagent.episode.observation import Observation
from pytest_mobileagent.errors import DeviceError, ScreenError
from pytest_mobileagent.run.phone import Hands, Reports, SessionCalls, cut
from pytest_mobileagent.run.user import EpisodeUser
from pytest_mobileagent.screen.sight import seen_with

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.agent.agent import Reply
    from pytest_mobileagent.device.device import Capture, Device
    from pytest_mobileagent.episode import Step
    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.episode.store import Recorder
    from pytest_mobileagent.run.plan import AttemptPlan
    from pytest_mobileagent.screen import Screen

MOST_LOOKS = 50  # consecutive decisions that only look around, and do not count as steps


@dataclass(frozen=True, slots=True)
class EpisodeEnding:
    """Why an episode ended; `unused` are the calls for a step that the limit did not allow."""

    termination: Termination
    error: str = ""
    unused: tuple[ModelCall, ...] = ()


class Session:
    """One episode while an agent runner works on it (see `AgentRunner`).

    The device is at the starting point of the plan's case. The session looks at it once, fills the
    goal, and begins the record.

    - `goal`: the goal, filled with the `values` of its placeholders.
    - `observation`: the agent's last observation, made from the capture `last`; `shown` is its
      screen with the parts that the plan's `sees` hides.
    - `hands`: perform actions on the device; `user`: answers the agent's questions.
    - `calls`: the model calls so far.
    - `reports`: what the phone reports during the episode.

    Each decision is a step, even if it could not be done; only a final report is not. The notice of
    the next observation says what could not be done.
    """

    def __init__(self, plan: AttemptPlan, device: Device, recorder: Recorder) -> None:
        self._began = time.monotonic()
        self.plan = plan
        self.limits = plan.limits
        self.steps = 0
        self.seconds_left = plan.limits.seconds
        self.ending: EpisodeEnding | None = None
        self.golden_left = 0  # steps of a single path (see `run.single_path`)
        self.device = device
        self.folder = recorder.folder
        self._recorder = recorder
        self._looks = 0
        self._decided = 0  # the number of recorded decisions
        self._screens = 0  # the number of recorded screens
        task = plan.case.task
        self._probes = since_now(task.probes, system_of(device))
        measured = plan.case.measure(device, "")
        seen = self.look()
        self.last = replace(seen, probes={**seen.probes, **measured})
        self.answer = ""  # the agent's, once it has finished
        device.events()  # drop the events and log lines from before the episode
        log_of(device)
        if (now := self.last.screen.time) is None:
            raise DeviceError(f"device {device.info.serial} does not report its time")
        self.values = task.values(plan.case.parameters, now)
        self.goal = fill(task.goal, self.values)
        self.user = EpisodeUser(plan, self.values, recorder.folder)
        self.calls = SessionCalls(recorder.folder, plan.models)
        recorder.start(plan.case, device.info, plan.reset, self._head())
        if plan.noise is not None:
            from pytest_mobileagent.device.noisy import with_noise  # few runs need it

            self.device = with_noise(
                device,
                plan.noise,
                plan.seed,
                task.language,
                self.last.screen,
                tampers=plan.path == "multi",  # golden actions are not the agent's
            )
        self.hands = Hands(plan, self.device)
        self.reports = Reports(self.device, recorder)
        self.observation = self._observe(self.last)

    def fork(self, device: Device, recorder: Recorder) -> Session:
        """Return a session that goes on from here with another device and record.

        The device is in the state of this session's, and the record a copy of its. The calls of
        models and the user's memory of questions begin anew.
        """
        other = copy(self)
        other.device, other.folder = device, recorder.folder
        if self.plan.watch is not None:
            other.plan = replace(self.plan, watch=self.plan.watch.fork())
        other.hands = Hands(self.plan, device)
        other._recorder = recorder  # noqa: SLF001 - of the same class
        device.events()  # drop what was reported before
        log_of(device)
        other.user = EpisodeUser(self.plan, self.values, recorder.folder)
        other.calls = SessionCalls(recorder.folder, self.plan.models)
        other.reports = self.reports.fork(device, recorder)
        return other

    def _head(self) -> dict[str, Any]:
        """Return what the record says first, beside its case, device and reset."""
        plan, task = self.plan, self.plan.case.task
        full = fill(task.full, self.values)
        return {
            "goal": self.goal,
            "agent": plan.agent.name,
            "options": plan.agent.options,
            "program": plan.agent.program,
            "seed": plan.seed,
            "attempt": 0,
            "step_limit": plan.limits.steps,
            "recorded": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "apps": {name: plan.installed[name] for name in task.packages},
            **plan.about,
            **({"full_goal": full} if full else {}),
            **({"user": self.user.mode} if self.user.mode else {}),
            **({"sees": plan.sees} if plan.sees != "both" else {}),
        }

    def decide(
        self, reply: Reply, seconds: float, by: Callable[[], str] | None = None
    ) -> Observation:
        """Carry out a decision that took `seconds`, and return the observation after it.

        `by` performs the action if the device itself has no such action (`Raw`). It returns why the
        action could not be performed, or an empty string.

        Raises:
            EpisodeOver: if the episode has ended, with this decision or before it.
            InfrastructureError: if the device breaks, or the record cannot be written.
        """
        if self.ending is not None:
            raise EpisodeOver
        actions, calls = reply.actions, self.calls.take(reply.calls)
        is_report = self._is_report(actions)
        counts = is_report or not self._is_look(reply)
        if self.steps >= self.limits.steps and counts and not is_report:
            self.end(Termination.STEP_LIMIT, unused=calls)
            raise EpisodeOver
        received = time.monotonic()
        self._recorder.step(actions, reply.said, calls, seconds, counts=counts)
        self._decided += 1
        decided = time.monotonic()
        self.seconds_left = max(0.0, self.seconds_left - (decided - received))
        self.steps += counts and not is_report
        undone, notice = self._do(actions, by)
        answer = self.user.reply
        if actions and isinstance(report := actions[-1], Finish | Impossible) and not notice:
            self.answer = report.answer if isinstance(report, Finish) else ""
            gave_up = isinstance(report, Impossible)
            self.end(Termination.GAVE_UP if gave_up else Termination.SELF_REPORTED)
            self._record_noise()
            raise EpisodeOver
        self._record_outcome(notice, answer, undone)
        self.hands.keep_pace()
        return self._after(reply, decided + self.user.seconds, answer, notice, None)

    def _after(
        self, reply: Reply, decided: float, answer: str | None, notice: str, done: Action | None
    ) -> Observation:
        """Record what the device shows after a decision, and return the observation.

        `decided` is the time of the decision (`time.monotonic`), and `done` the action that was
        done in its place, if any.

        Raises:
            EpisodeOver: if the episode has ended.
        """
        after = self.look()
        if after.lost:
            notice = "; ".join(filter(None, (notice, after.lost)))
            self._recorder.lost(notice)
        seen = self._observe(after, time.monotonic() - decided, reply=answer, notice=notice)
        self.observation = replace(seen, done=done)
        self.reports.read(self._decided)
        if reply.calls and (why := self.calls.over()):
            self.end(Termination.BUDGET, why)
        if why := self.user.budget:
            self.end(Termination.BUDGET, why)
        self._end_if_done()
        if self.ending is not None:
            raise EpisodeOver
        return self.observation

    def look(self) -> Capture:
        """Return a capture of the device's current state, without recording it."""
        return self.device.observe(self._probes)

    def add(self, step: Step, after: Capture) -> None:
        """Record a step that the agent has done, and the capture `after` it; end if done.

        The actions are the agent's own, which it has performed by itself.
        """
        self._recorder.step(step.actions, step.said, step.calls, step.seconds_thinking)
        self._decided += 1
        self.steps += 1
        self._recorder.outcome(step.notice, None, step.undone)
        self.observation = self._observe(after, step.seconds_acting, notice=step.notice)
        self.reports.read(self._decided)
        self._end_if_done()

    def _record_noise(self) -> None:
        """Record the noise that the last decision met, if any."""
        if (noise := noise_of(self.device)) is not None and self._decided:
            lost = tuple(n for place, n in enumerate(self.hands.given) if place in noise.swallowed)
            self._recorder.noise(replace(noise, swallowed=lost))

    def look_again(self) -> Observation:
        """Record what the device shows now in place of its last screen, and return it."""
        seen = self.look()
        if not self._decided:  # the episode's first values and time are those of the first look
            screen = replace(seen.screen, time=self.last.screen.time)
            seen = replace(seen, probes=self.last.probes, screen=screen)
        seconds, reply, notice = self._last_seen
        self.observation = self._observe(seen, seconds, reply=reply, notice=notice, again=True)
        self._end_if_done()
        return self.observation

    def _is_look(self, reply: Reply) -> bool:
        """Return whether a decision only looks around, and not too many times in a row."""
        moves = all(isinstance(action, Scroll | Swipe | Wait) for action in reply.actions)
        looks = moves and not reply.counts
        self._looks = self._looks + 1 if looks else 0
        return looks and self._looks <= MOST_LOOKS

    def end(
        self, termination: Termination, error: str = "", unused: tuple[ModelCall, ...] = ()
    ) -> None:
        """End the episode; if it has already ended without an error, only add the error."""
        if self.ending is None:
            self.ending = EpisodeEnding(termination, error, unused)
        elif not self.ending.error:
            self.ending = EpisodeEnding(self.ending.termination, error, self.ending.unused)

    def _end_if_done(self) -> None:
        if self.ending is None and self.plan.is_done is not None and self.plan.is_done(self.folder):
            self.end(Termination.STOPPED)

    def _is_report(self, actions: Sequence[Action]) -> bool:
        """Return whether actions consist of a valid final report only."""
        if len(actions) != 1 or not ends_episode(actions[0]):
            return False
        return not self.hands.flaw(actions[0], self.observation.screen.size)

    def _do(self, actions: Sequence[Action], by: Callable[[], str] | None) -> tuple[int, str]:
        """Perform actions until one fails; return how many were not performed, and the reason."""
        self.user.begin()
        if by is not None:
            why = by()
            return int(bool(why)), cut(why)
        return self.hands.do(actions, self.observation.screen.size, self._ask)

    def _record_outcome(self, notice: str, answer: str | None, undone: int) -> None:
        user = self.user
        self._recorder.outcome(notice, answer, undone, user.answers, user.take_calls())

    def _ask(self, question: str) -> None:
        """Ask the user; the time counts neither for the agent nor for the phone."""
        self.user.ask(question, self.last.screen.own, max(1, self.steps), self._screens - 1)

    def finish(self) -> None:
        """Record why the episode ended, the task's measures, and the phone's last reports.

        The calls of metered models that were not followed by a decision are recorded, too.

        Raises:
            InfrastructureError: if the device breaks, or the record cannot be written.
            TaskError: if a measure fails.
        """
        self.reports.finish(self._decided)
        measured, ending = self.plan.case.measure(self.device, self.answer), self.ending
        assert ending is not None
        self._recorder.end(
            ending.termination,
            ending.error,
            time.monotonic() - self._began,
            (*ending.unused, *self.calls.rest()),
            is_logged=self.reports.is_logged,
            golden_left=self.golden_left,
            measured=measured,
        )

    def _observe(
        self,
        capture: Capture,
        seconds: float = 0.0,
        *,
        reply: str | None = None,
        notice: str = "",
        again: bool = False,
    ) -> Observation:
        """Record a capture, and return the agent's observation, which never has ids of pages."""
        self._last_seen = seconds, reply, notice
        screen, before = self._record(capture, seconds, again=again), capture.before
        if screen.page:
            screen = replace(screen, page="", same=())
        if before is not None:
            before = seen_with(self.plan.sees, replace(before, where="", page="", same=()))
        self.shown, screen = screen, seen_with(self.plan.sees, screen)
        notice = "; ".join(filter(None, (notice, screen.notice)))
        return Observation(screen, reply, notice, before, told=self.user.told)

    def _record(self, capture: Capture, seconds: float = 0.0, *, again: bool = False) -> Screen:
        """Record a capture, with `again` in place of the last one, and return its screen.

        Raises:
            DeviceError: if the screen cannot be read.
        """
        self.last = capture
        if not again:
            self._screens += 1
            self.reports.saw(capture.screen.time)
        before = capture.before.page if capture.before else ""
        self.user.listen(capture.screen.own, self.steps + 1)
        shown, probes, told = capture.screen, capture.probes, self.user.told
        screen = self._recorder.observation(shown, probes, seconds, before, told, again=again)
        self._record_noise()
        screen = replace(screen, beneath=None)  # the agent cannot see what is beneath noise
        try:
            _ = screen.size, screen.root
        except ScreenError as error:
            what = f"device {self.device.info.serial} shows no screen"
            raise DeviceError(f"{what}: {error} ({screen.where})") from error
        return screen
