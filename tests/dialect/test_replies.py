"""What each dialect makes of models' replies: the tables in `replies`, one for each dialect.

A table is a file of JSON lines. A line with a dialect and a frame says how the replies below it are
read; each of these has the expected actions, named parts and signal, or the beginning of an error.
Below a line with "strictly", replies are read as the original's code reads them, and an error has
how the original `ends`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_mobileagent import dialect
from pytest_mobileagent.action import action
from pytest_mobileagent.dialect import Decision, Dialect, DialectError, Frame
from pytest_mobileagent.perception.marks import Mark
from pytest_mobileagent.screen.element import Bounds

Line = dict[str, Any]
NAMES = {each.__name__: each for each in (*dialect.dialects().values(), *action.ACTIONS)}


def tables() -> dict[str, tuple[Line, list[Line]]]:
    """Return the heads of all tables, each with the replies below it, by a name."""
    found: dict[str, tuple[Line, list[Line]]] = {}
    for file in sorted((Path(__file__).parent / "replies").glob("*.jsonl")):
        for line in map(json.loads, file.read_text("utf-8").splitlines()):
            if "about" in line:
                rows: list[Line] = []
                found[f"{file.stem}: {line['about']} ({len(found)})"] = line, rows
            else:
                rows.append(line)
    return found


TABLES = tables()


@pytest.mark.parametrize("name", TABLES)
def test_replies_are_read_as_in_the_table(name: str) -> None:
    head, rows = TABLES[name]
    reader: Dialect = eval(head["dialect"], NAMES)
    given = head["frame"]
    marks = {label: Mark(label, Bounds(*box)) for label, box in given.get("marks", {}).items()}
    shown = tuple(given["shown"]) if "shown" in given else None
    frame = Frame(tuple(given["size"]), shown, marks)
    wrong = [(row, read) for row in rows if (read := result(reader, row, frame, head)) != row]
    assert wrong == []


def result(reader: Dialect, row: Line, frame: Frame, head: Line) -> Line:
    """Return what a dialect reads in a reply, in the form of a row."""
    parse = reader.parse_strictly if "strictly" in head else reader.parse
    found: Line = {"reply": row["reply"]}
    try:
        read = parse(row["reply"], frame)
    except DialectError as error:
        found = {"reply": error.words}
        ends = {"ends": error.on_error or reader.on_error} if "strictly" in head else {}
        begins = str(error).startswith(row.get("error", "no error is expected"))
        return found | {"error": row["error"] if begins else str(error)} | ends
    expected = tuple(eval(each, NAMES) for each in row.get("actions", ()))
    actions = row.get("actions") if read.actions == expected else [*map(repr, read.actions)]
    parts = {"said": dict(read.said)} if read.said else {}
    signal = {"signal": read.signal} if read.signal else {}
    assert read == Decision(read.actions, read.said, read.signal)
    return found | {"actions": actions} | parts | signal


def test_every_dialect_has_a_table() -> None:
    read = {type(eval(head["dialect"], NAMES)) for head, _ in TABLES.values()}
    assert read == {*dialect.dialects().values()}
