"""Tests of an episode's events: recorded, derived if nothing was listening, found by criteria."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent import Case, DeviceInfo, Event, Reset, Screen, Step, Task, load
from pytest_mobileagent.action import Finish, Key, Type
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Swipe, Tap
from pytest_mobileagent.check.events import NoListenerError, lost
from pytest_mobileagent.episode.event import TYPES, event_type, from_json, to_json
from pytest_mobileagent.episode.screens import ScreenStore
from pytest_mobileagent.episode.store import Recorder
from pytest_mobileagent.screen.explain import collect_misses
from pytest_mobileagent.screen.selector import CriteriaError

INFO = DeviceInfo("emulator-5554", "Pixel", "15", 35, (100, 200), 160, listener=True)
SAVE = Event(
    "clicked",
    "com.notes",
    "android.widget.Button",
    "com.notes:id/save",
    ("Save",),
    bounds=(0, 0, 10, 10),
    enabled=True,
    time=datetime(2026, 5, 4, 8, 0),
    sequence=3,
)
ROW = Event("clicked", text=("Play videos", "automatically"), checked=True, sequence=4)
OPENED = Event("window_state_changed", "com.notes", "com.notes.MainActivity", text=("Notes",))


@pytest.fixture
def episode(make_episode):
    made = make_episode(Tap(1, 1), Tap(2, 2), device=INFO)
    first, second = made.steps
    steps = replace(first, events=(OPENED,)), replace(second, events=(SAVE, ROW))
    return replace(made, steps=steps)


EVENTS = st.builds(
    Event,
    type=st.sampled_from(TYPES),
    package=st.text(max_size=5),
    text=st.lists(st.text(max_size=5), max_size=3).map(tuple),
    bounds=st.none() | st.tuples(*[st.integers(0, 99)] * 4),
    checked=st.booleans(),
    before_text=st.none() | st.text(max_size=5),
    from_index=st.integers(-1, 9),
    content_change_types=st.lists(st.sampled_from(["text", "subtree"]), max_size=2).map(tuple),
    time=st.none() | st.datetimes(),
    sequence=st.integers(0),
)


@given(EVENTS)
def test_event_survives_json(event):
    assert from_json(json.loads(json.dumps(to_json(event)))) == event


def test_android_names_are_translated():
    given = {
        "type": "TYPE_WINDOW_CONTENT_CHANGED",
        "content_change_types": ["CONTENT_CHANGE_TYPE_SUBTREE"],
        "time": "2026-05-04T08:00:00.250+02:00",
        "content_description": None,
        "colour": "unknown to us",
    }
    assert from_json(given) == Event(
        "window_content_changed",
        content_change_types=("subtree",),
        time=datetime(2026, 5, 4, 8, 0, 0, 250_000),
    )
    assert event_type("TYPE_VIEW_LONG_CLICKED") == event_type("long_clicked") == "long_clicked"
    with pytest.raises(ValueError, match="without a type"):
        from_json({"text": []})


@pytest.mark.parametrize(
    ("criteria", "found"),
    [
        ({"type": "clicked"}, SAVE),
        ({"type": "TYPE_VIEW_CLICKED", "text": "Save"}, SAVE),
        ({"resource_id": "save"}, SAVE),
        ({"resource_id": "com.notes:id/save", "class_name": "Button"}, SAVE),
        ({"resource_id": "sav"}, None),
        ({"text": "automatically"}, ROW),
        ({"text": "Play videos automatically"}, ROW),
        ({"text": ["Play videos", "automatically"]}, ROW),
        ({"text": ["automatically"]}, None),
        ({"text": re.compile("^Play.*ally$")}, ROW),
        ({"checked": True}, ROW),
        ({"package": "com.notes", "type": "window_state_changed"}, OPENED),
        ({"type": "long_clicked"}, None),
        ({"bounds": (0, 0, 10, 10)}, SAVE),
    ],
)
def test_event_is_found_by_its_fields(episode, criteria, found):
    assert episode.event(**criteria) == found


def test_miss_names_the_nearest_events(episode):
    with collect_misses() as misses:
        assert episode.event(type="clicked", text="Safe", resource_id="save") is None
    said = misses[0]()
    assert "none of 3 events was type='clicked', text='Safe', resource_id='save'" in said
    assert "instead: step 2: clicked Button 'Save' resource_id='save' (com.notes)" in said


def test_miss_mentions_lost_events(episode):
    first, second = episode.steps
    later = replace(second, events=(SAVE, replace(ROW, sequence=9)))
    with collect_misses() as misses:
        replace(episode, steps=(first, later)).event(text="nothing like it")
    assert "3 events, while 5 were lost" in misses[0]()
    # The listener restarted.
    assert lost([replace(ROW, sequence=9), replace(SAVE, sequence=1)]) == 0


@pytest.mark.parametrize(
    ("criteria", "said"),
    [
        ({}, "no event to search for"),
        ({"resource": "save"}, "did you mean 'resource_id'"),
        ({"type": "click"}, "did you mean 'clicked'"),
        ({"type": 1}, "no event type"),
        ({"text": None}, "matches nothing"),
    ],
)
def test_impossible_criteria_are_reported(episode, criteria, said):
    with pytest.raises(CriteriaError, match=said):
        episode.event(**criteria)


def test_after_selects_only_later_events(episode):
    opened = episode.event(type="window_state_changed")
    saved = episode.event(type="clicked", after=opened)
    assert saved == SAVE
    assert episode.event(type="clicked", after=saved) == ROW
    with collect_misses() as misses:
        assert episode.event(type="window_state_changed", after=saved) is None
        assert episode.event(type="clicked", after=None) is None
    assert "none of 1 events after the given event was" in misses[0]()
    assert "none of 0 events after" in misses[1]()


def test_events_are_recorded_with_their_step(tmp_path, make_screen):
    recorder = Recorder(tmp_path / "episodes" / "e", ScreenStore(tmp_path / "screens"))
    head = {"goal": "Do it.", "agent": "mine"}
    recorder.start(Case(Task("Do it."), "suite/task"), INFO, Reset("none"), head)
    screen = make_screen("a")
    recorder.observation(screen, {})
    recorder.step([Tap(1, 1)], "", [], 1.0)
    recorder.observation(screen, {})
    recorder.events((SAVE, ROW))
    recorder.events(())
    recorder.step([Finish()], "", [], 1.0)
    recorder.events((OPENED,))
    recorder.close()
    episode = load(recorder.folder)
    assert [step.events for step in episode.steps] == [(SAVE, ROW), (OPENED,)]
    assert episode.events == (SAVE, ROW, OPENED)
    assert episode.device.listener


@pytest.mark.parametrize(
    "junk",
    [
        {"type": "clicked", name: value}
        for name, value in (
            ("package", 3),
            ("sequence", "1"),
            ("checked", 1),
            ("time", 3),
            ("bounds", ["a"]),
        )
    ],
)
def test_event_field_of_wrong_type_is_refused(junk):
    with pytest.raises((TypeError, ValueError)):
        from_json(junk)


FIELD = {
    "class": "android.widget.EditText",
    "resource-id": "a:id/to",
    "bounds": "[0,0][100,50]",
    "clickable": "true",
    "enabled": "true",
}
SAVE_BUTTON = {
    "class": "android.widget.Button",
    "text": "Save",
    "resource-id": "a:id/save",
    "bounds": "[0,50][100,100]",
    "clickable": "true",
    "enabled": "true",
}
OFF = {**SAVE_BUTTON, "text": "Off", "resource-id": "a:id/off", "enabled": "false"}


@pytest.fixture
def form(make_screen):
    """Return a function that makes a form whose field contains a text."""

    def make(text: str = "", button: dict[str, str] = SAVE_BUTTON, **fields: Any) -> Screen:
        given = {"package": "a", "activity": "a.Form", **fields}
        return replace(make_screen({**FIELD, "text": text}, button, package="a"), **given)

    return make


@pytest.fixture
def saved(make_episode, form):
    """Return an episode in which Oslo is typed and saved, which leads to another activity."""
    screens = (form(), form("Oslo"), form("Oslo", activity="a.Done"))
    return make_episode(Type("Oslo", at=(5, 5)), Tap(50, 60), screens=screens)


def test_a_later_event_is_found_after_an_earlier_one(saved):
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
    assert misses[0]().startswith("none of 1 events derived from actions and screens after")


def test_saving_before_filling_in_is_distinguished(make_episode, form):
    screens = (form(), form(), form("Oslo"))
    episode = make_episode(Tap(50, 60), Type("Oslo", at=(5, 5)), screens=screens)
    filled = episode.event(type="text_changed", text="Oslo")
    assert filled is not None
    assert episode.event(type="clicked") is not None
    assert episode.event(type="clicked", after=filled) is None


def test_actions_of_one_decision_are_in_order(make_episode, form):
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
def test_only_a_touch_on_a_clickable_view_is_a_click(make_episode, form, action, kind):
    episode = make_episode(action, screens=(form(), form()))
    found = episode.event(type="clicked", resource_id="save")
    assert (found and found.type) == kind
    assert episode.event(type="long_clicked") is None


def test_disabled_view_is_not_clicked(make_episode, form):
    episode = make_episode(Tap(50, 60), screens=(form(button=OFF), form(button=OFF)))
    assert episode.event(type="clicked") is None


def test_a_failed_action_is_not_an_event(make_episode, form):
    step = Step(form(), (Tap(50, 60),), notice="outside of the screen", undone=1)
    assert make_episode(screens=(form(), form()), steps=(step,)).event(type="clicked") is None


@pytest.mark.parametrize(
    ("criteria", "why"),
    [
        ({"text": "Saved"}, "only the types clicked, .* can be derived .*: name one"),
        ({"type": "notification_state_changed"}, "'notification_state_changed' cannot be derived"),
        ({"type": "clicked", "checked": True}, "the checked of 'clicked' cannot be derived"),
        ({"type": "window_state_changed", "text": "Sure?"}, "the text of 'window_state"),
        ({"type": "window_state_changed", "class_name": "AlertDialog"}, "show only activities"),
    ],
)
def test_events_that_cannot_be_derived_are_not_the_agents_fault(saved, criteria, why):
    with pytest.raises(NoListenerError, match=f"emulator-5554 has no listener.*{why}.*events.md"):
        saved.event(**criteria)


def test_nothing_is_derived_if_a_listener_was_running(saved):
    heard = replace(saved, device=replace(saved.device, listener=True))
    assert heard.event(type="clicked") is None
    assert heard.events == ()
    assert Event("clicked").derived is False
