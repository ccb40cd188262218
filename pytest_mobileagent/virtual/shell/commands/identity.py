"""Commands about the current user and the system, SELinux, and commands that switch users."""

from __future__ import annotations

import posixpath
from dataclasses import replace

from pytest_mobileagent.virtual.kernel.processes import KERNEL
from pytest_mobileagent.virtual.kernel.users import ROOT, SHELL, groups_of, name_of, number_of
from pytest_mobileagent.virtual.shell.commands import Context, Failure, command, parse
from pytest_mobileagent.virtual.shell.launch import SH, find_program
from pytest_mobileagent.virtual.shell.launch import which as find


def _security(uid: int) -> str:
    """Return the SELinux context of a user."""
    if uid >= 10000:
        return "u:r:untrusted_app:s0:c7,c257,c512,c768"
    return {ROOT: "u:r:su:s0", SHELL: "u:r:shell:s0"}.get(uid, "u:r:su:s0")


@command("id")
async def id_(ctx: Context, args: list[str]) -> int:
    """Print the user and the groups."""
    options = parse(args, "nGgruZ", most=1)
    uid = ctx.uid
    if options.rest:
        found = number_of(options.rest[0])
        if found is None:
            raise Failure(f"bad user '{options.rest[0]}'")
        uid = found
    groups = groups_of(uid)
    show = name_of if "n" in options else str
    if "u" in options or "g" in options:
        await ctx.out(f"{show(uid)}\n")
    elif "G" in options:
        await ctx.out(" ".join(show(gid) for gid in groups) + "\n")
    elif "Z" in options:
        await ctx.out(f"{_security(uid)}\n")
    else:
        listed = ",".join(f"{gid}({name_of(gid)})" for gid in groups)
        me = f"uid={uid}({name_of(uid)}) gid={uid}({name_of(uid)}) groups={listed}"
        await ctx.out(f"{me} context={_security(uid)}\n")
    return 0


@command("whoami")
async def whoami(ctx: Context, args: list[str]) -> int:
    """Print the user's name."""
    parse(args, "", most=0)
    await ctx.out(f"{name_of(ctx.uid)}\n")
    return 0


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
async def uname(ctx: Context, args: list[str]) -> int:
    """Print what kind of system this is."""
    options = parse(args, "aomnrsv", most=0)
    letters = "snrvmo" if "a" in options else "".join(each for each in "snrvmo" if each in options)
    await ctx.out(" ".join(_KERNEL[letter] for letter in letters or "s") + "\n")
    return 0


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
async def getenforce(ctx: Context, args: list[str]) -> int:
    """Print whether the policy is enforced."""
    parse(args, "", most=0)
    files = ctx.phone.files
    state = files.read(FILE).decode() if files.is_file(FILE) else "1"
    await ctx.out(f"{STATES[state]}\n")
    return 0


@command("setenforce")
async def setenforce(ctx: Context, args: list[str]) -> int:
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
    return 0


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
