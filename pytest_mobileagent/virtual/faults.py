"""Faults on command, which imitate what goes wrong with real phones.

A fault strikes at occasions: a shell command, a dump, a screenshot, a tap. Faults are not part of
snapshots: a fault is active until it has struck the given number of times, or is cleared.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import os
import random
import time
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NoReturn, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.kernel.files import FileSystem


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of fault; `seconds` is the default duration."""

    abstract: str
    seconds: float | None = None
    times: float = math.inf  # how often it strikes by default
    counted: bool = True


KINDS = {
    "drop-connection": Kind("adb loses the phone at a command", times=1),
    "hang": Kind("a command, and all that follow, get no answer for SECONDS", math.inf, times=1),
    "die": Kind("the phone ends at a command, without a word", times=1),
    "slow": Kind("every command waits for SECONDS first", 0.5),
    "no-idle": Kind("uiautomator could not get idle state, after SECONDS", 0.0),
    "null-root": Kind("uiautomator gets a null root node"),
    "empty-dump": Kind("uiautomator leaves an empty file, and says that all is well"),
    "stale-tree": Kind("uiautomator dumps the screen as it was before it last changed"),
    "black-screenshot": Kind("screenshots are black"),
    "no-screenshot": Kind("screencap refuses, as it may do for pages with FLAG_SECURE"),
    "missed-tap": Kind("taps do nothing"),
    "storage-full": Kind("nothing more can be written", counted=False),
}


class FaultError(ValueError):
    """The fault is unknown, or its options are invalid."""


@dataclass(slots=True)
class Fault:
    """An active fault."""

    name: str
    words: str
    seconds: float
    times: float
    after: int
    rate: float
    chance: random.Random = field(repr=False)
    occasions: int = 0
    struck: int = 0

    def strikes(self) -> bool:
        """Count an occasion and return whether the fault strikes."""
        self.occasions += 1
        if self.occasions <= self.after or self.struck >= self.times:
            return False
        if self.rate < 1 and self.chance.random() >= self.rate:
            return False
        self.struck += 1
        return True

    @property
    def over(self) -> bool:
        """Whether the fault will not strike any more."""
        return self.struck >= self.times

    def __str__(self) -> str:
        if not KINDS[self.name].counted:
            return self.words
        times = "once" if self.struck == 1 else f"{self.struck} times"
        return f"{self.words} (struck {times if self.struck else 'never'} so far)"


class Dumping(Protocol):
    """A service that dumps the screen."""

    def dump(self) -> str:
        """Return the hierarchy as XML."""


class Faults:
    """The faults of a phone, at most one of each kind."""

    def __init__(self, files: FileSystem) -> None:
        self._files = files
        self._set: dict[str, Fault] = {}
        self._hung_until = -math.inf
        self._trees: list[str] = []  # the last two different ones
        self.drop: Callable[[], None] = lambda: None  # drops the connections
        self.die: Callable[[], object] = partial(os._exit, 1)

    def link(self, sight: Dumping) -> None:
        """Connect the service that dumps the screen."""
        self._sight = sight

    def set(self, text: str) -> None:
        """Set a fault by its command: NAME [SECONDS] [--times N] [--after N] [--rate P] [--seed S].

        FaultError if the fault is unknown or its options are invalid.
        """
        fault = parse(text)
        self._set[fault.name] = fault
        if fault.name == "storage-full":
            self._files.full = True
        if fault.name == "stale-tree":
            self._trees = [self._sight.dump()]

    def clear(self, name: str = "") -> None:
        """Clear a fault, or all faults; FaultError if the fault is unknown."""
        if name and name not in KINDS:
            raise FaultError(_unknown(name))
        for each in [name] if name else list(KINDS):
            self._set.pop(each, None)
            if each == "hang":
                self._hung_until = -math.inf
            if each == "storage-full":
                self._files.full = False

    def list(self) -> list[str]:
        """Return descriptions of the active faults."""
        return [str(fault) for fault in self._set.values()]

    def strikes(self, name: str) -> Fault | None:
        """Count an occasion; return the fault if it is set and strikes, otherwise None."""
        fault = self._set.get(name)
        return fault if fault and fault.strikes() else None

    async def command(self) -> None:
        """Apply faults to a shell command, before it runs."""
        await self.answering()
        if not self._set:
            return
        if self.strikes("die"):
            self.die()
        if self.strikes("drop-connection"):
            self.drop()
        if fault := self.strikes("slow"):
            await asyncio.sleep(fault.seconds)
        if fault := self.strikes("hang"):
            self._hung_until = time.monotonic() + fault.seconds
            await self.answering()

    async def answering(self) -> None:
        """Wait while the phone hangs."""
        while time.monotonic() < self._hung_until:
            await asyncio.sleep(0.02)

    def tree(self, fresh: str) -> str:
        """Return the tree that a dump should show, given the current one."""
        if "stale-tree" not in self._set:
            return fresh
        if not self._trees or self._trees[-1] != fresh:
            self._trees = [*self._trees[-1:], fresh]
        return self._trees[0] if self.strikes("stale-tree") else fresh

    # The remembered trees precede a loaded snapshot, so they are dropped; faults are kept.

    def save(self) -> None:
        """Return nothing."""

    def load(self, saved: None) -> None:
        """Drop the remembered trees."""
        del saved
        self._trees.clear()


def parse(text: str) -> Fault:
    """Parse the command of a fault; FaultError if it is invalid."""
    words = text.split()
    if not words or words[0] not in KINDS:
        raise FaultError(_unknown(words[0] if words else ""))
    kind, name = KINDS[words[0]], words[0]
    given = _parser(name, kind).parse_args(words[1:])
    if not (given.after >= 0 and given.times > 0 and 0 < given.rate <= 1):
        msg = "--times has to be above 0, --after at least 0, and --rate above 0 and at most 1"
        raise FaultError(msg)
    seconds = getattr(given, "seconds", 0.0)
    if not seconds >= 0:
        raise FaultError("SECONDS have to be at least 0")
    chance = random.Random(given.seed)
    return Fault(name, " ".join(words), seconds, given.times, given.after, given.rate, chance)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise FaultError(f"{self.prog}: {message}")


def _parser(name: str, kind: Kind) -> argparse.ArgumentParser:
    parser = _Parser(prog=name, add_help=False, allow_abbrev=False)
    parser.set_defaults(times=kind.times, after=0, rate=1.0, seed=0)
    if kind.seconds is not None:
        parser.add_argument("seconds", nargs="?", type=float, default=kind.seconds)
    if kind.counted:
        for option in ("times", "after", "seed"):
            parser.add_argument(f"--{option}", type=int)
        parser.add_argument("--rate", type=float)
    return parser


def _unknown(name: str) -> str:
    return f"unknown fault '{name}'; there are: {', '.join(KINDS)}"


def usage() -> str:
    """Describe all faults, for a help text."""
    rows = "".join(f"   {name:<16}  {kind.abstract}\n" for name, kind in KINDS.items())
    return (
        "fault NAME [SECONDS] [--times N] [--after N] [--rate P] [--seed S]\n"
        "fault list\nfault clear [NAME]\n\n"
        "--times: how often it strikes; --after: occasions that it lets pass first;\n"
        "--rate, --seed: it strikes by chance. The faults:\n" + rows
    )
