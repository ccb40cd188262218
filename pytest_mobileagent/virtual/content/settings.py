"""The settings provider: three namespaces of texts; what it says holds at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.kernel.log import Log

NAMESPACES = ("system", "secure", "global")
CONFIG = "config"  # where device_config keeps its flags
DEFAULTS: dict[str, dict[str, str]] = {
    CONFIG: {},
    "system": {
        "accelerometer_rotation": "0",
        "alarm_alert": "content://settings/system/alarm_alert",
        "dim_screen": "1",
        "font_scale": "1.0",
        "haptic_feedback_enabled": "1",
        "notification_light_pulse": "1",
        "screen_brightness": "102",
        "screen_brightness_mode": "0",
        "screen_off_timeout": "60000",
        "show_touches": "0",
        "sound_effects_enabled": "1",
        "user_rotation": "0",
        "vibrate_when_ringing": "0",
        "volume_alarm": "6",
        "volume_music": "5",
        "volume_ring": "5",
        "volume_voice": "4",
    },
    "secure": {
        "accessibility_enabled": "0",
        "android_id": "9774d56d682e549c",
        "bluetooth_name": "sdk_gphone64_x86_64",
        "default_input_method": "com.google.android.inputmethod.latin/"
        "com.android.inputmethod.latin.LatinIME",
        "enabled_input_methods": "com.google.android.inputmethod.latin/"
        "com.android.inputmethod.latin.LatinIME",
        "location_mode": "3",
        "long_press_timeout": "400",
        "show_ime_with_hard_keyboard": "1",
        "ui_night_mode": "1",
        "user_setup_complete": "1",
    },
    "global": {
        "adb_enabled": "1",
        "airplane_mode_on": "0",
        "animator_duration_scale": "1.0",
        "auto_time": "1",
        "auto_time_zone": "1",
        "bluetooth_on": "1",
        "development_settings_enabled": "1",
        "device_name": "sdk_gphone64_x86_64",
        "device_provisioned": "1",
        "mobile_data": "1",
        "mode_ringer": "2",
        "stay_on_while_plugged_in": "1",
        "transition_animation_scale": "1.0",
        "wifi_on": "1",
        "window_animation_scale": "1.0",
        "zen_mode": "0",
    },
}


# What nothing on this phone asks for, but a listing of the settings shows.
OTHERS = {
    "system": """
        alarm_alert_set=1 dtmf_tone=1 dtmf_tone_type=0 haptic_feedback_intensity=2 hearing_aid=0
        lockscreen_sounds_enabled=1 mode_ringer_streams_affected=422 mute_streams_affected=46
        notification_vibration_intensity=2 pointer_speed=0 ring_vibration_intensity=2
 tty_mode=0 vibrate_on=1 volume_alarm_speaker=6
        volume_bluetooth_sco=7 volume_music_speaker=5 volume_notification=5 volume_ring_speaker=5
        volume_system=7 volume_voice_speaker=4
    """,
    "secure": """
        accessibility_display_inversion_enabled=0 accessibility_display_magnification_enabled=0
        aware_enabled=0 aware_lock_enabled=0 backup_enabled=0 charging_sounds_enabled=1
        charging_vibration_enabled=1 cross_profile_calendar_enabled=0 double_tap_to_wake=1
        doze_enabled=1 high_text_contrast_enabled=0 immersive_mode_confirmations=confirmed
        in_call_notification_enabled=1 install_non_market_apps=1
        lock_screen_allow_private_notifications=1 lock_screen_show_notifications=1
        lockscreen.disabled=0 mount_play_not_snd=1 multi_press_timeout=300 navigation_mode=0
        night_display_activated=0 night_display_auto_mode=0 notification_badging=1
        screensaver_activate_on_dock=1 screensaver_activate_on_sleep=0 screensaver_enabled=1
        selected_spell_checker_subtype=0 show_note_about_notification_hiding=0 silence_gesture=0
        sleep_timeout=-1 speak_password=1 touch_exploration_enabled=0 tts_default_pitch=100
        tts_default_rate=100 unsafe_volume_music_active_ms=0 volume_hush_gesture=1
        wake_gesture_enabled=1 zen_duration=0
    """,
    "global": """
        activity_starts_logging_enabled=1 add_users_when_locked=0 always_finish_activities=0
        app_auto_restriction_enabled=1 assisted_gps_enabled=1 audio_safe_volume_state=3
        ble_scan_always_enabled=0 bluetooth_disabled_profiles=0 boot_count=1
        bugreport_in_power_menu=0 call_auto_retry=0 captive_portal_mode=0 cell_on=1
        charging_started_sound=/product/media/audio/ui/ChargingStarted.ogg data_roaming=0
        default_install_location=0 default_restrict_background_data=0 dock_audio_media_enabled=1
        dock_sounds_enabled=0 emergency_affordance_needed=0 emergency_tone=0
        enhanced_4g_mode_enabled=1 heads_up_notifications_enabled=1 low_battery_sound_timeout=0
        low_power=0 low_power_sticky=0 mobile_data_always_on=1 multi_sim_data_call=1 multi_sim_sms=1
        multi_sim_voice_call=1 netstats_enabled=1 network_recommendations_enabled=0
        package_verifier_user_consent=-1 power_sounds_enabled=1 preferred_network_mode=9
        require_password_to_decrypt=0 set_install_location=0 subscription_mode=0 theater_mode_on=0
        usb_mass_storage_enabled=1 verifier_verify_adb_installs=1 wait_for_debugger=0
        wifi_max_dhcp_retry_count=9 wifi_scan_always_enabled=0 wifi_scan_throttle_enabled=1
        wifi_sleep_policy=2 wifi_wakeup_enabled=1 zen_mode_config_etag=1
    """,
}
for _space, _text in OTHERS.items():
    DEFAULTS[_space].update(pair.partition("=")[::2] for pair in _text.split())


def _boolean(value: str) -> bool:
    return value in ("0", "1")


def _whole(low: int, high: int) -> Callable[[str], bool]:
    return lambda value: value.isdecimal() and low <= int(value) <= high


def _scale(value: str) -> bool:
    try:
        return 0 < float(value) < 10
    except ValueError:
        return False


VALID: dict[str, Callable[[str], bool]] = {  # of the system namespace, which Android validates
    "accelerometer_rotation": _boolean,
    "font_scale": _scale,
    "haptic_feedback_enabled": _boolean,
    "screen_brightness": _whole(0, 255),
    "screen_brightness_mode": _boolean,
    "screen_off_timeout": _whole(0, 2**31 - 1),
    "show_touches": _boolean,
    "sound_effects_enabled": _boolean,
    "user_rotation": _whole(0, 3),
    "vibrate_when_ringing": _boolean,
}

Watcher = Callable[[str], None]


class Settings:
    """Texts by namespace and key; a watcher is told of every change of its setting."""

    def __init__(self, log: Log, changes: Changes) -> None:
        self._log = log
        self._changes = changes
        self._values = {space: dict(values) for space, values in DEFAULTS.items()}
        self._watchers: dict[tuple[str, str], list[Watcher]] = {}

    def get(self, namespace: str, key: str, default: str | None = None) -> str | None:
        """Give a setting's text; KeyError if there is no such namespace."""
        return self._values[namespace].get(key, default)

    def text(self, namespace: str, key: str, default: str = "") -> str:
        """Give a setting's text, or the default."""
        return self._values[namespace].get(key, default)

    def on(self, namespace: str, key: str) -> bool:
        """Tell whether a setting is switched on."""
        return self.text(namespace, key, "0") not in ("", "0")

    def put(self, namespace: str, key: str, value: str) -> None:
        """Change a setting; ValueError, in Android's words, if the value is invalid."""
        if namespace == "system" and key in VALID and not VALID[key](value):
            raise ValueError(f"Invalid value: {value} for setting: {key}")
        self._values[namespace][key] = value
        self._changed(namespace, key, value)

    def delete(self, namespace: str, key: str) -> bool:
        """Remove a setting; False if there was none."""
        if self._values[namespace].pop(key, None) is None:
            return False
        self._changed(namespace, key, "")
        return True

    def reset(self, namespace: str, *, clear: bool = False) -> None:
        """Go back to the values of a new phone; with `clear` forget what that one does not have."""
        for key, value in list(self._values[namespace].items()):
            default = DEFAULTS[namespace].get(key)
            if default is not None and value != default:
                self.put(namespace, key, default)
            elif default is None and clear:
                self.delete(namespace, key)

    def list(self, namespace: str) -> dict[str, str]:
        """Give all settings of a namespace."""
        return dict(self._values[namespace])

    def watch(self, namespace: str, key: str, watcher: Watcher) -> None:
        """Tell `watcher` the new text whenever the setting changes."""
        self._watchers.setdefault((namespace, key), []).append(watcher)

    def _changed(self, namespace: str, key: str, value: str) -> None:
        uri = f"content://settings/{namespace}/{key}"
        self._log.system("V", "SettingsProvider", f"Notifying for 0: {uri}")
        for watcher in self._watchers.get((namespace, key), ()):
            watcher(value)
        self._changes.note()

    def save(self) -> dict[str, dict[str, str]]:
        """Give every setting."""
        return self._values

    def load(self, saved: dict[str, Any]) -> None:
        """Take the settings back; nobody is told, as all of the phone goes back."""
        self._values = saved
