"""Voice Recorder: ten tasks of MobileAgentBench."""

from pytest_mobileagent import long_press, tap, tasks, type_text

from .checks import OK, equal, has, is_on, last, says, texts, view
from .setups import both, fresh, script, sounds
from .table import SOURCE, fields, of

FOLDER = "/sdcard/Music/Recordings"
AUDIO = "--uri content://media/external/audio/media"
ANY = "_data LIKE '%/Music/Recordings/%'"
OWN = f"{ANY} AND owner_package_name='{{app}}'"
NONE = f'content delete {AUDIO} --where "{ANY}"; rm -rf {FOLDER}'


def empty(episode):
    placeholder = view(episode, "recordings_placeholder")
    return placeholder and "No recordings" in placeholder.text


def emptied(episode):
    """Ask whether the row was tapped, and nothing is asked any more."""
    row = f"{episode.app}:id/settings_empty_recycle_bin_holder"
    is_asked = not view(episode, "settings_empty_recycle_bin_holder")
    return episode.tapped(resource_id=row) and not is_asked and not episode.tapped(text="No")


def themed(episode):
    """Ask whether colours were saved with this theme."""

    def save(screen):
        theme = view(episode, "customization_theme", screen)
        return screen.find_all(content_desc="Save") if says(theme, "Dark red") else []

    return episode.tapped(save) or (
        says(last(episode, "customization_theme"), "Dark red") and episode.tapped(text="Save")
    )


def titles(episode):
    return {title.lower() for title in texts(episode, "recording_title")}


QUESTIONS = {
    "recorder_bit_rate": has("settings_bitrate", "32 kbps"),
    "recorder_delete": empty,
    "recorder_delete_all": empty,
    "recorder_empty_trash": emptied,
    "recorder_extension": has("settings_extension", "mp3"),
    "recorder_recycle_bin": lambda e: view(e, "trash_list") or view(e, "trash_placeholder"),
    "recorder_recycle_settings": is_on("settings_use_recycle_bin", on=False),
    "recorder_rename": lambda e: equal(titles(e), {"voice.m4a"}),
    "recorder_rename_all": lambda e: equal(titles(e), {f"voice{n}.m4a" for n in (1, 2, 3)}),
    "recorder_theme": themed,
}


def recordings(*names):
    """Return a set-up with recordings that the app takes for its own, and no others.

    Versions of Android differ in whether adb may set the owner of a new or of a known recording.
    """
    owner = "--bind owner_package_name:s:{app}"
    data = [f"--bind _data:s:/storage/emulated/0/Music/Recordings/{name}.m4a" for name in names]
    known = f'$(content query {AUDIO} --projection _data --where "{OWN}" | grep -c Recordings)'
    return both(
        script("\n".join([NONE, *(f"content insert {AUDIO} {owner} {each}" for each in data)])),
        sounds(FOLDER, *(f"{name}.m4a" for name in names)),
        script(f'content update {AUDIO} {owner} --where "{ANY}"; [ {known} = {len(names)} ]'),
    )


SETUPS = {f"recorder_{name}": fresh(recordings("recording")) for name in ("delete", "rename")} | {
    f"recorder_{name}": fresh(recordings("first", "second", "third"))
    for name in ("delete_all", "rename_all")
}


SETTINGS, PLAYER, CONFIRM = (
    tap(content_desc="Settings"),
    tap(resource_id="tab_item_holder", nth=1),
    tap(resource_id=OK),
)


def renaming(title, name):
    """Return the moves that give a recording another name."""
    return [
        long_press(text=f"{title}.m4a"),
        tap(content_desc="Rename"),
        type_text(name, clear=True, resource_id="rename_recording_title"),
        CONFIRM,
    ]


SOLUTIONS = {
    "recorder_bit_rate": [
        SETTINGS,
        tap(resource_id="settings_bitrate_holder"),
        tap(text="32 kbps"),
    ],
    "recorder_delete": [
        PLAYER,
        long_press(text="recording.m4a"),
        tap(content_desc="Delete"),
        CONFIRM,
    ],
    "recorder_delete_all": [
        PLAYER,
        long_press(text="first.m4a"),
        tap(text="second.m4a"),
        tap(text="third.m4a"),
        tap(content_desc="Delete"),
        CONFIRM,
    ],
    "recorder_empty_trash": [
        SETTINGS,
        tap(resource_id="settings_empty_recycle_bin_holder"),
        CONFIRM,
    ],
    "recorder_extension": [
        SETTINGS,
        tap(resource_id="settings_extension_holder"),
        tap(text="mp3"),
    ],
    "recorder_recycle_bin": [tap(resource_id="tab_item_holder", nth=2)],
    "recorder_recycle_settings": [
        SETTINGS,
        tap(resource_id="settings_use_recycle_bin_holder"),
    ],
    "recorder_rename": [PLAYER, *renaming("recording", "voice")],
    "recorder_rename_all": [
        PLAYER,
        *renaming("first", "voice1"),
        *renaming("second", "voice2"),
        *renaming("third", "voice3"),
    ],
    "recorder_theme": [
        SETTINGS,
        tap(resource_id="settings_color_customization_holder"),
        tap(resource_id="customization_theme_holder"),
        tap(text="Dark red"),
        tap(content_desc="Save"),
    ],
}


@tasks(of("recorder"), each=fields("recorder", SOLUTIONS, SETUPS), source=SOURCE)
def test_recorder(episode, row):
    assert episode.ever(QUESTIONS[row.id])
