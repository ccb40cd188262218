"""Events that no listener heard, as actions and screens tell of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import DoubleTap, Event, Key, LongPress, Screen, Step, Swipe, Tap, Type
from pytest_mobileagent.check.events import NoListenerError
from pytest_mobileagent.screen.explain import collect_misses

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent import Episode

FIELD = {
    "class": "android.widget.EditText",
    "resource-id": "a:id/to",
    "bounds": "[0,0][100,50]",
    "clickable": "true",
    "enabled": "true",
}
SAVE = {
    "class": "android.widget.Button",
    "text": "Save",
    "resource-id": "a:id/save",
    "bounds": "[0,50][100,100]",
    "clickable": "true",
    "enabled": "true",
}
OFF = {**SAVE, "text": "Off", "resource-id": "a:id/off", "enabled": "false"}


@pytest.fixture
def form(make_screen: Callable[..., Screen]) -> Callable[..., Screen]:
    """Makes a form whose field says something."""

    def make(text: str = "", button: dict[str, str] = SAVE, **fields: Any) -> Screen:
        given = {"package": "a", "activity": "a.Form", **fields}
        return replace(make_screen({**FIELD, "text": text}, button, package="a"), **given)

    return make


@pytest.fixture
def saved(make_episode: Callable[..., Episode], form: Callable[..., Screen]) -> Episode:
    """Oslo is typed, and saved, which leads to another activity."""
    screens = (form(), form("Oslo"), form("Oslo", activity="a.Done"))
    return make_episode(Type("Oslo", at=(5, 5)), Tap(50, 60), screens=screens)


def test_a_field_reads_oslo_and_save_was_clicked_after_that(saved: Episode) -> None:
    filled = saved.event(type="text_changed", resource_id="to", text="Oslo")
    assert filled is not None
    assert filled.before_text == ""
    assert filled.derived
    assert "(derived)" in filled.describe()
    clicked = saved.event(type="clicked", resource_id="save", text="Save", after=filled)
    assert clicked is not None
    assert clicked.bounds == (0, 50, 100, 100)
    opened = saved.event(type="window_state_changed", class_name="Done", after=clicked)
    assert opened is not None
    with collect_misses() as misses:
        assert saved.event(type="text_changed", after=clicked) is None
    assert misses[0]().startswith("none of 1 events that actions and screens tell of later than")


def test_what_was_saved_before_it_was_filled_in_is_told_apart(
    make_episode: Callable[..., Episode], form: Callable[..., Screen]
) -> None:
    screens = (form(), form(), form("Oslo"))
    episode = make_episode(Tap(50, 60), Type("Oslo", at=(5, 5)), screens=screens)
    filled = episode.event(type="text_changed", text="Oslo")
    assert filled is not None
    assert episode.event(type="clicked") is not None
    assert episode.event(type="clicked", after=filled) is None


def test_actions_of_one_decision_are_in_order(
    make_episode: Callable[..., Episode], form: Callable[..., Screen]
) -> None:
    decision = [Tap(5, 5), Type("Oslo"), Tap(50, 60)]
    episode = make_episode(decision, screens=(form(), form("Oslo")))
    filled = episode.event(type="text_changed")
    assert filled is not None
    assert episode.event(type="clicked", resource_id="to", after=filled) is None
    assert episode.event(type="clicked", resource_id="save", after=filled) is not None


@pytest.mark.parametrize(
    ("action", "kind"),
    [
        (Tap(50, 60), "clicked"),
        (DoubleTap(50, 60), "clicked"),
        (LongPress(50, 60), None),
        (Swipe(50, 60, 50, 61), None),
        (Key("enter"), None),
        (Tap(500, 600), None),
    ],
)
def test_only_a_touch_that_a_view_takes_is_a_click(
    make_episode: Callable[..., Episode], form: Callable[..., Screen], action: Any, kind: str | None
) -> None:
    episode = make_episode(action, screens=(form(), form()))
    found = episode.event(type="clicked", resource_id="save")
    assert (found and found.type) == kind
    assert episode.event(type="long_clicked") is None


def test_a_disabled_view_takes_no_click(
    make_episode: Callable[..., Episode], form: Callable[..., Screen]
) -> None:
    episode = make_episode(Tap(50, 60), screens=(form(button=OFF), form(button=OFF)))
    assert episode.event(type="clicked") is None


def test_what_could_not_be_done_is_no_event(
    make_episode: Callable[..., Episode], form: Callable[..., Screen]
) -> None:
    step = Step(form(), (Tap(50, 60),), notice="outside of the screen", undone=1)
    assert make_episode(screens=(form(), form()), steps=(step,)).event(type="clicked") is None


@pytest.mark.parametrize(
    ("criteria", "why"),
    [
        ({"text": "Saved"}, "tell only of the types clicked, .*: name one"),
        ({"type": "notification_state_changed"}, "tell of 'notification_state_changed'"),
        ({"type": "clicked", "checked": True}, "tell the checked of 'clicked'"),
        ({"type": "window_state_changed", "text": "Sure?"}, "tell the text of 'window_state"),
        ({"type": "window_state_changed", "class_name": "AlertDialog"}, "only of activities"),
    ],
)
def test_what_neither_actions_nor_screens_tell_is_not_the_agents_fault(
    saved: Episode, criteria: dict[str, Any], why: str
) -> None:
    with pytest.raises(NoListenerError, match=f"emulator-5554 has no listener.*{why}.*events.md"):
        saved.event(**criteria)


def test_where_a_listener_heard_nothing_nothing_is_derived(saved: Episode) -> None:
    heard = replace(saved, device=replace(saved.device, listener=True))
    assert heard.event(type="clicked") is None
    assert heard.events == ()
    assert Event("clicked").derived is False
