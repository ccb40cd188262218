"""The verdict of a gate in words: lines for a terminal, and Markdown for a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.plain import printable
from pytest_mobileagent.report.gate.finding import FAIL, INCONCLUSIVE, PASS
from pytest_mobileagent.report.text.markdown import escape, table

if TYPE_CHECKING:
    from collections.abc import Mapping

    Gate = Mapping[str, Any]

_SIGNS = {PASS: "✅", FAIL: "❌", INCONCLUSIVE: "❔"}


def text(gate: Gate) -> list[str]:
    """Return lines on a decision, as `Decision.to_wire` gives it: the verdict, then each bound."""
    lines = [f"gate {printable(gate['line'])}"]
    if len(gate["bounds"]) > 1:
        lines += [f"  {each['verdict']:<12} {printable(each['words'])}" for each in gate["bounds"]]
    return lines


def markdown(gate: Gate) -> list[str]:
    """Return lines of Markdown on a decision, as `Decision.to_wire` gives it."""
    rows = [
        (f"{_SIGNS[each['verdict']]} {each['verdict']}", each["words"]) for each in gate["bounds"]
    ]
    title = f"## {_SIGNS[gate['verdict']]} Gate: {gate['verdict']}"
    lines = [title, "", escape(gate["line"]), ""]
    return [*lines, *table(("verdict", "what was asked, and what was found"), rows), ""]
