"""Alarms, timers and cities, with values that are drawn."""

from functools import partial

from pytest_mobileagent import open_app, sqlite, tap, task, type_text

from .drawing import DIGITS, draw, fresh, opened, taps

CLOCK = "com.google.android.deskclock"
ALARMS = sqlite(
    f"/data/user_de/0/{CLOCK}/databases/alarms.db",
    "SELECT hour, minutes, daysofweek, enabled, label FROM alarm_templates",
)
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
LABELS = ("Gym", "Swimming", "Choir", "Pills", "Night shift", "Call home", "Market", "Ferry")
CITIES = (
    "Amsterdam", "Athens", "Auckland", "Bangkok", "Berlin", "Cairo", "Chicago", "Delhi", "Denver",
    "Dubai", "Helsinki", "Honolulu", "Istanbul", "Jakarta", "Lagos", "Lima", "Lisbon", "Madrid",
    "Nairobi", "Oslo", "Paris", "Rome", "Seoul", "Sydney", "Toronto", "Vienna", "Warsaw",
)  # fmt: skip
DIAL = "//*[@resource-id='android:id/radial_picker']/*"
OK = tap(resource_id="android:id/button1")
ADD = [
    open_app(),
    tap(resource_id="fab"),
    tap(resource_id="android:id/{half}_label"),
    *(tap(xpath=f"{DIAL}[@text='{{{part}}}']") for part in ("hour", "minute")),
    OK,
]
of_clock = partial(task, app=CLOCK, level=2)
of_alarms = partial(of_clock, probes={"alarms": ALARMS})


def any_time(dice):
    half, hour, minute = dice.choice(("am", "pm")), dice.randint(1, 12), dice.randrange(0, 60, 5)
    return {"hour": hour, "minute": f"{minute:02}", "half": half}


def on_the_clock(hour, minute, half):
    """Return the hour and the minute as a clock of 24 hours has them."""
    return hour % 12 + 12 * (half == "pm"), int(minute)


@of_alarms(
    "Set an alarm in Clock for {hour}:{minute} {half}.",
    parameters=any_time,
    solution=ADD,
)
def test_alarm(episode, hour, minute, half):
    added = [(row["hour"], row["minutes"], row["enabled"]) for row in fresh(episode, "alarms")]
    assert added == [(*on_the_clock(hour, minute, half), 1)]


@of_alarms(
    "Set an alarm in Clock that rings every {day} at {hour}:{minute} {half}.",
    parameters=lambda dice: {**any_time(dice), "day": dice.choice(DAYS)},
    solution=[*ADD, *taps("{day}")],
)
def test_weekly_alarm(episode, hour, minute, half, day):
    added = [(row["hour"], row["minutes"], row["daysofweek"]) for row in fresh(episode, "alarms")]
    assert added == [(*on_the_clock(hour, minute, half), 1 << DAYS.index(day))]


@of_alarms(
    'In Clock, label the alarm at {alarm} "{label} {number}".',
    parameters=draw(alarm=("8:30 AM", "9:00 AM", "6:45 AM"), label=LABELS, number=DIGITS),
    solution=lambda values: [
        open_app(),
        tap(resource_id="arrow", nth=("6:45 AM", "8:30 AM", "9:00 AM").index(values["alarm"])),
        tap(resource_id="edit_label"),
        type_text("{label} {number}", clear=True, resource_id="label_input_field"),
        OK,
    ],
    golden_steps=5,
)
def test_label(episode, alarm, label, number):
    rows = episode.probe("alarms")
    labels = {f"{row['hour']}:{row['minutes']:02} AM": row["label"] for row in rows}
    assert labels[alarm] == f"{label} {number}"


@of_clock(
    "Start a timer in Clock that rings in {minutes} minutes and {seconds} seconds.",
    parameters=draw(minutes=range(10, 60), seconds=range(10, 60)),
    solution=lambda values: [
        open_app(),
        tap(resource_id="page_timer"),
        *(tap(resource_id=f"timer_setup_digit_{n}") for n in "{minutes}{seconds}".format(**values)),
        tap(resource_id="fab"),
    ],
    golden_steps=7,
)
def test_timer(episode, minutes, seconds):
    assert f"{minutes}:{seconds}" in episode.screen.get(resource_id="timer_label").text


@of_clock(
    "Add {city} to the cities in Clock, and stay on the page with the cities.",
    parameters=draw(city=CITIES),
    solution=[
        *opened("Clock", "Cities"),
        type_text("{city}", resource_id="search_src_text"),
        tap(resource_id="city_name", text="{city}"),
        *taps("Navigate up"),
    ],
)
def test_city(episode, city):
    assert episode.screen.find(resource_id="city_name", text=city)
    assert episode.screen.find(resource_id="hours_ahead")
