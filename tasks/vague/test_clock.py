"""Alarms and timers without a time."""

from pytest_mobileagent import ask_user, open_app, questions, sqlite, tap, task, type_text

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


@task(
    "Set an alarm in Clock for 10:15 PM.",
    vague="Set an alarm for me.",
    app=CLOCK,
    level=2,
    probes={"alarms": ALARMS},
    user=questions(
        [
            ("Which app should I use?", "Clock"),
            ("At what time should the alarm ring?", "10:15 PM"),
            ("On which days should it repeat?", "It should not repeat"),
            ("Which label should it have?", "None"),
            ("Should it vibrate?", "As it does by default"),
        ]
    ),
    solution=[
        open_app(),
        ask_user("What time should the alarm be set for?", time="7:00 AM"),
        tap(resource_id="fab"),
        tap(xpath=HALF),
        tap(xpath=f"{DIAL}[@text=substring-before('{{time}}', ':')]"),
        tap(xpath=f"{DIAL}[@text=substring-before(substring-after('{{time}}', ':'), ' ')]"),
        tap(resource_id="android:id/button1"),
    ],
)
def test_alarm(episode):
    fresh = [row for row in episode.probe("alarms") if row not in episode.initial_probe("alarms")]
    assert [(row["hour"], row["minutes"], row["enabled"]) for row in fresh] == [(22, 15, 1)]


@task(
    'In Clock, label the alarm at 8:30 AM "Swimming".',
    vague="Give one of my alarms a label.",
    app=CLOCK,
    level=2,
    probes={"alarms": ALARMS},
    user=questions(
        [
            ("Which of the alarms do you mean?", "The second one, at 8:30 AM"),
            ("What should the label say?", "Swimming"),
            ("Should I change its time, too?", "No"),
            ("Should I switch it on?", "No, leave it as it is"),
            ("In which app are your alarms?", "Clock"),
        ]
    ),
    solution=[
        open_app(),
        tap(resource_id="arrow", nth=1),
        tap(resource_id="edit_label"),
        ask_user("What should be written on the label?", label="Alarm"),
        type_text("{label}", resource_id="label_input_field"),
        tap(resource_id="android:id/button1"),
    ],
)
def test_label(episode):
    labels = {row["hour"]: row["label"] for row in episode.probe("alarms")}
    assert labels[8] == "Swimming"


@task(
    "Start a timer in Clock that rings in 8 minutes.",
    vague="Start a timer for my tea.",
    app=CLOCK,
    level=2,
    user=questions(
        [
            ("How many minutes should the timer run?", "8"),
            ("And how many seconds?", "0"),
            ("Should it have a label?", "No"),
            ("Which app should I use?", "Clock"),
            ("Should I start it at once?", "Yes"),
        ]
    ),
    solution=[
        open_app(),
        tap(resource_id="page_timer"),
        ask_user("How many minutes?", minutes="5"),
        tap(resource_id="timer_setup_digit_{minutes}"),
        tap(resource_id="timer_setup_digit_00"),
        tap(resource_id="fab"),
    ],
)
def test_timer(episode):
    assert "8:00" in episode.screen.get(resource_id="timer_label").text
    assert episode.screen.get(resource_id="play_pause").content_desc == "Pause"


@task(
    "Add Tokyo to the cities in Clock.",
    vague="I call a friend abroad now and then: show me in Clock what time it is there.",
    app=CLOCK,
    level=2,
    user=questions(
        [
            ("In which city does your friend live?", "Tokyo"),
            ("Should I remove other cities?", "No"),
            ("Do you want it in 24 hours?", "No, leave the format"),
            ("Should I set an alarm for the call?", "No"),
            ("Should I call your friend?", "No, only add the city"),
        ]
    ),
    solution=[
        open_app(),
        tap(content_desc="Clock"),
        tap(content_desc="Cities"),
        ask_user("Which city is your friend in?", city="Paris"),
        type_text("{city}", resource_id="search_src_text"),
        tap(resource_id="city_name", text="{city}"),
        tap(content_desc="Navigate up"),
    ],
)
def test_city(episode):
    ahead = "following-sibling::*[contains(@resource-id, 'hours_ahead')]"
    assert episode.screen.find(xpath=f"//*[@text='Tokyo']/{ahead}")
