"""Carries out redirections: which file or stream a command's numbers stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell import expand
from pytest_mobileagent.virtual.shell.errors import RedirectError
from pytest_mobileagent.virtual.shell.opening import open_reader, open_writer
from pytest_mobileagent.virtual.shell.streams import Bytes, encode
from pytest_mobileagent.virtual.shell.syntax import HereDocument

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.shell.execution import Shell
    from pytest_mobileagent.virtual.shell.syntax import Redirect


async def redirect(shell: Shell, redirects: tuple[Redirect, ...]) -> None:
    """Change the streams of `shell`, whose caller remembers what they were."""
    for each in redirects:
        if isinstance(each.target, HereDocument):
            content = await expand.text(shell, each.target.body)
            shell.readers = {**shell.readers, each.fd: Bytes(encode(content))}
            continue
        name = await expand.text(shell, each.target)
        match each.operator:
            case "<" | "<>":
                _read_from(shell, each.fd, name)
            case "<<<":
                shell.readers = {**shell.readers, each.fd: Bytes(encode(f"{name}\n"))}
            case ">&" | "<&":
                _duplicate(shell, each.fd, name)
            case "&>" | "&>>":
                _write_to(shell, 1, name, append=each.operator == "&>>")
                _duplicate(shell, 2, "1")
            case operator:
                if operator == ">" and "C" in shell.options and shell.files.is_file(name):
                    raise RedirectError(f"can't create {name}: File exists")
                _write_to(shell, each.fd, name, append=operator == ">>")


def _read_from(shell: Shell, fd: int, name: str) -> None:
    try:
        shell.readers = {**shell.readers, fd: open_reader(name, shell.surroundings())}
    except OSError as error:
        raise RedirectError(f"can't open {name}: {error.strerror}") from None


def _write_to(shell: Shell, fd: int, name: str, *, append: bool) -> None:
    try:
        writer = open_writer(name, shell.surroundings(), append=append)
    except OSError as error:
        raise RedirectError(f"can't create {name}: {error.strerror}") from None
    shell.writers = {**shell.writers, fd: writer}


def _duplicate(shell: Shell, fd: int, source: str) -> None:
    """Let `fd` be the same stream as `source`, or none if that is `-`."""
    readers = {number: stream for number, stream in shell.readers.items() if number != fd}
    writers = {number: stream for number, stream in shell.writers.items() if number != fd}
    if source != "-":
        number = int(source) if source.isdecimal() else -1
        if number not in shell.readers and number not in shell.writers:
            raise RedirectError(f"{source}: bad file descriptor")
        if number in shell.readers:
            readers[fd] = shell.readers[number]
        if number in shell.writers:
            writers[fd] = shell.writers[number]
    shell.readers, shell.writers = readers, writers
