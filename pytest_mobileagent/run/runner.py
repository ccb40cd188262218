"""Agent runners, which run an agent through a session, in a process or in a thread."""

from __future__ import annotations

import contextlib
import time
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, Self

from pytest_mobileagent.action import Finish
from pytest_mobileagent.agent.agent import Reply, Scripted
from pytest_mobileagent.agent.conversation import (
    KilledError,
    ThreadConversation,
    TimeIsUpError,
    Work,
)
from pytest_mobileagent.agent.phone import EpisodeOver
from pytest_mobileagent.device.device import noises_of
from pytest_mobileagent.episode import Termination
from pytest_mobileagent.episode.redaction import redacted
from pytest_mobileagent.episode.secrets import without_secrets
from pytest_mobileagent.episode.store import cut
from pytest_mobileagent.errors import AgentError, AgentKilledError, TaskError, UnfitMoveError
from pytest_mobileagent.llm.model import ProviderError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.agent.agent import Briefing
    from pytest_mobileagent.agent.conversation import Conversation
    from pytest_mobileagent.run.plan import AgentRunner
    from pytest_mobileagent.run.session import Session

_LONGEST_ERROR = 2000  # characters of an error in the record; more of it is written to a file
_LONGEST_KEPT = 8 * 1024 * 1024  # characters of an error in the file
ERROR_FILE = "agent-error.txt"
_LATE_SECONDS = 0.2  # between looks at whether a provider still owes an answer at the time limit


class ModelPort(Protocol):
    """The port at which an agent's own SDKs reach models, served while the context is entered.

    - `url`: the value of `Briefing.port`.
    - `over`: the budget that is spent; empty if none is.
    - `secrets`: strings that no record may contain.
    """

    over: str
    url: str

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    @property
    def secrets(self) -> Sequence[str]: ...  # noqa: D102 - see above

    def check(self) -> None:
        """Check that calls can be recorded, and that they are answered.

        Raises:
            HostError: if they cannot be recorded.
            ProviderError: if no model has answered for a long time.
        """

    def blame_provider(self, what: str) -> None:
        """Attribute an agent's error, `what`, to the provider of the last call if it failed.

        Raises:
            ProviderError: if the provider is to blame.
        """


class ConversationRunner:
    """Runs an agent that is reached by a `Conversation`.

    - `plays_solution`: whether the agent plays the task's solution. If so, a crash of one of the
      task's apps means that the task is broken.
    - `make_port`: makes the port for the agent's own SDKs, if any, given the episode's folder.
    """

    def __init__(
        self,
        conversation: Conversation,
        options: Any = None,
        *,
        plays_solution: bool = False,
        make_port: Callable[[Path], ModelPort] | None = None,
    ) -> None:
        self._conversation = conversation
        self._make_port = make_port
        self._port: ModelPort | None = None
        self._options = options  # for an agent in this process; another process has its own
        self._plays_solution = plays_solution
        self._thought = 0.0

    def run(self, session: Session, briefing: Briefing) -> None:
        """Run a new agent until the episode is over (see `AgentRunner`)."""
        with ExitStack() as stack:
            if self._make_port is not None:
                self._port = stack.enter_context(self._make_port(briefing.folder))
                briefing = replace(briefing, port=self._port.url)
            stack.callback(self._conversation.end)  # before the port is closed
            self._run(session, briefing)

    def _run(self, session: Session, briefing: Briefing) -> None:
        try:
            briefing = replace(briefing, options=self._options)
            self._conversation.begin(briefing, session.observation)
            while isinstance(message := self._receive(session), Reply):
                self._answer(session, message)
        except TimeIsUpError:
            if session.ending is None:
                why = f"it exceeded {session.limits.seconds:g} seconds"
                session.end(Termination.TIME_LIMIT, blame(session, why))
            session.end(Termination.TIME_LIMIT, "the agent could not be closed in time")
        except AgentError as error:
            why = blame(session, self._without_secrets(str(error)))
            is_repeated = session.plan.repeats_kills and session.ending is None
            if isinstance(error, KilledError) and is_repeated:
                raise AgentKilledError(why) from error
            session.end(Termination.AGENT_ERROR, recorded_error(why, briefing.folder))
        else:
            if self._plays_solution:
                _check_apps(session, briefing.apps)
            raised, trace = (self._without_secrets(text) for text in (message.error, message.trace))
            if self._port is not None and session.ending is None and raised:
                self._port.blame_provider(f"the agent raised {raised}")
            elif self._port is not None and reached_limit(session):
                self._port.blame_provider("the agent went on to its step limit")
            _conclude(session, replace(message, error=raised, trace=trace), briefing.folder)

    def _without_secrets(self, text: str) -> str:
        """Return the text without the port's tokens, which HTTP errors may quote."""
        return text if self._port is None else str(without_secrets(text, self._port.secrets))

    def _receive(self, session: Session) -> Reply | Work:
        """Return the agent's next message, and set `_thought` to the seconds that it took.

        Time lost because a provider had to be asked again does not count. If a provider still owes
        an answer at the time limit, it is waited for, as the agent is not to blame.
        """
        before, lost, message = time.monotonic(), 0.0, None
        is_late = False
        while message is None:
            left = session.seconds_left + lost - (time.monotonic() - before)
            try:
                message = self._conversation.receive(max(_LATE_SECONDS * is_late, left))
            except TimeIsUpError:
                if self._port is not None:
                    self._port.check()
                more = session.calls.seconds_lost()
                is_late = not more and session.calls.awaits_provider()
                if not (more or is_late):
                    raise
                lost += more
        lost += session.calls.seconds_lost()
        self._thought = max(0.0, time.monotonic() - before - lost)
        has_failed = isinstance(message, Work) and message.infrastructure
        if is_late and not has_failed and self._thought > session.seconds_left:
            raise TimeIsUpError
        session.seconds_left = max(0.0, session.seconds_left - self._thought)
        if self._port is not None:
            self._port.check()
            if self._port.over and session.ending is None:
                session.end(Termination.BUDGET, self._port.over)
        return message

    def _answer(self, session: Session, reply: Reply) -> None:
        try:
            self._conversation.send(session.decide(reply, self._thought))
        except EpisodeOver:
            self._conversation.send(None)


