"""Tests of two runs side by side in a real browser."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.slow  # starts a browser


@pytest.fixture
def reader(read: Any, invented: Any, pictures: Any) -> Any:
    """Return a reader of a run and its base: one task each gained, lost, same, new and missing."""
    row, steps = invented.row, invented.STEPS
    now = [
        row("a/gained", e="gained.0"),
        row("a/lost", "failed", e="lost.0", sought="an alarm"),
        row("a/same", e="same.0"),
        row("a/same", "failed", e="same.1", epoch=1),
        row("a/new", e="new.0"),
        row("a/broke", "error", e="broke.0"),
    ]
    before = [
        row("a/lost", e="~lost.0"),
        row("a/gained", "failed", e="~gained.0"),
        row("a/same", e="~same.0"),
        row("a/same", "failed", e="~same.1", epoch=1),
        row("a/missing", e="~missing.0"),
        row("a/broke", e="~broke.0"),
    ]
    other = [*steps[:2], [invented.action("tap", 'tap "Timer"', [270, 455])]]
    episodes = [invented.episode("lost.0", pictures), invented.episode("~lost.0", pictures, other)]
    episodes += [invented.episode(name, pictures, steps[:1]) for name in ("same.0", "~same.0")]
    base = invented.index(before)
    base["run"]["id"] = "2026-11-21-base"
    did = ['tap "Timer"', 'tap "Clock", type "07:00"']
    parting = {"step": 3, "why": "screen", "did": did, "before": []}
    parting["after"] = ["<b>Ad</b>", "Close"]
    beside = [{"what": "model actor", "before": "gpt-4o-2024-05-13", "after": "gpt-4o-2024-08-06"}]
    told = {
        "lost.0~lost.0": {"parting": parting, "beside": beside},
        "same.0~same.0": {"parting": None, "beside": []},
    }
    comparison = {"baseline": base["run"], "difference": -0.1, "interval": [-0.3, 0.1]}
    return read(invented.index(now, comparison=comparison), episodes, base, told=told)


def test_only_changed_tasks_are_listed(reader: Any) -> None:
    reader.sees("#comparison", "−10.0 points (95 %: −30.0 to +10.0) against 2026-11-21-base")
    reader.sees("#count", "6 tasks · 7 episodes")
    reader.sees("#tiles", "5 tasks · 6 episodes")  # without the one that only the base has
    reader.click("#comparison button")
    reader.sees("#count", "5 of 6 tasks · 5 of 7 episodes")
    names = [text.split("\n")[0] for text in reader.texts(".row .c-task")]
    assert dict(zip(names, reader.texts(".row .c-change"), strict=True)) == {
        "gained": "gained ▲", "lost": "lost ▼", "new": "new", "broke": "differs",
        "missing": "missing",
    }  # fmt: skip


def test_a_task_opens_where_the_episodes_diverge(reader: Any) -> None:
    reader.press("/", "lost", "\ue00c", "j", "\ue007")
    reader.at("#e=lost.0&with=~lost.0&s=3&f=lost")
    reader.sees("#half-before header", "✓passed")
    reader.sees("#half-now header", "✗failed")
    reader.sees("#half-now .why", "an alarm")
    reader.sees("#half-before .half-stage .differs", 'tap "Timer"')
    reader.sees("#half-now .half-stage .differs", 'tap "Clock", type "07:00"')
    reader.press("j")
    reader.sees("#half-before .half-stage", "It had already ended.")
    reader.press("k", "k")
    reader.sees("#half-before .half-stage", "swipe")
    assert reader.texts(".differs") == []
    reader.click("#half-now header a")
    reader.sees("#detail", "Step")
    reader.click("#head a")  # Goes back to the comparison with the base.
    reader.sees("#pair", "They diverge at step 3")


def test_the_cause_of_a_divergence_is_shown_and_equal_steps_folded(reader: Any) -> None:
    reader.go("#e=lost.0&with=~lost.0")
    told = "Step 3: The agents had done the same; the phone showed something else."
    reader.sees(".parting", told)
    reader.sees(".parting", "only in the run: “<b>Ad</b>”, “Close”")
    reader.sees(".beside", "model actor")
    reader.sees(".beside dd", "gpt-4o-2024-05-13 → gpt-4o-2024-08-06")
    reader.sees("#half-now .same-steps", "Steps 1 to 2")
    shown = (
        "[...document.querySelectorAll('#half-now .strip-item')].filter((n) => n.checkVisibility())"
    )
    assert reader.ask(f"{shown}.length") == 4
    reader.press("k")
    reader.at("#e=lost.0&with=~lost.0&s=2")
    assert reader.ask(f"{shown}.length") == 6
    reader.press("p")
    reader.at("#e=lost.0&with=~lost.0&s=3")
    reader.go("#e=lost.0&with=~lost.0&s=5")
    reader.sees("#pair-place", "Step 5")
    assert reader.ask(f"{shown}.length") == 4
    for half in ("#half-before", "#half-now"):
        reader.click(f"{half} .same-steps summary")
    assert reader.ask(f"{shown}.length") == 6


def test_equal_episodes_are_described_as_equal(reader: Any) -> None:
    reader.go("#e=same.0&with=~same.0")
    reader.sees("#pair", "Both took the same steps")
    reader.go("#e=same.0&with=nowhere")
    reader.sees("#problem", "This page has no episode nowhere.")


def test_both_episodes_can_be_played_and_copied(reader: Any) -> None:
    reader.go("#e=lost.0&with=~lost.0&s=1")
    reader.sees("#pair-place", "Step 1")
    reader.press("y")
    reader.sees("#status", "Copied")
    text = reader.ask("pairAsMarkdown()")
    assert "| outcome | ✓ passed | ✗ failed |" in text
    assert "- **they diverge** at step 3: The agents had done the same" in text
    assert '| **3 ≠** | tap "Timer" | tap "Clock", type "07:00" |' in text
    reader.press(" ")
    reader.sees("#pair-place", "Step 2")
