"""Tests of the leaderboard in a real browser: by pointer, by keyboard, and for screen readers."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_mobileagent.report.html.page import shell
from tests.flaws import flaws
from tests.report.html.page.conftest import HOSTILE, Reader, packed

pytestmark = pytest.mark.slow  # starts a browser

NUMBERS: dict[str, Any] = {
    "tasks": 20, "decided": 20, "successes": 10, "success_rate": 0.5, "interval": [0.3, 0.7],
    "partial_credit": None, "mean_step_ratio": 1.5, "mean_steps": 6.5, "mean_tokens": 31_000,
    "mean_cost_usd": 0.04, "cost_usd": 0.8, "unpriced_calls": 0, "estimated": 0,
    "seconds_per_step": 3.1,
}  # fmt: skip


def run(name: str, rate: float = 0.5, **fields: Any) -> dict[str, Any]:
    """Return the page's data about a run."""
    own = {**NUMBERS, "success_rate": rate, "interval": [max(0, rate - 0.2), min(1, rate + 0.2)]}
    return {
        "name": name, "agent": name, "id": f"run-{name}", "models": ["openai:gpt-4o"],
        "judges": [], "started": "2026-11-22T09:30:00+00:00", "ended": "2026", "device": "virtual",
        "virtual": False, "plugin": "1.0", "epochs": 1, "different": 20, "scorers": {"check": 20},
        "obstacles": [], "places": [1, 1], "peers": [], "notes": [], "judge_cost_usd": None,
        **own, "suites": {"clock": own, "notes": {**own, "success_rate": rate / 2}}, **fields,
    }  # fmt: skip


def task(number: int, *outcomes: str) -> dict[str, Any]:
    passed = outcomes.count("passed")
    return {
        "id": f"clock/t{number}", "environment": None, "suite": "clock", "outcomes": outcomes,
        "passed": passed, "decided": len(outcomes), "steps": 4.5, "golden_steps": 3,
        "cost_usd": 0.01, "endings": ["self-reported"],
    }  # fmt: skip


@pytest.fixture
def read(chrome, tmp_path):
    """Yield a function that writes and opens a page of runs; the browser's log must stay empty."""

    def open_(*runs: dict[str, Any], warnings: Any = (), tasks: Any = ()) -> Reader:
        suites = sorted({name for each in runs for name in each["suites"]})
        index = {"version": 1, "suites": suites, "warnings": warnings, "runs": runs}
        before, after = shell("Leaderboard", kind="leaderboard")
        parts = [packed("index", index)]
        parts += [packed(f"t:{place}", each) for place, each in enumerate(tasks)]
        path = tmp_path / "board.html"
        path.write_bytes(b"".join([before, *parts, after]))
        reader = Reader(chrome, path)
        reader.until("document.querySelector('.opener, #problem:not([hidden])')")
        return reader

    chrome.get_log("browser")
    yield open_
    chrome.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert [each["message"] for each in chrome.get_log("browser")] == []


def agents(reader: Reader) -> list[str]:
    return reader.texts("#board .opener")


def test_runs_are_sorted_by_success_with_their_possible_ranks(read):
    unranked = run("late", 0.4, obstacles=["other seeds"], places=None)
    reader = read(
        run("t3a", 0.3, places=[2, 3]), unranked, run("m3a", 0.9), run("old", 0.35, places=[2, 3])
    )
    assert agents(reader) == ["m3a", "late", "old", "t3a"]
    places = reader.texts("#board .entry .place")
    assert places == ["1", "not ranked", "2 to 3", "2 to 3"]
    assert "other seeds" in reader.texts("#board .entry th")[1]
    assert "90.0 %" in reader.texts("#board .entry .sure")[0]
    assert reader.texts("#board thead th")[:3] == ["Place", "Run", "Success ▼"]


def test_row_expands_to_suites_tasks_and_remarks(read):
    first = run("m3a", 0.9, notes=["3 attempts lost to infrastructure"], peers=[1], places=[1, 2])
    tasks = [task(number, "passed", "failed") for number in range(250)]
    reader = read(first, run("t3a"), tasks=[tasks, []])
    reader.click("#row-0 .opener")
    reader.sees("#inner-0", "Not distinguishable from t3a.")
    assert "3 attempts lost to infrastructure." in reader.texts("#inner-0 li")
    assert "clock" in reader.texts("#inner-0 tbody th")
    assert reader.ask("document.querySelectorAll('#inner-0 .sequence').length") == 200
    assert flaws(reader.chrome) == []
    reader.click("#inner-0 .lists button")
    assert reader.ask("document.querySelectorAll('#inner-0 .sequence').length") == 250
    label = "document.querySelector('#inner-0 .sequence').getAttribute('aria-label')"
    assert reader.ask(label) == "passed, failed"
    reader.click("#row-0 .opener")
    assert reader.ask("document.querySelector('#inner-0').hidden")


