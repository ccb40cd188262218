"""DropBox, in which Android stores the records of crashes."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.kernel.log import MOST_DROPS
from pytest_mobileagent.virtual.shell.android.service import Context, Service, fill

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.app.app import App
    from pytest_mobileagent.virtual.kernel.log import Drop

service = Service("dropbox")
USAGE = "Usage: dumpsys dropbox [--print|--file] [YYYY-mm-dd] [HH:MM:SS] [tag]\n"
SHOWN = 70  # characters of an entry in a list
PRINT, FILE = {"-p", "--print"}, {"-f", "--file"}


@service.dump
def dump(ctx: Context, args: list[str]) -> str:
    """List the entries that match all words, each a part of their date or their tag."""
    drops, words = ctx.phone.drop_box.drops, [word for word in args if not word.startswith("-")]
    unknown = [word for word in args if word.startswith("-") and word not in PRINT | FILE]
    told = "".join(f"Unknown argument: {word}\n" for word in unknown)
    told += fill("dropbox_head", count=len(drops), most=MOST_DROPS)
    told += f"Searching for: {' '.join(words)}\n\n" if words else "\n"
    found = 0
    for drop in drops:
        tag, when = (
            _tag(ctx, drop),
            f"{datetime.fromtimestamp(drop.time, ctx.phone.clock.zone):%F %T}",
        )
        if all(word in when or word == tag for word in words):
            found += 1
            told += _entry(ctx, drop, f"{when} {tag}", args)
    told += "" if found else "(No entries found.)\n"
    return told if args else f"{told}\n{USAGE}"


def _tag(ctx: Context, drop: Drop) -> str:
    app = _app(ctx, drop)
    return "system_app_crash" if app is not None and app.system else "data_app_crash"


def _app(ctx: Context, drop: Drop) -> App | None:
    """Return the app that crashed, or None if it is no longer installed."""
    packages = ctx.phone.packages
    return packages.app(drop.package) if drop.package in packages else None


def _entry(ctx: Context, drop: Drop, head: str, args: list[str]) -> str:
    app = _app(ctx, drop)
    about = f"Package: {drop.package} v{app.version_code} ({app.version_name})\n" if app else ""
    build = ctx.phone.props["ro.build.fingerprint"]
    text = fill("dropbox", drop=drop, about=about, build=build)
    line = f"{head} (text, {len(text.encode())} bytes)\n"
    if FILE & {*args}:
        name = f"{head.rpartition(' ')[2]}@{int(drop.time * 1000)}.txt"
        line += f"    /data/system/dropbox/{name}\n"
    if PRINT & {*args}:
        return f"{'=' * 40}\n{line}{text}\n"
    short = text[:SHOWN].strip().replace("\n", "/")
    return line if FILE & {*args} else f"{line}    {short} ...\n"
