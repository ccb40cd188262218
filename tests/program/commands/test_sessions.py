"""What is typed into an interactive shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import Raw, Tap
from pytest_mobileagent.program.commands.sockets import ShellSession

if TYPE_CHECKING:
    from pytest_mobileagent.program.commands import Act


def done(*data: bytes) -> list[tuple[Act, ...]]:
    session = ShellSession()
    return [command.acts for each in data for command in session.feed(each)]


@pytest.mark.parametrize(
    ("data", "acts"),
    [
        ((b"input tap 1 2\n",), [(Tap(1, 2),)]),
        ((b"input tap 1 2\r",), [(Tap(1, 2),)]),  # as a terminal sends it
        ((b"ls\ninput tap 1 2\n",), [(), (Tap(1, 2),)]),
        ((b"input t", b"ap 1", b" 2\nexit\n"), [(Tap(1, 2),), ()]),
        ((b"input tap 1 2",), []),  # the line has not ended
        ((b"input tap \\\n1 2\n",), [(), (Tap(1, 2),)]),
        ((b"sh -c 'input tap 1 2\n'\n",), [(), (Tap(1, 2),)]),
        ((b"cat <<E\ninput tap 1 2\nE\n",), [(), (Tap(1, 2),), ()]),
        ((b"echo it's\ninput tap 1 2\n'\n",), [(), (), ()]),
        ((b"\xff\n",), [()]),
    ],
)
def test_each_line_is_a_command(data: tuple[bytes, ...], acts: list[tuple[Act, ...]]) -> None:
    assert done(*data) == acts


def test_a_quote_that_never_ends_hides_nothing_for_long() -> None:
    lines = done(b"echo '\n" + b"input tap 1 2\n" * 200)
    assert any(isinstance(act, Raw | Tap) for acts in lines for act in acts)


def test_a_line_without_end_is_read_at_last() -> None:
    session = ShellSession()
    assert session.feed(b"input tap 1 2;" + b" " * (1 << 20))[0].acts == (Tap(1, 2),)


@given(st.lists(st.binary(max_size=12)))
def test_each_end_of_a_line_gives_a_command(parts: list[bytes]) -> None:
    session = ShellSession()
    commands = [command for part in parts for command in session.feed(part)]
    whole = b"".join(parts)
    assert whole.count(b"\n") <= len(commands) <= whole.count(b"\n") + whole.count(b"\r")
