"""screenrecord: fails, because this phone has no video encoder."""

from __future__ import annotations

import posixpath

from pytest_mobileagent.virtual.shell.android.service import help_text
from pytest_mobileagent.virtual.shell.commands import Context, Refused, command


@command("screenrecord")
async def screenrecord(ctx: Context, args: list[str]) -> int:
    """Fail like a device whose encoder is unavailable, or whose file cannot be created."""
    if "--help" in args:
        raise Refused(help_text("screenrecord"), 0)
    if not args or args[-1].startswith("--"):
        raise Refused("Must specify output file (see --help).", 2)
    name = args[-1]
    if name != "-" and not ctx.files.is_dir(posixpath.dirname(ctx.path(name))):
        raise Refused(f"Unable to open '{name}': No such file or directory", 1)
    raise Refused("ERROR: unable to create video/avc codec instance", 1)
