"""Every tool of the phone that accepts a pattern, with patterns that hang backtracking engines.

While the tool is running, another command on the same phone must be answered.
"""

from __future__ import annotations

import asyncio
import shlex
import signal
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.virtual.shell import patterns
from pytest_mobileagent.virtual.shell.interpreter import Session, run
from pytest_mobileagent.virtual.shell.session import Bytes, Collected

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.virtual.phone import Phone

PATIENCE = 60  # seconds; a phone under load needs one or two
LINE = "a" * 60 + "!"
EXTENDED = ["(a|aa)+$", r"(\w+)+\>$", r"(a*)*\1\1\1b"]
BASIC = [r"\(a\|aa\)\+$", r"\(\w\+\)\+\>$", r"\(a*\)*\1\1\1b"]
GLOBS = [
    f"{'a*' * 30}b", f"{'*a' * 30}b", f"{'*' * 60}b", f"{'*?' * 30}b", f"{'[a-z]*' * 30}b",
    f"{'?*' * 30}b", f"{'*[!b]' * 30}b", f"{'*[[:alpha:]]' * 30}b", f"*{'a*a' * 20}b",
    f"{'*a*' * 25}b",
]  # fmt: skip
SQL = [f"{'%a' * 20}b", f"{'%_' * 20}b", f"{'%' * 30}b", f"a{'%a%' * 20}b", f"{'_%' * 20}b"]
SQL += [each.replace("%", "*").replace("_", "?") for each in SQL]

# The commands; {} is the pattern, and the file `in` has lines that almost match it.
TOOLS = {
    **dict.fromkeys(
        [
            "grep -E {} in",
            "egrep {} in",
            "grep -Eo {} in",
            "grep -Ei {} in",
            "grep -Ecv {} in",
            "grep -Ew {} in",
            "grep -Ex {} in",
            "grep -E -e x -e {} in",
            "cat in | grep -E {}",
            "grep -rE {} .",
            "pgrep {}",
            "pgrep -f {}",
            "pgrep -x {}",
            "pkill -0 -f {}",
            "logcat -d -e {}",
            "logcat -d --regex={}",
            "timeout 5 grep -E {} in",
        ],
        EXTENDED,
    ),
    **dict.fromkeys(["grep {} in", "grep -w {} in", "grep -o {} in", "grep -n {} in"], BASIC),
    **dict.fromkeys(["sed {/p/d} in", "sed {s/p/x/} in", "sed {s/p/x/g} in"], BASIC),
    **dict.fromkeys(["sed -n {/p/,/p/p} in", "sed -i {s/p/x/g} in"], BASIC),
    **dict.fromkeys(["sed -E {s/p/x/g} in", "sed -nE {/p/!p} in"], EXTENDED),
    **dict.fromkeys(["find . -name {}", "find . -iname {}", "find . -path {}"], GLOBS),
    **dict.fromkeys(["case $v in <>) ;; esac", "[[ $v == <> ]]", "[[ $v != <> ]]"], GLOBS),
    **dict.fromkeys(["echo ${v#<>}", "echo ${v##<>}", "echo ${v%<>}", "echo ${v%%<>}"], GLOBS),
    **dict.fromkeys(["ls -d <>", "echo ./<>"], GLOBS),
    **dict.fromkeys(["sqlite3 :memory: \"SELECT '$v' LIKE '<>'\""], SQL[:5]),
    **dict.fromkeys(["sqlite3 :memory: \"SELECT '$v' GLOB '<>'\""], SQL[5:]),
}


def command(tool: str, pattern: str) -> str:
    if "{/p/" in tool or "{s/p/" in tool:  # a sed script
        script = tool[tool.index("{") + 1 : tool.index("}")]
        quoted = shlex.quote(script.replace("p/", f"{pattern}/", 2 if ",/p/" in tool else 1))
        return tool.replace("{" + script + "}", quoted)
    return tool.replace("<>", pattern).replace("{}", shlex.quote(pattern))


@pytest.fixture(autouse=True)
def _an_end() -> Iterator[None]:
    """Abort a test whose event loop is blocked."""
    signal.alarm(PATIENCE)
    yield
    signal.alarm(0)


def session(phone: Phone) -> tuple[Session, Collected, Collected]:
    out, err = Collected(), Collected()
    cwd = "/data/local/tmp"
    return (
        Session(phone=phone, uid=2000, stdin=Bytes(b""), stdout=out, stderr=err, cwd=cwd),
        out,
        err,
    )


@pytest.mark.parametrize("tool", TOOLS)
def test_no_pattern_stops_the_phone(
    phone: Phone, monkeypatch: pytest.MonkeyPatch, tool: str
) -> None:
    monkeypatch.setattr(patterns, "PATIENT", 0.02)
    phone.files.write("/data/local/tmp/in", f"{LINE}\n".encode() * 20, mode=0o666)
    phone.files.write(f"/data/local/tmp/{LINE}", b"", mode=0o666)
    phone.log.system("I", "tag", LINE)

    async def both(pattern: str) -> None:
        asked, _, err = session(phone)
        other, answer, _ = session(phone)
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(
                run(asked, f"v={shlex.quote(LINE)}; {command(tool, pattern)}"),
                run(other, "getprop ro.build.version.sdk"),
            )
        assert answer.data.strip().isdigit(), pattern
        complaint = err.data.decode()
        known = "too" in complaint or "permitted" in complaint or tool.startswith("ls")
        assert not complaint or known, (pattern, complaint)

    for pattern in TOOLS[tool]:
        asyncio.run(both(pattern))


def test_others_are_answered_while_a_pattern_takes_its_time(
    phone: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patterns, "PATIENT", 0.2)
    slow, _, err = session(phone)
    other, _, _ = session(phone)
    done: list[str] = []

    async def do(name: str, session: Session, script: str) -> None:
        await run(session, script)
        done.append(name)

    async def both() -> None:
        line = "printf '%0.5000d!' 0 | grep -E '(0|00)+\\1$'"
        await asyncio.gather(do("slow", slow, line), do("other", other, "echo"))

    asyncio.run(both())
    assert b"took too long" in err.data
    assert done == ["other", "slow"]


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("grep -E '(' in", "grep: bad REGEX '(': missing ), unterminated"),
        ("grep '[a' in", "grep: bad REGEX '[a': Missing ']'"),
        ("sed -E 's/(/x/' in", "sed: bad regex '(': missing ), unterminated"),
        ("pgrep '('", "pgrep: bad REGEX '(': missing ), unterminated"),
        ("logcat -d -e '('", "logcat: regex_error: missing ), unterminated"),
    ],
)  # fmt: skip
def test_invalid_patterns_are_reported_by_the_tool(phone: Phone, script: str, told: str) -> None:
    phone.files.write("/data/local/tmp/in", b"a\n", mode=0o666)
    asked, _, err = session(phone)
    assert asyncio.run(run(asked, script)) > 0
    assert err.data.decode().startswith(told)
