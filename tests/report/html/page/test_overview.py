"""Tests of the overview in a real browser: cards, rows, filters, sorting, and a thousand rows."""

from __future__ import annotations

from typing import Any

import pytest

from tests.flaws import flaws

pytestmark = pytest.mark.slow  # starts a browser

BOUND = {"metric": "success_rate", "baseline": True, "margin": 0.02, "allow": 0.05}
GATE = {
    "verdict": "INCONCLUSIVE", "status": 8, "epochs": 10, "look": 2, "looks": [3, 5, 10],
    "bounds": [
        {"metric": "cost_usd", "suite": "clock", "max": 2.0, "verdict": "PASS"},
        {**BOUND, "verdict": "INCONCLUSIVE",
         "words": "success_rate -9.1 points; 2 of 4 tasks lost (3/3 → 0/3 each): a; `review` it"},
        {"metric": "steps", "verdict": "INCONCLUSIVE", "words": "20 % are missing"},
        {"metric": "calls", "verdict": "INCONCLUSIVE", "words": "20 % are missing"},
    ],
}  # fmt: skip
COMPARISON = {
    "baseline": {"id": "2026-11-21-base"}, "difference": -0.091, "interval": [-0.14, -0.042],
    "gained": [{"id": "notes/b", "before": "0/3", "after": "3/3"}],
    "lost": [{"id": "clock/a", "before": "3/3", "after": "1/3"}],
    "flaky": [{"id": "clock/a", "before": "3/3", "after": "1/3"}, {"id": "notes/a"}],
    "new": [], "missing": [], "p_value": 0.012, "cost_usd": {"difference": -0.011},
    "differs_in": ["agent", "seeds"], "should_be_equal": ["seeds"],
}  # fmt: skip


def names(reader: Any) -> list[str]:
    return [text.split("\n")[0] for text in reader.texts(".row .c-task")]


def titles(reader: Any) -> list[str]:
    return list(reader.texts(".row .c-task b"))


def test_overview_shows_gate_comparison_with_its_interval_and_notice(read, invented, some):
    about = invented.index(some, notice="Virtual phones …", gate=GATE, comparison=COMPARISON)
    reader = read(about)
    reader.sees("#notice", "Virtual phones …")
    reader.sees("#gate", "? Gate INCONCLUSIVE after 10 epochs, analysis 2 of 3, exit status 8")
    reader.sees("#comparison", "−9.1 points (95 %: −14.0 to −4.2)")
    assert reader.texts(".changes") == [
        "▼ LOST 1\nclock/a\n3/3 → 1/3",
        "▲ GAINED 1\nb\n0/3 → 3/3",
        "~ FLAKY 1\nnotes/a",
    ]
    reader.sees("#comparison", "p = 0.012 · cost −$0.0110 · differs in agent, seeds")
    reader.sees("#comparison", "⚠ seeds should be equal")
    reader.sees("#tiles", "50.0 %")
    reader.sees("#tiles", "1 of 2 decided")
    reader.sees("#tiles", "95 %: 9 % to 91 %")  # Wilson's interval for 1 of 2
    assert reader.ask("document.querySelector('#published').hidden")
    # Without the names of lost tasks, which are in the comparison.
    said = "success_rate -9.1 points; 2 of 4 tasks lost (3/3 → 0/3 each); review it"
    reader.sees("#gate > p:nth-child(2)", said)
    assert reader.texts("#gate code") == ["review"]
    assert reader.texts("#gate summary") == ["2 other conditions ✓ ?"]
    reader.click("#gate summary")
    reader.sees("#gate li", "✓ PASS cost_usd · suite clock · at most 2")
    reader.until("document.querySelector('.forest')")
    left = {
        name: reader.ask(f"parseFloat(document.querySelector('.forest .{name}').style.left)")
        for name in ("whisker", "point", "allow", "margin", "limit")
    }
    assert sorted(left, key=lambda name: left[name]) == [*left]
    assert left["limit"] == 50
    wide = reader.ask("parseFloat(document.querySelector('.forest .whisker').style.width)")
    assert wide / (50 - left["margin"]) == pytest.approx((0.14 - 0.042) / 0.02, rel=1e-3)
    assert reader.ask("document.querySelector('.forest .point').className") == "point failed"
    reader.click("#comparison .lost a")
    reader.at("#f=id%3Aclock%2Fa")
    reader.until("document.querySelectorAll('.row').length === 1")