def test_interval_of_a_row_is_drawn_behind_all_bars(read):
    reader = read(run("m3a", 0.6, peers=[1]), run("t3a", 0.5, peers=[0]), run("x", 0.1))
    reader.ask("document.querySelector('#row-0 .opener').focus()")
    style = "document.querySelector('#board').style.getPropertyValue"
    low, high = (float(reader.ask(f"{style}('--{end}')")[:-1]) for end in ("low", "high"))
    assert (low, high) == pytest.approx((40, 80))
    assert reader.ask("[...document.querySelectorAll('.peer')].map((row) => row.id)") == [
        "row-0",
        "row-1",
    ]


def test_columns_sort_by_keyboard_with_unknown_numbers_last(read):
    reader = read(
        run("b", 0.5, mean_cost_usd=0.5), run("a", 0.4, mean_cost_usd=None), run("c", 0.6)
    )
    reader.ask("[...document.querySelectorAll('#board thead button')].find("
               "(each) => each.textContent === 'Price').focus()")  # fmt: skip
    reader.press("\ue007")
    assert agents(reader) == ["c", "b", "a"]
    assert reader.ask("document.activeElement.textContent") == "Price ▲"
    reader.press("\ue007")
    assert agents(reader) == ["b", "c", "a"]
    sorts = "[...document.querySelectorAll('#board thead th')].map((each) => each.ariaSort)"
    assert [each for each in reader.ask(sorts) if each] == ["descending"]


def test_everything_works_by_keyboard(read):
    reader = read(run("m3a", 0.9), run("t3a"), tasks=[[task(1, "passed")], []])
    columns = reader.ask("document.querySelectorAll('#board thead button').length")
    reader.press(
        *["\ue004"] * (2 + columns + 1)
    )  # the skip link, the table, its headers, the first row
    assert reader.ask("document.activeElement.textContent") == "m3a"
    reader.press(" ")
    reader.sees("#inner-0", "1 task")
    assert reader.ask("document.activeElement.ariaExpanded") == "true"


def test_a_screen_reader_gets_names_heads_and_states(read):
    reader = read(run("m3a (openai:a)", 0.9, agent="m3a"), run("t3a"), warnings=["Virtual phones."])
    nodes = reader.chrome.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    named = {
        (each["role"]["value"], each.get("name", {}).get("value", ""))
        for each in nodes
        if not each.get("ignored")
    }
    assert {
        ("heading", "Leaderboard"), ("heading", "Before you compare"),
        ("heading", "How to read it"), ("region", "Table of agents"), ("button", "m3a (openai:a)"),
    } <= named  # fmt: skip
    roles = [role for role, _ in named]
    assert {"table", "columnheader", "rowheader", "main"} <= set(roles)
    assert ("columnheader", "Success") in named
    (table,) = (each for each in nodes if each.get("role", {}).get("value") == "table")
    assert table["name"]["value"].startswith("Runs by success.")


def test_names_in_runs_are_shown_as_text(read):
    entry = {**task(1, HOSTILE), "id": HOSTILE, "endings": [HOSTILE], "environment": HOSTILE}
    own = run(
        HOSTILE, models=[HOSTILE], notes=[HOSTILE], obstacles=[HOSTILE], plugin=HOSTILE,
        device=HOSTILE, started=HOSTILE, suites={HOSTILE: NUMBERS, "x": NUMBERS},
    )  # fmt: skip
    reader = read(own, run("t3a"), warnings=[HOSTILE], tasks=[[entry], []])
    reader.click("#row-0 .opener")
    reader.sees("#inner-0", "1 task")
    reader.sees("#inner-0 .lists > div:last-child tbody th", "<img src=x")
    assert reader.ask("document.title") == "Leaderboard"


def test_damaged_page_shows_a_message(read, chrome):
    reader = read(run("m3a"), run("t3a"), tasks=[])
    path = reader.page
    path.write_bytes(path.read_bytes().replace(b'id="index">', b'id="index">H4sIAAAA'))
    reader.go("")
    reader.sees("#problem", "is damaged")


@pytest.mark.parametrize("width", [360, 768, 1280, 1920])
def test_page_fits_the_screen(read, width):
    long = run("long_name_" * 9, suites={f"suite_of_a_long_name_{n}": NUMBERS for n in range(12)})
    tasks = [task(n, *["passed"] * 10) for n in range(3)]
    reader = read(long, run("t3a"), tasks=[tasks, []])
    screen = {"width": width, "height": 720, "deviceScaleFactor": 1, "mobile": width < 500}
    reader.chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    reader.click("#row-0 .opener")
    reader.sees("#inner-0", "3 tasks")
    assert reader.ask("document.documentElement.scrollWidth") <= width


def test_texts_have_enough_contrast_in_light_and_dark(read):
    from tests.report.html.page.test_looks import _CONTRASTS

    unranked = run("late", 0.4, obstacles=["other seeds"], places=None)
    reader = read(run("m3a", 0.9, peers=[1]), unranked, warnings=["!"], tasks=[[task(1, "failed")]])
    reader.click("#row-0 .opener")
    reader.sees("#inner-0", "1 task")
    for scheme in ("light", "dark"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        reader.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        assert [each for each in reader.ask(_CONTRASTS) if each[1] < 4.5] == [], scheme
