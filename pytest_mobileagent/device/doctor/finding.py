"""What a check found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pytest_mobileagent.errors import MobileAgentError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.device.device import Device

Level = Literal["ok", "warning", "problem"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of a report: what was checked, what was seen, and the remedy if it is not well.

    A warning is something that some tasks can do without; a problem breaks episodes.
    """

    check: str
    level: Level
    seen: str
    remedy: str = ""


class Unwell(MobileAgentError):  # noqa: N818 - a finding, not a failure of ours
    """A check found something: `str()` says what was seen, `remedy` what to do about it."""

    level: Level = "problem"

    def __init__(self, seen: str, remedy: str) -> None:
        super().__init__(seen)
        self.remedy = remedy


class Doubtful(Unwell):
    """A check found something that only some tasks need."""

    level = "warning"


def examine(name: str, check: Callable[[Device], str], device: Device) -> Finding:
    """Make one check, which returns what it saw if that is well."""
    try:
        return Finding(name, "ok", check(device))
    except Unwell as finding:
        return Finding(name, finding.level, str(finding), finding.remedy)
    except MobileAgentError as error:
        return Finding(
            name, "problem", str(error), "see docs/devices.md, and report it if it stays"
        )
