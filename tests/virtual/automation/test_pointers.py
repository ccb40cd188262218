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


def test_a_tap(did: Any) -> None:
    assert did(finger(move(10, 20), DOWN, pause(50), UP)) == [("swipe", 10, 20, 10, 20, 50)]


def test_a_trembling_finger_still_taps(did: Any) -> None:
    assert did(finger(move(10, 20), DOWN, move(15, 25), UP)) == [("swipe", 10, 20, 15, 25, 0)]


def test_holding_and_then_moving_drags(did: Any) -> None:
    done = did(finger(move(10, 20), DOWN, pause(500), move(300, 400, 200), UP))
    assert done == [("drag", 10, 20, 300, 400, 700)]


def test_a_swipe_takes_the_time_of_its_moves(did: Any) -> None:
    assert did(finger(move(9, 900), DOWN, move(9, 100, 250), UP)) == [
        ("swipe", 9, 900, 9, 100, 250)
    ]


def test_resting_a_little_before_a_swipe_is_no_part_of_its_time(did: Any) -> None:
    ((*_, spent),) = did(finger(move(9, 900), DOWN, pause(100), move(9, 100, 250), UP))
    assert spent == 250


def test_a_finger_that_rests_at_the_end_flings_nothing(did: Any) -> None:
    ((*_, spent),) = did(finger(move(9, 900), DOWN, move(9, 100, 250), pause(200), UP))
    assert spent == 60_000


def test_a_way_that_turns_back_is_done_leg_by_leg(did: Any) -> None:
    done = did(
        finger(move(9, 900), DOWN, move(9, 500, 100), move(9, 100, 100), move(9, 700, 300), UP)
    )
    assert done == [("swipe", 9, 900, 9, 100, 60_000), ("swipe", 9, 100, 9, 700, 300)]


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
