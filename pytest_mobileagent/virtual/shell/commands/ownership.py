"""chmod, chown and chgrp."""

from __future__ import annotations

import posixpath
import re

from pytest_mobileagent.virtual.kernel.users import number_of
from pytest_mobileagent.virtual.shell.commands import Context, Failure, UsageError, command
from pytest_mobileagent.virtual.shell.modes import new_mode
from pytest_mobileagent.virtual.shell.options import parse


@command("chmod")
async def chmod(ctx: Context, args: list[str]) -> int:
    """Set permission bits."""
    words = [word for word in args if not re.fullmatch("-[Rvf]+", word)]
    if len(words) < 2:
        raise UsageError("Needs 2 arguments")
    recursive = any(word.startswith("-") and "R" in word for word in args if word not in words)

    async def change(name: str) -> None:
        node = ctx.files.stat(name)
        ctx.files.chmod(name, new_mode(words[0], node.mode, is_dir=node.kind == "dir"))
        if recursive and node.kind == "dir":
            await ctx.each([posixpath.join(name, each) for each in ctx.files.listdir(name)], change)

    return await ctx.each(words[1:], change)


@command("chown", "chgrp")
async def chown(ctx: Context, args: list[str]) -> int:
    """Set owners and groups."""
    options = parse(args, "fhRvLHP", least=2)
    user, _, group = options.rest[0].replace(".", ":").partition(":")
    if ctx.name == "chgrp":
        user, group = "", options.rest[0]
    uid, gid = _number(user, "user"), _number(group, "group")

    async def change(name: str) -> None:
        node = ctx.files.stat(name)
        ctx.files.chown(name, node.uid if uid is None else uid, node.gid if gid is None else gid)
        if "R" in options and node.kind == "dir":
            await ctx.each([posixpath.join(name, each) for each in ctx.files.listdir(name)], change)

    return await ctx.each(options.rest[1:], change)


def _number(name: str, kind: str) -> int | None:
    if not name:
        return None
    found = number_of(name)
    if found is None:
        raise Failure(f"bad {kind} '{name}'")
    return found
