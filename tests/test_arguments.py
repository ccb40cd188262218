"""Tests of invalid option values: numbers that are not decimal, and terminal control characters."""

from __future__ import annotations

import pytest

from pytest_mobileagent.arguments import Parser
from pytest_mobileagent.device.device import parse_settle
from pytest_mobileagent.llm.budget import parse_limit
from pytest_mobileagent.plugin.options import epochs, positive, shard, whole


def test_an_error_of_a_command_sends_nothing_on_to_the_terminal(capsys):
    with pytest.raises(SystemExit):
        Parser(prog="x").parse_args(["--a\x1b[2J"])
    said = capsys.readouterr().err
    assert "\x1b" not in said
    assert "--a\\x1b[2J" in said


@pytest.mark.parametrize("read", [whole(1), positive, epochs, parse_limit, parse_settle, shard])
def test_no_option_accepts_other_than_decimal_numbers(read):
    for number in ("１２", "9" * 400, "１/2", f"1/{'9' * 400}"):
        with pytest.raises(ValueError, match=r"must be|seconds"):
            read(number)
