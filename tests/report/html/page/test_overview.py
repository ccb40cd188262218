"""The overview in a real browser: filters, sorting, plots, and a thousand rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.report.entry import Entry

pytestmark = pytest.mark.slow  # a browser

GATE = {
    "verdict": "INCONCLUSIVE", "status": 8, "epochs": 10, "look": 2,
    "bounds": [{"metric": "cost_usd", "suite": "clock", "max": 2.0, "verdict": "PASS"}],
}  # fmt: skip
COMPARISON = {
    "baseline": {"id": "2026-11-21-base"}, "difference": -0.091, "interval": [-0.14, -0.042],
    "gained": [{"id": "notes/b", "before": "0/3", "after": "3/3"}], "lost": [{"id": "clock/a"}],
    "flaky": [], "new": [], "missing": [], "p_value": 0.012, "cost_usd": {"difference": -0.011},
    "differs_in": ["agent", "seeds"], "should_be_equal": ["seeds"],
}  # fmt: skip


@pytest.fixture
def some(invented: Any) -> list[Entry]:
    """Four tasks: passed, failed, broken, for people."""
    row = invented.row
    return [
        row("clock/a", steps=9, cost_usd=0.5, tags=["smoke"]),
        row("clock/b two", "failed", steps=3, level=2, sought="Alarm(8, 0)", reason="no <b>"),
        row("notes/a", "error", fault="infrastructure", steps=None, cost_usd=None, reason="adb"),
        row("notes/b", "review", steps=5, cost_usd=0.001, began=40.0, device="emulator-5556"),
    ]


def names(reader: Any) -> list[str]:
    return [text.split("\n")[0] for text in reader.texts(".row .c-task")]


def test_a_run_is_shown_with_its_gate_its_comparison_and_its_notice(
    read: Callable[..., Any], invented: Any, some: Any
) -> None:
    about = invented.index(some, notice="Virtual phones …", gate=GATE, comparison=COMPARISON)
    reader = read(about)
    reader.sees("#notice", "Virtual phones …")
    reader.sees("#gate", "? Gate INCONCLUSIVE")
    reader.sees("#gate", "✓ PASS cost_usd · suite clock · at most 2")
    reader.sees("#comparison", "−9.1 points (95 %: −14.0 to −4.2)")
    reader.sees("#comparison", "▼ lost 1")
    reader.sees("#comparison", "notes/b 0/3 → 3/3")
    reader.sees("#comparison", "p = 0.012 · cost −$0.0110")
    reader.sees("#comparison", "agent, seeds")
    reader.sees("#comparison", "⚠ seeds should be equal")
    reader.sees("#tiles", "50.0 %")
    reader.sees("#tiles", "1 of 2 decided")
    reader.sees("#tiles", "95 %: 9 % to 91 %")  # Wilson, of 1 of 2
    reader.click("#comparison .lost a")
    reader.at("#f=id%3Aclock%2Fa")
    reader.until("document.querySelectorAll('.row').length === 1")


def test_the_first_failures_are_told_with_their_reasons(
    read: Callable[..., Any], invented: Any, some: Any
) -> None:
    reader = read(invented.index(some))
    reader.sees("#failures", "sought Alarm(8, 0) — no <b>")
    reader.sees("#failures", "infrastructure: adb")
    assert len(reader.texts("#failures li")) == 2
    assert "null" not in reader.texts("#failures")[0]


FILTERS = {
    "two": ["clock/b two"],
    '"b two"': ["clock/b two"],
    "ALARM(8,": ["clock/b two"],
    "suite:notes": ["notes/a", "notes/b"],
    "-suite:notes": ["clock/a", "clock/b two"],
    "outcome:failed,error": ["clock/b two", "notes/a"],
    "outcome:failed level:2": ["clock/b two"],
    "tag:smoke": ["clock/a"],
    "steps>4": ["clock/a", "notes/b"],
    "steps<=5": ["clock/b two", "notes/b"],
    "fault:infrastructure": ["notes/a"],
    "sort:steps": ["clock/b two", "notes/b", "clock/a", "notes/a"],
    "sort:-cost": ["clock/a", "clock/b two", "notes/b", "notes/a"],
    "[(*+?": [],
    '"': ["clock/a", "clock/b two", "notes/a", "notes/b"],
}


def test_what_is_typed_filters_and_sorts(
    read: Callable[..., Any], invented: Any, some: Any
) -> None:
    reader = read(invented.index(some))
    reader.sees("#count", "4 rows")
    found = {}
    for typed in FILTERS:
        reader.press("/", *typed, "\ue00c")
        found[typed] = names(reader)
        assert reader.ask("document.querySelector('#none').hidden") is bool(found[typed])
        reader.ask("setFilter('')")
    assert found == FILTERS


def test_filters_are_clicked_kept_in_the_address_and_taken_back(
    read: Callable[..., Any], invented: Any, some: Any
) -> None:
    reader = read(invented.index(some))
    reader.sees("#count", "4 rows")
    reader.click("#outcomes .chip:nth-child(2)")
    reader.at("#f=outcome%3Afailed")
    reader.sees("#count", "1 of 4 rows")
    assert reader.ask("document.querySelector('#query').value") == "outcome:failed"
    reader.click("#outcomes .chip:nth-child(2)")
    reader.sees("#count", "4 rows")
    reader.click(".c-steps button")
    reader.click(".c-steps button")
    assert names(reader) == ["clock/a", "notes/b", "clock/b two", "notes/a"]
    assert reader.ask("document.querySelector('.c-steps').ariaSort") == "descending"
    reader.go("#f=suite%3Anotes%20sort%3A-task")
    reader.sees("#count", "2 of 4 rows")
    assert names(reader) == ["notes/b", "notes/a"]
    chosen = "document.querySelector('#choices [aria-label=suite]').value"
    assert reader.ask(chosen) == "notes"


def test_a_bar_shows_a_rate_with_its_interval_and_filters(
    read: Callable[..., Any], invented: Any, some: Any
) -> None:
    about = invented.index(some)
    about["summary"]["apps"]["com.android.clock"]["interval"] = [0.25, 0.75]
    reader = read(about)
    reader.until("document.querySelectorAll('.bar-row').length === 4")  # by app, and by level
    bar = "document.querySelector('.bar-row')"
    assert reader.ask(f"{bar}.title") == "com.android.clock: 50 %, 1 of 2, 95 %: 25 % to 75 %"
    assert reader.ask(f"{bar}.querySelector('.interval').getAttribute('d')").startswith(
        "M 25 7 L 75"
    )
    reader.click(".bar-row")
    reader.at("#f=app%3Acom.android.clock")
    assert names(reader) == ["clock/a", "clock/b two"]


def test_plots_have_a_mark_for_each_task_and_a_line_for_each_device(
    read: Callable[..., Any], invented: Any, some: Any
) -> None:
    reader = read(invented.index(some))
    reader.sees("#count", "4 rows")
    titles = reader.texts(".plot figcaption b")
    assert titles == ["Success", "Steps against golden steps", "Success against cost", "Timeline"]
    plot = "document.querySelectorAll('.plot')"
    assert reader.ask(f"{plot}[1].querySelectorAll('.dot, .cross').length") == 3
    assert reader.ask(f"{plot}[2].querySelectorAll('.dot').length") == 1
    assert reader.ask(f"{plot}[3].querySelectorAll('.tick.name').length") == 2
    reader.press("/", "outcome:failed")
    reader.until(f"{plot}[1].querySelectorAll('.out').length === 2")


def test_a_thousand_tasks_take_few_rows_and_open_anywhere(
    read: Callable[..., Any], invented: Any
) -> None:
    reader = read(invented.index(invented.many(1_000)))
    reader.sees("#count", "1,000 rows")
    reader.ask("document.querySelector('#tasks').scrollIntoView()")
    reader.until("document.querySelectorAll('.row').length > 10")
    assert reader.ask("document.querySelectorAll('.row').length") < 60
    reader.press("\ue010")  # End
    reader.until("document.querySelector('[aria-selected=true]')?.innerText.includes('task_0999')")
    reader.press("k", "k")
    reader.until("document.querySelector('[aria-selected=true]')?.innerText.includes('task_0997')")
    assert reader.ask("document.querySelectorAll('.row').length") < 60


def test_the_list_is_copied_as_markdown(read: Callable[..., Any], invented: Any, some: Any) -> None:
    reader = read(invented.index(some))
    reader.sees("#count", "4 rows")
    reader.press("/", "suite:clock", "\ue00c", "y")
    reader.sees("#status", "Copied")
    text = reader.ask("listAsMarkdown()")
    assert "**appagent** on virtual: 50.0 % of 2 decided tasks" in text
    assert (
        "| ✗ failed | clock/b two | 3 / 4 | 32 s | $0.0123 | sought Alarm(8, 0) — no \\<b\\> |"
        in text
    )
    assert "notes/a" not in text


@pytest.mark.parametrize("missing", [{}, {"summary": {}}, {"run": None}, {"summary": None}])
def test_a_run_of_nothing_is_a_page_too(
    read: Callable[..., Any], invented: Any, missing: dict[str, Any]
) -> None:
    reader = read({**invented.index([]), **missing})
    reader.sees("#count", "0 rows")
    reader.press("n")
    reader.sees("#status", "There is no other failure.")
