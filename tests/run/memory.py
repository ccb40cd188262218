"""A device in memory, and agents made of functions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from pytest_mobileagent import (
    Action,
    Agent,
    DeviceInfo,
    Event,
    Finish,
    Reset,
    Screen,
    Tap,
)
from pytest_mobileagent.device.device import Capture
from pytest_mobileagent.errors import DeviceError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_mobileagent.task.probe import Probe

PATIENCE = 10.0
APP = "com.shop"


@dataclass
class MemoryDevice:
    """A phone that shows one screen after the other, whatever is done, and keeps what was done."""

    screens: Sequence[Screen]
    done: list[Action] = field(default_factory=list)
    looks: int = 0
    breaks_at_look: int | None = None
    told: list[Event] = field(default_factory=lambda: [Event("announcement", text=("before",))])

    @property
    def info(self) -> DeviceInfo:
        return DeviceInfo("memory", "None", "15", 35, (100, 200), 160, listener=True)

    def events(self) -> tuple[Event, ...]:
        told, self.told = tuple(self.told), []
        return told

    def observe(self, probes: Mapping[str, Probe] | None = None) -> Capture:
        if self.looks == self.breaks_at_look:
            raise DeviceError("the phone fell into the water")
        screen = self.screens[min(len(self.done), len(self.screens) - 1)]
        self.looks += 1
        done = str(len(self.done))
        return Capture(screen, {name: probe.parse(done) for name, probe in (probes or {}).items()})

    def perform(self, action: Action) -> None:
        self.done.append(action)
        self.told.append(Event("clicked", text=(str(len(self.done)),)))

    @property
    def system(self) -> MemoryDevice:
        return self

    def reset(self, snapshot: str, apps: Sequence[str]) -> Reset:
        return Reset("cleared", cleared=tuple(apps), reason=f"no {snapshot}")

    def refresh(self) -> None:
        """Read nothing again."""

    def snapshots(self) -> Sequence[str]:
        return ()

    def packages(self) -> frozenset[str]:
        return frozenset({APP})

    def shell(self, script: str) -> str:
        return ""

    def close(self) -> None:
        """Let go of nothing."""


class Count:
    """A probe that reads how many actions were done."""

    script = ""

    def parse(self, output: str) -> int:
        return int(output)


def agent(step: Callable[[Any, Screen], Any], **methods: Any) -> type[Agent]:
    """Make an agent class of a step, called with the agent itself."""
    return type("Mine", (Agent,), {"step": step, **methods})


def throw(error: BaseException) -> Callable[..., NoReturn]:
    def thrower(*arguments: Any) -> NoReturn:
        raise error

    return thrower


def tap(_: Agent, __: Screen) -> Action:
    return Tap(1, 1)


def finish(_: Agent, __: Screen) -> Action:
    return Finish("done")
