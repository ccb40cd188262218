from __future__ import annotations

import json
import math
import subprocess
import sys
from datetime import datetime
from enum import IntEnum, StrEnum
from fractions import Fraction
from pathlib import Path
from typing import Any

import execnet.gateway_base
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent import Tap
from pytest_mobileagent.plain import (
    append_line,
    expect,
    printable,
    to_line,
    to_wire,
    write_json,
)


class Text(str):
    """A text of a class of its own."""

    __slots__ = ()


class Whole:
    """A whole number as numpy has them."""

    def __index__(self) -> int:
        return 7


class Level(IntEnum):
    HIGH = 3


class Word(StrEnum):
    YES = "yes"


LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**31))  # execnet sends any number above, and none below
    | st.floats()
    | st.text(st.characters())
    | st.binary(max_size=5)
    | st.dates()
    | st.builds(Text, st.text(max_size=5))
    | st.sampled_from([Level.HIGH, Word.YES, Path("a"), Tap(1, 2), Tap, object(), 1j])
)
KEYS = st.none() | st.booleans() | st.integers() | st.text(st.characters()) | st.dates()
VALUES = st.recursive(
    LEAVES,
    lambda below: (
        st.lists(below)
        | st.tuples(below, below)
        | st.dictionaries(KEYS, below)
        | st.frozensets(st.integers(0) | st.text())
    ),
    max_leaves=10,
)


@given(VALUES)
def test_any_value_can_be_sent_to_another_process_and_comes_back_the_same(value: Any) -> None:
    wire = to_wire(value)
    assert execnet.gateway_base.loads(execnet.gateway_base.dumps(wire)) == wire


@given(VALUES)
def test_any_value_is_one_line_of_json(value: Any) -> None:
    line = to_line(value)
    assert "\n" not in line
    assert json.loads(line.encode()) == to_wire(value)


@given(VALUES)
def test_plain_data_stays_as_it_is(value: Any) -> None:
    assert to_wire(to_wire(value)) == to_wire(value)


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (math.nan, None),
        (-math.inf, None),
        (Level.HIGH, 3),
        (Word.YES, "yes"),
        (Text("Yes"), "Yes"),
        (Path("a/b"), "a/b"),
        ((1, (2,)), [1, [2]]),
        ({3}, [3]),
        ({1: "a", None: {Word.YES: b"b"}}, {"1": "a", "None": {"yes": "b'b'"}}),
        (datetime(2026, 5, 4, 8, 5), "2026-05-04 08:05:00"),
        ("half \ud83d", "half ?"),
        (Whole(), 7),
        (Fraction(1, 4), 0.25),
    ],
)
def test_all_else_becomes_its_text(value: object, plain: object) -> None:
    wire = to_wire(value)
    assert wire == plain
    assert type(wire) is type(plain)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_number_of_thousands_of_digits_cannot_be_written(sign: int) -> None:
    assert to_line({"a": sign * 10**5000}) == '{"a":null}'
    assert to_wire(sign * 10**3000) == sign * 10**3000


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    write_json(path, {"a": "ä"})
    assert path.read_text("utf-8") == '{\n  "a": "ä"\n}\n'

    class Broken:
        def __str__(self) -> str:
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_json(path, {"a": Broken()})
    assert json.loads(path.read_text("utf-8")) == {"a": "ä"}
    assert [file.name for file in tmp_path.iterdir()] == ["report.json"]


def test_nothing_is_left_of_a_file_for_which_there_is_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Path.write_text

    def full(path: Path, text: str, encoding: str) -> int:
        write(path, text[:2], encoding)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match="No space left"):
        write_json(tmp_path / "report.json", {"a": 1})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("value", "kind"),
    [("a", str), (1, int), (1, float), (1.5, float), (True, bool), (None, int | None), ([], list)],
)
def test_a_value_of_its_kind_is_returned(value: object, kind: Any) -> None:
    assert expect(value, kind, "it") is value


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (1, str),
        (True, int),
        (True, float),
        (True, int | None),
        (1, bool),
        (None, str),
        (math.nan, float),
        (math.inf, float),
        ({}, list),
    ],
)
def test_a_value_of_another_kind_is_refused(value: object, kind: Any) -> None:
    with pytest.raises(TypeError, match="it cannot be"):
        expect(value, kind, "it")


def test_lines_are_added_after_whatever_a_full_disk_left(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    append_line(path, "a")
    with path.open("a") as stream:
        stream.write("half")
    append_line(path, "b")
    append_line(path, "c")
    assert path.read_text() == "a\nhalf\nb\nc\n"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ä 中 👍\n\t", "plain ä 中 👍\n\t"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("a\rb\x07\x00", "a\\rb\\x07\\x00"),
        ("\u202eright to left", "\\u202eright to left"),
        ("\x9b31m", "\\x9b31m"),
        ("half \ud83d", "half \\ud83d"),
    ],
)
def test_what_would_control_a_terminal_is_spelled_out(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(st.text(st.characters()))
def test_whatever_is_printable_stays_so(text: str) -> None:
    assert printable(printable(text)) == printable(text)
    printable(text).encode()


def test_a_line_for_which_the_disk_has_too_little_room_is_told(tmp_path: Path) -> None:
    code = "import resource, sys, pathlib; from pytest_mobileagent.plain import append_line;"
    code += "resource.setrlimit(resource.RLIMIT_FSIZE, (6, 6));"
    code += "append_line(pathlib.Path(sys.argv[1]), 'ten letters')"
    path = tmp_path / "lines"
    arguments = [sys.executable, "-c", code, str(path)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert "OSError: [Errno 28] No space left on device" in done.stderr
    assert path.read_text() == "ten le"
