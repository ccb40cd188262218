"""The phone line, calls and volumes."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import (
    Arguments,
    Context,
    Refused,
    Service,
    fill,
)
from pytest_mobileagent.virtual.system.hardware import STREAMS

CALL_STATES = {"IDLE": 0, "RINGING": 1, "OFFHOOK": 2}
HANDLER = "com.android.phone/com.android.services.telephony.TelephonyConnectionService"
RINGER = {"0": "SILENT", "1": "VIBRATE"}
CALL_MODES = {"IDLE": "MODE_NORMAL", "RINGING": "MODE_RINGTONE", "OFFHOOK": "MODE_IN_CALL"}


@Service("telephony.registry", interface="com.android.internal.telephony.ITelephonyRegistry").dump
def line(ctx: Context, _: list[str]) -> str:
    """Describe the state of the line and the network."""
    phone, radios = ctx.phone, ctx.phone.radios
    off = radios.airplane
    call, now = phone.telephony.call, phone.telephony.state
    return fill(
        "telephony.registry",
        phone=phone,
        call_state=CALL_STATES[now],
        ringing=int(now == "RINGING"),
        talking=int(now == "OFFHOOK"),
        number=call.number if call and call.incoming else "",
        state=3 if off else 0,
        word="POWER_OFF" if off else "IN_SERVICE",
        operator="" if off else phone.props.get("gsm.operator.alpha", ""),
        data=2 if radios.data and not off else 0,
    )


@Service("telecom", interface="com.android.internal.telecom.ITelecomService").dump
def calls(ctx: Context, _: list[str]) -> str:
    """Describe the current call."""
    call, shown = ctx.phone.telephony.call, ""
    if call:
        begun = "RINGING" if call.incoming else "DIALING"
        state = ("ON_HOLD" if call.held else "ACTIVE") if call.active else begun
        stars = "*" * max(len(call.number) - 2, 0)
        shown = fill("telecom_call", state=state, number=f"{stars}{call.number[-2:]}")
    route = "SPEAKER" if call and call.speaker else "EARPIECE"
    return fill("telecom", calls=shown, muted=bool(call and call.muted), route=route)


@Service("audio", interface="android.media.IAudioService").dump
def volumes(ctx: Context, _: list[str]) -> str:
    """Describe the volumes and the ringer mode."""
    phone = ctx.phone
    streams = "".join(
        fill("audio_stream", stream=stream, now=now, muted=now == 0)
        for stream, now in ((each, phone.audio.volume(each)) for each in STREAMS)
    )
    mode = RINGER.get(phone.settings.text("global", "mode_ringer", "2"), "NORMAL")
    return fill("audio", streams=streams, mode=mode, call=CALL_MODES[phone.telephony.state])


CONNECTING = "[v] Connecting to AudioService\n"
MUSIC = "3"
service = Service(
    "media_session", script="media", interface="android.media.session.ISessionManager"
)


@service.command("volume")
def volume(ctx: Context, args: Arguments) -> str:
    """Set or print a volume."""
    options = args.options(
        ("--set", "--stream"),
        ("--get", "--show"),
        lambda option: Refused(f"Error: unknown option {option}", 1),
    )
    number = options.get("--stream", MUSIC)
    stream = next((each for each in STREAMS if str(each.number) == number), None)
    if stream is None:
        raise Refused(f"Error: invalid stream {number}", 1)
    span = f"[{stream.low}..{stream.high}]"
    said = f"[v] will control stream={number} ({stream.name})\n"
    if value := options.get("--set"):
        said += f"[v] will set volume to index={value}\n{CONNECTING}"
        if not value.isdecimal() or not stream.low <= int(value) <= stream.high:
            words = f"invalid volume index {value} for stream {number} (should be in {span})"
            return f"{said}Error: {words}\n"
        ctx.phone.audio.set(stream, int(value))
    if "--get" in options:
        now = ctx.phone.audio.volume(stream)
        said += f"[v] will get volume\n{CONNECTING}[v] volume is {now} in range {span}\n"
    return said
