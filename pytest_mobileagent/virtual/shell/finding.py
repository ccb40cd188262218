"""The conditions of find."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from pytest_mobileagent.virtual.kernel.users import number_of
from pytest_mobileagent.virtual.shell.commands import Context, Failure, number
from pytest_mobileagent.virtual.shell.modes import new_mode
from pytest_mobileagent.virtual.shell.patterns import matches

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.files import Node

_SIZES = {"c": 1, "w": 2, "b": 512, "k": 2**10, "M": 2**20, "G": 2**30}
_KINDS = {"f": "file", "d": "dir", "l": "link"}


@dataclass(frozen=True, slots=True)
class Found:
    """A file that find looks at."""

    path: str
    node: Node
    depth: int


Test: TypeAlias = Callable[[Found], bool]


def _base(found: Found) -> str:
    return posixpath.basename(found.path.rstrip("/")) or found.path


def _compared(text: str, unit: float = 1) -> Callable[[float], bool]:
    """Return the test that +5, -5 or 5 stands for."""
    wanted = number(text.lstrip("+-")) if text.lstrip("+-").isdecimal() else -1
    if wanted < 0:
        raise Failure(f"Not a number '{text}'")
    if text.startswith("+"):
        return lambda value: value // unit > wanted
    if text.startswith("-"):
        return lambda value: value // unit < wanted
    return lambda value: value // unit == wanted


def _age(unit: float) -> Callable[[Context, str], Test]:
    def build(ctx: Context, text: str) -> Test:
        compare = _compared(text, unit)
        return lambda found: compare(ctx.phone.clock.time() - found.node.mtime)

    return build


def _size(_ctx: Context, text: str) -> Test:
    unit = _SIZES.get(text[-1:], 512)
    compare = _compared(text.rstrip("cwbkMG"))
    return lambda found: compare(-(-len(found.node.data) // unit))


def _perm(_ctx: Context, text: str) -> Test:
    wanted = new_mode(text.lstrip("-/"), 0, is_dir=False)
    if text.startswith("-"):
        return lambda found: found.node.mode & wanted == wanted
    if text.startswith("/"):
        return lambda found: bool(found.node.mode & wanted)
    return lambda found: found.node.mode & 0o7777 == wanted


def _newer(ctx: Context, name: str) -> Test:
    mtime = ctx.files.stat(name).mtime
    return lambda found: found.node.mtime > mtime


TESTS: dict[str, Callable[[Context, str], Test]] = {
    "-name": lambda _, text: lambda found: matches(text, _base(found)),
    "-iname": lambda _, text: lambda found: matches(text.lower(), _base(found).lower()),
    "-path": lambda _, text: lambda found: matches(text, found.path),
    "-wholename": lambda _, text: lambda found: matches(text, found.path),
    "-ipath": lambda _, text: lambda found: matches(text.lower(), found.path.lower()),
    "-regex": lambda _, text: lambda found: re.fullmatch(text, found.path) is not None,
    "-type": lambda _, text: (
        lambda found: found.node.kind in [_KINDS.get(t) for t in text.split(",")]
    ),
    "-user": lambda _, text: lambda found: found.node.uid == number_of(text),
    "-group": lambda _, text: lambda found: found.node.gid == number_of(text),
    "-uid": lambda _, text: lambda found: found.node.uid == number(text),
    "-mtime": _age(86400),
    "-ctime": _age(86400),
    "-atime": _age(86400),
    "-mmin": _age(60),
    "-cmin": _age(60),
    "-amin": _age(60),
    "-size": _size,
    "-perm": _perm,
    "-newer": _newer,
}
