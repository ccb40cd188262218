"""media volume: reads and sets the volume of an audio stream."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import Arguments, Context, Refused, Service
from pytest_mobileagent.virtual.system.audio import STREAMS, Stream

USAGE = """usage: media_session [subcommand] [options]
       media_session volume [options]

media_session volume: the options are as follows:
\t\t--stream STREAM selects the stream to control, see AudioManager.STREAM_*
\t\t--set INDEX sets the volume index value
\t\t--adj DIRECTION adjusts the volume, use raise|same|lower for the direction
\t\t--get outputs the current volume
\t\t--show shows the UI during the volume change"""
STEPS = {"raise": 1, "same": 0, "lower": -1}
MUSIC = "3"
service = Service(
    "media_session", script="media", interface="android.media.session.ISessionManager"
)


@service.command("volume")
async def volume(ctx: Context, args: Arguments) -> None:
    """Adjust, set or tell a volume, in the order of the options."""
    number, acts = MUSIC, list[tuple[str, str]]()
    while option := args.next():
        if option == "--stream":
            number = args.required()
        elif option in ("--set", "--adj"):
            acts.append((option, args.required()))
        elif option == "--get":
            acts.append((option, ""))
        elif option != "--show":
            raise Refused(f"Error: unknown option {option}", 1)
    stream = next((each for each in STREAMS if str(each.number) == number), None)
    if stream is None:
        raise Refused(f"Error: invalid stream {number}", 1)
    await _say(ctx, f"will control stream={stream.number} ({stream.name})")
    for option, value in acts:
        await DOES[option](ctx, stream, value)


async def _set(ctx: Context, stream: Stream, value: str) -> None:
    await _say(ctx, f"will set volume to index={value}")
    await _say(ctx, "Connecting to AudioService")
    if not value.isdecimal() or not stream.low <= int(value) <= stream.high:
        span = f"[{stream.low}..{stream.high}]"
        await ctx.out(
            f"Error: invalid volume index {value} for stream {stream.number}"
            f" (should be in {span})\n"
        )
        return
    ctx.phone.audio.set(stream, int(value))


async def _adjust(ctx: Context, stream: Stream, value: str) -> None:
    if value not in STEPS:
        await ctx.out(
            f"Error: no valid volume adjustment, was {value}, expected lower|same|raise\n"
        )
        return
    await _say(ctx, f"will adjust volume to {value}")
    await _say(ctx, "Connecting to AudioService")
    ctx.phone.audio.set(stream, ctx.phone.audio.volume(stream) + STEPS[value])


async def _get(ctx: Context, stream: Stream, _: str) -> None:
    await _say(ctx, "will get volume")
    await _say(ctx, "Connecting to AudioService")
    now = ctx.phone.audio.volume(stream)
    await _say(ctx, f"volume is {now} in range [{stream.low}..{stream.high}]")


async def _say(ctx: Context, text: str) -> None:
    await ctx.out(f"[v] {text}\n")


DOES = {"--set": _set, "--adj": _adjust, "--get": _get}


@service.dump
def dump(_ctx: Context, _: list[str]) -> str:
    """Tell that nothing plays."""
    return (
        "MEDIA SESSION SERVICE (dumpsys media_session)\n\n0 sessions listeners.\n"
        "Global priority session is null\nUser Records:\nRecord for full_user=0\n"
        "  Volume key long-press listener: null\n  Media key listener: null\n"
        "  Media button session is null\n  Sessions Stack - have 0 sessions:\n"
    )
