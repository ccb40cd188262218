"""Commands about the user, the system and its clock, and those that switch to another user."""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.kernel.processes import KERNEL
from pytest_mobileagent.virtual.kernel.users import ROOT, SHELL, groups_of, name_of, number_of
from pytest_mobileagent.virtual.shell.commands import Context, Failure, command, parse
from pytest_mobileagent.virtual.shell.launch import SH, find_program
from pytest_mobileagent.virtual.shell.launch import which as find

if TYPE_CHECKING:
    from collections.abc import Sequence


def _security(uid: int) -> str:
    """Return the SELinux context of a user."""
    if uid >= 10000:
        return "u:r:untrusted_app:s0:c7,c257,c512,c768"
    return {ROOT: "u:r:su:s0", SHELL: "u:r:shell:s0"}.get(uid, "u:r:su:s0")


@command("id")
async def id_(ctx: Context, args: list[str]) -> str:
    """Print the user and the groups."""
    options = parse(args, "nGgruZ", most=1)
    uid = number_of(options.rest[0]) if options.rest else ctx.uid
    if uid is None:
        raise Failure(f"bad user '{options.rest[0]}'")
    groups = groups_of(uid)
    show = name_of if "n" in options else str
    if "u" in options or "g" in options:
        return f"{show(uid)}\n"
    if "G" in options:
        return " ".join(show(gid) for gid in groups) + "\n"
    if "Z" in options:
        return f"{_security(uid)}\n"
    listed = ",".join(f"{gid}({name_of(gid)})" for gid in groups)
    me = f"uid={uid}({name_of(uid)}) gid={uid}({name_of(uid)}) groups={listed}"
    return f"{me} context={_security(uid)}\n"


@command("whoami")
async def whoami(ctx: Context, args: list[str]) -> str:
    """Print the user's name."""
    parse(args, "", most=0)
    return f"{name_of(ctx.uid)}\n"


@command("su", folder="/system/xbin")
async def su(ctx: Context, args: list[str]) -> int:
    """Run a command, or a shell, as another user, root by default."""
    if ctx.uid not in {ROOT, SHELL}:
        raise Failure("not allowed")
    uid = number_of(args[0].partition(",")[0]) if args else ROOT
    if uid is None:
        raise Failure(f"invalid uid/gid '{args[0]}'")
    name = name_of(uid)
    env = {**ctx.env, "USER": name, "LOGNAME": name}
    return await ctx.run(args[1:] or [SH], replace(ctx, uid=uid, env=env))


@command("run-as")
async def run_as(ctx: Context, args: list[str]) -> int:
    """Run a command, or a shell, as a debuggable app, in the app's folder."""
    if ctx.uid not in {ROOT, SHELL}:
        raise Failure("only 'shell' or 'root' users can run this program")
    words = list(args)
    if not words:
        raise Failure("usage: run-as <package-name> [--user <uid>] <command> [<args>]")
    package = words.pop(0)
    if words[:1] == ["--user"]:
        words = words[2:]
    packages = ctx.phone.packages
    if package not in packages:
        raise Failure(f"unknown package: {package}")
    app = packages.app(package)
    if app.uid < 10000:
        raise Failure(f"package not an application: {package}")
    if app.system:  # the image's apps are release builds
        raise Failure(f"package not debuggable: {package}")
    words = words or [SH]
    try:
        find_program(words[0], ctx)
    except OSError as error:
        raise Failure(f"exec failed for {words[0]}: {error.strerror}") from None
    return await ctx.run(words, replace(ctx, uid=app.uid, cwd=app.data_dir))


_KERNEL = {
    "s": "Linux",
    "n": "localhost",
    "r": KERNEL.release,
    "v": KERNEL.build,
    "m": "x86_64",
    "o": "Toybox",
}


@command("uname")
async def uname(_ctx: Context, args: list[str]) -> str:
    """Print what kind of system this is."""
    options = parse(args, "aomnrsv", most=0)
    letters = "snrvmo" if "a" in options else "".join(each for each in "snrvmo" if each in options)
    return " ".join(_KERNEL[letter] for letter in letters or "s") + "\n"


@command("which")
async def which(ctx: Context, args: list[str]) -> int:
    """Print the paths of programs."""
    options = parse(args, "a", least=1)
    status = 0
    for name in options.rest:
        try:
            await ctx.out(f"{find(name, ctx)}\n")
        except OSError:
            status = 1
    return status


STATES = {"0": "Permissive", "1": "Enforcing"}
FILE = "/sys/fs/selinux/enforce"


@command("getenforce")
async def getenforce(ctx: Context, args: list[str]) -> str:
    """Print whether the policy is enforced."""
    parse(args, "", most=0)
    files = ctx.phone.files
    state = files.read(FILE).decode() if files.is_file(FILE) else "1"
    return f"{STATES[state]}\n"