def in_thread(
    maker: Callable[[], Any],
    options: Any,
    case: Case,
    values: Mapping[str, Any],
    make_port: Callable[[Path], ModelPort] | None = None,
) -> AgentRunner:
    """Return the runner of an agent in a thread, which receives the task itself if it asks for it.

    A scripted agent asks no model, and needs no port.
    """

    def make() -> Any:
        agent = maker()
        if hasattr(agent, "assign_task"):
            agent.assign_task(case.task, values)
        return agent

    scripted = isinstance(maker, type) and issubclass(maker, Scripted)
    conversation = ThreadConversation(make, scripted=scripted)
    port = None if scripted else make_port
    return ConversationRunner(conversation, options, plays_solution=scripted, make_port=port)


def _check_apps(session: Session, apps: Collection[str]) -> None:
    """Raise a TaskError if one of these apps has crashed."""
    for step, crash in session.reports.crashes:
        if crash.package in apps:
            raise TaskError(f"its own solution crashes an app, at step {step}: {crash}")


def reached_limit(session: Session) -> bool:
    """Return whether a session has ended by its limit of steps."""
    return session.ending is not None and session.ending.termination is Termination.STEP_LIMIT


def _conclude(session: Session, work: Work, folder: Path) -> None:
    """End a session whose agent has finished its work."""
    if work.broken_task is not None:
        count = noises_of(session.device)
        if not count or not isinstance(work.broken_task, UnfitMoveError):
            raise work.broken_task
        times = "once" if count == 1 else f"{count} times"
        what = f"noise appeared {times}, which a solution cannot foresee: {work.broken_task}"
        session.end(Termination.AGENT_ERROR, recorded_error(blame(session, what), folder))
    if work.infrastructure and session.ending is None:
        raise ProviderError(cut(work.infrastructure, _LONGEST_ERROR))
    if work.budget:
        session.end(Termination.BUDGET, work.budget)
    if work.error and session.ending is None:
        error = blame(session, f"it raised {work.error}")
        error = recorded_error(f"{error}\n{work.trace}".strip(), folder)
        session.end(Termination.AGENT_ERROR, error)
    elif session.ending is None:
        with contextlib.suppress(EpisodeOver):
            after = session.decide(Reply(Finish(work.answer or "")), 0.0)
            if after.done is not None:  # the golden path continues, but the agent has ended
                session.end(Termination.SELF_REPORTED)
            else:
                what = blame(session, f"its answer cannot be accepted: {after.failure}")
                session.end(Termination.AGENT_ERROR, what)
    if work.complaint and session.ending is not None and not session.ending.error:
        session.end(Termination.SELF_REPORTED, recorded_error(work.complaint, folder))


def blame(session: Session, what: str) -> str:
    """Return a message that names the step at which an agent failed."""
    return f"the agent failed at step {session.steps + 1}: {what}"


def recorded_error(error: str, folder: Path) -> str:
    """Return an error for the record; a long one is cut, and more of it is written to a file."""
    if len(error) <= _LONGEST_ERROR:
        return error
    path = folder / ERROR_FILE
    try:
        path.write_text(redacted(cut(error, _LONGEST_KEPT)), "utf-8", "replace")
    except OSError:
        return f"{cut(error, _LONGEST_ERROR)}\n(cut; the rest could not be written to {path})"
    return f"{cut(error, _LONGEST_ERROR)}\n(cut; more of it is in {path})"
