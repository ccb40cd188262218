"""Settings of the phone itself."""

import pytest

from pytest_mobileagent import answer, open_app, scroll, seen, setting, tap, task, type_text
from pytest_mobileagent.answers import exact

SETTINGS = "com.android.settings"


@task(
    "In Settings, open Network & internet and turn on Airplane mode.",
    app=SETTINGS,
    level=1,
    probes={"airplane": setting("global", "airplane_mode_on")},
    solution=[open_app(), tap(text="Network & internet"), tap(text="Airplane mode")],
)
def test_airplane_mode(episode):
    assert episode.probe("airplane") == "1"


@task(
    "The bright screen hurts my eyes at night: make all of the phone dark.",
    app=SETTINGS,
    level=1,
    probes={"night": setting("secure", "ui_night_mode")},
    solution=[open_app(), tap(text="Display"), tap(text="Dark theme")],
)
def test_dark_theme(episode):
    if episode.initial_probe("night") == "2":
        pytest.skip("this environment is dark already")
    assert episode.probe("night") == "2"


@pytest.mark.parametrize("minutes", [2, 10])
@task(
    "In the Display part of Settings, set the Screen timeout to {minutes} minutes.",
    app=SETTINGS,
    level=1,
    probes={"timeout": setting("system", "screen_off_timeout")},
    solution=[
        open_app(),
        tap(text="Display"),
        tap(text="Screen timeout"),
        tap(text="{minutes} minutes"),
    ],
)
def test_screen_timeout(episode, minutes):
    assert episode.probe("timeout") == str(minutes * 60_000)


@task(
    "Make the text on this phone one step larger.",
    app=SETTINGS,
    level=1,
    probes={"scale": setting("system", "font_scale")},
    solution=[
        open_app(),
        tap(text="Display"),
        tap(text="Font size"),
        tap(content_desc="Make larger"),
    ],
)
def test_larger_text(episode):
    steps = ["0.85", "1.0", "1.15", "1.3"]
    assert steps.index(episode.probe("scale")) == steps.index(episode.initial_probe("scale")) + 1


@task(
    "In the System part of Settings, under Date & time, use the 24-hour format.",
    app=SETTINGS,
    level=2,
    probes={"hours": setting("system", "time_12_24")},
    solution=[
        open_app(),
        scroll("up", until={"text": "System"}),
        tap(text="System"),
        tap(text="Date & time"),
        tap(text="Use 24-hour format"),
    ],
)
def test_24_hours(episode):
    assert episode.probe("hours") == "24"


@task(
    "Which version of Android runs on this phone?",
    app=SETTINGS,
    kind="single-frame query",
    level=1,
    golden_steps=3,
    solution=[
        open_app(),
        scroll("up", until={"text": "About phone"}),
        tap(text="About phone"),
        scroll("up", until={"text": "Android version"}),
        answer(seen(xpath="//*[@text='Android version']/following-sibling::*[1]")),
    ],
)
def test_android_version(episode):
    version = "//*[@text='Android version']/following-sibling::*[1]"
    assert episode.answers(exact(episode.screen.get(xpath=version).text))


@task(
    'Give this phone the name "Lighthouse".',
    app=SETTINGS,
    level=2,
    probes={"name": setting("global", "device_name")},
    solution=[
        open_app(),
        scroll("up", until={"text": "About phone"}),
        tap(text="About phone"),
        tap(text="Device name"),
        type_text("Lighthouse", clear=True, class_name="EditText"),
        tap(text="OK"),
    ],
)
def test_rename(episode):
    assert episode.probe("name") == "Lighthouse"


@task(
    "Which versions of Clock and Coursera are installed? Answer with that of Clock first.",
    golden_steps=7,
    app=SETTINGS,
    kind="multi-frame query",
    level=2,
    solution=[
        open_app(),
        tap(text="Apps"),
        scroll("up", until={"text": "Clock"}),
        tap(text="Clock"),
        tap(content_desc="Navigate up"),
        scroll("up", until={"text": "Coursera"}),
        tap(text="Coursera"),
        answer("Clock 7.5, Coursera 5.21.0"),
    ],
)
def test_versions_of_two_apps(episode):
    assert episode.answers([exact("7.5"), exact("5.21.0")])


@task(
    "Have the phone look for a system update.",
    app=SETTINGS,
    level=1,
    solution=[open_app(), scroll("up"), tap(text="System"), tap(text="System update")],
)
def test_look_for_update(episode):
    # A toast disappears before it could be observed.
    assert episode.event(type="notification_state_changed", text="No update available")
