"""What each dialect reads in replies, and what it prints: the tables in `replies`.

A table is a file of JSON lines. A line with a dialect and a frame says how the replies below it are
read; each of these has the expected actions, named parts and signal, or the beginning of an error.
Below a line with "strictly", replies are read as the original's code reads them, and an error has
how the original `ends`. A line that `prints` actions has the reply that expresses them, or the
error.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_mobileagent import dialect
from pytest_mobileagent.action import ACTIONS
from pytest_mobileagent.dialect import Decision, Dialect, DialectError, Frame
from pytest_mobileagent.perception.marks import Mark
from pytest_mobileagent.screen.element import Bounds, Element

Line = dict[str, Any]
NAMES = {each.__name__: each for each in (*dialect.dialects().values(), *ACTIONS)}


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
    frame = frame_of(head["frame"])
    wrong = [(row, read) for row in rows if (read := result(reader, row, frame, head)) != row]
    assert wrong == []


def frame_of(given: Line) -> Frame:
    """Return a frame; a mark whose class is given has an element."""
    classes = given.get("classes", {})
    shown = tuple(given["shown"]) if "shown" in given else None
    marks = {}
    for label, box in given.get("marks", {}).items():
        bounds, kind = Bounds(*box), classes.get(label)
        marks[label] = Mark(label, bounds, Element(kind, bounds=bounds) if kind else None)
    return Frame(tuple(given["size"]), shown, marks)


def result(reader: Dialect, row: Line, frame: Frame, head: Line) -> Line:
    """Return what a dialect reads in a reply, or prints, in the form of a row."""
    if "prints" in row:
        return printed(reader, row, frame)
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


def printed(reader: Dialect, row: Line, frame: Frame) -> Line:
    actions = tuple(eval(each, NAMES) for each in row["prints"])
    decision = Decision(actions, row.get("said", {}), row.get("signal", ""))
    given = {name: row[name] for name in ("prints", "said", "signal") if name in row}
    try:
        return given | {"reply": reader.print(decision, frame)}
    except DialectError as error:
        return given | {"error": str(error)}


def test_every_dialect_has_a_table() -> None:
    read = {type(eval(head["dialect"], NAMES)) for head, _ in TABLES.values()}
    assert read == {*dialect.dialects().values()}
