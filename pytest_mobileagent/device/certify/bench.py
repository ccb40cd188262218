"""Where contracts are tried: a device, the contracts' app on it, and what must be put back.

The app (contracts-apk/ in the repository) says on each of its pages what happened last, and what it
reads from Android itself. So contracts look at effects, by another way than the one they act by.
"""

from __future__ import annotations

import base64
import re
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action.gestures import Tap
from pytest_mobileagent.device.device import system_of
from pytest_mobileagent.device.doctor.checks import Doubtful, Unwell, root
from pytest_mobileagent.errors import DeviceError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent._task import Probe, Value
    from pytest_mobileagent.action import Action
    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.screen import Screen
    from pytest_mobileagent.screen.element import Element

PACKAGE = "org.mobileagent.contracts"
_PIECE = 30_000  # characters of a command, which programs on the way may limit
_LOOKS = 3  # at most, until a page that was opened is shown


class CannotBe(Doubtful):
    """A contract that cannot be tried on this device; the message says why."""


def expect(wanted: object, found: object, what: str) -> None:
    """Raise `Unwell` if what is differs from what must be."""
    need(wanted == found, f"{what}: {wanted!r} was expected, and {found!r} found")


def need(holds: object, otherwise: str) -> None:
    """Raise `Unwell` with the message `otherwise` if a condition does not hold."""
    if not holds:
        raise Unwell(otherwise)


@dataclass(frozen=True)
class Page:
    """A screen on which the app is expected; `is_shown` says whether it is."""

    screen: Screen

    def the(self, **criteria: Any) -> Element:
        """Return an element that must be there."""
        found = self.screen.find(**criteria)
        need(found, f"the hierarchy has no element with {criteria}")
        assert found is not None
        return found

    def place(self, **criteria: Any) -> tuple[int, int]:
        """Return the centre of an element."""
        return self.the(**criteria).bounds.center

    @property
    def front(self) -> str:
        """What is in front: PACKAGE/ACTIVITY."""
        return f"{self.screen.package}/{self.screen.activity}"

    @cached_property
    def _told(self) -> list[str]:
        """The status and the facts; empty if the app is not shown."""
        texts = [each.text for each in self.screen.elements if each.text]
        places = [at for at, text in enumerate(texts) if re.match(r"sdk=\d+ dpi=", text)]
        return texts[places[0] - 1 : places[0] + 1] if places and places[0] else []

    @property
    def is_shown(self) -> bool:
        """Whether a page of the app is shown."""
        return bool(self._told)

    @property
    def said(self) -> str:
        """What the app says happened last."""
        return self._told[0] if self._told else "not shown"

    @property
    def facts(self) -> dict[str, str]:
        """What the app reads from Android: sdk, dpi, locale, volume, locked, rotation, clock."""
        need(self._told, f"the app is not shown, but {self.front}")
        return dict(part.partition("=")[::2] for part in self._told[1].split())


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

    def look(self) -> Page:
        """Observe the screen."""
        return Page(self.device.observe().screen)

    def do(self, *actions: Action) -> Page:
        """Perform actions, and return the page after the last of them."""
        for action in actions:
            self.device.perform(action)
        return self.look()

    def page(self, name: str = "touch") -> Page:
        """Start the app anew, on one of its pages."""
        if not self.has_app:
            raise CannotBe("the contracts' app is not installed")
        start = f"am start -W -n {PACKAGE}/.Main --es page {name}"
        printed = self.shell(f"am force-stop {PACKAGE}; {start}")
        for _ in range(_LOOKS):
            page = self.look()
            if page.said == "ready":
                return page
        seen = f"{page.said!r}, and in front is {page.front}"
        raise Unwell(f"the started app should say 'ready', but it is {seen}; am: {printed!r}")

    def tap(self, page: Page, text: str) -> Page:
        """Tap a text of the page."""
        return self.do(Tap(*page.place(text=text)))

    def put(self, namespace: str, key: str, value: object) -> None:
        """Set a setting, which is put back after the contract."""
        name = f"{namespace} {key}"
        old = self.shell(f"settings get {name}").strip()
        is_set = old != "null" and re.fullmatch(r"[\w./:;-]+", old)
        self.undo.append(f"settings put {name} '{old}'" if is_set else f"settings delete {name}")
        self.shell(f"settings put {name} {value}")

    def install(self, apk: bytes) -> str:
        """Install an APK, and return what `pm install` prints."""
        text, path = base64.b64encode(apk).decode(), "/data/local/tmp/mobileagent.apk"
        self.undo.append(f"rm -f {path} {path}.64")
        # Play Protect would ask on the screen.
        self.put("global", "verifier_verify_adb_installs", 0)
        self.shell(f"rm -f {path}.64")
        for at in range(0, len(text), _PIECE):
            self.shell(f"printf %s {text[at : at + _PIECE]} >> {path}.64")
        return self.shell(f"base64 -d {path}.64 > {path}; pm install -r {path}").strip()

    def resolve(self, intent: str) -> str:
        """Return the component that answers an intent; empty if none does."""
        printed = self.shell(f"cmd package resolve-activity --brief {intent}")
        if "No activity found" in printed:
            return ""
        found = re.search(r"(?m)^([\w.]+)/([\w.$]+)$", printed)
        if found is None:
            raise Unwell(f"cmd package resolve-activity prints {printed!r}")
        return found[0]

    def need_root(self) -> str:
        """Require a root shell."""
        try:
            return root(self.device)
        except Doubtful as doubt:
            raise CannotBe("no root") from doubt

    def restore(self) -> None:
        """Put back what the last contract changed."""
        scripts, self.undo = self.undo[::-1], []
        if scripts:
            with suppress(DeviceError):  # whoever asks next is told
                self.shell("\n".join(scripts))
