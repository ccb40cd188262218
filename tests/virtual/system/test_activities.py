"""Activities start and finish by Android's rules."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest
from PIL import Image, ImageChops

from pytest_mobileagent.virtual.content.intent import CLEAR_TOP, NEW_TASK, SINGLE_TOP, launch
from pytest_mobileagent.virtual.sdk import Intent
from pytest_mobileagent.virtual.system.activities import Result

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone

NOTES = "org.demo/org.demo.NotesActivity"
EDITOR = "org.demo/org.demo.EditorActivity"
HOME = "com.google.android.apps.nexuslauncher/.NexusLauncherActivity"


def stack(phone: Phone) -> list[str]:
    return [record.component.rpartition(".")[2] for record in reversed(phone.activities.records())]


def logged(phone: Phone, tag: str) -> list[str]:
    return [entry.message for entry in phone.log.entries if entry.tag == tag]


def test_a_phone_boots_to_its_launcher(phone):
    assert stack(phone) == ["NexusLauncherActivity"]


def test_an_icon_starts_its_app_and_the_log_says_so(phone, hand):
    hand.tap("content-desc", "Demo")
    assert stack(phone) == ["NexusLauncherActivity", "NotesActivity"]
    uid = phone.packages["com.google.android.apps.nexuslauncher"].uid
    assert logged(phone, "ActivityTaskManager")[-2] == (
        "START u0 {act=android.intent.action.MAIN cat=[android.intent.category.LAUNCHER]"
        f" flg=0x10200000 pkg=org.demo cmp=org.demo/.NotesActivity}} from uid {uid}"
    )
    pid = phone.proc.pid("org.demo")
    started = logged(phone, "ActivityManager")[-1]
    assert started.startswith(f"Start proc {pid}:org.demo/u0a")
    assert started.endswith("for activity {org.demo/org.demo.NotesActivity}")


def test_back_from_the_last_activity_leads_home_and_keeps_the_app(demo):
    demo.activities.top.activity.set(loud=True)
    demo.key("BACK")
    assert demo.activities.top.package == demo.launcher
    assert demo.proc.running("org.demo")
    assert demo.activities.launch("org.demo").result is Result.TO_FRONT
    assert demo.activities.top.activity.state["loud"] is True


def test_back_leads_to_what_was_there_before(demo):
    demo.key("HOME")
    demo.activities.launch("org.demo")
    demo.key("BACK")
    assert demo.activities.top.package == demo.launcher
    demo.activities.start(Intent(component=EDITOR, flags=NEW_TASK))
    demo.activities.kill(demo.launcher, "test")
    demo.key("BACK")
    demo.key("BACK")
    assert demo.activities.top.package == demo.launcher


def test_back_leaves_an_inner_activity(demo, hand):
    hand.tap("text", "Milk")
    assert stack(demo)[-1] == "EditorActivity"
    demo.key("BACK")
    assert stack(demo)[-1] == "NotesActivity"


def test_home_keeps_a_task_where_it_was(demo, hand):
    hand.tap("text", "Milk")
    demo.key("HOME")
    assert demo.activities.top.package == demo.launcher
    demo.activities.launch("org.demo")
    assert stack(demo)[-1] == "EditorActivity"


STARTS = [
    ("the same launch again, in front", launch(NOTES), Result.TO_TOP, 1),
    ("another intent for the root", Intent(component=NOTES, flags=NEW_TASK), Result.STARTED, 2),
    ("single top", Intent(component=NOTES, flags=NEW_TASK | SINGLE_TOP), Result.TO_TOP, 1),
    ("clear top", Intent(component=NOTES, flags=NEW_TASK | CLEAR_TOP), Result.TO_TOP, 1),
    ("a second activity", Intent(component=EDITOR, flags=NEW_TASK), Result.STARTED, 2),
    ("by action and scheme", Intent("android.intent.action.EDIT", "note:1"), Result.STARTED, 2),
    (
        "by a scheme that it lacks",
        Intent("android.intent.action.EDIT", "x:1"),
        Result.UNRESOLVED,
        1,
    ),
    ("no such class", Intent(component="org.demo/org.demo.Nope"), Result.NO_CLASS, 1),
]


def test_an_activity_learns_that_another_one_covers_it(demo, monkeypatch):
    heard = []
    kind = type(demo.activities.top.activity)
    monkeypatch.setattr(kind, "on_pause", lambda self: heard.append(self.name))
    demo.key("HOME")
    assert heard == [".NotesActivity"]
    demo.snapshots.save("left")
    demo.activities.launch("org.demo")
    demo.snapshots.load("left")
    demo.key("HOME")
    assert heard == [".NotesActivity"]
    demo.activities.launch("org.demo")
    demo.key("APP_SWITCH")
    assert heard == [".NotesActivity"] * 2


@pytest.mark.parametrize(("intent", "result", "depth"), [row[1:] for row in STARTS],
                         ids=[row[0] for row in STARTS])  # fmt: skip
def test_starts(demo, intent, result, depth):
    assert demo.activities.start(intent).result is result
    assert len(demo.activities.task.records) == depth


def test_others_may_not_start_an_activity_that_is_not_exported(demo):
    with pytest.raises(PermissionError, match="not exported from uid"):
        demo.activities.start(Intent("demo.ABOUT"))
    assert demo.activities.start(Intent("demo.ABOUT"), uid=0).result is Result.STARTED


def test_a_result_reaches_the_activity_that_asked_for_it(demo, hand):
    hand.tap("content-desc", "Add")
    hand.tap("text", "Title")
    demo.type_text("Eggs")
    demo.key("BACK")
    demo.swipe(500, 2000, 500, 200, 200)
    hand.tap("text", "Save")
    assert demo.windows.toast().text == "new: Eggs"
    assert hand.sees("Eggs")


def test_force_stop_ends_all_of_an_app(demo):
    demo.activities.force_stop("org.demo")
    assert stack(demo) == ["NexusLauncherActivity"]
    assert not demo.proc.running("org.demo")
    assert logged(demo, "ActivityManager")[-2].startswith("Force stopping org.demo appid=")


def test_an_app_that_fails_is_ended_and_the_log_says_why(demo, hand, caplog):
    hand.tap("text", "Milk")
    demo.swipe(500, 2000, 500, 200, 200)
    hand.tap("text", "Crash")
    assert stack(demo) == ["NexusLauncherActivity"]
    crash = [entry.message for entry in demo.log.entries if entry.buffer == "crash"]
    assert crash[0] == "FATAL EXCEPTION: main"
    assert crash[1].startswith("Process: org.demo, PID: ")
    assert "ZeroDivisionError: division by zero" in crash[-1]
    assert "org.demo crashed" in caplog.text


def test_the_overview_shows_recent_tasks(demo, hand):
    demo.key("APP_SWITCH")
    hand.tap("content-desc", "Demo")
    assert stack(demo)[-1] == "NotesActivity"
    demo.key("APP_SWITCH")
    hand.tap("text", "Clear all")
    assert stack(demo) == ["NexusLauncherActivity"]


def test_the_overview_shows_each_task_as_it_was_left(demo, hand):
    hand.tap("content-desc", "Add")
    left = Image.open(io.BytesIO(demo.screenshot())).convert("RGB")
    demo.key("APP_SWITCH")
    box = next(b for b in demo.windows.active.box.walk() if b.view.id == "snapshot")
    (task,) = demo.activities.recent()
    thumbnail = Image.open(io.BytesIO(demo.sight.thumbnail(task))).convert("RGB")
    inside = (40, 80, 500, 1100)  # without the bars
    seen = left.reduce(2).crop(inside)
    assert ImageChops.difference(thumbnail.crop(inside), seen).getbbox() is None
    assert box.visible
    assert demo.sight.thumbnail(task) is demo.sight.thumbnail(task)


def test_the_launcher_has_all_apps_above_it(phone, hand):
    phone.swipe(540, 1600, 540, 700)
    hand.tap("text", "Search web and more")
    phone.type_text("dem")
    assert len(hand.nodes("resource-id", "com.google.android.apps.nexuslauncher:id/icon")) == 1
    phone.key("ENTER")
    assert stack(phone)[-1] == "NotesActivity"


def test_icons_of_the_home_screen_are_texts_without_an_id(hand):
    icon = hand.node("content-desc", "Demo")
    assert 'text="Demo" resource-id="" class="android.widget.TextView"' in icon
    assert 'clickable="true"' in icon
