"""W3C actions: the conversion of a client's fingers and keys to input of the phone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.virtual.automation.appium import pointers
from pytest_mobileagent.virtual.automation.appium.errors import InvalidArgument, WebDriverError

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone


class Recorder:
    """Stands in for a phone, and records the calls."""

    def __init__(self, phone: Phone) -> None:
        self.done: list[tuple[Any, ...]] = []
        self.display, self.settings, self.windows = phone.display, phone.settings, phone.windows
        self.clock, self.gestures, self.ime = phone.clock, self, self

    def swipe(self, *arguments: float) -> None:
        self.done.append(("swipe", *arguments))

    def trace(self, *_: object) -> bool:
        return False  # no view here takes paths

    def drag(self, *arguments: int) -> None:
        self.done.append(("drag", *arguments))

    def pinch(self, *arguments: float) -> None:
        self.done.append(("pinch", *arguments))

    def key(self, *arguments: Any) -> None:
        self.done.append(("key", *arguments))

    def commit(self, text: str) -> None:
        self.done.append(("type", text))


@pytest.fixture
def did(phone: Phone) -> Any:
    def perform(*sources: dict[str, Any]) -> list[tuple[Any, ...]]:
        recorder = Recorder(phone)
        pointers.perform(recorder, list(sources), lambda _: (500, 600))  # type: ignore[arg-type]
        return recorder.done

    return perform


def move(x: float, y: float, duration: int = 0, **more: Any) -> dict[str, Any]:
    return {"type": "pointerMove", "x": x, "y": y, "duration": duration, **more}


def pause(duration: int) -> dict[str, Any]:
    return {"type": "pause", "duration": duration}


DOWN, UP = {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}


def finger(*items: dict[str, Any], name: str = "finger") -> dict[str, Any]:
    parameters = {"pointerType": "touch"}
    return {"type": "pointer", "id": name, "parameters": parameters, "actions": list(items)}


def keys(*items: str) -> dict[str, Any]:
    actions = [{"type": f"key{word.split()[0]}", "value": word.split()[1]} for word in items]
    return {"type": "key", "id": "keys", "actions": actions}


SWIPE = ("swipe", 9, 900, 9, 100)
MOVED: dict[str, tuple[list[dict[str, Any]], list[tuple[Any, ...]]]] = {
    "a tap": ([pause(50)], [("swipe", 9, 900, 9, 900, 50)]),
    "a tap of a trembling finger": ([move(14, 905)], [("swipe", 9, 900, 14, 905, 0)]),
    "a drag after holding": (
        [pause(500), move(300, 400, 200)],
        [("drag", 9, 900, 300, 400, 700)],
    ),
    "a swipe, of the time of its moves": ([move(9, 100, 250)], [(*SWIPE, 250)]),
    "a swipe after a little rest": ([pause(100), move(9, 100, 250)], [(*SWIPE, 250)]),
    "a rest at the end, which flings nothing": (
        [move(9, 100, 250), pause(200)],
        [(*SWIPE, 60_000)],
    ),
    "a way that turns back, leg by leg": (
        [move(9, 500, 100), move(9, 100, 100), move(9, 700, 300)],
        [(*SWIPE, 60_000), ("swipe", 9, 100, 9, 700, 300)],
    ),
}


@pytest.mark.parametrize("what", MOVED)
def test_a_finger_does(did: Any, what: str) -> None:
    moves, done = MOVED[what]
    assert did(finger(move(9, 900), DOWN, *moves, UP)) == done


def test_places_count_from_the_view_the_pointer_or_an_element(did: Any) -> None:
    element = {"element-6066-11e4-a52e-4f735466cecf": "id"}
    actions = [move(5, 6, origin=element), DOWN, UP, move(10, -10, origin="pointer"), DOWN, UP]
    assert did(finger(*actions)) == [
        ("swipe", 505, 606, 505, 606, 0),
        ("swipe", 515, 596, 515, 596, 0),
    ]


def test_two_fingers_at_once_pinch(did: Any) -> None:
    one = finger(move(400, 500), DOWN, move(200, 500, 100), UP, name="one")
    other = finger(move(600, 500), DOWN, move(800, 500, 100), UP, name="other")
    assert did(one, other) == [("pinch", 500, 500, 3.0)]


def test_two_fingers_side_by_side_scroll_as_one_does(did: Any) -> None:
    one = finger(move(400, 900), DOWN, move(400, 300, 100), UP, name="one")
    other = finger(move(600, 900), DOWN, move(600, 300, 100), UP, name="other")
    assert did(one, other) == [("swipe", 400, 900, 400, 300, 100)]


def test_two_fingers_one_after_the_other_tap_twice(did: Any) -> None:
    one = finger(move(1, 2), DOWN, UP, pause(100), name="one")
    other = finger(pause(50), move(3, 4), DOWN, UP, name="other")
    assert [each[1:3] for each in did(one, other)] == [(1, 2), (3, 4)]


def test_a_cancelled_touch_does_nothing(did: Any) -> None:
    assert did(finger(move(1, 2), DOWN, {"type": "pointerCancel"}, UP)) == []


def test_keys_type_and_press(did: Any) -> None:
    done = did(
        keys("Down a", "Up a", "Down \ue003", "Down \ue009", "Down a", "Up \ue009", "Down é")
    )
    assert done == [("type", "a"), ("key", "DEL", 0), ("key", "A", 0x1000), ("type", "é")]


@pytest.mark.parametrize(
    "actions",
    [
        None,
        [1],
        [{"type": "pointer"}],
        [{"type": "wheel", "actions": []}],
        [finger(DOWN, UP)],
        [finger({"type": "jump"})],
        [finger(move(1, 2, -5))],
        [finger({"type": "pointerMove", "x": "1_0", "y": 2})],
        [finger({"type": "pointerMove", "x": "one", "y": 2})],
        [finger(move(1, 2, origin={"foo": "bar"}))],
        [keys("Down a") | {"actions": [{"type": "keyDown"}]}],
    ],
)
def test_invalid_pointers_are_refused(phone: Phone, actions: Any) -> None:
    with pytest.raises(InvalidArgument):
        pointers.perform(phone, actions, lambda _: (0, 0))


ITEMS = st.fixed_dictionaries(
    {
        "type": st.sampled_from(
            ["pointerMove", "pointerDown", "pointerUp", "pause", "pointerCancel"]
        )
    },
    optional={
        "x": st.integers(-100, 3000) | st.none(),
        "y": st.integers(-100, 3000),
        "duration": st.integers(-1, 2000) | st.none(),
        "origin": st.sampled_from(["viewport", "pointer"]),
    },
)


@given(st.lists(st.lists(ITEMS, max_size=8), max_size=3))
def test_any_actions_are_done_or_refused(booted: Phone, sources: Any) -> None:
    fingers = [finger(*items, name=str(at)) for at, items in enumerate(sources)]
    try:
        pointers.perform(booted, fingers, lambda _: (0, 0))
    except WebDriverError:
        pass
    finally:
        booted.snapshots.load("default_boot")
