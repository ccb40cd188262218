"""The saved attributes of services are restored with their types."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from pytest_mobileagent.virtual.snapshots import Kept


@dataclass(frozen=True)
class Part:
    name: str
    marks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Whole:
    parts: list[Part]
    first: Part | None = None


@dataclass
class Shelf(Kept):
    KEPT = ("_by_number", "by_name", "last", "none", "count")

    _by_number: dict[int, Whole] = field(default_factory=dict)
    by_name: dict[str, list[str]] = field(default_factory=dict)
    last: Part | None = None
    none: Part | None = None
    count: int = 0
    other: str = ""


def test_dataclasses_in_containers_survive_json():
    part = Part("a", ("b", "c"))
    shelf = Shelf({7: Whole([part], part)}, {"x": ["y"]}, part, None, 3, "kept by nobody")
    saved = json.loads(json.dumps(shelf.save()))
    again = Shelf()
    again.load(saved)
    assert again == Shelf({7: Whole([part], part)}, {"x": ["y"]}, part, None, 3)
