"""All checks, in the order in which they make sense: each needs most of those before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.device.doctor import acting, looking, state
from pytest_mobileagent.device.doctor.finding import examine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.device.doctor.finding import Finding

    Check = Callable[[Device], str]

LOOKING: tuple[Check, ...] = (
    state.answers,
    state.awake,
    state.unlocked,
    state.root,
    state.storage,
    state.clock,
    state.animations,
    state.keyboard,
    state.events,
    state.snapshots,
    looking.screenshot,
    looking.hierarchy,
    looking.focus,
)
ACTING: tuple[Check, ...] = (
    acting.opens_apps,
    acting.goes_home,
    acting.taps,
    acting.scrolls,
    acting.types,
    acting.types_beyond_ascii,
    acting.turns,
)


def title(check: Check) -> str:
    """Return the name of a check, as reports show it."""
    return check.__name__.replace("_", " ")


def findings(device: Device, *, act: bool = True) -> Iterator[Finding]:
    """Make the checks one after the other; without `act`, only those that change nothing."""
    for check in (*LOOKING, *(ACTING if act else ())):
        yield examine(title(check), check, device)
