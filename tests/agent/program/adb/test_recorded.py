"""What programs do with a phone that is recorded: unmodified clients, and the real adb."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.agent.program.adb.conftest import Recording


def test_a_command_keeps_its_output_its_errors_and_its_status(recording: Recording) -> None:
    done = recording.adb("shell", "echo out; echo err >&2; exit 3")
    assert (done.stdout, done.stderr, done.returncode) == (b"out\n", b"err\n", 3)
    (asked,) = recording.watching.asked
    assert asked.command.text.endswith(":echo out; echo err >&2; exit 3")
    assert asked.error == "exit status 3"


def test_what_is_on_the_screen_comes_byte_by_byte(recording: Recording) -> None:
    picture = recording.adb("exec-out", "screencap", "-p").stdout
    assert picture.startswith(b"\x89PNG")
    assert picture == recording.adb("exec-out", "screencap", "-p").stdout
