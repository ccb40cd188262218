"""An episode in words and marks, whatever its record holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import (
    DoubleTap,
    Finish,
    Key,
    LongPress,
    Screen,
    Scroll,
    Step,
    Swipe,
    Tap,
    Type,
)
from pytest_mobileagent.report.html.trajectory import opinions, screens
from pytest_mobileagent.review.server import trajectory
from pytest_mobileagent.verdict import Verdict, of_person, withdrawal

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent import Action

SCREEN = (100, 200)  # pixels
MARKS: dict[str, tuple[Action, tuple[Any, ...] | None]] = {
    "tap": (Tap(3, 4), ("tap", (3, 4), None)),
    "long press": (LongPress(3, 4), ("longpress", (3, 4), None)),
    "double tap": (DoubleTap(3, 4), ("doubletap", (3, 4), None)),
    "swipe": (Swipe(1, 2, 3, 4), ("swipe", (1, 2), (3, 4))),
    "typing into a field": (Type("a", at=(3, 4)), ("type", (3, 4), None)),
    "typing": (Type("a"), None),
    "a scroll's finger": (Scroll("up"), ("scroll", (50, 150), (50, 50))),
    "a scroll somewhere": (Scroll("right", at=(40, 80)), ("scroll", (15, 80), (65, 80))),
    "a scroll of a newer version": (Scroll("round"), None),  # type: ignore[arg-type]
    "a scroll at no place": (Scroll("up", at=(1, 2, 3)), None),  # type: ignore[arg-type]
    "a key": (Key("back"), None),
    "no numbers": (Tap("<b>", None), None),  # type: ignore[arg-type]
    "not finite": (Tap(float("nan"), float("inf")), None),  # type: ignore[arg-type]
    "huge": (Tap(10**400, 1), None),
}


@pytest.mark.parametrize(("action", "mark"), MARKS.values(), ids=MARKS)
def test_marks_are_where_the_finger_was(
    make_episode: Callable[..., Any], action: Action, mark: tuple[Any, ...] | None
) -> None:
    (frame, _) = trajectory(make_episode(action))["frames"]
    found = [(each["kind"], each["at"], each["to"]) for each in frame["marks"]]
    assert found == ([mark] if mark else [])
    assert frame["size"] == SCREEN


def test_what_could_not_be_done_is_marked_so(
    make_episode: Callable[..., Any], make_screen: Callable[..., Screen]
) -> None:
    step = Step(make_screen("0"), (Tap(1, 1), Tap(2, 2)), notice="off the screen", undone=1)
    (frame, _) = trajectory(make_episode(Tap(1, 1), steps=(step,)))["frames"]
    assert [mark["done"] for mark in frame["marks"]] == [True, False]
    assert frame["notice"] == "off the screen"


def test_the_screen_of_a_report_is_shown_once(
    make_episode: Callable[..., Any], make_screen: Callable[..., Screen]
) -> None:
    first, last = make_screen("0"), make_screen("1")
    episode = make_episode(Tap(1, 1), Finish("3"), screens=(first, last, last))
    assert screens(episode) == (first, last)
    told = trajectory(episode)
    assert [frame["title"] for frame in told["frames"]] == ["Step 1", "Step 2"]
    assert told["answer"] == "3"
    assert len(trajectory(make_episode(Tap(1, 1)))["frames"]) == 2


def test_a_screenshot_that_is_none_has_no_size(make_episode: Callable[..., Any]) -> None:
    broken = Screen("<hier", b"\x89PNG")
    told = trajectory(make_episode(Tap(1, 1), screens=(broken, broken)))
    assert told["frames"][0]["size"] is None


def test_who_said_what_and_what_stands() -> None:
    judges = [{"model": "m", "passed": True, "reason": "r", "details": {}, "mood": 1}, "junk"]
    said = opinions(
        [
            Verdict(None, "judges", "torn", {"judges": judges, "coarse": {"found": 3}}),
            Verdict(None, "judges", evidence={"judges": "junk"}),
            of_person(True, "ann", "fine"),
            withdrawal("bob"),
        ]
    )
    assert said[0]["judges"] == [{"model": "m", "passed": True, "reason": "r", "details": {}}]
    assert said[0]["evidence"] == {"coarse": {"found": 3}}
    assert said[1]["judges"] == []
    assert [each["stands"] for each in said] == [False, False, True, False]
    assert [each["withdrawn"] for each in said] == [False, False, False, True]
