"""A single path (teacher forcing): golden actions are performed in the agent's place.

Each decision of the agent is recorded, but the screen's golden action is performed. So the next
screen is on the golden path, whatever the agent decided.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from pytest_mobileagent._task.solution import Scene
from pytest_mobileagent.action import Ask, Type, ends_episode
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Scroll, Tap
from pytest_mobileagent.action.matching import Golden, golden_on
from pytest_mobileagent.agent.agent import known_answers
from pytest_mobileagent.agent.phone import EpisodeOver
from pytest_mobileagent.device.device import PageDevice, is_covered
from pytest_mobileagent.episode import Termination
from pytest_mobileagent.errors import NoEdgeError, NoSolutionError, TaskError
from pytest_mobileagent.run.phone import UNREADABLE, cut
from pytest_mobileagent.run.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_mobileagent._task import Task
    from pytest_mobileagent.action import Action
    from pytest_mobileagent.action.matching import Wanted
    from pytest_mobileagent.agent.agent import Reply
    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.episode.observation import Observation
    from pytest_mobileagent.episode.store import Recorder
    from pytest_mobileagent.run.plan import AttemptPlan
    from pytest_mobileagent.screen import Screen
    from pytest_mobileagent.screen.element import Bounds

MOST_COVERED = 10  # consecutive decisions after which an agent that does not close noise is stopped
# The notices to an agent that reports while noise covers the screen, or scrolls to look around.
COVERED = "the task goes on beneath what covers the screen"
STANDS_STILL = "nothing moves here: only the golden action is done at each step"


def check_golden(task: Task) -> None:
    """Check that there is a golden path for a task.

    Raises:
        NoSolutionError: if it has neither golden actions nor a solution.
    """
    if not task.golden and not task.solution:
        what = "the task has no golden actions for a single path"
        raise NoSolutionError(f"{what}: add them with golden=[…]")


def show_first_page(device: Device, task: Task) -> None:
    """Show the page on which a task's golden path begins, if the device shows recorded pages.

    Raises:
        NoSolutionError: if there is no golden path (see `check_golden`).
    """
    check_golden(task)
    if task.golden and (page := _page(task.golden[0])) and isinstance(device, PageDevice):
        device.show(page)


class GoldenPath:
    """A task's golden actions in order: those that the task names, or else its solution's.

    If a solution touches an element, any point on that element is golden. If it asks the user, the
    path goes on as with the user's prepared answer, whatever the agent has asked.
    """

    def __init__(self, task: Task, values: Mapping[str, Any]) -> None:
        self._golden: Sequence[Wanted] = task.golden
        self._moves = () if task.golden else task.moves(values)
        self._apps, self._values = task.packages, dict(values)
        if any(move.asks for move in self._moves):  # the path is that of the right answers
            self._values |= known_answers(task, values)
            if task.answering is None:
                self._moves = tuple(move for move in self._moves if move.asks is None)
        self._screens: tuple[Screen, ...] = ()
        self._next = 0

    @property
    def left(self) -> int:
        """The number of golden actions that have not been taken yet."""
        return max(0, len(self._golden or self._moves) - self._next)

    @property
    def page(self) -> str:
        """The recorded page of the next golden action; empty if it does not name one."""
        return _page(self._golden[self._next]) if self._next < len(self._golden) else ""

    def is_over(self, screen: Screen) -> bool:
        """Return whether no golden action is left for a screen."""
        scene = self._scene(screen)
        while self._next < len(self._moves):
            done = self._moves[self._next].done
            if done is None or not done(scene):
                return False
            self._next += 1
        return self.left == 0

    def take(self, screen: Screen) -> Golden:
        """Return the golden action for a screen, and advance to the next one.

        Raises:
            TaskError: if its target is not on the screen, or it cannot be done there.
        """
        number = self._next + 1
        if self._golden:
            try:
                golden = golden_on(screen, self._golden[self._next])
            except TaskError as error:
                raise TaskError(f"golden action {number}: {error}") from error
            self._next += 1
            if golden is None:
                raise TaskError(f"golden action {number} is not on its screen ({screen.package})")
            return golden
        move = self._moves[self._next]
        try:
            action = move.action(self._scene(screen))
        except TaskError as error:
            raise TaskError(f"golden action {number}, {move}, does not fit: {error}") from error
        self._screens += (screen,)
        self._next += move.done is None
        return Golden(action, screen.size, _boxes(screen, action))

    def _scene(self, screen: Screen) -> Scene:
        return Scene((*self._screens, screen), self._apps, self._values)


def _page(wanted: Wanted) -> str:
    return wanted.page if isinstance(wanted, Golden) else ""


def _boxes(screen: Screen, action: Action) -> tuple[Bounds, ...]:
    """Return the box of the element that an action touches; empty if it touches none.

    Of several, it is one whose centre is touched, as by solutions, or else the innermost one.
    """
    match action:
        case Tap(x, y) | LongPress(x, y) | DoubleTap(x, y) | Type(at=(x, y)) | Scroll(at=(x, y)):
            hit = screen.at(x, y)
            centred = [each.bounds for each in hit if each.bounds.center == (x, y)]
            return tuple([*centred, *(each.bounds for each in hit)][:1])
    return ()


class PathSession(Session):
    """A session in which golden actions are done, and the agent's are only recorded.

    A report is a decision like any other; the episode ends after the last golden action. Merely
    looking around does not count as a decision, and moves nothing. While noise covers the screen,
    the agent's actions are performed on the noise, and the path continues when it is closed.
    """

    def __init__(self, plan: AttemptPlan, device: Device, recorder: Recorder) -> None:
        super().__init__(plan, device, recorder)
        self.path = GoldenPath(plan.case.task, self.values)
        self.golden_left = self.path.left
        self._covered = 0  # consecutive decisions made while noise covers the screen

    def decide(
        self, reply: Reply, seconds: float, by: Callable[[], str] | None = None
    ) -> Observation:
        """Record a decision, do the golden action instead, and return the observation after it.

        Raises:
            EpisodeOver: if the episode has ended, with this decision or before it.
            InfrastructureError: if the device breaks, or the record cannot be written.
            TaskError: if the golden path is broken.
        """
        del by  # the agent's own actions are not done
        self._end_if_done()
        if self.ending is not None:
            raise EpisodeOver
        actions, calls = reply.actions, self.calls.take(reply.calls)
        received = time.monotonic()
        if self._is_look(reply):
            self._recorder.step(actions, reply.said, calls, seconds, counts=False)
            self._decided += 1
            self._recorder.outcome(STANDS_STILL, None, len(actions))
            return self._after(reply, received, None, STANDS_STILL, None)
        if self.steps >= self.limits.steps:
            self.end(Termination.STEP_LIMIT, unused=calls)
            raise EpisodeOver
        if is_covered(self.device):
            return self._meet_noise(reply, seconds, calls)
        self._covered = 0
        golden = self.path.take(self.shown)
        self.golden_left = self.path.left
        self._recorder.step(actions, reply.said, calls, seconds, golden=golden)
        self._decided += 1
        self.steps += 1
        undone, notice = self._undone(reply, golden.action)
        answer = self._answer(reply, golden)
        self._record_outcome(notice, answer, undone)
        decided = time.monotonic()
        self.seconds_left = max(0.0, self.seconds_left - (decided - received))
        if ends_episode(golden.action):
            self.end(Termination.PATH)
            self._record_noise()
            raise EpisodeOver
        self._do_golden(golden)
        # There is no notice of what could not be done, as the agent's action is not done anyway.
        return self._after(reply, decided, answer, "", golden.action)

    def _meet_noise(self, reply: Reply, seconds: float, calls: Sequence[ModelCall]) -> Observation:
        """Perform the decided actions on the noise; the path waits until the noise is closed."""
        if self._covered >= MOST_COVERED:
            self.end(Termination.STEP_LIMIT, unused=tuple(calls))
            raise EpisodeOver
        self._covered += 1
        self._recorder.step(reply.actions, reply.said, calls, seconds)
        self._decided += 1
        self.steps += 1
        actions = [action for action in reply.actions if not ends_episode(action)]
        reports = len(reply.actions) - len(actions)
        undone, notice = 0, ""
        self.user.begin()
        if actions or not reports:
            undone, notice = self._do(actions, None)
        answer, notice = self.user.reply, notice or (COVERED if reports else "")
        self._record_outcome(notice, answer, undone + reports)
        return self._after(reply, time.monotonic(), answer, notice, None)

    def _end_if_done(self) -> None:
        if self.ending is None and not is_covered(self.device) and self.path.is_over(self.shown):
            self.end(Termination.PATH)

    def _undone(self, reply: Reply, golden: Action) -> tuple[int, str]:
        """Return how many of the decided actions could not have been done, and the reason.

        The golden action can always be done where it is golden.
        """
        if not reply.actions:
            return 0, UNREADABLE
        size = self.observation.screen.size
        for number, action in enumerate(reply.actions):
            if flaw := self.hands.flaw(action, size, is_recorded=action == golden):
                return len(reply.actions) - number, cut(flaw)
        return 0, ""

    def _answer(self, reply: Reply, golden: Golden) -> str | None:
        """Return the user's reply to the agent's question, or else to the golden one; or None."""
        asked = [each for each in (*reply.actions, golden.action) if isinstance(each, Ask)]
        self.user.begin()
        for each in asked[:1]:
            self._ask(each.question)
        return self.user.reply

    def _do_golden(self, golden: Golden) -> None:
        """Perform a golden action; on recorded pages, show the page that it leads to."""
        has_pages = isinstance(self.device, PageDevice)
        if self.path.page and isinstance(self.device, PageDevice):
            self.device.show(self.path.page)
            return
        action, size = golden.action, self.observation.screen.size
        if isinstance(action, Ask):
            return
        if flaw := self.hands.flaw(action, size, is_recorded=has_pages):
            raise TaskError(f"a golden action cannot be done: {flaw}")
        try:
            self.hands.perform(action)
        except NoEdgeError as error:
            if self.path.left:  # after the last action, no page is needed
                raise TaskError(f"the golden path leaves the recorded pages: {error}") from error
