"""From `--agent`, or what a fixture returns, to the agent runners of episodes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.agent.options import as_dict
from pytest_mobileagent.run.runner import ConversationRunner, in_thread
from pytest_mobileagent.urls import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_mobileagent.plugin.config import RunConfig
    from pytest_mobileagent.program.adapter import Adapter
    from pytest_mobileagent.run.runner import AgentRunner
    from pytest_mobileagent.task.case import Case


@dataclass(frozen=True, slots=True)
class ChosenAgent:
    """An agent's `name`, its `options` as they are recorded, and what makes its runners.

    `program` is what is recorded of one that is a program from outside.
    """

    name: str
    options: dict[str, Any]
    make_runner: Callable[[Case, Mapping[str, Any]], AgentRunner]
    program: dict[str, Any] | None = None


def chosen_agent(run: RunConfig, given: Callable[[], Any] | None) -> ChosenAgent:
    """Return the agent that was chosen, or the one that a fixture has `given`.

    The agent that `--agent` names runs in a process of its own, unless that is switched off or it
    is shown the task itself. One that is `given` by a fixture runs in a thread.

    Raises:
        AgentError: the agent cannot be loaded, or does not take its options.
    """
    if given is None and (program := run.program) is not None:
        return _of_program(run, program)
    if given is None and run.agents.run_apart:
        process = run.agents.process
        about = process.load()
        if not about["knows_task"]:
            return ChosenAgent(
                str(run.agent), about["options"], lambda _case, _values: ConversationRunner(process)
            )
        run.agents.take_in()
    maker = run.agents.load() if given is None else given
    name = run.agent or Path(getattr(maker, "__module__", "agent")).stem
    options = run.agents.options(maker)
    if getattr(maker, "roles", ()) and (models := run.models.to_prepare()):
        from pytest_mobileagent.llm.providers import prepare

        prepare(models)
    return ChosenAgent(name, as_dict(options), partial(in_thread, maker, options))


def _of_program(run: RunConfig, program: Adapter) -> ChosenAgent:
    from pytest_mobileagent.mcp.programs import ProgramServers
    from pytest_mobileagent.program.commands.steps import RULE
    from pytest_mobileagent.program.runner.recorders import Setting
    from pytest_mobileagent.program.runner.runner import ProgramRunner

    def runner(case: Case, _values: Mapping[str, Any]) -> AgentRunner:
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
        return ProgramRunner(setting)

    command = [shown(word) for word in program.command]
    return ChosenAgent(program.name, {}, runner, {"command": command, "rule": RULE})
