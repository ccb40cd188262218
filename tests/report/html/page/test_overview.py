"""Tests of the overview in a real browser: filters, sorting, plots, and a thousand rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.report.entry import Entry

pytestmark = pytest.mark.slow  # starts a browser

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
    """Return four tasks: passed, failed, broken, and for review."""
    row = invented.row
    return [
        row("clock/a", steps=9, cost_usd=0.5, tags=["smoke"]),
        row("clock/b two", "failed", steps=3, level=2, sought="Alarm(8, 0)", reason="no <b>"),
        row("notes/a", "error", fault="infrastructure", steps=None, cost_usd=None, reason="adb"),
        row("notes/b", "review", steps=5, cost_usd=0.001, began=40.0, device="emulator-5556"),
    ]


def names(reader: Any) -> list[str]:
    return [text.split("\n")[0] for text in reader.texts(".row .c-task")]


def test_overview_shows_run_gate_comparison_and_notice(
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
    reader.sees("#tiles", "95 %: 9 % to 91 %")  # Wilson's interval for 1 of 2
    reader.click("#comparison .lost a")
    reader.at("#f=id%3Aclock%2Fa")
    reader.until("document.querySelectorAll('.row').length === 1")


def test_unclear_answers_are_named_with_both_bounds(
    read: Callable[..., Any], invented: Any, some: Any
) -> None:
    some[3] = {**some[3], "unclear": True, "reason": "the answer says '6' among other things"}
    about = invented.index(some)
    bounds = {"success_rate_lower": 1 / 3, "success_rate_upper": 2 / 3}
    reader = read({**about, "summary": {**about["summary"], "unclear": 1, **bounds}})
    reader.sees("#tiles", "1 unclear answer: 33.3 % if wrong, 66.7 % if right")
    assert "unclear: the answer says '6' among other things" in reader.texts(".row .c-task")[3]


def test_failures_are_grouped_by_cause(read: Callable[..., Any], invented: Any) -> None:
    row, error = invented.row, 'the agent failed at step 2: it raised ValueError: no "key"'
    rows = [
        row("clock/a", "failed", cause="ValueError: no …", error=error, sought="Alarm(8, 0)"),
        row("clock/b", "failed", cause="step limit: <b>it, that</b>", sought="Alarm(8, 0)"),
        row("clock/c", "failed", cause="ValueError: no …", error=error),
        row("clock/d", "error", cause="infrastructure: adb", fault="infrastructure", reason="adb"),
        row("clock/e", cause=None),
        row("clock/f", "failed", cause="crash of a: b", crashes=1, sought="Alarm(8, 0)"),
        row("clock/g", "failed", cause="gave up: it"),
    ]
    reader = read(invented.index(rows))
    reader.sees("#causes", "1 more cause")
    assert [text.replace("\n", " ") for text in reader.texts(".cause")] == [
        "2 × ✗ ValueError: no …",
        "1 × ✗ step limit: <b>it, that</b>",
        "1 × ! infrastructure: adb",
        "1 × ✗ crash of a: b",
    ]
    assert [text.split("\n")[1] for text in reader.texts(".row .c-task") if "\n" in text] == [
        error,
        "sought Alarm(8, 0) — the alarm is set for 7:00",
        error,
        "infrastructure: adb",
        "crash of a: b",
        "the alarm is set for 7:00",
    ]
    reader.click("li:nth-child(2) .cause")
    reader.sees("#count", "1 of 7 rows")
    assert names(reader) == ["b"]
    reader.click('.cause[aria-pressed="true"]')
    reader.sees("#count", "7 rows")
    reader.click("#causes > button")
    reader.sees("#causes", "gave up: it")
    reader.sees("#causes", "Fewer causes")


def test_words_are_found_in_replies_and_screens_and_open_their_step(
    read: Callable[..., Any], invented: Any, pictures: Callable[..., str]
) -> None:
    rows = [invented.row("clock/ok", e="ok.0"), invented.row("clock/bad", "failed", e="bad.0")]
    episodes = [invented.episode(each["e"], pictures) for each in rows]
    episodes[1]["frames"][2]["said"] = "I look for İstanbul </script>"
    reader = read(invented.index(rows), episodes)
    reader.sees("#count", "2 rows")
    reader.press("/", *"WORKDAYS")
    reader.sees("#count", "2 rows")
    reader.sees("#rows", "“Set an alarm for 8:00 on workdays, and name it Work.”")
    reader.press("\ue00c")  # Escape
    reader.ask("setFilter('')")
    reader.press("/", *"stanbul")
    reader.sees("#count", "1 of 2 rows")
    reader.sees("#rows", "step 3: “I look for İstanbul </script>”")
    reader.press("\ue007")  # Enter
    reader.sees("#head h1", "bad")
    reader.sees("#detail", "Step 3 of 6")
    reader.press("\ue00c")  # Escape
    reader.until("!document.querySelector('#overview').hidden")
    reader.press("/", "\ue015")  # Moves from the filter down to the list.
    reader.until("document.querySelector('[aria-selected=true]')?.innerText.includes('bad')")
    reader.press("\ue007")
    reader.sees("#detail", "Step 3 of 6")


def test_step_plot_bins_many_tasks(read: Callable[..., Any], invented: Any) -> None:
    rows = [invented.row(f"clock/{n}", "passed" if n % 4 else "failed") for n in range(400)]
    reader = read(invented.index([*rows, invented.row("clock/far", steps=40, golden_steps=20)]))
    reader.click("#plots-box summary")
    plot = "document.querySelectorAll('.plot')[1]"
    reader.until(f"{plot}?.querySelectorAll('.cell.passed').length === 2")
    titles = reader.ask(f"[...{plot}.querySelectorAll('g title')].map((each) => each.textContent)")
    assert sorted(title.partition(": ")[2] for title in titles) == [
        "1 task, 1 passed",
        "400 tasks, 300 passed",
    ]
    whole, part = (
        reader.ask(f"{plot}.querySelector('.cell.{kind}').getAttribute('height')")
        for kind in ("failed", "passed")
    )
    assert float(part) == pytest.approx(3 * float(whole))


FILTERS = {
    "two": ["clock/b two"],
    '"b two"': ["clock/b two"],
    "ALARM(8,": ["clock/b two"],
    "suite:notes": ["notes/a", "notes/b"],
    "-suite:notes": ["clock/a", "clock/b two"],
    "app:notes": ["notes/a", "notes/b"],  # as displayed in the list
    "app:com.android.notes": ["notes/a", "notes/b"],
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


def test_typed_query_filters_and_sorts(read: Callable[..., Any], invented: Any, some: Any) -> None:
    reader = read(invented.index(some))
    reader.sees("#count", "4 rows")
    found = {}
    for typed in FILTERS:
        reader.press("/", *typed, "\ue00c")
        found[typed] = names(reader)
        assert reader.ask("document.querySelector('#none').hidden") is bool(found[typed])
        reader.ask("setFilter('')")
    assert found == FILTERS


def test_clicked_filters_are_kept_in_the_address_and_removable(
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


def test_bar_shows_a_rate_with_interval_and_filters_on_click(
    read: Callable[..., Any], invented: Any, some: Any
) -> None:
    about = invented.index(some)
    about["summary"]["apps"]["com.android.clock"]["interval"] = [0.25, 0.75]
    reader = read(about)
    reader.click("#plots-box summary")
    # Two bars by app, and two by level.
    reader.until("document.querySelectorAll('.bar-row').length === 4")
    bar = "document.querySelector('.bar-row')"
    assert reader.ask(f"{bar}.title") == "com.android.clock: 50 %, 1 of 2, 95 %: 25 % to 75 %"
    assert reader.ask(f"{bar}.querySelector('.interval').getAttribute('d')").startswith(
        "M 25 7 L 75"
    )
    reader.click(".bar-row")
    reader.at("#f=app%3Acom.android.clock")
    assert names(reader) == ["clock/a", "clock/b two"]


def test_plots_have_a_mark_per_task_and_a_line_per_device(
    read: Callable[..., Any], invented: Any, some: Any
) -> None:
    reader = read(invented.index(some))
    reader.sees("#count", "4 rows")
    reader.click("#plots-box summary")
    titles = reader.texts(".plot figcaption b")
    assert titles == ["Success", "Steps against golden steps", "Success against cost", "Timeline"]
    plot = "document.querySelectorAll('.plot')"
    assert reader.ask(f"{plot}[1].querySelectorAll('.dot, .cross').length") == 3
    assert reader.ask(f"{plot}[2].querySelectorAll('.dot').length") == 1
    assert reader.ask(f"{plot}[3].querySelectorAll('.tick.name').length") == 2
    reader.press("/", "outcome:failed")
    reader.until(f"{plot}[1].querySelectorAll('.out').length === 2")


def test_bars_of_many_tasks_are_one_shape_per_outcome(
    read: Callable[..., Any], invented: Any
) -> None:
    rows = [
        invented.row(f"clock/{n}", "passed" if n % 4 else "failed", began=40.0 * n)
        for n in range(1_600)
    ]
    reader = read(invented.index(rows))
    reader.click("#plots-box summary")
    reader.until("document.querySelectorAll('.wide-plot path.span').length === 2")
    assert reader.ask("document.querySelectorAll('.wide-plot rect').length") == 0
    assert reader.ask("document.querySelector('.wide-plot .passed').getAttribute('d')[0]") == "M"
    reader.press("/", "outcome:failed")
    reader.until("document.querySelector('.wide-plot path.passed')?.matches('.out')")


def test_thousand_tasks_render_few_rows_and_open_anywhere(
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


def test_list_can_be_copied_as_markdown(read: Callable[..., Any], invented: Any, some: Any) -> None:
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
def test_empty_run_has_a_page(
    read: Callable[..., Any], invented: Any, missing: dict[str, Any]
) -> None:
    reader = read({**invented.index([]), **missing})
    reader.sees("#count", "0 rows")
    reader.press("n")
    reader.sees("#status", "There is no other failure.")
