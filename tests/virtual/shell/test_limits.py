"""The limits of commands: exceeding one fails, and the shell then works as before."""

# ruff: noqa: E501 - tables are read across

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.virtual.shell import expand, streams

if TYPE_CHECKING:
    from tests.virtual.shell.conftest import Shells

SAID = [
    ("yes | head -n 1", "y\n", "", 0),
    ("yes a b | head -n 2 | tail -n 1", "a b\n", "", 0),
    ("seq 1 100000 | tail -n 2", "99999\n100000\n", "", 0),
    ("seq 1 10 | tail -n +9", "9\n10\n", "", 0),
    ("seq 1 100000 | tail -n +99999", "99999\n100000\n", "", 0),
    ("printf 'a\\rb\\nc' | tail -n 1; printf 'a\\n\\n' | tail -n 1; seq 3 | tail -c 2", "c\n3\n", "", 0),
    ("seq -w 8 11; seq 3 -1 1; seq -s , 3; seq 2 1", "08\n09\n10\n11\n3\n2\n1\n1,2,3\n", "", 0),
    ("seq 100000000000000000000 1000000000000000000000 | head -n 1", "100000000000000000000\n", "", 0),
    ("seq 1 50000 | wc; printf 'a b\\n c' | wc -w; printf 'é' | wc -m", "50000 50000 288894\n3\n1\n", "", 0),
    ("seq 1 50000 | md5sum", "c1d4ba52c72ac7bcc71ff2d6c083e684  -\n", "", 0),
    ("seq 1 50000 | sort -n | tail -n 1; seq 1 50000 | sort -r | head -n 1", "50000\n9999\n", "", 0),
    ("seq 1 50000 | sort -rn | tail -n 1", "1\n", "", 0),
    ("printf 'a\\na\\nb\\n' | uniq -c; printf '' | uniq", "      2 a\n      1 b\n", "", 0),
    ("dd if=/dev/zero bs=4 count=3 status=none | wc -c", "12\n", "", 0),
    ("printf abcdef | dd bs=2 skip=1 count=1", "cd", "1+0 records in\n1+0 records out\n2 bytes copied\n", 0),
    ("dd if=/dev/zero bs=1g", "", "dd: Out of memory\n", 1),
    ("printf '%01000000000d' 1", "", "printf: Out of memory\n", 1),
    ("printf '%.1000000000f' 1", "", "printf: Out of memory\n", 1),
    ("printf '%1000000000s%1000000000s' 1 2", "", "printf: Out of memory\n", 1),
    ("cat /dev/zero | grep x", "", "grep: -: Out of memory\n", 2),
    ("tail -n 1 /dev/zero", "", None, 1),
    ("sort /dev/zero", "", None, 2),
    ("echo {1..100000000}", "{1..100000000}\n", "", 0),
    ("x=$(cat /dev/zero); echo never", "", None, 1),
    ("x=$(yes); echo never", "", None, 1),
    ("x=aaaaaaaaaaaaaaaa; while :; do x=$x$x; done", "", None, 1),
    ("sqlite3 :memory: 'SELECT zeroblob(1000000000)'", "", None, 1 + 17),
    ("sqlite3 :memory: 'PRAGMA hard_heap_limit=1'", "", None, 23),
    ("f() { f; }; f", "", "Segmentation fault\n", 139),
    ("f() { x=$(f); }; f", "", None, None),
    ("f() { eval f; }; f", "", "Segmentation fault\n", 139),
    ("f() { f | f; }; f", "", None, None),
    ("f() { (f); }; f", "", None, None),
    ("echo $((" + "(" * 5000, "", None, 1),
    ("echo $((" + "(" * 4000 + "1" + ")" * 4000 + "))", "", None, None),
    ("(" * 5000, "", None, None),
    ("[ " + "( " * 2000 + "]", "", None, None),
    ("true " + "a" * 3_000_000, "", None, 0),
    ("ls " + "a" * 3_000_000, "", "/system/bin/sh: ls: can't execute: Argument list too long\n", 126),
    ("mkdir -p " + "a/" * 3000, "", None, 1),
]  # fmt: skip


@pytest.mark.parametrize(
    ("script", "out", "err", "status"),
    SAID,
    ids=[f"{at} {case[0][:60]}" for at, case in enumerate(SAID)],
)
def test_output_at_limits(
    sh: Shells, script: str, out: str | None, err: str | None, status: int | None
) -> None:
    ended = sh(script)
    assert out is None or ended.out == out
    assert err is None or ended.err == err
    assert status is None or ended.status == status


def test_words_do_not_grow_without_end(sh: Shells, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expand, "WORDS", 1000)
    monkeypatch.setattr(streams, "LINE", 1000)
    ended = sh("set -- a b; while :; do set -- $@ $@; done")
    assert ended.err.endswith("out of memory\n")
    assert sh("echo $(seq 1 2000)").err.endswith("out of memory\n")
    assert sh("head -n 1 /dev/zero").err == "head: Out of memory\n"


def test_base64_is_wrapped_as_before(sh: Shells) -> None:
    data = bytes(range(256)) * 1000
    for width in (0, 1, 4, 5, 76, 1000):
        lines = sh.raw(f"base64 -w {width}", stdin=data)[0]
        assert sh.raw("base64 -d", stdin=lines)[0] == data
        assert {len(line) for line in lines.split(b"\n")[:-2]} <= {width}
        assert lines.endswith(b"\n") == (width > 0)
    assert sh.raw("base64", stdin=b"")[0] == b""
