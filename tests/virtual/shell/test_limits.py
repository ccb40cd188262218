"""Huge scripts and endless growth: they fail, and the shell then works as before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.virtual.shell import expand, limits, session
from tests.virtual.answers import differences

if TYPE_CHECKING:
    from tests.virtual.shell.conftest import Shells

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
