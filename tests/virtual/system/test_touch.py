"""Fingers: the targets of touches, scrolling distances, and edge gestures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone
    from tests.virtual.conftest import Hand

FORM = "org.demo:id/form"


@pytest.fixture
def editor(demo: Phone, hand: Hand) -> Phone:
    hand.tap("text", "Milk")
    return demo


def first_line(hand):
    return min(int(node.split('text="Line ')[1].split('"')[0]) for node in hand.nodes("class",
               "android.widget.TextView") if 'text="Line ' in node)  # fmt: skip


def test_content_follows_a_slow_finger_except_for_the_slop(editor, hand):
    before = hand.bounds("text", "Line 12")[1]
    editor.swipe(500, 1800, 500, 1400, 60_000)
    slop = editor.display.metrics.px(8)
    assert before - hand.bounds("text", "Line 12")[1] == pytest.approx(400 - slop, abs=2)


def test_a_fast_finger_flings(editor, hand):
    editor.swipe(500, 1800, 500, 1400, 60_000)
    slow = editor.activities.top.ui.scroll["form"]
    editor.swipe(500, 1400, 500, 1800, 60_000)
    editor.swipe(500, 1800, 500, 1400, 100)
    assert editor.activities.top.ui.scroll["form"] > slow + 200


@pytest.mark.parametrize("point", [(-1, 5), (5, -1), (1080, 5), (5, 2400)])
def test_touches_outside_the_screen_are_lost(demo, point):
    version = demo.version
    demo.tap(*point)
    assert demo.version == version


def test_a_long_press_is_a_swipe_in_place(demo, hand):
    x, y = hand.center("text", "Milk")
    demo.swipe(x, y, x + 2, y, 1000)
    assert not hand.sees("Milk")
    assert demo.activities.top.component.endswith("NotesActivity")


def test_a_short_swipe_in_place_is_a_tap(demo, hand):
    x, y = hand.center("text", "Milk")
    demo.swipe(x, y, x + 2, y, 200)
    assert demo.activities.top.component.endswith("EditorActivity")


def test_a_long_press_on_what_does_not_answer_it_is_a_tap(demo, hand):
    demo.long_press(*hand.center("content-desc", "Add"))
    assert demo.activities.top.component.endswith("EditorActivity")


EDGES = [
    ("from the left", (2, 1000, 500, 1000), "NotesActivity"),
    ("from the right", (1078, 1000, 500, 1000), "NotesActivity"),
    ("from the bottom", (540, 2390, 540, 1500), "NexusLauncherActivity"),
]


@pytest.mark.parametrize(("swipe", "activity"), [e[1:] for e in EDGES], ids=[e[0] for e in EDGES])
def test_swipes_from_the_edges_are_the_systems(editor, swipe, activity):
    editor.swipe(*swipe, 200)
    assert editor.activities.top.component.endswith(activity)


def test_holding_the_swipe_from_the_bottom_shows_the_overview(editor, hand):
    editor.swipe(540, 2390, 540, 1500, 1200)
    assert hand.nodes("content-desc", "Demo")
    assert hand.nodes("resource-id", "com.google.android.apps.nexuslauncher:id/overview_panel")


def test_the_shade_comes_from_the_top_and_goes_back_up(demo, hand):
    demo.notifications.post("org.demo", "1", "News", "Read all about it")
    demo.swipe(540, 5, 540, 1200)
    assert hand.node("text", "News").count("com.android.systemui")
    assert not hand.nodes("content-desc", "Airplane mode, Off")
    demo.swipe(540, 1800, 540, 2300)
    hand.tap("content-desc", "Airplane mode, Off")
    assert demo.settings.text("global", "airplane_mode_on") == "1"
    demo.swipe(540, 2000, 540, 800)
    assert hand.sees("News")
    demo.swipe(540, 2000, 540, 800)
    assert hand.sees("Notes")
    demo.key("NOTIFICATION")
    hand.tap("text", "News")
    assert demo.notifications.posted == []
    assert hand.sees("Notes")


def test_a_finger_may_move_step_by_step(editor):
    editor.finger.down(500, 1800)
    editor.finger.move(500, 1600)
    editor.finger.up(500, 1400)
    assert editor.activities.top.ui.scroll["form"] > 0


def test_nothing_is_touched_while_the_screen_is_off(demo, hand):
    place = hand.center("text", "Milk")
    demo.key("POWER")
    demo.tap(*place)
    demo.key("BACK")
    demo.key("WAKEUP")
    assert demo.activities.top.component.endswith("NotesActivity")
