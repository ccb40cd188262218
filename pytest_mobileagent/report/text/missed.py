"""What a test body missed, in one line: of what it asked for, what was there instead.

pytest explains a comparison with "Left" and "Right", which only the source of the test tells apart.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_OPERATORS = {ast.Eq: "==", ast.In: "in", ast.NotIn: "not in"}
_MORE = re.compile(r"(Left|Right) contains (?:one more item|(\d+) more items, first extra item): ")
_INDEX = re.compile(r"At index (\d+) diff: ")
_DIFFERS = re.compile(r"(?m)^ *(?:(?:Left|Right) contains|At index \d+ diff:) .*")


def nearest(reason: str, evidence: Mapping[str, Any]) -> str:
    """Return what came nearest to what a check sought: what it missed, else what it compared.

    `reason` and `evidence` are the verdict's, `reason` without the error that the episode ended in.
    """
    reason = re.sub(r"^SubGoalError: .*? did not hold: ", "", reason)
    words = missed({"reason": reason, "evidence": evidence})
    return words or ("" if evidence.get("check_held", False) else _as_compared(reason))


def _as_compared(reason: str) -> str:
    """Return what pytest says of the two sides of a comparison, from its explanation."""
    first, _, more = reason.partition("\n")
    line = first.removeprefix("AssertionError: ").removeprefix("assert ")
    # What two lists differ in tells more than their beginnings.
    differs = _DIFFERS.search(more)
    return f"{line}; {differs[0].strip()}" if differs else line


def missed(verdict: Mapping[str, Any]) -> str:
    """Return what the body of a failed check missed, by its verdict; empty if nothing tells.

    That is the message of the assert if it has one; else what came closest to what was looked for;
    else what differs between the two sides of a comparison.
    """
    evidence = verdict.get("evidence") or {}
    reason = str(verdict.get("reason") or "").removeprefix("AssertionError: ")
    if reason != verdict.get("reason") and not reason.startswith("assert "):
        return reason.partition("\nassert ")[0]
    found = evidence.get("closest")
    if isinstance(found, list | tuple):
        found = next(iter(found), "")
    if found:
        return "; ".join(line.strip(" ;") for line in str(found).splitlines())
    if evidence.get("check_held", False):
        return ""
    return _compared(str(evidence.get("sought") or ""), reason)


def _compared(sought: str, reason: str) -> str:
    """Return how the two sides differ of the comparison `sought`, by pytest's explanation."""
    sides = _sides(sought)
    first, *rest = reason.splitlines() or [""]
    if sides is None or not first.startswith("assert "):
        return ""
    left, operator, right = sides
    if operator in ("in", "not in"):
        element = _value(left, first, f" {operator} ", 0)
        there = _value(right, first, f" {operator} ", 1)
        if _probe(right) is None:
            opposite = "is not in" if operator == "in" else "is in"
            return f"{_row(element)} {opposite} {there}" if there != _name(right) else ""
        verb = "lacks" if operator == "in" else "has"
        has = f"; it is {there}" if operator == "in" and there != _name(right) else ""
        return f"{_name(right)} {verb} {_row(element)}{has}"
    swapped = _probe(left) is None and _probe(right) is not None
    name = _name(right if swapped else left)
    for line in rest:
        if at := _INDEX.match(line.strip()):
            return f"{name}, item {at[1]}: {line.strip()[at.end() :]}"
        if more := _MORE.match(line.strip()):
            verb = "also has" if (more[1] == "Left") is not swapped else "lacks"
            several = f"{more[2]} items, the first: " if more[2] else ""
            return f"{name} {verb} {several}{_row(line.strip()[more.end() :])}"
    actual, wanted = (_value(side, first, " == ", n) for n, side in enumerate((left, right)))
    if swapped:
        actual, wanted = wanted, actual
    return f"{name} is {actual}, not {wanted}" if actual != name else ""


def _sides(sought: str) -> tuple[ast.expr, str, ast.expr] | None:
    """Return the two sides of a comparison, and what compares them; None if it is none."""
    try:
        tree = ast.parse(sought, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if not isinstance(tree, ast.Compare) or len(tree.ops) != 1:
        return None
    operator = _OPERATORS.get(type(tree.ops[0]))
    return None if operator is None else (tree.left, operator, tree.comparators[0])


def _probe(side: ast.expr) -> str | None:
    match side:
        case ast.Call(func=ast.Attribute(attr="probe"), args=[ast.Constant(value=str(name))]):
            return name
    return None


def _name(side: ast.expr) -> str:
    """Return how one side is called: a probe by its name, all else as it stands in the source."""
    probe = _probe(side)
    return ast.unparse(side) if probe is None else f'probe "{probe}"'


def _row(words: str) -> str:
    """Return a row of a probe by its values alone: its columns stand in what was sought."""
    try:
        row = ast.literal_eval(words)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return words
    if not isinstance(row, dict) or not row:
        return words
    values = tuple(row.values())
    return repr(values if len(values) > 1 else values[0])


def _value(side: ast.expr, explanation: str, between: str, which: int) -> str:
    """Return what one side came to; as it stands in the source if pytest's words do not tell."""
    try:
        return repr(ast.literal_eval(side))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        values = explanation.removeprefix("assert ").split(between)
        return values[which] if len(values) == 2 else _name(side)
