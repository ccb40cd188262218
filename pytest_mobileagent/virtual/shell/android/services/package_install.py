"""pm install, installation sessions, and pm uninstall."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.shell.android.intents import integer
from pytest_mobileagent.virtual.shell.android.service import (
    Arguments,
    Context,
    JavaError,
    Refused,
    illegal,
)
from pytest_mobileagent.virtual.shell.android.services.package import service
from pytest_mobileagent.virtual.system.packages.installer import (
    InstallError,
    Options,
    UnknownSession,
)
from pytest_mobileagent.virtual.system.packages.packages import UnknownPackage

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.system.packages.installer import Session

SWITCHES = {
    "-R": ("replace", False),
    "-d": ("downgrade", True),
    "-g": ("grant", True),
    "--grant-all-permissions": ("grant", True),
    "-t": ("tests", True),
    "--bypass-low-target-sdk-block": ("old_target", True),
}
VALUES = {"-i": "installer", "-p": "inherit"}
IGNORED = ("-f", "-r", "--dont-kill", "--force-queryable", "--full", "--skip-verification")
IGNORED_WITH_VALUE = ("--abi", "--install-location", "--install-reason", "--pkg", "--user")


@service.command("install")
async def install(ctx: Context, args: Arguments) -> str:
    """Install an app from a single APK, in a file or on stdin."""
    options, size = _options(args)
    words = args.rest()
    path = "" if words[:1] in ([], ["-"]) else words[0]
    if path:
        await _demand_readable(ctx, path)
        _demand_apk(ctx, path)
    elif size is None:
        raise illegal("Error: must either specify a package size or an APK file")
    session = _create(ctx, options)
    data = ctx.files.read(path) if path else await _take(ctx, size or 0)
    try:
        _write(ctx, session, "base.apk", data)
    except Refused:
        ctx.phone.installer.abandon(session)
        raise
    return _commit(ctx, session)


async def _demand_readable(ctx: Context, path: str) -> None:
    """Check that the package service can open a file, which must not be in shared storage."""
    if ctx.files.is_file(path) and not ctx.path(path).startswith(("/sdcard", "/storage")):
        return
    hint = "Consider using a file under /data/local/tmp/"
    await ctx.err(f"Error: Unable to open file: {path}\n{hint}\nError: Can't open file: {path}\n")
    raise illegal(f"Error: Can't open file: {path}")


def _demand_apk(ctx: Context, path: str) -> None:
    """Check a file as Android does before opening a session for it."""
    from pytest_mobileagent.virtual.apk import BadApk, read_apk  # seldom used

    try:
        read_apk(ctx.files.read(path), path)
    except BadApk as error:
        why = str(error)
        if error.code == "INSTALL_PARSE_FAILED_NOT_APK":
            why = f"Failed to load asset path {path}"
        raise illegal(f"Error: Failed to parse APK file: {path}: {why}") from error


@service.command("install-create")
def create(ctx: Context, args: Arguments) -> str:
    """Begin an installation."""
    session = _create(ctx, _options(args)[0])
    return f"Success: created install session [{session.number}]\n"


@service.command("install-write")
async def write(ctx: Context, args: Arguments) -> str:
    """Add an APK to an installation."""
    size = args.options(("-S",)).get("-S")
    session, name, path = _session(ctx, args.required()), args.required(), args.next()
    if path not in (None, "-"):
        await _demand_readable(ctx, path)
        data = ctx.files.read(path)
    elif size is None:
        raise Refused("Error: must specify a APK size", 1)
    else:
        data = await _take(ctx, integer(size))
    if "/" in name or name in ("", ".", ".."):
        raise illegal(f"Invalid name: {name}")
    _write(ctx, session, name, data)
    return f"Success: streamed {len(data)} bytes\n"


def _write(ctx: Context, session: Session, name: str, data: bytes) -> None:
    try:
        ctx.phone.installer.write(session, name, data)
    except OSError as error:
        words = "write failed: ENOSPC (No space left on device)"
        raise Refused(f"Error: failed to write; {words}", 1) from error


@service.command("install-commit")
def commit(ctx: Context, args: Arguments) -> str:
    """Commit an installation."""
    args.options((), None)
    return _commit(ctx, _session(ctx, args.required()))


@service.command("install-abandon", "install-destroy")
def abandon(ctx: Context, args: Arguments) -> str:
    """Abandon an installation."""
    ctx.phone.installer.abandon(_session(ctx, args.required()))
    return "Success\n"


def _create(ctx: Context, options: Options) -> Session:
    try:
        return ctx.phone.installer.create(options)
    except OSError as error:
        message = f"java.io.IOException: {error}"
        raise JavaError("android.os.ParcelableException", message) from error


def _session(ctx: Context, number: str) -> Session:
    try:
        return ctx.phone.installer.session(integer(number))
    except UnknownSession as error:
        message = f"Caller has no access to session {number}"
        raise JavaError("SecurityException", message) from error


def _commit(ctx: Context, session: Session) -> str:
    try:
        ctx.phone.installer.commit(session)
    except InstallError as error:
        raise Refused(f"Failure [{error}]", 1, out=True) from error
    except OSError as error:
        why = "INSTALL_FAILED_INSUFFICIENT_STORAGE: Failed to copy packages"
        raise Refused(f"Failure [{why}]", 1, out=True) from error
    return "Success\n"


def _options(args: Arguments) -> tuple[Options, int | None]:
    """Parse the installation options and, if given, the size in bytes."""
    given = args.options(
        (*VALUES, *IGNORED_WITH_VALUE, "-S"),
        (*SWITCHES, *IGNORED),
        lambda option: illegal(f"Unknown option {option}"),
    )
    told = dict[str, Any](SWITCHES[option] for option in given if option in SWITCHES)
    told |= {VALUES[option]: value for option, value in given.items() if option in VALUES}
    size = integer(given["-S"]) if "-S" in given else None
    return Options(**told, size=size or 0), size


async def _take(ctx: Context, size: int) -> bytes:
    """Read `size` bytes from stdin, which the sender keeps open; fewer if it ends."""
    chunks: list[bytes] = []
    while size > 0 and (data := await ctx.stdin.read(min(size, 1 << 16))):
        chunks.append(data)
        size -= len(data)
    return b"".join(chunks)


@service.command("uninstall")
def uninstall(ctx: Context, args: Arguments) -> str:
    """Uninstall a package."""
    keep = "-k" in args.options(("--user", "--versionCode"), ("-k",))
    name = args.next()
    if not name:
        raise Refused("Error: package name not specified", 1)
    try:
        ctx.phone.packages.uninstall(name, keep_data=keep)
    except (UnknownPackage, PermissionError) as error:
        raise Refused("Failure [DELETE_FAILED_INTERNAL_ERROR]", 1, out=True) from error
    return "Success\n"
