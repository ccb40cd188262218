"""Finds programs and runs them as processes, which signals can end."""

from __future__ import annotations

import errno
import posixpath
from dataclasses import fields
from typing import TYPE_CHECKING

from pytest_mobileagent.patterns import PatternError
from pytest_mobileagent.virtual.kernel.access import may
from pytest_mobileagent.virtual.kernel.users import SHELL
from pytest_mobileagent.virtual.shell.commands import (
    Context,
    Failure,
    Refused,
    UsageError,
    registry,
)
from pytest_mobileagent.virtual.shell.errors import ExitShell
from pytest_mobileagent.virtual.shell.limits import ARGUMENTS
from pytest_mobileagent.virtual.shell.processes import BROKEN_PIPE, OUT_OF_TIME, processes_of
from pytest_mobileagent.virtual.shell.session import Session

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.files import FileSystem
    from pytest_mobileagent.virtual.shell.commands import Answer, Program
    from pytest_mobileagent.virtual.shell.execution import Shell
    from pytest_mobileagent.virtual.shell.processes import ShellProcess

SH = "/system/bin/sh"
_ELF = b"\x7fELF"


def install(files: FileSystem) -> None:
    """Create a file for every program that is not part of the shell, in its folder."""
    if files.exists(SH):
        return
    for name, command in registry.items():
        if command.folder:
            files.write(f"{command.folder}/{name}", _ELF, mode=0o755, gid=SHELL)


def which(name: str, session: Session) -> str:
    """Return the path of a program, according to PATH or the name itself."""
    if "/" in name:
        return session.path(name)
    files = session.phone.files
    for folder in session.env.get("PATH", "").split(":"):
        path = session.path(posixpath.join(folder, name))
        if files.is_file(path) and may(files, path, session.uid, "x"):
            return path
    raise FileNotFoundError(errno.ENOENT, "No such file or directory", name)


def find_program(name: str, session: Session) -> Program:
    """Return the program called `name`; OSError if it does not exist or must not be run."""
    path, files = which(name, session), session.files
    if files.stat(path).kind == "dir":
        raise IsADirectoryError(errno.EISDIR, "Is a directory", name)
    if not files.may(path, "x"):
        raise PermissionError(errno.EACCES, "Permission denied", name)
    folder, base = posixpath.split(files.resolve(path))
    command = registry.get(base)
    if command and command.folder == folder:
        return command.program
    return _script(path, files.read(path), session)


def _script(path: str, text: bytes, session: Session) -> Program:
    """Return the program that runs a script with the interpreter named in its first line."""
    if text.startswith(_ELF):
        raise OSError(errno.ENOEXEC, "Exec format error", path)
    first = text.partition(b"\n")[0].decode(errors="surrogateescape")
    interpreter = first[2:].split(maxsplit=1) if first.startswith("#!") else [SH]
    program = find_program(interpreter[0], session)

    async def run(ctx: Context, args: list[str]) -> Answer:
        return await program(ctx, [*interpreter[1:], path, *args])

    return run


async def call(shell: Shell, words: list[str]) -> int:
    """Run a command that is not a function: a builtin, or a program."""
    command = registry.get(words[0])
    if command is None or not command.builtin:
        return await call_program(shell, words)
    ctx = _context(shell.surroundings(), shell, words[0], shell.pid, shell.prefix())
    try:
        return await _guarded(command.program, ctx, words[1:])
    except BrokenPipeError:  # its signal ends the shell itself
        raise ExitShell(BROKEN_PIPE) from None


async def call_program(shell: Shell, words: list[str]) -> int:
    """Run a program with the shell's streams; errors have mksh's messages and status."""
    try:
        return await run_program(shell, words, shell.surroundings())
    except FileNotFoundError:
        await shell.complain(f"{words[0]}: inaccessible or not found")
        return 127
    except OSError as error:
        await shell.complain(f"{words[0]}: can't execute: {error.strerror}")
        return 126


async def run_program(shell: Shell, words: list[str], session: Session) -> int:
    """Run a program as a separate process and return its exit status."""
    program = find_program(words[0], session)
    if sum(map(len, words)) + 8 * len(words) > ARGUMENTS:
        raise OSError(errno.E2BIG, "Argument list too long", words[0])
    await session.phone.faults.command()
    processes = processes_of(session.phone)
    process = shell.adopt(words) or processes.start(words, session.uid, shell.pid)
    return await run_process(process, program, words[1:], shell, session)


async def run_process(
    process: ShellProcess, program: Program, args: list[str], shell: Shell, session: Session
) -> int:
    """Run the program of a started process to its end."""
    ctx = _context(session, shell, process.name, process.pid)
    status = await processes_of(session.phone).run(process, _guarded(program, ctx, args))
    if status == OUT_OF_TIME:
        await ctx.err("CPU time limit exceeded\n")
    return status


def _context(session: Session, shell: Shell, name: str, pid: int, prefix: str = "") -> Context:
    inherited = {each.name: getattr(session, each.name) for each in fields(Session)}
    return Context(**inherited, name=name, shell=shell, launch=run_program, pid=pid, prefix=prefix)


async def _guarded(program: Program, ctx: Context, args: list[str]) -> int:
    """Run a program; an exception is printed and becomes its exit status."""
    try:
        answer = await program(ctx, args)
        if isinstance(answer, str):
            await ctx.out(answer)
            return 0
    except BrokenPipeError:
        raise
    except UsageError as error:
        await ctx.err(f'{ctx.prefix}{ctx.name}: {error} (see "{ctx.name} --help")\n')
        return error.status
    except Refused as refusal:
        await (ctx.out if refusal.out else ctx.err)(f"{refusal}\n")
        return refusal.status
    except (OSError, Failure, PatternError) as error:
        await ctx.complain(error)
        return ctx.failed
    return answer or 0
