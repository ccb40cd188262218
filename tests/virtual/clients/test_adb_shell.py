"""Commands over adb: output, errors, exit status, input, interactive shells, terminals."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.virtual.phones import BOTH_ADBS

if TYPE_CHECKING:
    from tests.virtual.phones import Adb, Running

pytestmark = BOTH_ADBS


PATIENCE = 10
BINARY = bytes(range(256)) * 300  # more than one block of every buffer on the way


def test_output_errors_and_status_arrive_apart(adb: Adb) -> None:
    done = adb.run("shell", "echo out; echo err >&2; exit 3")
    assert (done.returncode, done.stdout, done.stderr) == (3, b"out\n", b"err\n")


@pytest.mark.parametrize(
    ("script", "status"),
    [("true", 0), ("false", 1), ("nonsense", 127), ("exit 255", 255), ("exit 256", 0)],
)
def test_the_exit_status_is_that_of_the_command(adb: Adb, script: str, status: int) -> None:
    assert adb.run("shell", script).returncode == status


def test_the_old_protocol_merges_everything_and_knows_no_status(adb: Adb) -> None:
    done = adb.run("shell", "-x", "echo out; echo err >&2; exit 3")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"out\nerr\n", b"")


def test_words_are_joined_and_parsed_by_the_phone_s_shell(adb: Adb) -> None:
    assert adb.text("shell", "echo", "'a  b'", "$((1 + 2))", "ä€😀") == "a  b 3 ä€😀"


def test_input_reaches_the_command(adb: Adb) -> None:
    assert adb.run("shell", "cat", stdin=BINARY).stdout == BINARY


def test_a_command_that_reads_nothing_ends_anyway(adb: Adb) -> None:
    assert adb.text("shell", "echo done", stdin=bytes(1 << 21)) == "done"


@pytest.mark.parametrize("mode", ["exec-out", "shell"])
def test_binary_output_is_not_touched(running_phone: Running, mode: str) -> None:
    running_phone.phone.files.write("/data/local/tmp/binary", BINARY)
    assert running_phone.adb.run(mode, "cat /data/local/tmp/binary").stdout == BINARY


def test_exec_in_feeds_a_command(running_phone: Running) -> None:
    running_phone.adb.run("exec-in", "cat > /data/local/tmp/fed", stdin=BINARY)
    running_phone.loop.run(running_phone.all_commands_end())
    assert running_phone.phone.files.read("/data/local/tmp/fed") == BINARY


def test_a_script_on_stdin_is_run_line_by_line(adb: Adb) -> None:
    script = b"cd /data/local\npwd\nX=5\necho $X\nexit 7\necho never\n"
    done = adb.run("shell", stdin=script)
    assert (done.returncode, done.stdout) == (7, b"/data/local\n5\n")


def test_a_shell_that_stays_open_answers_each_line_at_once(adb: Adb) -> None:
    with subprocess.Popen(
        adb.command("shell"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=adb.env
    ) as shell:
        assert shell.stdin
        assert shell.stdout
        for word in (b"one", b"two"):
            shell.stdin.write(b"echo " + word + b"\n")
            shell.stdin.flush()
            assert shell.stdout.readline() == word + b"\n"
        shell.stdin.close()
        assert shell.wait(PATIENCE) == 0


def test_a_killed_client_takes_its_command_with_it(running_phone: Running) -> None:
    adb = running_phone.adb
    with subprocess.Popen(
        adb.command("shell", "echo up; sleep 1000"), stdout=subprocess.PIPE, env=adb.env
    ) as client:
        assert client.stdout
        assert client.stdout.readline() == b"up\n"
        client.kill()
    running_phone.loop.run(running_phone.all_commands_end())


class TestTerminal:
    """With -tt the phone gives the shell a terminal, and stdin is the keyboard."""

    def dialog(self, adb: Adb, *words: str, keys: bytes) -> tuple[bytes, int]:
        done = adb.run("shell", "-tt", *words, stdin=keys)
        return done.stdout, done.returncode

    def test_lines_end_as_on_a_terminal(self, adb: Adb) -> None:
        assert self.dialog(adb, "printf 'a\\nb\\n'", keys=b"") == (b"a\r\nb\r\n", 0)

    def test_keys_are_echoed_and_edited(self, adb: Adb) -> None:
        output, status = self.dialog(adb, "read LINE; echo got $LINE", keys=b"nopf\x7f\x7f\x7fee\r")
        assert output.replace(b"\b \b", b"<") == b"nopf<<<ee\r\ngot nee\r\n"
        assert status == 0

    def test_control_c_interrupts_the_command(self, adb: Adb) -> None:
        assert self.dialog(adb, "sleep 1000", keys=b"\x03") == (b"^C\r\n", 130)

    def test_control_c_does_not_end_an_interactive_shell(self, adb: Adb) -> None:
        with subprocess.Popen(
            adb.command("shell", "-tt"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=adb.env
        ) as shell:
            assert shell.stdin
            assert shell.stdout
            shell.stdin.write(b"echo up; sleep 1000\r")
            shell.stdin.flush()
            while shell.stdout.readline() != b"up\r\n":
                pass
            output, _ = shell.communicate(b"\x03exit 5\r", timeout=PATIENCE)
        assert b"^C\r\n" in output
        assert b"130|emu64xa:/ $ " in output
        assert shell.returncode == 5

    def test_control_d_ends_the_input(self, adb: Adb) -> None:
        output, status = self.dialog(adb, "cat", keys=b"x\r\x04")
        assert (output, status) == (b"x\r\nx\r\n", 0)

    def test_an_interactive_shell_prompts(self, adb: Adb) -> None:
        output, status = self.dialog(adb, keys=b"echo hi\rexit 4\r")
        assert b"emu64xa:/ $ " in output
        assert output.count(b"hi\r\n") == 2  # as typed, and as printed
        assert status == 4
