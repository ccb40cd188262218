"""The agent of a run: found and checked before a device starts, and loaded where it runs.

Programs from outside as agents: what they need, checked before a device starts.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.errors import AgentError, HostError, in_one_line
from pytest_mobileagent.extras import check_extra
from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.plugin.project import folders
from pytest_mobileagent.plugin.sources import runs_no_test, usage_error

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent.agent.process.host import AgentProcess
    from pytest_mobileagent.device.sources import Source
    from pytest_mobileagent.plugin.context import RunContext
    from pytest_mobileagent.plugin.devices import RunDevices
    from pytest_mobileagent.plugin.models import RunModels
    from pytest_mobileagent.plugin.sources import OptionValue
    from pytest_mobileagent.program.adapter import Adapter


class RunAgents:
    """The agent that `--agent` names, as one pytest process finds, checks and runs it."""

    def __init__(self, context: RunContext, models: RunModels, devices: RunDevices) -> None:
        self._run, self._models, self._devices = context, models, devices
        self._config, self._settings = context.config, context.settings
        self._process: AgentProcess | None = None
        self._is_inside = False
        self.asks = True  # whether it may ask the user, as far as `check` has found

    @property
    def caveats(self) -> list[str]:
        """What a person should know of the program that `--agent` names, if it is one."""
        with suppress(AgentError):  # which `check` reports
            return caveats(self._run.program) if self._run.program is not None else []
        return []

    @property
    def process(self) -> AgentProcess:
        """The process in which the agent runs; it is started when it is first asked for."""
        if self._process is None:
            from pytest_mobileagent.agent.process.host import AgentProcess

            assert self._run.agent is not None
            options = self._settings["mobile-agent-option"].value or ()
            only_looks = self._run.is_owner and self._run.is_distributed
            models = () if only_looks else self._models.to_prepare()
            self._process = AgentProcess(
                self._run.agent,
                folders(self._config, "agents"),
                options,
                self._run.folder.mark,
                models,
            )
        return self._process

    @property
    def run_apart(self) -> bool:
        """Whether the agent runs in a process of its own."""
        return self._settings["mobile-agent-process"].value == "on" and not self._is_inside

    def take_in(self) -> None:
        """Run the agent in this process from now on, as it is handed the task, which stays here."""
        self._is_inside = True
        self.end()

    def end(self) -> None:
        """End the agent's process, if there is one."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def start(self) -> None:
        """Start the agent's process, so that it is ready by the time of the first episode."""
        run = self._run
        named = run.agent is not None and (run.names_agent or not run.is_owner)
        if named and self.run_apart and run.program_if_named() is None:
            self.process  # asking for it starts it

    def check(self) -> None:
        """Load the agent that the command line names, so that an error is reported only once.

        Raises:
            pytest.UsageError: it cannot be loaded, or does not take its options.
        """
        from pytest_mobileagent.agent.process.wire import NEEDS

        if not self._run.is_owner or runs_no_test(self._config):
            return
        self._check_ocr()
        if not self._run.names_agent:
            return
        if (program := self._run.program_if_named()) is not None:
            check_program(program, self._settings, self._models, self._devices.source)
            self.asks = bool(program.used & _MCP)
            return
        try:
            if self.run_apart:
                about = self.process.load()
                needs = {name: about[name] for name in NEEDS}
                self.asks = about["asks"]
                if self._run.is_distributed:  # workers have their own
                    self.end()
            else:
                agent = self.load()
                self.options(agent)
                needs = {name: getattr(agent, name, ()) for name in NEEDS}
                self.asks = bool(getattr(agent, "asks", True))
        except AgentError as error:
            raise pytest.UsageError(printable(str(error))) from None
        self._check_extras([*needs["extras"], *(["models"] if needs["endpoints"] else [])])
        self._check_sees(needs["sees"])
        self._models.check(str(self._run.agent), needs["roles"], needs["endpoints"])

    def _check_sees(self, sees: Sequence[str]) -> None:
        """Check that the devices show all of a screen that the agent cannot do without."""
        if not sees or self._devices.source.is_live:
            return
        hidden = self._devices.source.hides()
        for what in sees:
            if what in hidden:
                shown = self._settings["mobile-device"]
                why = f"needs the {what} of each screen, and {shown}: {hidden[what]}"
                msg = f"--agent={self._run.agent} {why}"
                raise pytest.UsageError(printable(msg))

    def _check_extras(self, extras: Sequence[str]) -> None:
        """Check that the extras which the agent needs are installed."""
        try:
            for extra in extras:
                check_extra(extra, f"--agent={self._run.agent}")
        except HostError as error:
            raise pytest.UsageError(printable(str(error))) from None

    def _check_ocr(self) -> None:
        """Check that the OCR engine is installed, if one was chosen for this run."""
        ocr = self._settings["mobile-ocr"]
        if not (ocr.source.startswith("--") or (ocr.is_given and self._run.names_agent)):
            return
        engine = "easyocr" if ocr.value == "easyocr" else "vision"
        try:
            check_extra(engine, f"{ocr.option.flag}={ocr.text}: reading pictures")
        except HostError as error:
            raise pytest.UsageError(printable(str(error))) from None

    @property
    def plays_solutions(self) -> bool:
        """Whether the agent is handed the task, as one is that plays its solution."""
        try:
            if self._run.program is not None:
                return False
            if self.run_apart:
                return bool(self.process.load()["knows_task"])
            return hasattr(self.load(), "assign_task")
        except AgentError:  # which the first episode reports
            return False

    def load(self) -> type[Any]:
        """Import the agent's class into this process.

        Raises:
            AgentError: it cannot be imported.
        """
        from pytest_mobileagent.agent.registry import UnknownAgentError, find_agent

        assert self._run.agent is not None
        try:
            return find_agent(self._run.agent, folders(self._config, "agents")).load()
        except UnknownAgentError as error:
            raise AgentError(str(error)) from error
        except (Exception, SystemExit) as error:
            msg = f"--agent={self._run.agent} cannot be loaded: {in_one_line(error)}"
            raise AgentError(msg) from error

    def options(self, agent: Any) -> Any:
        """Return the agent's options, with what `--mobile-agent-option` gives.

        Raises:
            AgentError: it declares no such option.
        """
        from pytest_mobileagent.agent.options import BadOptionError, make_options

        declared = getattr(agent, "Options", object)
        name = getattr(agent, "__name__", str(self._run.agent))
        try:
            return make_options(name, declared, self._settings["mobile-agent-option"].value or ())
        except BadOptionError as error:
            msg = f"--mobile-agent-option {error}"
            raise AgentError(msg) from error

    def find(self) -> None:
        """Check that there is an agent of the name that the command line gives.

        A name from elsewhere may be meant for other folders: it is an error only for their tasks.

        Raises:
            pytest.UsageError: there is none.
        """
        from pytest_mobileagent.agent.registry import UnknownAgentError, find_agent

        if not self._run.names_agent or self._run.program_if_named() is not None:
            return
        try:
            find_agent(str(self._run.agent), folders(self._config, "agents"))
        except UnknownAgentError as error:
            raise pytest.UsageError(printable(str(error))) from None


