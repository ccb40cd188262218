"""Device state beyond the screen: one task for each kind of probe."""

from pytest_mobileagent import (
    activity,
    answer,
    file,
    files,
    log,
    long_press,
    open_app,
    packages,
    preferences,
    press,
    prop,
    provider,
    scroll,
    seen,
    setting,
    sqlite,
    tap,
    task,
    type_text,
    volume,
)
from pytest_mobileagent.answers import exact

CLOCK = "com.google.android.deskclock"
FILES = "com.google.android.documentsui"
MESSAGES = "com.google.android.apps.messaging"
NOTES = "com.simplemobiletools.notes.pro"
SETTINGS = "com.android.settings"
DOWNLOADS = "/sdcard/Download"


@task(
    "Make this phone vibrate, too, when somebody calls.",
    app=SETTINGS,
    level=1,
    probes={"vibrate": setting("system", "vibrate_when_ringing")},
    solution=[open_app(), tap(text="Sound & vibration"), tap(text="Vibrate for calls")],
)
def test_setting(episode):
    assert episode.probe("vibrate") == "1"


@task(
    "Which version of Android does this phone have? Look it up in Settings.",
    app=SETTINGS,
    kind="single-frame query",
    level=1,
    golden_steps=3,
    probes={"version": prop("ro.build.version.release")},
    solution=[
        open_app(),
        scroll("up", until={"text": "About phone"}),
        tap(text="About phone"),
        scroll("up", until={"text": "Android version"}),
        answer(seen(xpath="//*[@text='Android version']/following-sibling::*[1]")),
    ],
)
def test_prop(episode):
    assert episode.answers(exact(episode.probe("version")))


@task(
    "Open Clock.",
    app=CLOCK,
    level=1,
    probes={"started": log(rf"START u0 .*cmp={CLOCK}/", tag="ActivityTaskManager", level="I")},
    solution=[open_app()],
)
def test_log(episode):
    assert episode.probe("started")


@task(
    "Turn off the alarm for the early train.",
    app=CLOCK,
    level=1,
    probes={
        "on": sqlite(
            f"/data/user_de/0/{CLOCK}/databases/alarms.db",
            "SELECT hour, minutes FROM alarm_templates WHERE enabled",
        )
    },
    solution=[open_app(), tap(resource_id="onoff")],
)
def test_sqlite(episode):
    early = {"hour": 6, "minutes": 45}
    assert early in episode.initial_probe("on")
    assert early not in episode.probe("on")


@task(
    "Let Notes show how many words a note has.",
    app=NOTES,
    level=1,
    probes={"shown": preferences(NOTES, "Prefs", "show_word_count")},
    solution=[
        open_app(),
        tap(content_desc="More options"),
        tap(text="Settings"),
        tap(text="Show word count"),
    ],
)
def test_preferences(episode):
    assert episode.probe("shown") is True


@task(
    'In Files, delete "timetable.csv" from my downloads, and nothing else.',
    app=FILES,
    level=1,
    probes={"downloads": files(DOWNLOADS)},
    solution=[
        open_app(),
        long_press(text="timetable.csv"),
        tap(content_desc="Delete"),
        tap(text="OK"),
    ],
)
def test_files(episode):
    gone = set(episode.initial_probe("downloads")) - set(episode.probe("downloads"))
    assert gone == {"timetable.csv"}


@task(
    'In Files, rename the download "timetable.csv" to "trains.csv".',
    app=FILES,
    level=2,
    probes={"old": file(f"{DOWNLOADS}/timetable.csv"), "new": file(f"{DOWNLOADS}/trains.csv")},
    solution=[
        open_app(),
        long_press(text="timetable.csv"),
        tap(content_desc="More options"),
        tap(text="Rename"),
        type_text("trains.csv", clear=True, resource_id="text1"),
        tap(text="OK"),
    ],
)
def test_file(episode):
    assert episode.probe("old") is None
    assert episode.probe("new") == episode.initial_probe("old")


@task(
    "Look in Settings whether the app Coursera is installed on this phone. Answer yes or no.",
    golden_steps=4,
    app=SETTINGS,
    kind="single-frame query",
    level=1,
    probes={"packages": packages("third-party")},
    solution=[
        open_app(),
        tap(text="Apps"),
        scroll("up", until={"text": "Coursera"}),
        answer("yes"),
    ],
)
def test_packages(episode):
    assert any(each.package == SETTINGS and each.find(text="Coursera") for each in episode.screens)
    is_there = "org.coursera.android" in episode.probe("packages")
    assert episode.answers("yes" if is_there else "no")


@task(
    'Write "I am on my way." to Oscar Delgado.',
    app=MESSAGES,
    level=2,
    probes={"sent": provider("content://sms/sent", ["address", "body"])},
    solution=[
        open_app(),
        tap(content_desc="Start chat"),
        type_text("Oscar Delgado", resource_id="recipient_text_view"),
        tap(resource_id="contact_name", text="Oscar Delgado"),
        type_text("I am on my way.", resource_id="compose_message_text"),
        tap(content_desc="Send SMS"),
    ],
)
def test_provider(episode):
    before = episode.initial_probe("sent")
    fresh = [row for row in episode.probe("sent") if row not in before]
    assert [row["body"] for row in fresh] == ["I am on my way."]


@task(
    "Turn the volume of the music up by two steps.",
    level=1,
    probes={"music": volume("music")},
    solution=[press("volume_up"), press("volume_up")],
)
def test_volume(episode):
    assert episode.probe("music") == episode.initial_probe("music") + 2


@task(
    "Open the page of Settings where the display is set up.",
    app=SETTINGS,
    level=1,
    probes={"front": activity()},
    solution=[open_app(), tap(text="Display")],
)
def test_activity(episode):
    assert (episode.probe("front") or "").endswith(".SubSettings")  # as for each page of Settings
    assert episode.screen.find(text="Brightness level")
