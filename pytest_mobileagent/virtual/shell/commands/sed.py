"""sed: edits a stream of lines."""

from __future__ import annotations

import re

from pytest_mobileagent.virtual.shell.commands import Context, Failure, command, decode, encode
from pytest_mobileagent.virtual.shell.options import parse
from pytest_mobileagent.virtual.shell.sed.editor import Editor
from pytest_mobileagent.virtual.shell.sed.script import parsed


@command("sed")
async def sed(ctx: Context, args: list[str]) -> int:
    """Edit lines as a script says."""
    inplace = [word for word in args if re.match("-i|--in-place", word)]
    words = [word for word in args if word not in inplace]
    options = parse(
        words,
        "Ee:f:nrsz",
        {"expression": "e", "quiet": "n", "silent": "n", "regexp-extended": "E", "file": "f"},
    )
    scripts = options.all("e") + [decode(await ctx.read(name)) for name in options.all("f")]
    names = options.rest
    if not scripts:
        if not names:
            msg = "Needs 1 argument"
            raise Failure(msg)
        scripts, names = names[:1], names[1:]
    extended = "E" in options or "r" in options
    quiet = "n" in options
    if inplace:
        return await _in_place(ctx, "\n".join(scripts), names, extended=extended, quiet=quiet)
    editor = Editor(parsed("\n".join(scripts), extended=extended), quiet=quiet)
    async for text in editor.edit(ctx.lines(names)):
        await ctx.out(text)
    for name, text in editor.written.items():
        await ctx.save(name, encode(text))
    return ctx.failed or editor.status


async def _in_place(
    ctx: Context, script: str, names: list[str], *, extended: bool, quiet: bool
) -> int:
    async def edit(name: str) -> None:
        editor = Editor(parsed(script, extended=extended), quiet=quiet)
        ctx.files.stat(name)
        result = [text async for text in editor.edit(ctx.lines([name]))]
        ctx.files.write(name, encode("".join(result)))

    return await ctx.each(names, edit)
