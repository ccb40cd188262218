"""Warnings about an agent program before it runs."""

from __future__ import annotations

import pytest

from pytest_mobileagent.plugin.agents import caveats
from pytest_mobileagent.program import Adapter


@pytest.mark.parametrize("name", ["mcp_url", "openai_base_url", "anthropic_base_url"])
def test_a_url_with_a_token_in_a_command_is_pointed_out(name):
    (caveat,) = caveats(Adapter("theirs", ("python", "run.py", f"--url={{{name}}}")))
    assert caveat.startswith(f"theirs: {{{name}}} in its command shows all users of this machine")
    assert f"the variable MOBILEAGENT_{name.upper()}, or a file" in caveat


@pytest.mark.parametrize(
    "more", [{}, {"env": {"URL": "{mcp_url}"}}, {"stdin": "{mcp_url}"}, {"shell": True}]
)
def test_nothing_is_pointed_out_on_a_machine_of_one_user(more):
    word = "{mcp_url}" if more.get("shell") else "{mcp_config} {mcp_command} {{mcp_url}}"
    assert caveats(Adapter("theirs", (word,), **more)) == []


@pytest.mark.parametrize(
    "options",
    [
        {"env": {"PORT": "{openai_port}"}},
        {"command": ("run.py --port $MOBILEAGENT_OPENAI_PORT",), "shell": True},
    ],
)
def test_a_port_without_a_token_is_pointed_out(options):
    (caveat,) = caveats(Adapter(**{"name": "theirs", "command": ("run.py",), **options}))
    assert caveat.startswith("theirs calls models at a port without a token")
    assert caveats(Adapter("theirs", ("run.py", "$MOBILEAGENT_OPENAI_PORT"))) == []


def test_the_header_of_a_run_points_it_out(pytester):
    pytester.makepyfile("def test_nothing(): pass")
    result = pytester.runpytest_inprocess("--agent=cmd:cat {mcp_url}", "--collect-only")
    result.stdout.fnmatch_lines(["  cat: {mcp_url} in its command shows all users *"])
