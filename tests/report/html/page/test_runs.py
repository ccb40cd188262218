"""Tests of the page of all runs in a real browser: plots over time, the list, and comparisons."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_mobileagent.report.html.page import shell
from tests.flaws import flaws
from tests.report.html.page.conftest import HOSTILE, Reader, packed

pytestmark = pytest.mark.slow  # starts a browser


def run(number: int, **fields: Any) -> dict[str, Any]:
    """Return the page's data about a run."""
    return {
        "id": f"run-{number}", "folder": f"run-{number}", "path": f"run-{number}", "agent": "mine",
        "started": f"2026-11-{1 + number % 28:02}T09:00:00+00:00", "ended": "2026", "device": "x",
        "virtual": False, "models": ["openai:gpt-4o"], "tasks": 20, "decided": 20,
        "successes": 10 + number % 5, "interval": [0.3, 0.7], "cost_usd": 0.5, "unpriced_calls": 0,
        "gate": "PASS", "suites": {"clock": [10 + number % 5, 20]}, "problem": "", "before": None,
        "gained": [], "lost": [], "page": f"run-{number}/report.html", "beside": [], **fields,
    }  # fmt: skip


@pytest.fixture
def read(chrome, tmp_path):
    """Yield a function that writes and opens a page of runs; the browser's log must stay empty."""

    def open_(runs: list[dict[str, Any]], outcomes: dict[str, dict[str, Any]]) -> Reader:
        before, after = shell("Runs in runs", kind="runs")
        parts = [packed("index", {"version": 1, "runs": runs})]
        parts += [packed(f"r:{name}", each) for name, each in outcomes.items()]
        path = tmp_path / "runs.html"
        path.write_bytes(b"".join([before, *parts, after]))
        return Reader(chrome, path)

    chrome.get_log("browser")
    yield open_
    assert [each["message"] for each in chrome.get_log("browser")] == []


def test_runs_are_listed_newest_first_with_a_line_over_time(read):
    lost = {"before": "run-1", "gained": ["clock/a"], "lost": ["clock/b", "clock/c"]}
    runs = [run(1), run(2, gate="FAIL", **lost), run(3, agent="other", cost_usd=None)]
    reader = read(runs, {})
    reader.sees("#count", "3 runs")
    starts = [text.split("\n")[0] for text in reader.texts("#runs tbody td:nth-child(2)")]
    assert starts == sorted(starts, reverse=True)
    # A series with a single run has no plot.
    assert reader.texts(".series-plot b") == ["mine · clock"]
    assert reader.ask("document.querySelectorAll('.series-plot circle').length") == 2
    reader.sees("#runs summary", "▲ 1")
    reader.sees("#runs summary", "▼ 2")
    reader.click("#runs details summary")
    reader.sees("#runs details", "clock/b")
    assert flaws(reader.chrome) == []
    assert reader.ask("document.querySelector('#runs a').getAttribute('href')") == (
        "run-3/report.html"
    )
    reader.ask("(document.querySelector('#query').focus(), 1)")
    reader.press(*"other")
    reader.sees("#count", "1 of 3 runs")


def test_two_clicks_compare_two_runs(read):
    runs = [run(1), run(2, beside=["run-1"]), run(3)]
    outcomes = {
        "run-1": {"a": False, "b": True, "c": None, "d": True},
        "run-2": {"a": True, "b": False, "c": True, "d": True},
        "run-3": {"a": True},
    }
    reader = read(runs, outcomes)
    reader.sees("#count", "3 runs")
    for place in (2, 3):
        reader.click(f"#runs tbody tr:nth-child({place}) input")
    reader.sees("#chosen", "55.0 % → 60.0 % · 3 tasks decided in both")
    reader.sees("#chosen", "gained 1")
    reader.sees("#chosen", "lost 1")
    assert reader.ask("document.querySelector('#chosen a').getAttribute('href')") == (
        "run-2/beside-run-1.html"
    )
    # This replaces the run that was chosen first.
    reader.click("#runs tbody tr:nth-child(1) input")
    reader.sees("#chosen", "python -m pytest_mobileagent show run-1 run-3")
    reader.click("#runs tbody tr:nth-child(1) input")
    reader.until("document.querySelector('#chosen').hidden")


def test_hostile_names_are_text_and_damaged_run_has_a_row(read):
    hostile = run(1, agent=HOSTILE, models=[HOSTILE], gate=HOSTILE, suites={HOSTILE: [1, 2]})
    again = run(2, agent=HOSTILE, suites={HOSTILE: [1, 2]}, before="run-1", lost=[HOSTILE])
    damaged = run(3, problem=f"is damaged: {HOSTILE}", started=None)
    reader = read([hostile, again, damaged], {})
    reader.sees("#count", "3 runs")
    reader.sees("#runs", "run-3: is damaged: </script>")
    reader.until("document.querySelectorAll('.series-plot').length === 1")
    assert reader.ask("document.title") == "Runs in runs"
    assert reader.ask("document.images.length") == 0


def test_thousand_runs_are_drawn_in_parts(read):
    reader = read([run(n) for n in range(1000)], {})
    reader.sees("#count", "1,000 runs")
    assert reader.ask("document.querySelectorAll('#runs tbody tr').length") == 200
    reader.sees("#more", "800 older runs")
    reader.click("#more")
    assert reader.ask("document.querySelectorAll('#runs tbody tr').length") == 1000
