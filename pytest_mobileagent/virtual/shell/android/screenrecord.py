"""screenrecord: would record the screen, but this phone has no encoder of videos."""

from __future__ import annotations

import posixpath

from pytest_mobileagent.virtual.shell.android.service import help_text
from pytest_mobileagent.virtual.shell.commands import Context, command

WITH_VALUE = {"--size", "--bit-rate", "--time-limit", "--display-id", "--output-format"}
FLAGS = {"--verbose", "--bugreport", "--show-device-info", "--show-frame-time", "--rotate"}
WRONG = 2


@command("screenrecord")
async def screenrecord(ctx: Context, args: list[str]) -> int:
    """Refuse as a device whose encoder cannot be had, after whatever is wrong with the call."""
    words, files = list(args), []
    while words:
        word, equals, _ = words.pop(0).partition("=")
        if word == "--help":
            await ctx.err(help_text("screenrecord"))
            return 0
        if word in WITH_VALUE:
            words = words if equals else words[1:]
        elif not word.startswith("--"):
            files.append(word)
        elif word not in FLAGS:
            await ctx.err(f"screenrecord: unrecognized option '{word}'\n")
            return WRONG
    if len(files) != 1:
        await ctx.err("Must specify output file (see --help).\n")
        return WRONG
    return await _open(ctx, files[0])


async def _open(ctx: Context, name: str) -> int:
    """Create the file first, as the real program does to find out whether it may."""
    if name != "-":
        if not ctx.files.is_dir(posixpath.dirname(ctx.path(name))):
            await ctx.err(f"Unable to open '{name}': No such file or directory\n")
            return 1
        try:
            ctx.files.write(name, b"")
        except OSError as error:
            await ctx.err(f"Unable to open '{name}': {error.strerror}\n")
            return 1
        ctx.files.remove(name)
    await ctx.err("ERROR: unable to create video/avc codec instance\n")
    return 1
