"""The files of written instructions: the drafts with people's decisions, and the resulting tasks.

    new.jsonl.draft   a line for each instruction as the model wrote it, then one for each decision
    new.jsonl         the rows of tasks: the instructions that a person kept; with --unreviewed,
                      all verified ones

The drafts have no "goal" column, so they cannot be mistaken for tasks.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pytest_mobileagent._task.wording import literal
from pytest_mobileagent.action import Finish
from pytest_mobileagent.action.matching import Golden, golden_from_json, golden_to_json
from pytest_mobileagent.draft.edits import draft_of
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.fileio import append_line, parse_json, read_text, replacing, writing
from pytest_mobileagent.instruct.routes import episode_screens, graph_screens
from pytest_mobileagent.jsonable import check, to_line, why_unreadable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent.instruct.gias import WrittenInstruction
    from pytest_mobileagent.screen import Screen

_SIZES = {1: "simple", 2: "complex", 3: "long"}
_KEEP, _DROP, _UNDO = "keep", "drop", "undo"
DECISIONS = (_KEEP, _DROP, _UNDO)
_KINDS = {
    "id": str, "instruction": str, "instructions": [str], "golden": list, "level": int,
    "language": str,
    "verified": {"passed": bool, "reason": str, "redundant": list, "repeats": str},
    "origin": dict,
}  # fmt: skip
_DECISION = {"decision": str, "id": str, "instruction": str, "who": str, "note": str, "time": str}


@dataclass(frozen=True, slots=True)
class HumanDecision:
    """A person's decision: whether an instruction is kept, its final wording, who, why and when."""

    kept: bool
    instruction: str
    who: str
    note: str = ""
    time: str = ""


@dataclass(frozen=True, slots=True)
class DraftInstruction:
    """An instruction that a model wrote, as plain data, with the effective decision on it."""

    row: Mapping[str, Any]
    decision: HumanDecision | None = None

    @property
    def id(self) -> str:
        """The id of the instruction."""
        return str(self.row["id"])

    @property
    def instruction(self) -> str:
        """The effective wording: the person's, or else the model's."""
        return self.decision.instruction if self.decision else str(self.row["instruction"])

    @property
    def golden(self) -> tuple[Golden, ...]:
        """The action on each page except the last."""
        return tuple(map(golden_from_json, self.row["golden"]))


def check_new(path: Path) -> None:
    """Check that a new table can be written to a path.

    Raises:
        ValueError: if the path does not end with .jsonl, or the file or its draft exists.
    """
    if path.suffix != ".jsonl":
        raise ValueError(f"-o {path} must end with .jsonl")
    if there := [each for each in (path, draft_of(path)) if each.exists()]:
        raise ValueError(f"{there[0]} already exists and is not overwritten: name a new file")


def write_new(
    path: Path, written: Iterable[WrittenInstruction], *, unreviewed: bool
) -> list[DraftInstruction]:
    """Write the drafts of a new table, and the table, which is empty unless `unreviewed`.

    Raises:
        HostError: if a file cannot be written.
    """
    drafts = [DraftInstruction(_row(each, path.parent)) for each in written]
    with writing(draft_of(path)):
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft_of(path).open("x", encoding="utf-8") as file:
            file.writelines(f"{to_line(each.row)}\n" for each in drafts)
    _write_tasks(path, [d for d in drafts if unreviewed and d.row["verified"]["passed"]])
    return drafts


def read_drafts(path: Path) -> list[DraftInstruction]:
    """Return all drafts beside a table, with people's decisions.

    Raises:
        RecordError: if they cannot be read; the message names the file and the line.
    """
    file = draft_of(path)
    rows: dict[str, DraftInstruction] = {}
    try:
        lines = read_text(file, follows=True).split("\n")
    except (OSError, ValueError) as error:
        msg = f"{file} cannot be read: {error}: `instruct RUN -o {path}` writes it"
        raise RecordError(msg) from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            data = parse_json(line)
            if isinstance(data, dict) and "decision" in data:
                found = _whole(data, _DECISION, "decision")
                rows[found["id"]] = DraftInstruction(rows[found["id"]].row, _decision(found))
            else:
                row = _whole(data, _KINDS, "row")
                rows[row["id"]] = DraftInstruction(row)
        except (ValueError, LookupError, TypeError) as error:
            msg = f"{file}, line {number} is damaged: {why_unreadable(error)}"
            raise RecordError(msg) from error
    return [*rows.values()]


