"""ps: lists processes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.kernel.users import name_of, number_of
from pytest_mobileagent.virtual.shell.commands import Context, Failure, command
from pytest_mobileagent.virtual.shell.options import parse
from pytest_mobileagent.virtual.shell.processes import processes_of
from pytest_mobileagent.virtual.shell.table import Row, ids, rows

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Field:
    """A column of ps."""

    title: str
    width: int  # negative: to the left
    text: Callable[[Row], str]


_FIELDS = {
    "USER": Field("USER", -12, lambda row: name_of(row.uid)),
    "UID": Field("UID", 5, lambda row: str(row.uid)),
    "PID": Field("PID", 5, lambda row: str(row.pid)),
    "TID": Field("TID", 5, lambda row: str(row.pid)),
    "PPID": Field("PPID", 5, lambda row: str(row.ppid)),
    "VSZ": Field("VSZ", 10, lambda row: str(row.vsz)),
    "VSIZE": Field("VSZ", 10, lambda row: str(row.vsz)),
    "RSS": Field("RSS", 6, lambda row: str(row.rss)),
    "S": Field("S", -1, lambda row: "R" if row.name == "ps" else "S"),
    "NAME": Field("NAME", -27, lambda row: row.name),
    "COMM": Field("COMM", -27, lambda row: row.name),
    "CMD": Field("CMD", -27, lambda row: row.name),
    "CMDLINE": Field("CMDLINE", -27, lambda row: row.args),
    "ARGS": Field("ARGS", -27, lambda row: row.args),
    **{
        title: Field(title, width, lambda _, text=text: text)  # type: ignore[misc]
        for title, width, text in (
            ("WCHAN", -10, "0"), ("ADDR", 10, "0"), ("C", 1, "0"), ("STIME", 5, "00:00"),
            ("TTY", -8, "?"), ("TIME", 8, "00:00:00"), ("NI", 3, "0"), ("PRI", 3, "19"),
            ("%CPU", 4, "0.0"), ("%MEM", 4, "0.0"),
        )
    },
}  # fmt: skip
_USUAL = "USER,PID,PPID,VSIZE,RSS,WCHAN,ADDR,S,NAME"
_FULL = "UID,PID,PPID,C,STIME,TTY,TIME,CMDLINE"


@command("ps")
async def ps(ctx: Context, args: list[str]) -> int:
    """List processes."""
    options = parse(args, "AadefG:g:k:lMno:O:P:p:s:Tt:U:u:wZ")
    flags = {flag for flag, _ in options.given}
    wanted = rows(ctx)
    if pids := ids(options.all("p")):
        wanted = [row for row in wanted if row.pid in pids]
    elif users := options.all("u") + options.all("U"):
        uids = {number_of(name) for text in users for name in text.split(",")}
        wanted = [row for row in wanted if row.uid in uids]
    elif not flags & {"A", "e", "a", "d"}:
        ours = {each.pid for each in processes_of(ctx.phone).running()}
        wanted = [row for row in wanted if row.pid in ours and row.uid == ctx.uid]
    names = ",".join(options.all("o")) or (_FULL if "f" in flags else _USUAL)
    fields = [_field(text) for text in names.split(",")]
    if "n" in flags:
        fields = [_FIELDS["UID"] if each.title == "USER" else each for each in fields]
    for line in _table(fields, wanted):
        await ctx.out(line)
    return int(not wanted)


def _field(text: str) -> Field:
    """Return the column that -o names: NAME, NAME:20, NAME=title."""
    name, equals, title = text.partition("=")
    name, _, width = name.partition(":")
    field = _FIELDS.get(name.upper())
    if field is None:
        raise Failure(f"bad -o {name}")
    chosen = int(width) if width.isdecimal() else abs(field.width)
    signed = -chosen if field.width < 0 else chosen
    return Field(title if equals else field.title, signed, field.text)


def _table(fields: list[Field], shown: list[Row]) -> list[str]:
    lines = [[field.title for field in fields]] if any(field.title for field in fields) else []
    lines += [[field.text(row) for field in fields] for row in shown]
    return [
        " ".join(
            cell.ljust(-field.width) if field.width < 0 else cell.rjust(field.width)
            for cell, field in zip(line, fields, strict=True)
        ).rstrip()
        + "\n"
        for line in lines
    ]
