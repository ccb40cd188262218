"""Programs from outside as agents: what they need, checked before a device starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.plain import printable
from pytest_mobileagent.plugin.options import usage_error

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.device.sources.source import Source
    from pytest_mobileagent.plugin.models import RunModels
    from pytest_mobileagent.plugin.options import OptionValue
    from pytest_mobileagent.program.adapter import Adapter

_ADB = {"serial", "adb", "adb_port"}  # placeholders
_MCP = {"mcp_url", "mcp_config", "mcp_command"}


def check_program(
    program: Adapter, settings: Mapping[str, OptionValue], models: RunModels, source: Source
) -> None:
    """Check what a program needs, and that no option is given that only other agents have.

    Raises:
        pytest.UsageError: something is missing, or an option is not for programs.
    """
    from pytest_mobileagent.extras import check_extra
    from pytest_mobileagent.program.process.launch import engine
    from pytest_mobileagent.program.process.workplace import install

    agent = settings["agent"]
    if not needs_mcp_only(program):
        _check_adb(program, agent, source)
    options = settings["mobile-agent-option"]
    if options.value:
        raise usage_error(options, ": a program has no such options; give it words of its command")
    cache = settings["mobile-cache"]
    if cache.is_given and cache.value in {"all", "replay"}:
        raise usage_error(cache, ": a program asks models itself, and no reply of them is kept")
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


def _check_adb(program: Adapter, agent: OptionValue, source: Source) -> None:
    from pytest_mobileagent.device.device import Address

    if source.reached_by is not Address:
        command = "cmd:…" if program.path is None else str(agent.value)
        why = (
            f"needs adb, and --mobile-device={source.shown} gives none (an MCP client works there)"
        )
        msg = f"{agent.option.flag}={command} {why}"
        raise pytest.UsageError(printable(msg))
