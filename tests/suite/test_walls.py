"""How reliably the suites' files of walls recognise walls, on thirty screens of both kinds."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from pytest_mobileagent import Screen
from pytest_mobileagent.check.walls import read, wall_on
from pytest_mobileagent.testing import make_screen

ROOT = Path(__file__).parents[2]
SCREENS = tomllib.loads(Path(__file__).with_name("walls.toml").read_text("utf-8"))["screen"]
WALLS = {suite: read(ROOT / "tasks" / suite / "walls.toml") for suite in ("spa_bench", "a3")}


def screen(package: str, shows: list[str]) -> Screen:
    """Return a screen of texts; one that begins with # is an id, followed by the text."""
    rows: list[Any] = []
    for each in shows:
        name, _, text = each[1:].partition(" ") if each[0] == "#" else ("", "", each)
        rows.append({"text": text, **({"resource-id": f"{package}:id/{name}"} if name else {})})
    return make_screen(*rows, package=package)


def test_patterns_find_walls_and_little_else() -> None:
    assert [each["wall"] for each in SCREENS].count(True) == len(SCREENS) / 2 == 15
    found = [
        (each, wall_on(WALLS[each["suite"]], screen(each["package"], each["shows"])) is not None)
        for each in SCREENS
    ]
    right = [each for each, says in found if says and each["wall"]]
    wrong = [each["shows"][0] for each, says in found if says and not each["wall"]]
    missed = [each["package"] for each, says in found if each["wall"] and not says]
    assert len(right) / (len(right) + len(wrong)) == pytest.approx(14 / 15)  # precision
    assert len(right) / 15 == pytest.approx(14 / 15)  # recall
    assert wrong == ["Account settings"]  # a page of linked accounts, for which a trial decides
    assert missed == ["com.einnovation.temu"]  # text in images, which judges can read


def test_no_recorded_page_of_an_app_in_use_is_a_wall() -> None:
    pages = sorted((ROOT / "fixtures" / "graphs").glob("*/pages/*.xml"))
    assert len(pages) > 10
    for page in pages:
        shown = Screen(page.read_text("utf-8"), b"", "org.coursera.android")
        assert [wall_on(walls, shown) for walls in WALLS.values()] == [None, None], page


def test_no_recording_of_a_real_app_in_use_is_a_wall(recordings: Path) -> None:
    pages = sorted(recordings.rglob("*.xml"))
    assert len(pages) > 10
    for page in pages:
        shown = Screen(page.read_text("utf-8", "replace"), b"")
        assert [wall_on(walls, shown) for walls in WALLS.values()] == [None, None], page
