"""top, free, lsof and netstat: processes, memory, open files and listening ports."""

from __future__ import annotations

import asyncio
from math import inf
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.kernel.processes import PROCESSORS
from pytest_mobileagent.virtual.kernel.users import name_of, number_of
from pytest_mobileagent.virtual.shell.commands import Context, Failure, command
from pytest_mobileagent.virtual.shell.commands.listing import human_size, inode
from pytest_mobileagent.virtual.shell.commands.processes import Row, ids, rows
from pytest_mobileagent.virtual.shell.options import parse

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.shell.options import Options

UNITS = {"b": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


@command("top")
async def top(ctx: Context, args: list[str]) -> int:
    """Show the processes continuously, or with -n a number of times."""
    options = parse(args, "bd:HhIik:m:n:Oo:p:qs:u:")
    left = float(options.number("n", 0)) or inf
    while left > 0:
        await ctx.out(_screen(ctx, options))
        left -= 1
        if left > 0:
            await asyncio.sleep(float(options.get("d", "3")))
    return 0


def _screen(ctx: Context, options: Options) -> str:
    shown, (total, free) = rows(ctx), ctx.phone.procfs.memory()
    head = (
        f"Tasks: {len(shown)} total,   1 running, {len(shown) - 1:>3} sleeping,   0 stopped,"
        "   0 zombie\n"
        f"  Mem: {total:>8}K total, {total - free:>8}K used, {free:>8}K free,        0K buffers\n"
        "  Swap:        0K total,        0K used,        0K free,        0K cached\n"
        f"{PROCESSORS}00%cpu   0%user   0%nice   0%sys {PROCESSORS}00%idle   0%iow   0%irq"
        "   0%sirq   0%host\n"
    )
    if pids := ids(options.all("p")):
        shown = [row for row in shown if row.pid in pids]
    if users := options.all("u"):
        shown = [row for row in shown if row.uid in {number_of(name) for name in users}]
    shown.sort(key=lambda row: row.name != "top")  # the only one that is computing
    most = options.number("m", len(shown))
    lines = "".join(_line(row, total) for row in shown[:most])
    titles = "  PID USER         PR  NI VIRT  RES  SHR S[%CPU] %MEM     TIME+ ARGS\n"
    return ("" if "q" in options else head) + titles + lines


def _line(row: Row, total: int) -> str:
    sizes = " ".join(f"{human_size(size * 1024):>4}" for size in (row.vsz, row.rss, row.rss // 2))
    state, share = ("R", 3.3) if row.name == "top" else ("S", 0.0)
    return (
        f"{row.pid:>5} {name_of(row.uid):<12} 20   0 {sizes} {state} {share:>5}"
        f" {100 * row.rss / total:>5.1f}   0:00.00 {row.args}\n"
    )


@command("free")
async def free(ctx: Context, args: list[str]) -> int:
    """Print how much memory is used."""
    options = parse(args, "bghkmt")
    unit = UNITS[next((name for name, _ in options.given if name in UNITS), "b")]

    def text(kib: int) -> str:
        return human_size(kib * 1024) if "h" in options else str(kib * 1024 // unit)

    total, left = ctx.phone.procfs.memory()
    texts = [text(count) for count in (total, total - left, left, 0, 0)]
    await ctx.out(
        "\t\ttotal        used        free      shared     buffers\n"
        f"Mem:{texts[0]:>17}{''.join(f'{each:>12}' for each in texts[1:])}\n"
        f"-/+ buffers/cache:{texts[1]:>15}{texts[2]:>12}\n"
        f"Swap:{text(0):>16}{text(0):>12}{text(0):>12}\n"
    )
    return 0


@command("lsof")
async def lsof(ctx: Context, args: list[str]) -> int:
    """List the open files of processes; only root sees those of others."""
    options = parse(args, "lp:t")
    pids = ids(options.all("p"))
    shown = [each for each in rows(ctx) if not pids or each.pid in pids]
    if "t" in options:
        await ctx.out("".join(f"{each.pid}\n" for each in shown))
        return int(not shown)
    await ctx.out(
        "COMMAND     PID       USER   FD      TYPE             DEVICE  SIZE/OFF       NODE NAME\n"
    )
    for each in shown:
        named = f"{each.name[:9]:<9} {each.pid:>5} {name_of(each.uid):>10}"
        if ctx.uid in (0, each.uid):
            place = f"{'253,5':>18} {4096:>9} {inode('/'):>10} /"
            await ctx.out(f"{named}  cwd       DIR{place}\n")
        else:
            await ctx.out(f"{named}  cwd   unknown{'':>38} /proc/{each.pid}/cwd")
            await ctx.out(" (readlink: Permission denied)\n")
    return 0


@command("netstat")
async def netstat(ctx: Context, args: list[str]) -> int:
    """List the phone's listening ports; connections only exist through adb."""
    options = parse(args, "aeilnoprstuWwx")
    if options.rest:
        raise Failure("Max 0 arguments")
    which = "servers and established" if "a" in options else "w/o servers"
    which = "only servers" if "l" in options else which
    titles = f"{'Local Address':<23} {'Foreign Address':<23} State"
    await ctx.out(f"Active Internet connections ({which})\nProto Recv-Q Send-Q {titles}\n")
    if "a" in options or "l" in options:
        ports = (name.partition(":")[2] for name in ctx.phone.sockets if name.startswith("tcp:"))
        for port in sorted(ports, key=int):
            local = f"127.0.0.1:{port}" if "n" in options else f"localhost:{port}"
            await ctx.out(f"tcp        0      0 {local:<23} {'0.0.0.0:*':<23} LISTEN\n")
    return 0