_ADB = {"serial", "adb", "adb_port"}  # placeholders
_MCP = {"mcp_url", "mcp_config", "mcp_command"}


def check_program(
    program: Adapter, settings: Mapping[str, OptionValue], models: RunModels, source: Source
) -> None:
    """Check what a program needs, and that no option is given that only other agents have.

    Raises:
        pytest.UsageError: something is missing, or an option is not for programs.
    """
    from pytest_mobileagent.program.process.launch import engine
    from pytest_mobileagent.program.process.workplace import install

    agent = settings["agent"]
    if not needs_mcp_only(program):
        _check_adb(program, agent, source)
    _check_options(program, settings)
    try:
        check_extra("models", f"{agent}: recording the models of a program")
        if program.used & _MCP:
            check_extra("mcp", f"{agent}: an MCP server")
        if program.image:
            engine()
        if program.requirements is not None:
            install(program.requirements)
    except HostError as error:
        raise pytest.UsageError(printable(str(error))) from None
    models.check_for_program()


def _check_options(program: Adapter, settings: Mapping[str, OptionValue]) -> None:
    """Check that no option is given that only other agents have.

    Raises:
        pytest.UsageError: one is.
    """
    agent = settings["agent"]
    options = settings["mobile-agent-option"]
    if options.value:
        raise usage_error(options, ": a program has no such options; give it words of its command")
    if (pace := settings["mobile-pace"]).value:
        raise usage_error(pace, ": a program acts by itself, at its own pace")
    if (noise := settings["mobile-noise"]).value is not None and not needs_mcp_only(program):
        gets = (
            "it would drive adb past all noise" if program.used & _ADB else "it drives adb past it"
        )
        why = f"{gets}: let it use {{mcp_config}}, {{mcp_url}} or {{mcp_command}}, and no adb"
        raise usage_error(noise, f" with {agent.option.flag}={command_of(program, agent)}: {why}")
    if (path := settings["mobile-path"]).value == "single":
        raise usage_error(path, ": a program acts by itself, and nothing is done in its place")
    cache = settings["mobile-cache"]
    if cache.is_given and cache.value in {"all", "replay"}:
        raise usage_error(cache, ": a program asks models itself, and no reply of them is kept")


def caveats(program: Adapter) -> list[str]:
    """Return what a person should know about a program before it is run."""
    from pytest_mobileagent.program.placeholders import PREFIX, WITH_TOKENS, used

    found = []
    if program.real_keys:
        reach = "may reach any host" if program.network == "open" else "reaches models by its proxy"
        which = ", ".join(program.real_keys)
        found.append(
            f"{program.name} has real keys ({which}), and {reach} (network = {program.network!r})"
        )
    if program.shell:  # which replaces the placeholders itself
        return found
    return found + [
        f"{program.name}: {{{name}}} in its command shows all users of this machine a token of the "
        f"run; let the program read the variable {PREFIX}{name.upper()}, or a file in `files`"
        for name in WITH_TOKENS
        if name in used(program.command)
    ]


def needs_mcp_only(program: Adapter) -> bool:
    """Whether a program reaches the phone by MCP, and does not ask for adb."""
    return bool(program.used & _MCP) and not program.used & _ADB


def command_of(program: Adapter, agent: OptionValue) -> str:
    """Return how a program was named, without the words of its command, which may hold keys."""
    return "cmd:…" if program.path is None else str(agent.value)


def _check_adb(program: Adapter, agent: OptionValue, source: Source) -> None:
    from pytest_mobileagent.device.device import Address

    if source.reached_by is not Address:
        command = command_of(program, agent)
        why = (
            f"needs adb, and --mobile-device={source.shown} gives none (an MCP client works there)"
        )
        msg = f"{agent.option.flag}={command} {why}"
        raise pytest.UsageError(printable(msg))
