"""Where contracts are tried: a device, the contracts' app on it, and what must be put back.

The app (contracts-apk/ in the repository) says on each of its pages what happened last, and what it
reads from Android itself. So contracts look at effects, by another way than the one they act by.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action.action import Tap
from pytest_mobileagent.device.device import system_of
from pytest_mobileagent.device.doctor.checks import Doubtful, Unwell
from pytest_mobileagent.errors import DeviceError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.screen import Element, Screen
    from pytest_mobileagent.task.task import Probe, Value

PACKAGE = "org.mobileagent.contracts"
_LOOKS = 3  # at most, until a page that was opened is shown


class CannotBe(Doubtful):
    """A contract that cannot be tried on this device; the message says why."""

    def __init__(self, why: str, remedy: str = "") -> None:
        super().__init__(why, remedy)


def expect(wanted: object, found: object, what: str) -> None:
    """Compare what must be with what is.

    Raises:
        Unwell: if they differ.
    """
    if wanted != found:
        raise Unwell(f"{what}: {wanted!r} was expected, and {found!r} found", "")


def need(holds: object, otherwise: str) -> None:
    """Require a condition.

    Raises:
        Unwell: if it does not hold; the message is `otherwise`.
    """
    if not holds:
        raise Unwell(otherwise, "")


@dataclass
class Bench:
    """A device under test; `undo` are the scripts that put back what a contract changed."""

    device: Device
    has_app: bool = False
    undo: list[str] = field(default_factory=list)

    def shell(self, script: str) -> str:
        """Run a script on the device, and return what it prints."""
        return system_of(self.device).shell(script)

    def read(self, probes: Mapping[str, Probe]) -> Mapping[str, Value]:
        """Observe the screen, and return the values of probes."""
        return self.device.observe(probes).probes

    def do(self, *actions: Action) -> Screen:
        """Perform actions, and return the screen after the last of them."""
        for action in actions:
            self.device.perform(action)
        return self.device.observe().screen

    def page(self, name: str = "touch") -> Screen:
        """Start the app anew, on one of its pages."""
        if not self.has_app:
            raise CannotBe("the contracts' app is not installed")
        start = f"am start -W -n {PACKAGE}/.Main --es page {name}"
        printed = self.shell(f"am force-stop {PACKAGE}; {start}")
        for _ in range(_LOOKS):
            screen = self.device.observe().screen
            if said(screen) == "ready":
                return screen
        seen = f"{said(screen)!r}, and in front is {screen.package}/{screen.activity}"
        raise Unwell(f"the started app should say 'ready', but it is {seen}; am: {printed!r}", "")

    def tap(self, screen: Screen, text: str) -> Screen:
        """Tap a text of the screen."""
        return self.do(Tap(*the(screen, text=text).bounds.center))

    def put(self, namespace: str, key: str, value: object) -> None:
        """Set a setting, which is put back after the contract."""
        name = f"{namespace} {key}"
        old = self.shell(f"settings get {name}").strip()
        is_set = old != "null" and re.fullmatch(r"[\w./:;-]+", old)
        self.undo.append(f"settings put {name} '{old}'" if is_set else f"settings delete {name}")
        self.shell(f"settings put {name} {value}")

    def resolve(self, intent: str) -> str:
        """Return the component that answers an intent; empty if none does."""
        printed = self.shell(f"cmd package resolve-activity --brief {intent}")
        if "No activity found" in printed:
            return ""
        found = re.search(r"(?m)^([\w.]+)/([\w.$]+)$", printed)
        if found is None:
            raise Unwell(f"cmd package resolve-activity prints {printed!r}", "")
        return found[0]

    def is_root(self) -> bool:
        """Return whether the shell may read the data of apps, which two commands must agree on."""
        user = self.shell("id -u").strip()
        lists = "read" in self.shell("ls /data/data >/dev/null 2>&1 && echo read")
        expect(lists, user == "0", f"`id -u` prints {user!r}; /data/data can be read")
        return lists

    def need_root(self) -> None:
        """Require a root shell."""
        if not self.is_root():
            raise CannotBe("no root")

    def restore(self) -> None:
        """Put back what the last contract changed."""
        scripts, self.undo = self.undo[::-1], []
        if scripts:
            with suppress(DeviceError):  # whoever asks next is told
                self.shell("\n".join(scripts))


def the(screen: Screen, **criteria: Any) -> Element:
    """Return an element of the app's page."""
    found = screen.find(**criteria)
    if found is None:
        raise Unwell(f"the hierarchy has no element with {criteria}", "")
    return found


def _told(screen: Screen) -> list[str]:
    """Return the status and the facts of the app's page; empty if it is not shown."""
    texts = [each.text for each in screen.elements if each.text]
    places = [at for at, text in enumerate(texts) if re.match(r"sdk=\d+ dpi=", text)]
    return texts[places[0] - 1 : places[0] + 1] if places and places[0] else []


def is_shown(screen: Screen) -> bool:
    """Return whether a page of the app is shown."""
    return bool(_told(screen))


def said(screen: Screen) -> str:
    """Return what the app says happened last."""
    told = _told(screen)
    return told[0] if told else "not shown"


def facts(screen: Screen) -> dict[str, str]:
    """Return what the app reads from Android: sdk, dpi, locale, volume, locked, rotation, clock."""
    told = _told(screen)
    need(told, f"the app is not shown, but {screen.package}/{screen.activity}")
    return dict(part.partition("=")[::2] for part in told[1].split())
