"""A phone with the demo app, a hand that finds things on its screen, and a shell on it."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from pytest_mobileagent.virtual.app.loading import load_apps
from pytest_mobileagent.virtual.boot import boot
from pytest_mobileagent.virtual.shell.interpreter import Session, run
from pytest_mobileagent.virtual.shell.session import Bytes, Collected

from .phones import (  # noqa: F401 - fixtures
    adb,
    home,
    lasting_phone,
    loop,
    own_phone,
    program,
    running_phone,
    server,
    start_phone,
    start_server,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_mobileagent.virtual.phone import Phone

APPS = Path(__file__).parent / "apps"
NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


class Hand:
    """Finds nodes in the dump and touches them."""

    def __init__(self, phone: Phone) -> None:
        self.phone = phone

    def nodes(self, attribute: str, value: str) -> list[str]:
        wanted = f'{attribute}="{value}"'
        return [node for node in re.findall(r"<node [^>]*>", self.phone.dump()) if wanted in node]

    def node(self, attribute: str, value: str) -> str:
        found = self.nodes(attribute, value)
        assert found, f"no {attribute}={value!r} in {self.phone.dump()}"
        return found[0]

    def bounds(self, attribute: str, value: str) -> tuple[int, int, int, int]:
        match = re.search(
            r'bounds="\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]"', self.node(attribute, value)
        )
        assert match
        left, top, right, bottom = map(int, match.groups())
        return left, top, right, bottom

    def center(self, attribute: str, value: str) -> tuple[int, int]:
        left, top, right, bottom = self.bounds(attribute, value)
        return (left + right) // 2, (top + bottom) // 2

    def tap(self, attribute: str, value: str) -> None:
        self.phone.tap(*self.center(attribute, value))

    def sees(self, text: str) -> bool:
        return bool(self.nodes("text", text))


class Ran(NamedTuple):
    status: int
    out: str
    err: str


@pytest.fixture(scope="session")
def booted() -> Phone:
    return boot(load_apps(APPS), time=NOON, frozen=True)


@pytest.fixture
def phone(booted: Phone) -> Iterator[Phone]:
    yield booted
    booted.snapshots.load("default_boot")


@pytest.fixture
def demo(phone: Phone) -> Phone:
    phone.activities.launch("org.demo")
    return phone


@pytest.fixture
def hand(phone: Phone) -> Hand:
    return Hand(phone)


@pytest.fixture
def shell(phone: Phone) -> Callable[..., Ran]:
    def sh(script: str, uid: int = 2000) -> Ran:
        out, err = Collected(), Collected()
        session = Session(phone=phone, uid=uid, stdin=Bytes(b""), stdout=out, stderr=err)
        status = asyncio.run(run(session, script))
        return Ran(status, out.data.decode(), err.data.decode())

    return sh


@pytest.fixture
def sh(shell: Callable[..., Ran]) -> Callable[[str], str]:
    """The output of a command, which must succeed without errors."""

    def output(script: str) -> str:
        ran = shell(script)
        assert (ran.status, ran.err) == (0, ""), ran
        return ran.out

    return output
