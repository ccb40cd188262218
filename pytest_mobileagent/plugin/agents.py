"""The agent of a run: it is found and checked before a device starts, and loaded where it runs.

External programs that serve as agents are also checked before a device starts.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.errors import AgentError, HostError
from pytest_mobileagent.extras import check_extra
from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.plugin.settings import as_usage_error, folders, runs_no_test, usage_error
from pytest_mobileagent.screen.sight import check_sight, hidden_part

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent.agent.process import AgentProcess
    from pytest_mobileagent.device.sources import Source
    from pytest_mobileagent.plugin.context import RunContext
    from pytest_mobileagent.plugin.devices import RunDevices
    from pytest_mobileagent.plugin.models import RunModels
    from pytest_mobileagent.plugin.settings import OptionValue
    from pytest_mobileagent.program import Adapter


class RunAgents:
    """Finds, checks and runs the agent that `--agent` names, in one pytest process."""

    def __init__(self, context: RunContext, models: RunModels, devices: RunDevices) -> None:
        self._run, self._models, self._devices = context, models, devices
        self._config, self._settings = context.config, context.settings
        self._process: AgentProcess | None = None
        self._is_inside = False
        self.asks = True  # whether it can ask the user; True until `check` knows better

    @property
    def caveats(self) -> list[str]:
        """The warnings about the program that `--agent` names; empty for other agents."""
        with suppress(AgentError):  # `check` reports it
            if (program := self._run.program) is not None:
                return caveats(program, hidden_part(self._settings["mobile-sees"].value))
        return []

    @property
    def process(self) -> AgentProcess:
        """The process in which the agent runs; it is started on first access."""
        if self._process is None:
            from pytest_mobileagent.agent.process import AgentProcess

            assert self._run.agent is not None
            only_looks = self._run.is_owner and self._run.is_distributed
            models = () if only_looks else self._models.to_prepare()
            self._process = AgentProcess(
                self._run.agent,
                folders(self._config, "agents"),
                self.words,
                self._run.folder.mark,
                models,
                choice=self._models.choice,
            )
        return self._process

    @cached_property
    def published(self) -> dict[str, Any] | None:
        """What the run records of the preset of its agent (see `published_with`)."""
        from pytest_mobileagent.agent.options import chosen_preset

        named = self._run.names_agent and self._run.program_if_named() is None
        if named and chosen_preset(self.words) is not None:
            with suppress(AgentError):  # the first episode reports it
                return self.facts()["published"]  # type: ignore[no-any-return]
        return None

    @property
    def run_apart(self) -> bool:
        """Whether the agent runs in its own process."""
        return self._settings["mobile-agent-process"].value == "on" and not self._is_inside

    def run_in_this_process(self) -> None:
        """Run the agent in this process from now on, because it needs the task object itself."""
        self._is_inside = True
        self.end()

    def end(self) -> None:
        """End the agent's process, if there is one."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def start(self) -> None:
        """Start the agent's process, so it is ready for the first episode."""
        run = self._run
        named = run.agent is not None and (run.names_agent or not run.is_owner)
        if named and self.run_apart and run.program_if_named() is None:
            self.process  # accessing it starts it

    def check(self) -> None:
        """Load the agent that the command line names, so an error is reported only once.

        Raises:
            pytest.UsageError: if it cannot be loaded, or does not accept its options.
        """
        if not self._run.is_owner or runs_no_test(self._config):
            return
        self._check_ocr()
        if not self._run.names_agent:
            return
        if (program := self._run.program_if_named()) is not None:
            check_program(program, self._settings, self._models, self._devices.source)
            self.asks = bool(program.used & _MCP)
            return
        with as_usage_error(AgentError):
            facts = self.facts()
            self.asks, sees = facts["asks"], facts["sees"]
            self.published  # read before the process ends
            if self.run_apart and self._run.is_distributed:  # workers have their own
                self.end()
        with as_usage_error(HostError):
            for extra in (*facts["extras"], *(["models"] if facts["endpoints"] else [])):
                check_extra(extra, f"--agent={self._run.agent}")
        self._check_sees(sees)
        with as_usage_error(AgentError):
            setting, plays = self._settings["mobile-sees"], facts["knows_task"]
            who = f"{setting}: the agent {self._run.agent}"
            check_sight(setting.value, sees, plays=plays, who=who)
        self._models.check(str(self._run.agent), facts["roles"], facts["endpoints"])

    def _check_sees(self, sees: Sequence[str]) -> None:
        """Check that the devices provide every part of a screen that the agent needs."""
        if not sees or self._devices.source.is_live:
            return
        hidden, device = self._devices.source.hides(), self._settings["mobile-device"]
        if (what := next((each for each in sees if each in hidden), None)) is not None:
            why = f"needs the {what} of each screen, and {device}: {hidden[what]}"
            raise pytest.UsageError(printable(f"--agent={self._run.agent} {why}"))

    def _check_ocr(self) -> None:
        """Check that the OCR engine is installed, if one was chosen for this run."""
        ocr = self._settings["mobile-ocr"]
        if not (ocr.is_typed or (ocr.is_given and self._run.names_agent)):
            return
        engine = "easyocr" if ocr.value == "easyocr" else "vision"
        with as_usage_error(HostError):
            check_extra(engine, f"{ocr.option.shown}={ocr.text}: reading pictures")

    @property
    def plays_solutions(self) -> bool:
        """Whether the agent receives the task itself, such as one that plays its solution."""
        with suppress(AgentError):  # the first episode reports it
            return self._run.program is None and bool(self.facts()["knows_task"])
        return False

    @property
    def words(self) -> Sequence[str]:
        """The values of `--mobile-agent-option`."""
        return self._settings["mobile-agent-option"].value or ()

    def facts(self) -> dict[str, Any]:
        """Return what is known of the agent (see `agent.options.facts_of`), loading it if needed.

        Raises:
            AgentError: if it cannot be loaded, or does not accept its options or models.
        """
        if self.run_apart:
            return self.process.load()
        from pytest_mobileagent.agent.options import facts_of

        return facts_of(self.loaded, self.words, self._models.choice)

    @cached_property
    def loaded(self) -> type[Any]:
        """The agent's class, imported into this process.

        Raises:
            AgentError: if it cannot be imported.
        """
        from pytest_mobileagent.agent.registry import load_agent

        return load_agent(str(self._run.agent), folders(self._config, "agents"))

    def find(self) -> None:
        """Check that the agent that the command line names exists.

        A name from the environment or the ini file may be meant for the tasks of other folders. It
        is only an error for tasks that need it.

        Raises:
            pytest.UsageError: if there is no such agent.
        """
        from pytest_mobileagent.agent.registry import UnknownAgentError, find_agent

        if not self._run.names_agent or self._run.program_if_named() is not None:
            return
        with as_usage_error(UnknownAgentError):
            find_agent(str(self._run.agent), folders(self._config, "agents"))


