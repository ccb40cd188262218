"""Reads and compares `answers.toml`, a table of scripts with what they print."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path


def answers(folder: Path) -> list[Any]:
    """Return the rows of a folder's table, each with the defaults of its group, as parameters."""
    table = tomllib.loads((folder / "answers.toml").read_text("utf-8"))
    rows = [{**group, **row} for group in table.values() for row in group.pop("rows")]
    return [pytest.param(row, id=f"{at}: {row['run'][:80]}") for at, row in enumerate(rows)]


def differences(row: dict[str, Any], out: str, err: str, status: int) -> dict[str, Any]:
    """Return how a script's outcome differs from its row: names of columns, and what was found."""
    told = {"out": out, "err": err, "status": status}
    wrong = {name: told[name] for name in told if row.get(name, told[name]) != told[name]}
    for name in ("out", "err"):
        if not str(told[name]).startswith(row.get(f"{name}_begins", "")):
            wrong[f"{name}_begins"] = told[name]
    if not re.search(row.get("finds", ""), out, re.MULTILINE):
        wrong["finds"] = out
    return wrong
