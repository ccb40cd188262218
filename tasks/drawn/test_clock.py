"""Alarms, timers and cities, with values that are drawn."""

from pytest_mobileagent import open_app, sqlite, tap, task, type_text

CLOCK = "com.google.android.deskclock"
ALARMS = sqlite(
    "/data/user_de/0/com.google.android.deskclock/databases/alarms.db",
    "SELECT hour, minutes, daysofweek, enabled, label FROM alarm_templates",
)
DIAL = "//*[@resource-id='android:id/radial_picker']/*"
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
LABELS = ("Gym", "Swimming", "Choir", "Pills", "Night shift", "Call home", "Market", "Ferry")


def any_time(dice):
    half, hour, minute = dice.choice(("am", "pm")), dice.randint(1, 12), dice.randrange(0, 60, 5)
    return {"hour": hour, "minute": f"{minute:02}", "half": half}


def set_time():
    return [
        tap(resource_id="android:id/{half}_label"),
        tap(xpath=f"{DIAL}[@text='{{hour}}']"),
        tap(xpath=f"{DIAL}[@text='{{minute}}']"),
        tap(resource_id="android:id/button1"),
    ]


def fresh(episode):
    """Return the alarms added since the start."""
    return [row for row in episode.probe("alarms") if row not in episode.initial_probe("alarms")]


def on_the_clock(hour, minute, half):
    """Return the hour and the minute as a clock of 24 hours has them."""
    return hour % 12 + 12 * (half == "pm"), int(minute)


@task(
    "Set an alarm in Clock for {hour}:{minute} {half}.",
    app=CLOCK,
    level=2,
    probes={"alarms": ALARMS},
    parameters=any_time,
    solution=[open_app(), tap(resource_id="fab"), *set_time()],
)
def test_alarm(episode, hour, minute, half):
    added = [(row["hour"], row["minutes"], row["enabled"]) for row in fresh(episode)]
    assert added == [(*on_the_clock(hour, minute, half), 1)]


@task(
    "Set an alarm in Clock that rings every {day} at {hour}:{minute} {half}.",
    app=CLOCK,
    level=2,
    probes={"alarms": ALARMS},
    parameters=lambda dice: {**any_time(dice), "day": dice.choice(DAYS)},
    solution=[open_app(), tap(resource_id="fab"), *set_time(), tap(content_desc="{day}")],
)
def test_weekly_alarm(episode, hour, minute, half, day):
    added = [(row["hour"], row["minutes"], row["daysofweek"]) for row in fresh(episode)]
    assert added == [(*on_the_clock(hour, minute, half), 1 << DAYS.index(day))]


@task(
    'In Clock, label the alarm at {alarm} "{label} {number}".',
    app=CLOCK,
    level=2,
    probes={"alarms": ALARMS},
    parameters=lambda dice: {
        "alarm": dice.choice(("8:30 AM", "9:00 AM", "6:45 AM")),
        "label": dice.choice(LABELS),
        "number": dice.randint(1, 9),
    },
    solution=lambda values: [
        open_app(),
        tap(resource_id="arrow", nth=("6:45 AM", "8:30 AM", "9:00 AM").index(values["alarm"])),
        tap(resource_id="edit_label"),
        type_text("{label} {number}", clear=True, resource_id="label_input_field"),
        tap(resource_id="android:id/button1"),
    ],
    golden_steps=5,
)
def test_label(episode, alarm, label, number):
    labels = {
        f"{row['hour']}:{row['minutes']:02} AM": row["label"] for row in episode.probe("alarms")
    }
    assert labels[alarm] == f"{label} {number}"


@task(
    "Start a timer in Clock that rings in {minutes} minutes and {seconds} seconds.",
    app=CLOCK,
    level=2,
    parameters=lambda dice: {"minutes": dice.randint(10, 59), "seconds": dice.randint(10, 59)},
    solution=lambda values: [
        open_app(),
        tap(resource_id="page_timer"),
        *(tap(resource_id=f"timer_setup_digit_{digit}")
          for digit in f"{values['minutes']}{values['seconds']}"),
        tap(resource_id="fab"),
    ],
    golden_steps=7,
)  # fmt: skip
def test_timer(episode, minutes, seconds):
    assert f"{minutes}:{seconds}" in episode.screen.get(resource_id="timer_label").text


CITIES = (
    "Amsterdam", "Athens", "Auckland", "Bangkok", "Berlin", "Cairo", "Chicago", "Delhi", "Denver",
    "Dubai", "Helsinki", "Honolulu", "Istanbul", "Jakarta", "Lagos", "Lima", "Lisbon", "Madrid",
    "Nairobi", "Oslo", "Paris", "Rome", "Seoul", "Sydney", "Toronto", "Vienna", "Warsaw",
)  # fmt: skip


@task(
    "Add {city} to the cities in Clock, and stay on the page with the cities.",
    app=CLOCK,
    level=2,
    parameters=lambda dice: {"city": dice.choice(CITIES)},
    solution=[
        open_app(),
        tap(content_desc="Clock"),
        tap(content_desc="Cities"),
        type_text("{city}", resource_id="search_src_text"),
        tap(resource_id="city_name", text="{city}"),
        tap(content_desc="Navigate up"),
    ],
)
def test_city(episode, city):
    assert episode.screen.find(resource_id="city_name", text=city)
    assert episode.screen.find(resource_id="hours_ahead")