def published(**fields: Any) -> dict[str, Any]:
    """Return a published score beside the run, as the page gets it."""
    return {
        "agent": "m3a", "score": 0.306, "source": "a paper, Table 3", "tasks": 116, "epochs": 3,
        "model": "gpt-4", "only_reported": True, "own": 0.25, "own_error": 0.043, "decided": 24,
        "difference": -0.056, "interval": [-0.14, 0.03], "by_chance": True,
        "differs_in": ["tasks 24 for 116", "screen 720x1600 for 1080x2400", "runs unknown"],
        **fields,
    }  # fmt: skip


def test_published_scores_are_beside_the_run(read, invented, some):
    contradicted = published(
        by_chance=False, decided=116, model=None, interval=[-0.1, -0.01], differs_in=[]
    )
    undecided = published(own=None, own_error=None, difference=None, interval=None, by_chance=None)
    scores = [published(), contradicted, undecided]
    reader = read(invented.index(some, published=scores, unlike_preset=["runs unknown"]))
    texts = reader.texts("#published > div")
    first, second, third = (text.replace("\n\n", "\n") for text in texts)
    assert first == (
        "−5.6 points (95 %: −14.0 to +3.0) against the published 30.6 with gpt-4\n"
        "Chance can explain the difference. This run: 25.0 ± 4.3, 24 of 116 tasks, 3 epochs, only "
        "successes that the agent reported.\n"
        "Differs in 3 settings\n"
        "Published in a paper, Table 3"
    )
    assert "⚠ Chance does not explain the difference. This run: 25.0 ± 4.3, 116 tasks" in second
    assert "Differs in" not in second
    assert third.startswith("no task is decided against the published 30.6 with gpt-4\nToo few")
    reader.click("#published summary")
    reader.sees("#published li", "tasks 24 for 116")
    reader.click("#about-run summary")
    reader.sees("#facts", "differs from the preset in")
    assert flaws(reader.chrome) == []


