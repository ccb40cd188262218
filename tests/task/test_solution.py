"""Tests of a solution's moves, which become actions on a screen."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent._task.solution import (
    Move,
    Scene,
    answer,
    impossible,
    long_press,
    open_app,
    press,
    scroll,
    seen,
    tap,
    type_text,
    wait,
)
from pytest_mobileagent.action import Action, Finish, Impossible, Key, Open, Type, Wait
from pytest_mobileagent.action.gestures import LongPress, Scroll, Tap
from pytest_mobileagent.errors import TaskError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent import Screen


@pytest.fixture
def scene(make_screen: Callable[..., Screen]) -> Callable[..., Scene]:
    """Return a function that makes a scene of two screens; only the first shows a price."""
    first = make_screen(
        {"text": "12 €", "resource-id": "p:id/price"},
        {"text": "Sum 0 €", "resource-id": "p:id/sum"},
    )
    second = make_screen(
        {"text": "Sum 3 €", "resource-id": "p:id/sum"},
        {"text": "Alarm 7:00", "bounds": "[0,0][100,20]"},
        {"text": "Alarm 8:00", "bounds": "[0,20][100,40]"},
        {"text": "Alarm 8:00", "resource-id": "p:id/last", "bounds": "[0,40][100,60]"},
        {"text": "", "class": "android.widget.EditText", "bounds": "[0,60][50,80]"},
    )

    def make(app: str | None = "com.clock", **values: Any) -> Scene:
        return Scene(
            (first, second), (app,) if app else (), {"now": datetime(2026, 5, 4, 8, 0), **values}
        )

    return make


@pytest.mark.parametrize(
    ("move", "action"),
    [
        (open_app(), Open("com.clock")),
        (open_app("org.other"), Open("org.other")),
        (open_app("org.clock|com.clock"), Open("com.clock")),
        (open_app("org.app{hour}"), Open("org.app8")),
        (tap(text="Alarm 7:00"), Tap(50, 10)),
        (tap(text="Alarm {hour}:00"), Tap(50, 30)),
        (tap(text="Alarm {now:%-H}:00"), Tap(50, 30)),
        (tap(text="Alarm 8:00", nth=1), Tap(50, 50)),
        (tap(text=re.compile("Alarm"), nth=-1), Tap(50, 50)),
        (long_press(resource_id="last"), LongPress(50, 50)),
        (type_text("{hour} o'clock"), Type("8 o'clock")),
        (
            type_text("x", clear=True, enter=True, class_name="EditText"),
            Type("x", at=(25, 70), clear=True, enter=True),
        ),
        (scroll("up"), Scroll("up")),
        (scroll("left", resource_id="last"), Scroll("left", at=(50, 50))),
        (press("enter"), Key("enter")),
        (wait(2), Wait(2)),
        (answer("It is {hour}."), Finish("It is 8.")),
        (answer(seen(resource_id="price")), Finish("12 €")),
        (answer(seen(resource_id="sum")), Finish("Sum 3 €")),
        (
            answer("%s and {{%s}} at {hour}", seen(resource_id="price"), seen(resource_id="last")),
            Finish("12 € and {Alarm 8:00} at 8"),
        ),
        (answer("{odd}"), Finish("100%s")),
        (answer("{odd} %s", seen(resource_id="price")), Finish("100%s 12 €")),
        (impossible("why"), Impossible("why")),
    ],
    ids=str,
)
def test_a_move_comes_to_an_action_on_a_screen(
    scene: Callable[..., Scene], move: Move, action: Action
) -> None:
    assert move.action(scene(hour=8, odd="100%s")) == action


@pytest.mark.parametrize(
    ("move", "complaint"),
    [
        (tap(text="Alarm 9:00"), "closest: <element text='Alarm 8:00' at"),
        (tap(text="Alarm 8:00", nth=2), "nth=2, but only 2 elements have text='Alarm 8:00'"),
        (tap(text="Alarm 8:00", nth=-3), "nth=-3, but only 2 elements have"),
        (tap(text="Nowhere", nth=-1), "nothing on the screen"),
        (tap(text="{minute}"), "{minute} has no value"),
        (tap(xpath="//["), "is not an XPath 1.0 expression"),
        (type_text("{minute}"), "{minute} has no value"),
        (answer(seen(text="Sell")), "no screen so far had an element with text='Sell'"),
        (answer(seen(text="{minute}")), "{minute} has no value"),
    ],
    ids=str,
)
def test_a_move_that_does_not_fit_the_screen_is_a_broken_task(
    scene: Callable[..., Scene], move: Move, complaint: str
) -> None:
    with pytest.raises(TaskError, match=re.escape(complaint)):
        move.action(scene())


def test_opening_the_tasks_app_needs_one(scene: Callable[..., Scene]) -> None:
    with pytest.raises(TaskError, match="the task names no app"):
        open_app().action(scene(app=None))


BROKEN: dict[str, tuple[Callable[[], object], str]] = {
    "a tap on nothing": (tap, "nothing to search for"),
    "a misspelt criterion": (lambda: tap(txet="a"), "did you mean 'text'"),
    "a misspelt criterion of a field": (
        lambda: type_text("a", id="b"),
        "there is no criterion 'id'",
    ),
    "words of nothing": (seen, "nothing to search for"),
    "too few parts": (
        lambda: answer("%s %s", seen(text="a")),
        "contains %s 2 times; parts given: 1",
    ),
    "too many parts": (
        lambda: answer("none", seen(text="a")),
        "contains %s 0 times; parts given: 1",
    ),
    "an unknown direction": (lambda: scroll("upp"), "must be one of up, down"),  # type: ignore[arg-type]
    "an unknown key": (lambda: press("bak"), "must be one of back, home"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize(("make", "complaint"), BROKEN.values(), ids=BROKEN)
def test_a_move_that_fits_no_screen_is_reported_where_it_is_written(
    make: Callable[[], object], complaint: str
) -> None:
    with pytest.raises((TypeError, TaskError), match=complaint):
        make()


def test_moves_describe_themselves_and_whether_they_end_the_episode() -> None:
    moves = [open_app(), tap(text="a"), answer("b"), impossible()]
    words = [str(move) for move in moves]
    assert words == [
        "open_app()",
        "tap(text='a')",
        "answer(…)",
        "impossible()",
    ]
    assert [move.ends_episode for move in moves] == [False, False, True, True]
