"""awk: runs programs over the fields of lines."""

from __future__ import annotations

import re

from pytest_mobileagent.virtual.shell.awk.lexer import unescaped
from pytest_mobileagent.virtual.shell.awk.machine import Machine, Output
from pytest_mobileagent.virtual.shell.awk.parser import parsed
from pytest_mobileagent.virtual.shell.awk.program import ExitProgram
from pytest_mobileagent.virtual.shell.commands import Context, Failure, command, decode, encode
from pytest_mobileagent.virtual.shell.options import parse
from pytest_mobileagent.virtual.shell.streams import Bytes

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.ASCII | re.DOTALL)


@command("awk")
async def awk(ctx: Context, args: list[str]) -> int:
    """Run a program on every line."""
    options = parse(args, "F:f:v:", stop=True)
    words = options.rest
    sources = [decode(await ctx.read(name)) for name in options.all("f")]
    if not sources:
        if not words:
            msg = "usage: awk [-F fs][-v var=value][prog | -f progfile][file ...]"
            raise Failure(msg, 2)
        sources, words = words[:1], words[1:]
    variables = dict(word.partition("=")[::2] for word in options.all("v"))
    if "F" in options:
        variables["FS"] = "\t" if options.get("F") == "t" else options.get("F")
    variables = {name: unescaped(value) for name, value in variables.items()}
    machine = Machine(parsed("\n".join(sources)), variables, ctx.env)
    await _run(ctx, machine, words)
    for goal, output in machine.outputs.items():
        await _deliver(ctx, goal, output)
    return machine.status or ctx.failed


async def _run(ctx: Context, machine: Machine, words: list[str]) -> None:
    try:
        machine.begin()
        await _flush(ctx, machine)
        if machine.program.rules or machine.program.end:
            await _process(ctx, machine, words)
    except ExitProgram:
        pass
    try:
        machine.end()
    except ExitProgram:
        pass
    finally:
        await _flush(ctx, machine)


async def _process(ctx: Context, machine: Machine, words: list[str]) -> None:
    files = 0
    for word in words:
        if assignment := _ASSIGNMENT.fullmatch(word):
            machine.assign(assignment[1], unescaped(assignment[2]))
        else:
            files += 1
            await _read(ctx, machine, word)
    if not files:
        await _read(ctx, machine, "-")


async def _read(ctx: Context, machine: Machine, name: str) -> None:
    machine.assign("FILENAME", "" if name == "-" else name)
    machine.assign("FNR", 0.0)
    separator = machine.string(machine.scalar("RS"))
    if separator == "\n":
        async for line in ctx.lines([name]):
            machine.process(line.removesuffix("\n"))
            await _flush(ctx, machine)
        return
    text = decode(await ctx.read(name))
    paragraphs = re.split(r"\n\n+", text.strip("\n")) if not separator else text.split(separator)
    for record in paragraphs[:-1] if not paragraphs[-1].strip() else paragraphs:
        machine.process(record)
    await _flush(ctx, machine)


async def _flush(ctx: Context, machine: Machine) -> None:
    text = "".join(machine.out)
    machine.out.clear()
    if text:
        await ctx.out(text)


async def _deliver(ctx: Context, goal: str, output: Output) -> None:
    """Write what was printed to a file, or hand it to a command."""
    data = encode("".join(output.chunks))
    if output.operator == "|":
        await ctx.run(["sh", "-c", goal], stdin=Bytes(data))
    else:
        await ctx.writer(goal, append=output.operator == ">>").write(data)
