"""The visual order of the parts of a line."""

from __future__ import annotations

import pytest

from pytest_mobileagent.virtual.ui.text import visual


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("plain text", ["plain text"]),
        ("אבג", ["<אבג"]),
        ("abc אבג", ["abc ", "<אבג"]),
        ("אבג abc", ["abc", "<אבג "]),
        ("אבג 12:30 ד", ["< ד", "12:30", "<אבג "]),
        ("אבג abc 12 ד", ["< ד", "abc 12", "<אבג "]),
        ("abc אבג 12 ד", ["abc ", "< ד", "12", "<אבג "]),
        ("אבג (דה)", ["<אבג (דה)"]),
        ("abc (אבג) def", ["abc (", "<אבג", ") def"]),
        ("100% אבג", ["< אבג", "100%"]),
        ("٨:٠٥ ص", ["< ص", "٨:٠٥"]),
        ("\u202a(415) 555\u202c ד", ["< ד", "(415) 555"]),
    ],
)
def test_runs_are_given_from_left_to_right(text: str, seen: list[str]) -> None:
    """Right-to-left runs are marked with <."""
    assert [f"{'<' * left}{run}" for run, left in visual(text)] == seen


@pytest.mark.parametrize("text", ["אבג 12 (abc) ד, ה!", "abc (אב [12] גד) 3%", "", "...", "א́ב"])
def test_no_sign_is_lost(text: str) -> None:
    assert sorted("".join(run for run, _ in visual(text))) == sorted(text)
