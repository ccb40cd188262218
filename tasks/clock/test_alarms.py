"""Alarms."""

import pytest

from pytest_mobileagent import answer, open_app, seen, sqlite, tap, task, type_text
from pytest_mobileagent.answers import time

CLOCK = "com.google.android.deskclock"
ALARMS = sqlite(
    "/data/user_de/0/com.google.android.deskclock/databases/alarms.db",
    "SELECT hour, minutes, daysofweek, enabled, label FROM alarm_templates",
)
HALF = (
    "//*[@resource-id=concat('android:id/',"
    " translate(substring-after('{time}', ' '), 'APM', 'apm'), '_label')]"
)
DIAL = "//*[@resource-id='android:id/radial_picker']/*"


@pytest.mark.parametrize("time", ["7:00 AM", "10:15 PM", "12:05 AM"])
@task(
    "Set an alarm in Clock for {time}.",
    app=CLOCK,
    level=2,
    probes={"alarms": ALARMS},
    solution=[
        open_app(),
        tap(resource_id="fab"),
        tap(xpath=HALF),
        tap(xpath=f"{DIAL}[@text=substring-before('{{time}}', ':')]"),
        tap(xpath=f"{DIAL}[@text=substring-before(substring-after('{{time}}', ':'), ' ')]"),
        tap(resource_id="android:id/button1"),
    ],
)
def test_add(episode, time):
    clock, half = time.split()
    hour, minute = map(int, clock.split(":"))
    hour = hour % 12 + 12 * (half == "PM")
    fresh = [row for row in episode.probe("alarms") if row not in episode.initial_probe("alarms")]
    assert [(row["hour"], row["minutes"], row["enabled"]) for row in fresh] == [(hour, minute, 1)]


@task(
    "Open Clock. When does the alarm for the early train ring?",
    app=CLOCK,
    kind="single-frame query",
    level=1,
    step_limit=6,
    solution=[open_app(), answer(seen(resource_id="digital_clock"))],
)
def test_time_of_alarm(episode):
    assert episode.answers(time("6:45 AM"))


@task(
    "In Clock, switch on the alarm that rings at 9:00 AM on weekends.",
    app=CLOCK,
    level=1,
    probes={"alarms": ALARMS},
    solution=[open_app(), tap(resource_id="onoff", nth=2)],
)
def test_switch_on(episode):
    on = [row["hour"] for row in episode.probe("alarms") if row["enabled"]]
    assert sorted(on) == [6, 9]


@task(
    "In Clock, delete the alarm at 8:30 AM and leave the others alone.",
    app=CLOCK,
    level=1,
    probes={"alarms": ALARMS},
    solution=[open_app(), tap(resource_id="arrow", nth=1), tap(resource_id="delete")],
)
def test_delete(episode):
    others = [row for row in episode.initial_probe("alarms") if row["hour"] != 8]
    assert episode.probe("alarms") == others


@task(
    "Open Clock and let the alarm at 6:45 AM ring every {tomorrow:%A}.",
    app=CLOCK,
    level=1,
    probes={"alarms": ALARMS},
    solution=[
        open_app(),
        tap(resource_id="arrow"),
        tap(resource_id="day_button_{tomorrow:%w}"),
    ],
)
def test_repeat_tomorrows_weekday(episode):
    tomorrow = (episode.started.weekday() + 1) % 7
    (alarm,) = (row for row in episode.probe("alarms") if row["hour"] == 6)
    assert alarm["daysofweek"] == 1 << tomorrow
    assert alarm["enabled"] == 1


@task(
    'In Clock, label the alarm at 8:30 AM "Swimming".',
    app=CLOCK,
    level=2,
    probes={"alarms": ALARMS},
    solution=[
        open_app(),
        tap(resource_id="arrow", nth=1),
        tap(resource_id="edit_label"),
        type_text("Swimming", resource_id="label_input_field"),
        tap(resource_id="android:id/button1"),
    ],
)
def test_label(episode):
    labels = {row["hour"]: row["label"] for row in episode.probe("alarms")}
    assert labels[8] == "Swimming"
