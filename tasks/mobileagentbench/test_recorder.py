"""Voice Recorder: ten tasks of MobileAgentBench."""

from pytest_mobileagent import tasks

from .checks import equal, has, is_on, last, says, texts, view
from .setups import both, fresh, script, sounds
from .table import SOURCE, fields, of

FOLDER = "/sdcard/Music/Recordings"
OWNED = (
    "content update --uri content://media/external/audio/media"
    " --bind owner_package_name:s:{{app}} --where \"_data LIKE '%/Recordings/{0}.m4a'\""
)


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
    """Return a set-up with recordings that the app takes for its own, and no others."""
    made = sounds(FOLDER, *(f"{name}.m4a" for name in names))
    owned = script("; ".join(OWNED.format(name) for name in names))
    return both(script(f"rm -rf {FOLDER}/*"), made, owned)


SETUPS = {f"recorder_{name}": fresh(recordings("recording")) for name in ("delete", "rename")} | {
    f"recorder_{name}": fresh(recordings("first", "second", "third"))
    for name in ("delete_all", "rename_all")
}


@tasks(of("recorder"), each=fields("recorder", {}, SETUPS), source=SOURCE)
def test_recorder(episode, row):
    assert episode.ever(QUESTIONS[row.id])
