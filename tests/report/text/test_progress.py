"""Sub-goals in a line of a failure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_mobileagent import Finish, Open, Tap
from pytest_mobileagent.report.text.narration import deep_link, failure, progress, telling_step


def made(name: str, held: bool, first: int | None, weight: float = 1) -> dict[str, Any]:
    return {"name": name, "weight": weight, "held": held, "first_step": first, "reason": ""}


@pytest.mark.parametrize(
    ("subgoals", "words"),
    [
        ([], ""),
        (
            [made("shoes", True, 6, 2), made("paid", False, None)],
            "2/3  shoes: at step 6   paid: never",
        ),
        (
            [made("a", False, 3), made("b", True, None)],
            "1/2  a: at step 3, but not at the end   b: held",
        ),
        (
            [made("a", True, 0, 0.5), made("b\nc", False, 0, 0.25)],
            "0.5/0.75  a: at the start   b c: at the start, but not at the end",
        ),
    ],
)
def test_what_share_was_done_and_when(subgoals: list[dict[str, Any]], words: str) -> None:
    assert progress(subgoals) == words


def test_a_failure_has_ten_lines_at_most_however_many_there_are(make_episode, tmp_path) -> None:
    many = [made(f"goal {number} {200 * 'x'}", False, None) for number in range(50)]
    episode = make_episode(
        *[Tap(1, 1)] * 9, Open("a\nb"), error="raised\nfar below", folder=tmp_path
    )
    lines = failure(
        episode, "a\nb", "file:1", "c\nd\ne", "; never", subgoals=many, screen="5.png", page="p#e"
    )
    assert len(lines) == 9
    assert lines[3].startswith("sub-goals 0/50  goal 0")
    assert all(len(line) < 700 for line in lines)


@pytest.mark.parametrize(
    ("actions", "met", "step"),
    [
        ([Tap(1, 1)] * 3 + [Finish()], None, 3),  # the report of being done changes nothing
        ([Tap(1, 1)] * 3 + [Finish()], 1, 2),  # what came after the goal was met undid it
        ([Tap(1, 1)] * 3 + [Finish()], 3, 3),
        ([Finish()], None, 1),
        ([], None, None),
    ],
)
def test_the_page_opens_at_the_step_that_tells_most(make_episode, actions, met, step) -> None:
    assert telling_step(make_episode(*actions), met) == step


def test_a_link_names_the_episode_and_the_step() -> None:
    assert deep_link(Path("runs/a/report.html"), "t.0", 5) == "runs/a/report.html#e=t.0&s=5"
    assert deep_link(Path("report.html"), "t.0", None) == "report.html#e=t.0"
