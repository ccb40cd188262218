"""Accessibility events: which are sent, in which order, with which fields."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.virtual.content.intent import Intent
from pytest_mobileagent.virtual.sdk import AppBar, ImageButton
from pytest_mobileagent.virtual.shell.android.screen import printed
from pytest_mobileagent.virtual.system.accessibility.event import (
    AccessibilityEvent,
    about,
    edit,
    spoken,
)
from pytest_mobileagent.virtual.ui.layout import UiState, layout
from pytest_mobileagent.virtual.ui.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.virtual.phone import Phone
    from tests.virtual.conftest import Hand

CONTENT = "TYPE_WINDOW_CONTENT_CHANGED"
SAMPLE = (
    "EventType: TYPE_VIEW_CLICKED; EventTime: 387545686; PackageName: com.x;"
    " MovementGranularity: 0; Action: 0; ContentChangeTypes: []; WindowChangeTypes: []"
    " [ ClassName: android.widget.Button;"
    " Text: [OK]; ContentDescription: null; ItemCount: -1; CurrentItemIndex: -1; Enabled: true;"
    " Password: false; Checked: false; FullScreen: false; Scrollable: false;"
    " ImportantForAccessibility: true; AccessibilityDataSensitive: false; BeforeText: null;"
    " FromIndex: -1; ToIndex: -1; ScrollX: 0; ScrollY: 0; MaxScrollX: 0; MaxScrollY: 0;"
    " ScrollDeltaX: -1; ScrollDeltaY: -1; AddedCount: -1; RemovedCount: -1; ParcelableData: null;"
    " DisplayId: 0 ]; recordCount: 0"
)


@pytest.fixture
def heard(demo: Phone) -> Iterator[list[AccessibilityEvent]]:
    """The events sent from now on."""
    events: list[AccessibilityEvent] = []
    stop = demo.events.subscribe(events.append)
    yield events
    stop()
    assert not demo.events.listeners


def told(events, *fields):
    return [tuple(getattr(event, field) for field in ("type", *fields)) for event in events]


@pytest.fixture
def form(demo: Phone, hand: Hand, heard: list[AccessibilityEvent]) -> Phone:
    """The editor, with the focus in its single-line field."""
    hand.tap("content-desc", "Add")
    hand.tap("text", "Title")
    heard.clear()
    return demo


def test_an_event_is_printed_as_android_prints_it():
    event = AccessibilityEvent(
        "TYPE_VIEW_CLICKED", 387545686, "com.x", "android.widget.Button", ("OK",), enabled=True
    )
    assert printed(event) == f"{SAMPLE}\n"


def test_clicks_windows_and_toasts(demo, hand, heard):
    hand.tap("content-desc", "More options")
    hand.tap("text", "Rate")
    hand.tap("text", "Yes")
    dialog = ("Rate Demo", "Do you like it?", "Later", "Yes")
    assert told(heard, "class_name", "text") == [
        ("TYPE_VIEW_CLICKED", "android.widget.ImageView", ("More options",)),
        ("TYPE_WINDOW_STATE_CHANGED", "android.widget.FrameLayout", ()),
        ("TYPE_VIEW_CLICKED", "android.widget.TextView", ("Rate",)),
        ("TYPE_WINDOW_STATE_CHANGED", "android.app.AlertDialog", dialog),
        ("TYPE_NOTIFICATION_STATE_CHANGED", "android.widget.Toast", ("Thank you",)),
        ("TYPE_VIEW_CLICKED", "android.widget.Button", ("Yes",)),
        ("TYPE_WINDOW_STATE_CHANGED", "org.demo.NotesActivity", ("Notes",)),
    ]
    assert {event.package for event in heard} == {"org.demo"}


def test_a_row_says_the_texts_in_it_and_where_it_is(demo, hand, heard):
    hand.tap("text", "Milk")
    row = heard[0]
    assert (row.type, row.class_name) == ("TYPE_VIEW_CLICKED", "android.widget.LinearLayout")
    assert row.text == ("Milk",)
    assert row.source.resource_id == "org.demo:id/note"
    left, top, right, bottom = row.source.bounds
    assert (left, right) == (0, 1080)
    assert top < bottom


def test_icons_of_a_toolbar_say_no_text_but_other_icons_their_description():
    """An action is a TextView without text (AppCompat's ActionMenuItemView)."""
    save = ImageButton("check", desc="Save")
    bar = AppBar("Edit", up=print, up_desc="Close", actions=[save], overflow=[("About", print)])
    metrics = Metrics()
    box = layout(bar, metrics.screen, metrics, UiState())
    assert spoken(box) == ("Close", "Edit", "More options")
    assert about("TYPE_VIEW_CLICKED", "org.demo", box)["text"] == spoken(box)
    (icon,) = (each for each in box.walk() if each.view is save)
    event = about("TYPE_VIEW_CLICKED", "org.demo", icon)
    assert (event["text"], event["content_description"]) == ((), "Save")


def test_an_event_of_a_switch_has_its_new_state(demo, hand, heard):
    hand.tap("text", "Loud")
    hand.tap("text", "Loud")
    states = [(e.type, e.checked, e.content_change_types) for e in heard]
    change = ("CONTENT_CHANGE_TYPE_STATE_DESCRIPTION",)
    assert states[:2] == [(CONTENT, True, change), ("TYPE_VIEW_CLICKED", True, ())]
    assert (states[-1][0], states[-1][1]) == ("TYPE_VIEW_CLICKED", False)


def test_a_first_tap_on_a_field_focuses_it_and_a_second_clicks_it(demo, hand, heard):
    hand.tap("content-desc", "Add")
    heard.clear()
    hand.tap("text", "Title")
    assert told(heard, "class_name")[0] == ("TYPE_VIEW_FOCUSED", "android.widget.EditText")
    assert "TYPE_VIEW_CLICKED" not in {event.type for event in heard}
    assert heard[-1].class_name == "android.inputmethodservice.SoftInputWindow"
    heard.clear()
    hand.tap("resource-id", "org.demo:id/title")
    assert told(heard) == [("TYPE_VIEW_CLICKED",)]


def test_keys_change_text_one_by_one(form, heard):
    form.type_text("ab")
    fields = ("text", "before_text", "from_index", "removed_count", "added_count")
    typed = [event for event in heard if event.type == "TYPE_VIEW_TEXT_CHANGED"]
    assert told(typed, *fields) == [
        ("TYPE_VIEW_TEXT_CHANGED", ("a",), "", 0, 0, 1),
        ("TYPE_VIEW_TEXT_CHANGED", ("ab",), "a", 1, 0, 1),
    ]
    moved = [event for event in heard if event.type == "TYPE_VIEW_TEXT_SELECTION_CHANGED"]
    assert told(moved, "text", "from_index", "to_index", "item_count") == [
        ("TYPE_VIEW_TEXT_SELECTION_CHANGED", ("a",), 1, 1, 1),
        ("TYPE_VIEW_TEXT_SELECTION_CHANGED", ("ab",), 2, 2, 2),
    ]
    heard.clear()
    form.key("DEL")
    form.key("DPAD_LEFT")
    assert told(heard, *fields)[0] == ("TYPE_VIEW_TEXT_CHANGED", ("a",), "ab", 1, 1, 0)
    assert (heard[-1].type, heard[-1].from_index) == ("TYPE_VIEW_TEXT_SELECTION_CHANGED", 0)


def test_a_keyboard_that_commits_a_text_changes_it_at_once(form, heard):
    with form.windows.watched():
        form.ime.commit("übergroß")
    typed = [event for event in heard if event.type == "TYPE_VIEW_TEXT_CHANGED"]
    assert told(typed, "text", "added_count") == [("TYPE_VIEW_TEXT_CHANGED", ("übergroß",), 8)]


def test_a_scroll_view_reports_its_offset_and_a_list_its_rows(form, heard, hand):
    form.key("BACK")
    heard.clear()
    form.swipe(500, 1400, 500, 1000, 60_000)
    (scrolled,) = [event for event in heard if event.type == "TYPE_VIEW_SCROLLED"]
    assert scrolled.scrollable
    assert scrolled.scroll_y == scrolled.scroll_delta_y == 400 - 21  # except the slop of 8 dp
    assert scrolled.max_scroll_y >= scrolled.scroll_y


def test_rows_of_a_list_are_counted(demo, heard):
    demo.app = demo.packages.app("org.demo")
    for number in range(40):
        demo.app.database("notes.db").execute("insert into notes (title) values (?)", f"n{number}")
    demo.changed()
    demo.events.settle()
    heard.clear()
    demo.swipe(500, 1400, 500, 1000, 60_000)
    (scrolled,) = [event for event in heard if event.type == "TYPE_VIEW_SCROLLED"]
    assert scrolled.class_name == "androidx.recyclerview.widget.RecyclerView"
    assert scrolled.item_count == 42
    assert 0 < scrolled.from_index < scrolled.to_index < 41


def test_a_long_press_is_reported_before_its_effect(demo, hand, heard):
    demo.long_press(*hand.center("text", "Milk"))
    assert [event.type for event in heard] == ["TYPE_VIEW_LONG_CLICKED", CONTENT]
    assert heard[0].text == ("Milk",)
    assert heard[1].content_change_types[0] == "CONTENT_CHANGE_TYPE_SUBTREE"


def test_disabled_views_and_empty_places_send_no_events(demo, heard):
    demo.tap(1000, 1500)
    assert heard == []


def test_notifications(demo, heard):
    demo.notifications.post("org.demo", "tag", "Title", "Text")
    assert told(heard, "class_name", "text") == [
        ("TYPE_NOTIFICATION_STATE_CHANGED", "android.app.Notification", ("Title", "Text")),
    ]
    assert "Notification(channel=tag" in heard[0].parcelable_data


def test_window_events_are_sent_on_request(demo, hand, heard):
    events: list[AccessibilityEvent] = []
    stop = demo.events.subscribe(events.append, windows=True)
    hand.tap("content-desc", "Add")
    stop()
    changes = [e.window_change_types for e in events if e.type == "TYPE_WINDOWS_CHANGED"]
    assert changes == [
        ("WINDOWS_CHANGE_ADDED",),
        ("WINDOWS_CHANGE_REMOVED",),
        ("WINDOWS_CHANGE_ACTIVE", "WINDOWS_CHANGE_FOCUSED"),
    ]
    assert "TYPE_WINDOWS_CHANGED" not in {event.type for event in heard}


def test_a_comparison_does_not_build_a_screen_anew_because_time_has_passed(demo, heard):
    async def busy():
        demo.changes.note()
        built = demo.windows.stack
        demo.changes.notice = demo.changes.note  # the next second has begun
        await asyncio.sleep(0)
        demo.changes.notice = notice
        return built is demo.windows.stack

    notice = demo.changes.notice
    assert asyncio.run(busy())


def test_content_is_reported_at_most_every_tenth_of_a_second(demo, heard):
    app = demo.packages.app("org.demo")
    for number in range(3):
        app.database("notes.db").execute("insert into notes (title) values (?)", f"n{number}")
        demo.changed()
        demo.events.settle()
    assert [event.type for event in heard] == [CONTENT]
    demo.clock.input_happened()  # one second in frozen time
    demo.events.settle()
    assert [event.type for event in heard] == [CONTENT, CONTENT]


def test_changes_without_a_touch_are_reported_too(demo):
    async def listen():
        events: list[AccessibilityEvent] = []
        stop = demo.events.subscribe(events.append)
        demo.activities.start(Intent(component="org.demo/.EditorActivity"))
        while not events:
            await asyncio.sleep(0)
        stop()
        return events

    assert asyncio.run(listen())[0].class_name == "org.demo.EditorActivity"


def test_a_snapshot_that_is_loaded_is_not_an_event(demo, hand, heard):
    demo.snapshots.save("here")
    hand.tap("content-desc", "Add")
    heard.clear()
    demo.snapshots.load("here")
    demo.events.settle()
    assert heard == []
    hand.tap("content-desc", "Add")
    assert heard[0].type == "TYPE_VIEW_CLICKED"
    demo.snapshots.delete("here")


def test_without_listeners_events_cost_nothing(demo, hand, monkeypatch):
    monkeypatch.setattr(demo.events, "_compare", None)
    hand.tap("content-desc", "Add")
    hand.tap("text", "Title")
    demo.type_text("a")


WORDS = st.text("ab ", max_size=6)


@given(WORDS, WORDS, WORDS, WORDS)
def test_an_edit_is_found_where_it_was_made(head, removed, added, tail):
    before, after = head + removed + tail, head + added + tail
    start, gone, come = edit(before, after, len(head + added))
    assert before[:start] + after[start : start + come] + before[start + gone :] == after
    assert start + come == len(head + added) or before == after


def test_the_shade_says_what_it_is(demo, heard):
    demo.swipe(540, 5, 540, 1500)
    assert heard[-1].package == "com.android.systemui"
    assert told(heard, "class_name", "text")[-1] == (
        "TYPE_WINDOW_STATE_CHANGED",
        "android.widget.FrameLayout",
        ("Notification shade.",),
    )
