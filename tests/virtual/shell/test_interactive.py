"""An interactive shell; and huge scripts and endless growth, which fail and harm nothing else."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.virtual.shell import expand, limits, session
from pytest_mobileagent.virtual.shell.interpreter import interactive
from pytest_mobileagent.virtual.shell.session import Pipe
from tests.virtual.answers import differences

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tests.virtual.shell.conftest import Shells

CONVERSATIONS = [
    ("echo a\necho b\n", "a\nb\n", "", 0),
    ("echo no newline", "no newline\n", "", 0),
    ("if true\nthen echo yes\nfi\n", "yes\n", "", 0),
    ("for i in 1 2\ndo\necho $i\ndone\n", "1\n2\n", "", 0),
    ("echo 'two\nlines'\n", "two\nlines\n", "", 0),
    ("echo a \\\nb\n", "a b\n", "", 0),
    ("echo a |\ncat\n", "a\n", "", 0),
    ("cat <<EOF\nhere $((1+1))\nEOF\necho after\n", "here 2\nafter\n", "", 0),
    ("x=1\necho $x\ncd /sdcard\npwd\n", "1\n/sdcard\n", "", 0),
    ('read x\ntyped\necho "<$x>"\n', "<typed>\n", "", 0),
    ("cat\nall the rest\nis input\n", "all the rest\nis input\n", "", 0),
    ("false\necho $?\nexit 3\necho never\n", "1\n", "", 3),
    ("false\n", "", "", 1),
    ("\n\n# comment\necho a\n", "a\n", "", 0),
    ("foo\necho on\n", "on\n", "/system/bin/sh: <stdin>[1]: foo: inaccessible or not found\n", 0),
    ("\necho )\necho gone\n", "", "/system/bin/sh: <stdin>[2]: syntax error: unexpected ')'\n", 1),
    ("echo 'a\n", "", "/system/bin/sh: <stdin>[1]: no closing quote\n", 1),
    ("set -- a b\necho $2\nf() {\necho f\n}\nf\n", "b\nf\n", "", 0),
]


@pytest.mark.parametrize(("text", "out", "err", "status"), CONVERSATIONS)
def test_lines_are_run(text: str, out: str, err: str, status: int, sh: Shells) -> None:
    assert sh.typed(text) == (out, err, status)


def test_a_terminal_has_a_prompt_and_survives_mistakes(sh: Shells) -> None:
    ended = sh.typed("echo )\ncd /sdcard\nif true; then\necho ${x?}\nfi\nfoo\necho on\n", tty=True)
    assert ended.out == "on\n"
    assert ended.err == (
        "emu64xa:/data/local/tmp $ /system/bin/sh: syntax error: unexpected ')'\n"
        "1|emu64xa:/data/local/tmp $ emu64xa:/sdcard $ > > "
        "/system/bin/sh: x: parameter null or not set\n"
        "1|emu64xa:/sdcard $ /system/bin/sh: foo: inaccessible or not found\n"
        "127|emu64xa:/sdcard $ emu64xa:/sdcard $ "
    )


class Line:
    """Both ends of a shell's streams."""

    shell: asyncio.Task[int]

    def __init__(self, stdin: Pipe, stdout: Pipe) -> None:
        self.stdin = stdin
        self.stdout = stdout

    async def ask(self, line: str) -> str:
        await self.stdin.write(line.encode() + b"\n")
        return (await self.stdout.read()).decode()


def talk(sh: Shells, conversation: Callable[[Line], Awaitable[None]], *, tty: bool = False) -> None:
    async def connect() -> None:
        line = Line(Pipe(), Pipe())
        session = sh.session(out=line.stdout)
        session.stdin, session.tty = line.stdin, tty
        line.shell = shell = asyncio.create_task(interactive(session))
        await conversation(line)
        shell.cancel()
        await asyncio.gather(shell, return_exceptions=True)

    asyncio.run(asyncio.wait_for(connect(), 5))


def test_an_answer_comes_before_the_next_question(sh: Shells) -> None:
    async def conversation(line: Line) -> None:
        for number in range(50):
            assert await line.ask(f"echo {number}") == f"{number}\n"

    talk(sh, conversation)


def test_half_a_construct_waits_for_the_other_half(sh: Shells) -> None:
    async def conversation(line: Line) -> None:
        await line.stdin.write(b"while read x; do\n")
        await line.stdin.write(b"echo got $x\n")
        await line.stdin.write(b"done <<EOF\n")
        await asyncio.sleep(0)
        assert await line.ask("one\nEOF") == "got one\n"

    talk(sh, conversation)


def test_ctrl_c_ends_the_command_and_not_the_shell(sh: Shells) -> None:
    async def conversation(line: Line) -> None:
        assert await line.ask("echo before; sleep 600") == "before\n"
        line.shell.cancel("SIGINT")
        assert await line.ask("echo $?") == "130\n"

    talk(sh, conversation, tty=True)


def test_an_endless_loop_lets_others_live(sh: Shells) -> None:
    async def conversation(line: Line) -> None:
        await line.stdin.write(b"while :; do :; done\n")
        for _ in range(20):
            await asyncio.sleep(0)
        assert not line.shell.done()

    talk(sh, conversation)


HUGE: dict[str, dict[str, Any]] = {
    "echo $((" + "(" * 5000: {"out": "", "status": 1},
    "echo $((" + "(" * 4000 + "1" + ")" * 4000 + "))": {"out": ""},
    "(" * 5000: {"out": ""},
    "[ " + "( " * 2000 + "]": {"out": ""},
    "true " + "a" * 3_000_000: {"out": "", "status": 0},
    "ls " + "a" * 3_000_000: {
        "err": "/system/bin/sh: ls: can't execute: Argument list too long\n",
        "status": 126,
    },
    "mkdir -p " + "a/" * 3000: {"out": "", "status": 1},
}


@pytest.mark.parametrize("script", HUGE, ids=lambda script: f"{len(script)} {script[:20]}")
def test_huge_scripts(sh: Shells, script: str) -> None:
    assert differences(HUGE[script], *sh(script)) == {}


def test_words_do_not_grow_without_end(sh: Shells, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expand, "WORDS", 1000)
    monkeypatch.setattr(session, "LINE", 1000)
    ended = sh("set -- a b; while :; do set -- $@ $@; done")
    assert ended.err.endswith("out of memory\n")
    assert sh("echo $(seq 1 2000)").err.endswith("out of memory\n")
    assert sh("head -n 1 /dev/zero").err == "head: Out of memory\n"


def test_forks_are_limited(sh: Shells, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PROCESSES", 50)
    ended = sh("f() { f | f; }; f")
    assert ended.out == ""
    assert "can't fork - try again\n" in ended.err


def test_base64_is_wrapped_as_before(sh: Shells) -> None:
    data = bytes(range(256)) * 1000
    for width in (0, 1, 4, 5, 76, 1000):
        lines = sh.raw(f"base64 -w {width}", stdin=data)[0]
        assert sh.raw("base64 -d", stdin=lines)[0] == data
        assert {len(line) for line in lines.split(b"\n")[:-2]} <= {width}
        assert lines.endswith(b"\n") == (width > 0)
    assert sh.raw("base64", stdin=b"")[0] == b""
