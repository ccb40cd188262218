"""From `--agent`, or what a fixture gives, to who plays an episode."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.agent.options import as_dict
from pytest_mobileagent.agent.scripted import Scripted
from pytest_mobileagent.agent.thread import ThreadConversation
from pytest_mobileagent.run.player import AgentPlayer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_mobileagent.agent.briefing import Briefing
    from pytest_mobileagent.plugin.config import RunConfig
    from pytest_mobileagent.run.player import Player
    from pytest_mobileagent.run.session import Session
    from pytest_mobileagent.task.case import Case

MakePlayer = "Callable[[Case, Mapping[str, Any]], Player]"


def players(
    run: RunConfig, given: Callable[[], Any] | None
) -> tuple[str, dict[str, Any], Callable[[Case, Mapping[str, Any]], Player]]:
    """Return an agent's name, its options as they are recorded, and what makes its players.

    The agent that `--agent` names runs in a process of its own, unless that is switched off or it
    is shown the task itself. One that is `given` by a fixture runs in a thread.

    Raises:
        AgentError: the agent cannot be loaded, or does not take its options.
    """
    if given is None and run.value("mobile-agent-process") == "on":
        process = run.agent_process
        about = process.load()
        if not about["knows_task"]:
            return str(run.agent), about["options"], lambda _case, _values: AgentPlayer(process)
    maker = run.load_agent() if given is None else given
    name = run.agent or Path(getattr(maker, "__module__", "agent")).stem
    options = run.agent_options(maker)
    return name, as_dict(options), partial(_in_thread, maker, options)


def _in_thread(
    maker: Callable[[], Any], options: Any, case: Case, values: Mapping[str, Any]
) -> Player:
    def make() -> Any:
        agent = maker()
        if hasattr(agent, "assign_task"):
            agent.assign_task(case.task, values)
        return agent

    scripted = isinstance(maker, type) and issubclass(maker, Scripted)
    return _Optioned(AgentPlayer(ThreadConversation(make, scripted=scripted)), options)


class _Optioned:
    """A player whose briefing has the agent's options, which are made in this process."""

    def __init__(self, player: Player, options: Any) -> None:
        self._player = player
        self._options = options

    def play(self, session: Session, briefing: Briefing) -> None:
        self._player.play(session, briefing.with_options(self._options))
