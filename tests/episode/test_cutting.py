"""What is too long is cut, without a part of a secret being left."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent import Raw, Termination, Type, load
from pytest_mobileagent.episode.cutting import cut, cut_texts, shortened
from tests.episode.recording import CASE, DEVICE, HEAD, RESET, recorder_in

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_mobileagent import Screen


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("", ""),
        ("abcdef", "abcdef"),
        ("abcdefg", "abc\n… 1 characters are left out …\nefg"),
        ("ab" * 50, "aba\n… 94 characters are left out …\nbab"),
    ],
)
def test_the_middle_of_a_long_text_is_left_out(text: str, left: str) -> None:
    assert cut(text, 6) == left
    assert cut_texts({"a": [text, 7, None]}, 6) == {"a": [left, 7, None]}


def test_no_part_of_a_key_stands_at_the_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    for length in range(80, 120):
        text = "." * length + "sk-0123456789" + "." * 400 + "sk-0123456789" + "." * length
        beginning, _, end = cut(text, 200).split("\n")
        assert not set("sk-0123456789") & set(beginning + end), length


def test_whatever_an_agent_says_is_recorded_in_a_bounded_place(
    tmp_path: Path, make_screen: Callable[..., Screen]
) -> None:
    recorder = recorder_in(tmp_path)
    recorder.start(CASE, DEVICE, RESET, HEAD)
    recorder.observation(make_screen("0"), {})
    long = "x" * 1_000_000
    recorder.step([Type(long), Raw(long)], long, [], 0.5)
    recorder.outcome(long, None, 2)
    recorder.observation(make_screen("1"), {})
    recorder.end(Termination.AGENT_ERROR, long, 1.0)
    episode = load(recorder.folder)
    typed, raw = episode.steps[0].actions
    assert isinstance(typed, Type)
    assert isinstance(raw, Raw)
    for text, most in (
        (typed.text, 100_000),
        (raw.command, 100_000),
        (episode.steps[0].said, 100_000),
        (episode.steps[0].notice, 20_000),
        (episode.error, 20_000),
    ):
        note = f"\n… {1_000_000 - most} characters are left out …\n"
        assert text == "x" * (most // 2) + note + "x" * (most // 2)


def test_no_part_of_a_key_stands_where_a_text_ends_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    for length in range(80, 120):
        told = shortened("." * length + "sk-0123456789" + "." * 400, 100)
        assert len(told) == 101
        assert not set("sk-0123456789") & set(told), length
    assert shortened("short", 5) == "short"