_ADB = {"serial", "adb", "adb_port"}  # placeholders
_MCP = {"mcp_url", "mcp_config", "mcp_command"}


def check_program(
    program: Adapter, settings: Mapping[str, OptionValue], models: RunModels, source: Source
) -> None:
    """Check that a program has what it needs, and that all given options apply to programs.

    Raises:
        pytest.UsageError: if something is missing, or an option does not apply to programs.
    """
    from pytest_mobileagent.program.launch import engine
    from pytest_mobileagent.program.workplace import install

    agent = settings["agent"]
    if not needs_mcp_only(program):
        _check_adb(program, agent, source)
    _check_options(program, settings)
    with as_usage_error(HostError):
        check_extra("models", f"{agent}: recording the models of a program")
        if program.used & _MCP:
            check_extra("mcp", f"{agent}: an MCP server")
        if program.image:
            engine()
        if program.requirements is not None:
            install(program.requirements)
    models.check_for_program()


def _check_options(program: Adapter, settings: Mapping[str, OptionValue]) -> None:
    """Check that no option is given that only applies to other agents."""
    agent = settings["agent"]
    if (options := settings["mobile-agent-option"]).value:
        raise usage_error(options, ": a program has no agent options; put them into its command")
    if (pace := settings["mobile-pace"]).value:
        raise usage_error(pace, ": a program acts by itself, at its own pace")
    if (noise := settings["mobile-noise"]).value is not None and not needs_mcp_only(program):
        does = "it would drive" if program.used & _ADB else "it drives"
        why = (
            f"{does} the phone by adb, which bypasses noise: let it use {{mcp_config}}, "
            "{mcp_url} or {mcp_command} instead"
        )
        raise usage_error(noise, f" with {agent.option.flag}={command_of(program, agent)}: {why}")
    if (path := settings["mobile-path"]).value == "single":
        raise usage_error(path, ": a program acts by itself, so golden actions cannot replace its")
    cache = settings["mobile-cache"]
    if cache.is_given and cache.value in {"all", "replay"}:
        raise usage_error(cache, ": a program asks its models itself, so no replies are cached")


def caveats(program: Adapter, hidden: str | None = None) -> list[str]:
    """Return warnings about a program: its access to keys and screens, tokens in its command.

    `hidden` is the part of each screen that it does not get, if any.
    """
    from pytest_mobileagent.program import PREFIX, WITH_TOKENS, used

    found = []
    if hidden is not None:
        found.append(
            f"{program.name} does not see the {hidden} by adb or MCP; ways past them, such as an "
            "emulator's gRPC port, are not restricted (docs/programs.md)"
        )
    if program.needs_open_port:
        found.append(
            f"{program.name} calls models at a port without a token, so all users of this machine "
            "can call those that need no key, within the budget, while an episode lasts"
        )
    if program.real_keys:
        reach = "may reach any host" if program.network == "open" else "reaches models by its proxy"
        which = ", ".join(program.real_keys)
        found.append(
            f"{program.name} has real keys ({which}), and {reach} (network = {program.network!r})"
        )
    if program.shell:  # the shell replaces the placeholders, by environment variables
        return found
    return found + [
        f"{program.name}: {{{name}}} in its command shows all users of this machine a token of the "
        f"run; have the program read the variable {PREFIX}{name.upper()}, or a file in `files`"
        for name in WITH_TOKENS
        if name in used(program.command)
    ]


def needs_mcp_only(program: Adapter) -> bool:
    """Return whether a program reaches the phone only by MCP, and not by adb."""
    return bool(program.used & _MCP) and not program.used & _ADB


def command_of(program: Adapter, agent: OptionValue) -> str:
    """Return the program's name as the user gave it, without its command, which may hold keys."""
    return "cmd:…" if program.path is None else str(agent.value)


def _check_adb(program: Adapter, agent: OptionValue, source: Source) -> None:
    from pytest_mobileagent.device.device import Address

    if source.reached_by is not Address:
        given = f"{agent.option.flag}={command_of(program, agent)}"
        why = f"needs adb, which --mobile-device={source.shown} lacks (an MCP client would work)"
        raise pytest.UsageError(printable(f"{given} {why}"))
