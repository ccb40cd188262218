"""The volumes and the ringer."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import Context, Service
from pytest_mobileagent.virtual.system.audio import STREAMS

RINGER = {"0": "SILENT", "1": "VIBRATE", "2": "NORMAL"}
service = Service("audio", interface="android.media.IAudioService")


@service.dump
def dump(ctx: Context, _: list[str]) -> str:
    """Tell the volumes."""
    phone = ctx.phone
    blocks = "".join(
        f"- {stream.name}:\n   Muted: {str(phone.audio.volume(stream) == 0).lower()}\n"
        f"   Min: {stream.low}\n   Max: {stream.high}\n"
        f"   streamVolume:{phone.audio.volume(stream)}\n"
        f"   Current: 2 (speaker): {phone.audio.volume(stream)}\n   Devices: speaker\n"
        for stream in STREAMS
    )
    mode = RINGER.get(phone.settings.text("global", "mode_ringer", "2"), "NORMAL")
    call = {"IDLE": "MODE_NORMAL", "RINGING": "MODE_RINGTONE", "OFFHOOK": "MODE_IN_CALL"}
    return (
        f"\nStream volumes (device: index)\n{blocks}\n- mute affected streams = 0x2e\n\n"
        f"Ringer mode:\n- mode (internal) = {mode}\n- mode (external) = {mode}\n"
        f"\nAudio mode:\n- Requested mode = {call[phone.telephony.state]}\n"
        "\nAudio Focus stack entries (last is top of stack):\n"
        "\n  players:\n\n  ducked players piids:\n"
    )