@command("setenforce")
async def setenforce(ctx: Context, args: list[str]) -> None:
    """Enforce the policy or not, which only root may do."""
    word = parse(args, "", least=1, most=1).rest[0]
    states = {name.lower(): state for state, name in STATES.items()}
    state = states.get(word, word)
    if state not in STATES:
        raise Failure(f"Invalid state: {word}")
    if ctx.uid != ROOT:
        raise Failure(f"Couldn't set enforcing status to '{word}': Permission denied")
    ctx.phone.files.mkdir(posixpath.dirname(FILE), parents=True)
    ctx.phone.files.write(FILE, state.encode())


@command("restorecon")
async def restorecon(ctx: Context, args: list[str]) -> int:
    """Restore the labels of files, which never differ from the default."""

    async def restore(name: str) -> None:
        if ctx.files.find(name) is None:
            raise Failure(f"restorecon failed: {name}: No such file or directory")

    return await ctx.each(parse(args, "DFnRrv", least=1).rest, restore)


@command("chcon")
async def chcon(ctx: Context, args: list[str]) -> int:
    """Label files, which only root may do."""
    options = parse(args, "hRv", least=2)
    label, *names = options.rest

    async def change(name: str) -> None:
        missing = ctx.files.find(name) is None
        if missing or ctx.uid != ROOT:
            why = "No such file or directory" if missing else "Permission denied"
            raise Failure(f"'{name}' to {label}: {why}")
        if "v" in options:
            await ctx.out(f"chcon '{name}' to {label}\n")

    return await ctx.each(names, change)


_UNIX = re.compile(r"@(-?\d+(?:\.\d+)?)")
_POSIX = re.compile(r"(\d\d)(\d\d)(\d\d)(\d\d)(\d\d|\d{4})?(?:\.(\d\d))?")
_TOUCH = re.compile(r"(\d\d|\d{4})?(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d\d))?")
_NANOSECONDS = re.compile(r"%(\d?)N")


def parsed(text: str, now: datetime) -> float:
    """Return the time that `text` specifies, in seconds; parts that it omits are those of `now`."""
    if unix := _UNIX.fullmatch(text):
        return float(unix[1])
    zone = now.tzinfo
    try:
        if match := _POSIX.fullmatch(text):
            month, day, hour, minute, year, second = match.groups()
            return _moment([year, month, day, hour, minute, second], zone, now)
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).timestamp()
    except ValueError:
        raise Failure(f"bad date {text}") from None


def parsed_for_touch(text: str, now: datetime) -> float:
    """Return the time for touch -t: [[CC]YY]MMDDhhmm[.ss]."""
    match = _TOUCH.fullmatch(text)
    if match is None:
        raise Failure(f"bad date '{text}'")
    return _moment(match.groups(), now.tzinfo, now)


def formatted(moment: datetime, form: str) -> str:
    """Format a time as strftime does; %N is the nanoseconds, %3N the milliseconds."""
    nanoseconds = f"{moment.microsecond * 1000:09d}"
    form = _NANOSECONDS.sub(lambda match: nanoseconds[: int(match[1] or 9)], form)
    return moment.strftime(form.replace("%s", str(int(moment.timestamp()))))


def _moment(fields: Sequence[str | None], zone: tzinfo | None, now: datetime) -> float:
    """Return the time specified by year, month, day, hour, minute and second."""
    year, month, day, hour, minute, second = fields
    if year is not None and len(year) == 2:
        year = f"{'19' if int(year) > 68 else '20'}{year}"
    date = int(year or now.year), int(month or now.month), int(day or now.day)
    time = int(hour or 0), int(minute or 0), int(second or 0)
    return datetime(*date, *time, tzinfo=zone).timestamp()


_USUAL = "%a %b %e %H:%M:%S %Z %Y"


@command("date")
async def date(ctx: Context, args: list[str]) -> int:
    """Print the time, or as root set it."""
    options = parse(args, "d:s:u", {"utc": "u"}, most=2)
    clock = ctx.phone.clock
    zone = UTC if "u" in options else clock.zone
    now = clock.now().astimezone(zone)
    forms = [word[1:] for word in options.rest if word.startswith("+")]
    wanted = [*options.all("s"), *(word for word in options.rest if not word.startswith("+"))]
    moment = now
    if "d" in options or wanted:
        seconds = parsed(options.get("d") or wanted[0], now)
        moment = datetime.fromtimestamp(seconds, zone)
        if wanted and ctx.uid == ROOT:
            clock.set(seconds)
            ctx.phone.changed()
        elif wanted:
            await ctx.complain("cannot set date: Operation not permitted")
    await ctx.out(formatted(moment, forms[0] if forms else _USUAL) + "\n")
    return ctx.failed


@command("uptime")
async def uptime(ctx: Context, args: list[str]) -> str:
    """Print how long the phone has been up."""
    parse(args, "", most=0)
    seconds = int(ctx.phone.clock.uptime())
    now = ctx.phone.clock.now()
    days, rest = divmod(seconds, 86400)
    hours, minutes = divmod(rest // 60, 60)
    lasted = f"{hours:2d}:{minutes:02d}" if hours else f"{minutes} min"
    up = f"up {f'{days} day, ' if days == 1 else f'{days} days, ' if days else ''}{lasted}"
    return f" {now:%H:%M:%S} {up},  0 users,  load average: 0.00, 0.00, 0.00\n"
