"""From `--agent`, or what a fixture gives, to who plays an episode."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.agent.options import as_dict
from pytest_mobileagent.run.player import AgentPlayer, in_thread
from pytest_mobileagent.urls import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_mobileagent.plugin.config import RunConfig
    from pytest_mobileagent.program.adapter.adapter import Adapter
    from pytest_mobileagent.run.player import Player
    from pytest_mobileagent.task.case import Case


@dataclass(frozen=True, slots=True)
class Playing:
    """An agent's `name`, its `options` as they are recorded, and what makes its players.

    `program` is what is recorded of one that is a program from outside.
    """

    name: str
    options: dict[str, Any]
    make: Callable[[Case, Mapping[str, Any]], Player]
    program: dict[str, Any] | None = None


def players(run: RunConfig, given: Callable[[], Any] | None) -> Playing:
    """Return who plays the episodes of the agent that was chosen, or of one that is `given`.

    The agent that `--agent` names runs in a process of its own, unless that is switched off or it
    is shown the task itself. One that is `given` by a fixture runs in a thread.

    Raises:
        AgentError: the agent cannot be loaded, or does not take its options.
    """
    if given is None and (program := run.agents.program) is not None:
        return _of_program(run, program)
    if given is None and run.agents.run_apart:
        process = run.agents.process
        about = process.load()
        if not about["knows_task"]:
            return Playing(
                str(run.agent), about["options"], lambda _case, _values: AgentPlayer(process)
            )
        run.agents.take_in()
    maker = run.agents.load() if given is None else given
    name = run.agent or Path(getattr(maker, "__module__", "agent")).stem
    options = run.agents.options(maker)
    if getattr(maker, "roles", ()) and (models := run.models.to_prepare()):
        from pytest_mobileagent.llm.providers import prepare

        prepare(models)
    return Playing(name, as_dict(options), partial(in_thread, maker, options))


def _of_program(run: RunConfig, program: Adapter) -> Playing:
    from pytest_mobileagent.mcp.programs import ProgramServers
    from pytest_mobileagent.program.commands.steps import RULE
    from pytest_mobileagent.program.runner.player import ProgramPlayer
    from pytest_mobileagent.program.runner.setting import Setting

    def player(case: Case, _values: Mapping[str, Any]) -> Player:
        setting = Setting(
            program,
            ProgramServers(),
            run.models.settings(case.epoch),
            run.models.for_program,
            run.folder.screens.folder,
            run.folder.mark,
            run.config.invocation_params.dir,
            run.shared.folder,
        )
        return ProgramPlayer(setting)

    command = [shown(word) for word in program.command]
    return Playing(program.name, {}, player, {"command": command, "rule": RULE})
