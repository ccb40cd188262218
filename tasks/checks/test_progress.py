"""Conditions along the way, and how much of a task was done."""

from pytest_mobileagent import answer, check, open_app, press, setting, sqlite, tap, task

CLOCK = "com.google.android.deskclock"
SETTINGS = "com.android.settings"
WISH = "com.contextlogic.wish"
ALARMS = sqlite(
    "/data/user_de/0/com.google.android.deskclock/databases/alarms.db",
    "SELECT hour, minutes, daysofweek, enabled, label FROM alarm_templates",
)
NIGHT = setting("secure", "ui_night_mode")


@task(
    "In Clock, switch on the alarm that rings at 9:00 AM, and delete the one at 8:30 AM.",
    app=CLOCK,
    level=2,
    probes={"alarms": ALARMS},
    solution=[
        open_app(),
        tap(resource_id="onoff", nth=2),
        tap(resource_id="arrow", nth=1),
        tap(resource_id="delete"),
    ],
)
def test_sub_goals(episode):
    hours = {row["hour"]: row["enabled"] for row in episode.probe("alarms")}
    with episode.subgoal("9:00 rings", weight=2):
        assert hours[9] == 1
    with episode.subgoal("8:30 is gone"):
        assert 8 not in hours
        assert len(hours) == len(episode.initial_probe("alarms")) - 1


@task(
    "In Clock, delete the alarm at 8:30 AM, and only then switch off the one at 6:45 AM.",
    app=CLOCK,
    level=2,
    probes={"alarms": ALARMS},
    solution=[
        open_app(),
        tap(resource_id="arrow", nth=1),
        tap(resource_id="delete"),
        tap(resource_id="onoff", nth=0),
    ],
)
def test_in_order(episode):
    def gone(e):
        return all(row["hour"] != 8 for row in e.probe("alarms"))

    def off(e):
        return [row["enabled"] for row in e.probe("alarms") if row["hour"] == 6] == [0]

    assert episode.in_order(gone, off)
    assert off(episode)


@task(
    "Look up on Wish how many days the Enamel mug on My Wishlist takes to arrive. Do not add "
    "anything to the cart.",
    app=WISH,
    kind="single-frame query",
    level=2,
    solution=[
        open_app(),
        tap(content_desc="Wishlist"),
        tap(text="My Wishlist"),
        tap(text="Enamel mug"),
        answer("7 days"),
    ],
)
def test_never(episode):
    assert episode.never(lambda e: e.tapped(text="Add to cart"))
    assert episode.saw(text="Arrives in 7 days, postage $3.50")
    assert episode.answers("7 days")


@task(
    "Make all of the phone dark, leave it so, and go back to the home screen.",
    app=SETTINGS,
    level=1,
    probes={"night": NIGHT},
    solution=[open_app(), tap(text="Display"), tap(text="Dark theme"), press("home")],
)
def test_until_end(episode):
    assert episode.until_end(lambda e: e.probe("night") == "2")
    assert episode.screen.package != SETTINGS


@task(
    "See what the phone looks like when it is dark, and then make it light again.",
    app=SETTINGS,
    level=1,
    probes={"night": NIGHT},
    solution=[open_app(), tap(text="Display"), tap(text="Dark theme"), tap(text="Dark theme")],
)
def test_ever(episode):
    assert episode.ever(lambda e: e.probe("night") == "2")
    assert episode.probe("night") == "1"


@task(
    "In Settings, turn on Airplane mode, which is in Network & internet.",
    app=SETTINGS,
    level=1,
    source="LlamaTouch",
    probes={"airplane": setting("global", "airplane_mode_on")},
    solution=[open_app(), tap(text="Network & internet"), tap(text="Airplane mode")],
)
def test_essential_states(episode):
    states = [
        check.essential(fuzzy="Settings", click={"text": "Network & internet"}),
        check.essential(exact={"text": "Airplane mode"}, click={"text": "Airplane mode"}),
        check.essential(fuzzy="Airplane mode", holds=lambda e: e.probe("airplane") == "1"),
    ]
    assert check.essential_states(episode, states)


@task(
    "Make the text on this phone two steps larger.",
    app=SETTINGS,
    level=1,
    source="B-MoCA",
    stop_on_success=True,
    probes={"scale": setting("system", "font_scale")},
    solution=[
        open_app(),
        tap(text="Display"),
        tap(text="Font size"),
        tap(content_desc="Make larger"),
        tap(content_desc="Make larger"),
    ],
)
def test_stop_on_success(episode):
    assert episode.probe("scale") == "1.3"
