"""media volume: gets and sets the volume of an audio stream."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import Arguments, Context, Refused, Service
from pytest_mobileagent.virtual.system.audio import STREAMS

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
