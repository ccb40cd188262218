"""media volume: reads and sets the volume of an audio stream."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import Arguments, Context, Refused, Service
from pytest_mobileagent.virtual.system.audio import STREAMS, Stream

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
        await _do(ctx, stream, option, value)


async def _do(ctx: Context, stream: Stream, option: str, value: str) -> None:
    """Do one of the acts, and say so as Android does."""
    now, span = ctx.phone.audio.volume(stream), f"[{stream.low}..{stream.high}]"
    what = {"--set": f"set volume to index={value}", "--adj": f"adjust volume to {value}"}
    if option == "--adj" and value not in STEPS:
        words = f"no valid volume adjustment, was {value}, expected lower|same|raise"
        return await ctx.out(f"Error: {words}\n")
    await _say(ctx, f"will {what.get(option, 'get volume')}")
    await _say(ctx, "Connecting to AudioService")
    if option == "--get":
        return await _say(ctx, f"volume is {now} in range {span}")
    if option == "--adj":
        ctx.phone.audio.set(stream, now + STEPS[value])
    elif value.isdecimal() and stream.low <= int(value) <= stream.high:
        ctx.phone.audio.set(stream, int(value))
    else:
        words = f"invalid volume index {value} for stream {stream.number} (should be in {span})"
        await ctx.out(f"Error: {words}\n")
    return None


async def _say(ctx: Context, text: str) -> None:
    await ctx.out(f"[v] {text}\n")
