"""Settings: table 12 of B-MoCA's paper."""

from pytest_mobileagent import log, open_app, tap

from .table import reach, task, words

NETWORK = [open_app(), tap(text=words("Network & internet"))]
WIFI = [*NETWORK, tap(text=words("Internet")), tap(text=words("Wi-Fi"))]
SOUND = [open_app(), *reach(text=words("Sound & vibration"))]
DISPLAY = [open_app(), *reach(text=words("Display"))]


def logged(pattern, tag, level):
    return {"log": log(pattern, tag=tag, level=level)}


@task(
    "settings-open",
    probes=logged("Start proc.*com.android.settings.Settings", "ActivityManager", "I"),
    solution=[open_app()],
)
def test_open(episode):
    assert episode.probe("log")


@task(
    "settings-airplane_on",
    probes=logged("Turning radio off.*airplane", "PhoneGlobals", "I"),
    solution=[*NETWORK, tap(text=words("Airplane mode"))],
)
def test_airplane_mode_on(episode):
    assert episode.probe("log")


@task(
    "settings-airplane_off",
    probes=logged("Turning radio on.*airplane", "PhoneGlobals", "I"),
    solution=[*NETWORK, tap(text=words("Airplane mode"))],
)
def test_airplane_mode_off(episode):
    # The release does not turn airplane mode on beforehand.
    assert episode.probe("log")


@task(
    "settings-wifi_off",
    probes=logged("setWifiEnabled.*com.android.settings.*enable=false", "WifiService", "I"),
    solution=WIFI,
)
def test_wifi_off(episode):
    assert episode.probe("log")


@task(
    "settings-wifi_on",
    probes=logged("setWifiEnabled.*com.android.settings.*enable=true", "WifiService", "I"),
    solution=WIFI,
)
def test_wifi_on(episode):
    # The release does not turn Wi-Fi off beforehand, so the line is not written there.
    assert episode.probe("log")


@task(
    "settings-dimmer",
    probes=logged("Brightness.*changing.*manual", "DisplayPowerController", "V"),
    solution=[*DISPLAY, tap(resource_id="android:id/seekbar")],
)
def test_dimmer(episode):
    assert episode.probe("log")


@task(
    "settings-all_apps",
    probes=logged(
        "Switching.*android.settings.applications.manageapplications.ManageApplications",
        "SettingsActivity",
        "D",
    ),
    solution=[open_app(), tap(text=words("Apps"))],
)
def test_all_apps(episode):
    # Table 12 truncates the pattern; this is the release's.
    assert episode.probe("log")


@task(
    "settings-bluetooth",
    probes=logged("android.settings.bluetooth.BluetoothDeviceRename", "PrefCtrlListHelper", "D"),
    solution=[open_app(), tap(text=words("Connected devices")), tap(text=words("Bluetooth"))],
)
def test_bluetooth(episode):
    assert episode.probe("log")


@task(
    "settings-dark_theme",
    # Android 10, which the release uses, logs "dark_mode" here, and newer versions "ui_night_mode".
    probes=logged("content.*settings.*(dark_mode|ui_night_mode)", "SettingsProvider", "V"),
    solution=[*DISPLAY, *reach(text=words("Dark theme"))],
)
def test_dark_theme(episode):
    assert episode.probe("log")


@task(
    "settings-vibrate_for_calls",
    probes=logged("vibrate_when_ringing", "SettingsProvider", "V"),
    solution=[*SOUND, *reach(text=words("Vibrate for calls"))],
)
def test_vibrate_for_calls(episode):
    assert episode.probe("log")


# For the volumes, table 12 names the tag of settings, and music for the ring volume. The phone uses
# another tag for changes of volume, as in the release, where any change suffices.


def volume_of(stream):
    return logged(f"STREAM_{stream}", "vol.Events", "I")


@task(
    "settings-media_volume",
    probes=volume_of("MUSIC"),
    solution=[*SOUND, *reach(content_desc=words("Media volume"))],
)
def test_media_volume(episode):
    assert episode.probe("log")


@task(
    "settings-call_volume",
    probes=volume_of("VOICE_CALL"),
    solution=[*SOUND, *reach(content_desc=words("Call volume"))],
)
def test_call_volume(episode):
    assert episode.probe("log")


@task(
    "settings-ring_volume",
    probes=volume_of("RING"),
    solution=[*SOUND, *reach(content_desc=words("Ring volume"))],
)
def test_ring_volume(episode):
    assert episode.probe("log")


@task(
    "settings-alarm_volume",
    probes=volume_of("ALARM"),
    solution=[*SOUND, *reach(content_desc=words("Alarm volume"))],
)
def test_alarm_volume(episode):
    assert episode.probe("log")


@task(
    "settings-add_language",
    probes=logged("LocalePicker", "ActivityTaskManager", "I"),
    golden_steps=5,  # there is more above System than fits on a screen
    solution=[
        open_app(),
        *reach(text=words("System")),
        tap(text=words("Languages")),
        tap(resource_id="add_language"),
    ],
)
def test_add_language(episode):
    assert episode.probe("log")