def test_first_task_is_visible_under_all_cards(read, invented):
    lost = [{"id": f"clock/task_{n:04}", "before": "3/3", "after": "0/3"} for n in range(40)]
    rows = [{**each, "cause": f"cause {n}"} for n, each in enumerate(invented.many(60))]
    lists = {"lost": lost[:20], "gained": lost[20:], "new": lost, "missing": [], "flaky": lost}
    flips = {"causes": {"the judge": {"tasks": 30, "share": 1}}, "tasks": lost, "times": 3}
    about = invented.index(
        rows, gate=GATE, comparison=COMPARISON | lists, flips=flips, notice="Virtual " * 40
    )
    reader = read(about)
    screen = {"width": 1440, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    reader.chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    reader.go("")
    reader.sees("#flips", "Where verdicts flip")
    bottom = reader.ask("document.querySelector('#row-0').getBoundingClientRect().bottom")
    reader.chrome.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert bottom < 900


@pytest.fixture
def epochs(invented: Any, pictures: Any) -> tuple[Any, list[Any]]:
    """Return the data of a run with three epochs of two tasks, and its episodes."""
    outcomes = {"clock/a": ("passed", "failed", "passed"), "clock/b": ("failed", "error", "review")}
    rows = [
        invented.row(
            name, outcome, epoch=epoch, e=f"{name[-1]}{epoch}.0", steps=3 + epoch, history="+-? "
        )
        for name, each in outcomes.items()
        for epoch, outcome in enumerate(each)
    ]
    past = [
        {"name": f"try {n}", "started": f"2026-11-2{n}", "page": f"../{n}/report.html"}
        for n in range(4)
    ]
    return invented.index(rows, history=past), [invented.episode("a1.0", pictures)]


def test_a_task_is_a_row_with_a_dot_for_each_epoch(read, epochs):
    reader = read(*epochs)
    reader.sees("#count", "2 tasks · 6 episodes")
    reader.sees("#tiles", "2 tasks · 6 episodes")
    assert reader.texts(".row .rate") == ["2/3\n~ flaky", "0/1"]
    assert reader.texts(".row .dots") == ["✓\n✗\n✓", "✗\n!\n?"]
    assert reader.texts(".row .c-steps") == ["4 / 4", "4 / 4"]
    assert "| 2/3 ✓✗✓ | clock/a | 4 / 4 |" in reader.ask("listAsMarkdown()")
    title = reader.ask("document.querySelector('.rate').title")
    assert title == "2 of 3 decided epochs passed, 95 %: 21 % to 94 %"
    reader.press("/", *"outcome:failed")
    reader.sees("#count", "2 of 2 tasks · 2 of 6 episodes")
    assert len(reader.texts(".dots .out")) == 4
    reader.ask("setFilter('flaky:yes')")
    assert titles(reader) == ["a"]
    reader.ask("setFilter('sort:-outcome')")
    assert titles(reader) == ["a", "b"]
    reader.click(".dots .failed")
    reader.sees("#head h1", "a [epoch 1]")


def test_epochs_unfold_under_their_task(read, epochs):
    reader = read(*epochs)
    reader.sees("#count", "2 tasks")
    reader.click("#row-0 .unfold")
    assert titles(reader) == ["a", "epoch 0", "epoch 1", "epoch 2", "b"]
    reader.press("j", "j", "j")
    assert reader.ask("getComputedStyle(byId('row-2').querySelector('b')).whiteSpace") == "normal"
    reader.press("\ue012")  # ← on an epoch folds its task
    assert titles(reader) == ["a", "b"]
    reader.press("\ue014", "j", "j", "\ue007")  # → shows the epochs, Enter opens the chosen one
    reader.sees("#head h1", "a [epoch 1]")
    reader.press("\ue00c")  # Escape
    reader.until("document.querySelector('[aria-selected=true]')?.innerText.includes('epoch 1')")
    reader.press("\ue012", "\ue007")  # Enter on a task opens its first failure.
    reader.sees("#head h1", "a [epoch 1]")


def test_earlier_outcomes_of_a_task_link_to_their_runs(read, epochs):
    reader = read(*epochs)
    reader.chrome.set_window_size(1500, 900)
    reader.until("document.querySelectorAll('.pasts').length === 2")
    kinds = reader.ask(
        "[...document.querySelectorAll('#row-0 .past')].map((each) => each.className)"
    )
    assert kinds == ["past passed", "past failed", "past", "past none", "now past passed"]
    link = reader.ask("document.querySelector('#row-0 .past').getAttribute('href')")
    assert link == "../0/report.html#f=id%3Aclock%2Fa"


def test_typing_in_the_filter_scrolls_to_it_and_names_mistakes(read, invented):
    reader = read(invented.index(invented.many(100), gate=GATE, comparison=COMPARISON))
    reader.sees("#count", "100 tasks")
    reader.ask("window.scrollTo(0, document.body.scrollHeight)")
    reader.press("/", *"foo:bar")
    reader.sees("#mistake", "unknown key foo; known: app, suite, ")
    top = "Math.round(document.querySelector('#tasks').getBoundingClientRect().top)"
    assert reader.ask(top) == 0
    reader.ask("setFilter('sort:foo')")
    reader.sees("#mistake", "unknown order foo; known: task, outcome, ")
    reader.ask("setFilter('app:clock steps>3 \"foo:bar\"')")
    reader.until("!document.querySelector('#mistake').textContent")


def test_unclear_answers_are_named_with_both_bounds(read, invented, some):
    some[3] = {**some[3], "unclear": True, "reason": "the answer says '6' among other things"}
    about = invented.index(some)
    bounds = {"success_rate_lower": 1 / 3, "success_rate_upper": 2 / 3}
    reader = read({**about, "summary": {**about["summary"], "unclear": 1, **bounds}})
    reader.sees("#tiles", "1 unclear answer: 33.3 % if wrong, 66.7 % if right")
    assert "unclear: the answer says '6' among other things" in reader.texts(".row .c-task")[3]


def test_failures_are_grouped_by_cause(read, invented):
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
        '2 × ✗ ValueError: no "key"',  # with the values of the first of them
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
    reader.sees("#count", "1 of 7 tasks")
    assert len(reader.texts(".cause")) == 4  # the others can still be chosen
    assert names(reader) == ["b"]
    reader.click('.cause[aria-pressed="true"]')
    reader.sees("#count", "7 tasks")
    reader.click("#causes h2 button")
    reader.sees("#causes", "gave up: it")
    reader.sees("#causes", "Fewer causes")
    reader.press("/", *"crashes>0")
    reader.until("document.querySelectorAll('.cause').length === 1")


def test_words_are_found_in_replies_and_screens_and_open_their_step(read, invented, pictures):
    rows = [invented.row("clock/ok", e="ok.0"), invented.row("clock/bad", "failed", e="bad.0")]
    episodes = [invented.episode(each["e"], pictures) for each in rows]
    episodes[1]["frames"][2]["said"] = "I look for İstanbul </script>"
    reader = read(invented.index(rows), episodes)
    reader.sees("#count", "2 tasks")
    reader.press("/", *"WORKDAYS")
    reader.sees("#count", "2 tasks")
    reader.sees("#rows", "“Set an alarm for 8:00 on workdays, and name it Work.”")
    reader.press("\ue00c")  # Escape
    reader.ask("setFilter('')")
    reader.press("/", *"stanbul")
    reader.sees("#count", "1 of 2 tasks")
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


def test_typed_query_filters_and_sorts(read, invented, some):
    reader = read(invented.index(some))
    reader.sees("#count", "4 tasks")
    found = {}
    for typed in FILTERS:
        reader.press("/", *typed, "\ue00c")
        found[typed] = names(reader)
        assert reader.ask("document.querySelector('#none').hidden") is bool(found[typed])
        reader.ask("setFilter('')")
    assert found == FILTERS


def test_filtered_lists_are_kept_in_the_address_and_can_be_copied(read, invented, some):
    reader = read(invented.index(some))
    reader.sees("#count", "4 tasks")
    reader.click("#outcomes .chip:nth-child(2)")
    reader.at("#f=outcome%3Afailed")
    reader.sees("#count", "1 of 4 tasks")
    assert reader.ask("document.querySelector('#query').value") == "outcome:failed"
    reader.click("#outcomes .chip:nth-child(2)")
    reader.sees("#count", "4 tasks")
    reader.click(".c-steps button")
    reader.click(".c-steps button")
    assert names(reader) == ["clock/a", "notes/b", "clock/b two", "notes/a"]
    assert reader.ask("document.querySelector('.c-steps').ariaSort") == "descending"
    reader.go("#f=suite%3Anotes%20sort%3A-task")
    reader.sees("#count", "2 of 4 tasks")
    assert names(reader) == ["notes/b", "notes/a"]
    chosen = "document.querySelector('#choices [aria-label=suite]').value"
    assert reader.ask(chosen) == "notes"
    reader.go("")
    reader.sees("#count", "4 tasks")
    reader.press("/", "suite:clock", "\ue00c", "y")
    reader.sees("#status", "Copied")
    text = reader.ask("listAsMarkdown()")
    assert "**appagent** on virtual: 50.0 % of 2 decided tasks" in text
    line = "| ✗ failed | clock/b two | 3 / 4 | 32 s | $0.0123 | sought Alarm(8, 0) — no \\<b\\> |"
    assert line in text
    assert "notes/a" not in text


def test_thousand_tasks_render_few_rows_and_open_anywhere(read, invented):
    reader = read(invented.index(invented.many(1_000)))
    reader.sees("#count", "1,000 tasks")
    reader.ask("document.querySelector('#tasks').scrollIntoView()")
    reader.until("document.querySelectorAll('.row').length > 10")
    assert reader.ask("document.querySelectorAll('.row').length") < 60
    reader.press("\ue010")  # End
    reader.until("document.querySelector('[aria-selected=true]')?.innerText.includes('task_0999')")
    reader.press("k", "k")
    reader.until("document.querySelector('[aria-selected=true]')?.innerText.includes('task_0997')")
    assert reader.ask("document.querySelectorAll('.row').length") < 60


@pytest.mark.parametrize("missing", [{}, {"summary": {}}, {"run": None}, {"summary": None}])
def test_empty_run_has_a_page(read, invented, missing):
    reader = read({**invented.index([]), **missing})
    reader.sees("#count", "0 tasks")
    reader.press("n")
    reader.sees("#status", "There is no other failure.")
