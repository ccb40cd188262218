"""Typing: the soft keyboard, hardware keys, and the focused field."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.virtual.system.input.keys import CTRL, SHIFT

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone
    from tests.virtual.conftest import Hand


@pytest.fixture
def editor(demo: Phone, hand: Hand) -> Phone:
    hand.tap("content-desc", "Add")
    hand.tap("text", "Title")
    return demo


def title(phone):
    return phone.activities.top.activity.state["title"]


def keyboard_keys(phone):
    window = phone.windows.find("keyboard")
    return {box.view.desc: box for box in window.box.walk() if box.view.desc}


def press(phone, *descs):
    for desc in descs:
        left, top, right, bottom = keyboard_keys(phone)[desc].bounds
        phone.tap((left + right) / 2, (top + bottom) / 2)


def test_a_tap_on_a_field_shows_the_keyboard_and_shrinks_the_window(demo, hand):
    hand.tap("content-desc", "Add")
    assert not demo.ime.shown
    tall = hand.bounds("resource-id", "org.demo:id/form")[3]
    hand.tap("text", "Title")
    assert demo.ime.shown
    form = hand.bounds("resource-id", "org.demo:id/form")
    assert form[3] == demo.windows.find("keyboard").box.bounds[1] < tall


def test_taps_on_keys_type(editor):
    press(editor, "h", "i", "Shift", "Y", "o", "Symbols", "1", "Letters", "Space", "x", "Delete")
    assert title(editor) == "hiYo1 "


def test_shift_is_a_key_that_goes_both_ways(editor):
    press(editor, "Shift", "Shift", "a")
    assert title(editor) == "a"


def test_back_closes_the_keyboard_first(editor):
    editor.key("BACK")
    assert not editor.ime.shown
    assert editor.activities.top.component.endswith("EditorActivity")
    editor.key("BACK")
    assert editor.activities.top.component.endswith("NotesActivity")


def test_enter_goes_on_to_the_next_field_which_comes_into_view(editor, hand):
    editor.type_text("Eggs\nscrambled")
    state = editor.activities.top.activity.state
    assert (state["title"], state["body"]) == ("Eggs", "scrambled")
    assert 'focused="true"' in hand.node("resource-id", "org.demo:id/body")
    assert hand.bounds("text", "scrambled")[3] <= editor.windows.find("keyboard").box.bounds[1]


def test_enter_submits_the_last_field(editor, hand):
    editor.type_text("Eggs\nscrambled\n")
    assert editor.activities.top.component.endswith("NotesActivity")
    assert not editor.ime.shown
    assert hand.sees("Eggs")


KEYS = [
    ("delete", [("DEL", 0)], "hell"),
    ("delete a letter before", [("DPAD_LEFT", 0), ("DEL", 0)], "helo"),
    ("delete forward", [("MOVE_HOME", 0), ("FORWARD_DEL", 0)], "ello"),
    ("select all and delete", [("A", CTRL), ("DEL", 0)], ""),
    ("select all and type", [("A", CTRL), ("X", 0)], "x"),
    ("copy and paste twice", [("A", CTRL), ("C", CTRL), ("V", CTRL), ("V", CTRL)], "hellohello"),
    ("cut and paste", [("A", CTRL), ("X", CTRL), ("PASTE", 0)], "hello"),
    ("capitals and signs", [("A", SHIFT), ("KEYCODE_1", SHIFT), ("COMMA", 0)], "helloA!,"),
    ("codes and full names", [("29", 0), ("KEYCODE_B", 0), (31, 0)], "helloabc"),
    ("unknown keys", [("FOO", 0), ("9999", 0)], "hello"),
    ("space", [("SPACE", 0)], "hello "),
]


@pytest.mark.parametrize(("keys", "text"), [k[1:] for k in KEYS], ids=[k[0] for k in KEYS])
def test_keys(editor, keys, text):
    editor.type_text("hello")
    for word, meta in keys:
        editor.key(word, meta)
    assert title(editor) == text


def test_text_needs_a_focused_field(demo):
    demo.type_text("lost")
    assert "lost" not in demo.dump()


def test_text_without_a_key_is_refused_as_a_whole(editor):
    with pytest.raises(ValueError, match="length of null array"):
        editor.type_text("naïve")
    assert title(editor) == ""


def test_tab_and_dpad_move_the_focus_and_center_clicks(demo, hand):
    for _ in range(20):
        demo.key("TAB")
        if 'focused="true"' in hand.node("content-desc", "Add"):
            break
    demo.key("DPAD_CENTER")
    assert demo.activities.top.component.endswith("EditorActivity")


def test_the_keyboard_goes_with_the_activity(editor):
    editor.key("HOME")
    assert not editor.ime.shown


def test_menu_key_opens_the_overflow(demo, hand):
    demo.key("MENU")
    assert hand.sees("About")
    demo.key("BACK")
    assert not hand.sees("About")


def test_volume_keys_change_the_music(demo):
    demo.key("VOLUME_UP")
    assert demo.settings.text("system", "volume_music") == "6"
    assert demo.log.entries[-1].message == "writeEvent level_changed STREAM_MUSIC 6"