def decide(
    path: Path,
    draft: DraftInstruction,
    decision: str,
    *,
    who: str,
    instruction: str = "",
    note: str = "",
) -> None:
    """Add a person's decision on a draft, and rewrite the table according to all decisions.

    An `instruction` replaces the wording of the model, which remains in the draft.

    Raises:
        ValueError: if there is no such decision.
        HostError, RecordError: if a file cannot be written, or the drafts cannot be read.
    """
    words = " ".join(instruction.split()) or str(draft.row["instruction"])
    if decision not in DECISIONS:
        raise ValueError(f"{decision!r} is not one of {', '.join(DECISIONS)}")
    line = {
        "decision": decision,
        "id": draft.id,
        "instruction": words,
        "who": who,
        "note": note,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    with writing(draft_of(path)):
        append_line(draft_of(path), to_line(line))
    _write_tasks(path, [d for d in read_drafts(path) if d.decision and d.decision.kept])


def pages_of(draft: DraftInstruction, table: Path) -> tuple[Screen, ...]:
    """Return all pages of a draft's trajectory, including the last; `table` is the draft's table.

    Raises:
        MobileAgentError, LeftOutError: if the pages cannot be read.
    """
    origin = draft.row["origin"]
    if "graph" in origin:
        place = table.parent / str(origin["graph"])
        return graph_screens(place, [each.page for each in draft.golden])
    place = table.parent / str(origin.get("episode"))
    screens = episode_screens(place)
    if len(screens) != len(draft.golden):
        raise RecordError(f"{place} is not the episode that {draft.id} was written for")
    return screens


def _whole(data: Any, kinds: Mapping[str, Any], what: str) -> dict[str, Any]:
    """Return the data if it has all required fields.

    Raises:
        TypeError, LookupError: if a field is missing or has the wrong type.
    """
    found: dict[str, Any] = check(data, kinds, what)
    if missing := [name for name in kinds if name not in found]:
        raise KeyError(missing[0])
    return found


def _decision(data: Mapping[str, Any]) -> HumanDecision | None:
    if data["decision"] == _UNDO:
        return None
    words = (str(data[name]) for name in ("instruction", "who", "note", "time"))
    return HumanDecision(data["decision"] == _KEEP, *words)


def _row(written: WrittenInstruction, folder: Path) -> dict[str, Any]:
    """Return the row of an instruction; its origin is relative to the folder of the table."""
    route = written.route
    last = Golden(Finish(), route.golden[-1].size, (), route.page)
    place = {
        name: os.path.relpath(value, folder) if name in {"episode", "graph"} else value
        for name, value in route.origin.items()
    }
    several = len(route.packages) > 1
    return {
        "id": route.id,
        "instruction": written.instruction,
        "app": route.packages[0] if route.packages else "",
        "apps": list(route.packages) if several else [],
        "kind": "cross-app" if several else "operation",
        "language": route.language,
        "level": route.level,
        "tags": [_SIZES[route.level]],
        "golden_steps": len(route.golden),
        "golden": [golden_to_json(each) for each in (*route.golden, last)],
        "fewest_steps": route.fewest,
        "instructions": list(written.steps),
        "step_by_step": list(written.merged),
        "verified": written.verified.to_json(),
        "snapshot": route.snapshot,
        "page": route.page,
        "source": route.suite,
        "origin": place,
    }


def _write_tasks(path: Path, drafts: Sequence[DraftInstruction]) -> None:
    """Write the table of tasks, completely or not at all."""
    lines = []
    for each in drafts:
        row = {name: value for name, value in each.row.items() if name != "instruction"}
        # Braces are doubled, because single ones would be placeholders in a goal.
        row = {"id": each.id, "goal": literal(each.instruction), **row}
        if each.decision is not None:
            edited = each.decision.instruction != each.row["instruction"]
            row["reviewed"] = {"who": each.decision.who, "edited": edited}
        lines.append(f"{to_line(row)}\n")
    with writing(path), replacing(path) as file:
        file.write("".join(lines).encode())
