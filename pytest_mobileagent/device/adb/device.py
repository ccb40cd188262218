"""A device that is driven through adb: emulators, phones, and whatever speaks their protocol."""

from __future__ import annotations

import re
import secrets
import shlex
import time
from datetime import datetime
from typing import TYPE_CHECKING

from pytest_mobileagent.action import Open, Wait
from pytest_mobileagent.device.adb.console import Console, console_port
from pytest_mobileagent.device.adb.gestures import (
    UNICODE_KEYBOARD,
    needs_unicode_keyboard,
    script,
)
from pytest_mobileagent.device.adb.shell import Address, Output, Shell, open_service
from pytest_mobileagent.device.device import DeviceInfo, Observation
from pytest_mobileagent.device.settle import Settle
from pytest_mobileagent.errors import DeviceError, TaskError
from pytest_mobileagent.screen import Screen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.device.probe import Probe

_SCREENSHOT = "screencap -p 2>/dev/null"  # it warns of several displays in front of the image
_FOCUS = "dumpsys window displays | grep -E 'mCurrentFocus|mFocusedApp'"
_CLOCK = "date +%Y-%m-%dT%H:%M:%S%z"
_LOOKS_WITHOUT_TREE = 3  # in a row, before the device counts as broken
_BOOT_SECONDS = 60.0


class AdbDevice:
    """Drives a device through one shell that stays open (see `Device`).

    A step takes two round trips: one does the action and takes a screenshot, the next looks in
    full. If both screenshots are the same the screen has settled; if not, looks follow until two
    in a row are the same, or `settle` seconds have gone by.

    Raises:
        DeviceError: the device is not there, or is not ready within a minute.
    """

    def __init__(self, address: Address, settle: Settle | None = None) -> None:
        self.address = address
        self._settle = settle or Settle()
        self._shell = Shell(address)
        self._shot: bytes | None = None
        self._dump_file = f"/data/local/tmp/mobileagent-{secrets.token_hex(4)}.xml"
        self._packages: frozenset[str] | None = None
        self._may_be_root = True
        self._restored = False
        self._shell.run("true")  # fails at once if there is no such device
        self._await_ready()
        self._info = self._read_info()
        self._size = self._info.size  # that of the last screen, which may have been turned

    @property
    def info(self) -> DeviceInfo:
        """What is known of the device."""
        return self._info

    @property
    def round_trips(self) -> int:
        """How many times the adb server was asked, for measurements."""
        return self._shell.round_trips

    def observe(self, probes: Mapping[str, Probe] | None = None) -> Observation:
        """Look at the screen once it has settled, and read the probes."""
        started = time.monotonic()
        probes = probes or {}
        shot, tree, outputs = self._shot, None, self._look(probes)
        failures = 0
        while True:
            png, xml = outputs[0].raw, _hierarchy(outputs[1].text)
            failures = failures + 1 if xml is None else 0
            if failures == _LOOKS_WITHOUT_TREE:
                said = outputs[1].text.strip()[:300]
                msg = f"device {self.address} gives no view hierarchy; uiautomator says {said!r}"
                raise DeviceError(msg)
            # A cursor that blinks changes pixels for ever, but not the hierarchy.
            settled = png == shot or xml == tree
            patience = self._settle.limit(_component(outputs[2].text)[0])
            if xml is not None and (settled or time.monotonic() - started > patience):
                break
            shot, tree, outputs = png, xml, self._look(probes)
        self._shot, self._restored = None, False
        values = {
            name: probe.parse(output.text)
            for (name, probe), output in zip(probes.items(), outputs[4:], strict=True)
        }
        screen = _screen(png, xml, outputs[2].text, outputs[3].text)
        self._size = screen.size
        return Observation(screen, values)

    def perform(self, action: Action) -> None:
        """Do an action on the device; the next `observe` waits until the screen has settled."""
        if isinstance(action, Wait):
            time.sleep(action.seconds)
            return
        command = script(action, self._size, self._info.sdk)
        if isinstance(action, Open) and action.app not in self.packages():
            return  # as on a real phone, nothing happens
        if needs_unicode_keyboard(action):
            command = self._with_unicode_keyboard(command)
        if command:
            done, shot = self._shell.run_all([command, _SCREENSHOT])
            if "java.lang.SecurityException" in done.text:
                msg = f"device {self.address} refuses input: {done.text.strip()[:300]}"
                raise DeviceError(msg)
            self._shot = shot.raw

    def reset(self, snapshot: str, apps: Sequence[str]) -> str:
        """Load the snapshot; where the device has none at all, clear and stop `apps` instead.

        Raises:
            TaskError: the device has snapshots, but not this one.
        """
        self._shot, self._packages = None, None
        has_console = console_port(self.address.serial) is not None
        names = Console(self.address).snapshots() if has_console else []
        if not names:
            return self._clear(apps)
        if snapshot not in names:
            msg = f"device {self.address} has no snapshot {snapshot!r} (it has: {', '.join(names)})"
            raise TaskError(msg)
        Console(self.address).load(snapshot)
        self._await_ready()
        self._restored = True
        return f"snapshot {snapshot}"

    def packages(self) -> frozenset[str]:
        """Return the packages that are installed."""
        if self._packages is None:
            lines = self._shell.run("pm list packages").text.splitlines()
            self._packages = frozenset(
                line.removeprefix("package:") for line in lines if line.startswith("package:")
            )
        return self._packages

    def shell(self, script: str) -> str:
        """Run a shell script on the device and return what it wrote."""
        return self._shell.run(f"sh -c {shlex.quote(script)}").text

    def close(self) -> None:
        """Let go of the device. It stays as it is."""
        self._shell.close()

    def _look(self, probes: Mapping[str, Probe]) -> list[Output]:
        file = self._dump_file
        # The file of an earlier dump must not pass for this one's when a dump fails.
        dump = f"uiautomator dump {file}; cat {file}; rm -f {file}"
        read = [f"sh -c {shlex.quote(probe.script)}" for probe in probes.values()]
        scripts = [_SCREENSHOT, dump, _FOCUS, _CLOCK, *read]
        try:
            return self._shell.run_all(scripts)
        except DeviceError:
            if not self._restored:
                raise
            # A real emulator drops the connection at some time after its console has said OK.
            self._restored = False
            self._await_ready()
            return self._shell.run_all(scripts)

    def _await_ready(self) -> None:
        """Wait until the device has booted, and until its shell is root's where it can be.

        Databases of apps can be read by root only.
        """
        deadline = time.monotonic() + _BOOT_SECONDS
        while True:
            try:
                user, booted = self._shell.run_all(["id -u", "getprop sys.boot_completed"], 10)
                problem = f"sys.boot_completed is {booted.text.strip()!r}, not 1"
                if user.text.strip() != "0" and self._may_be_root:
                    problem = "adbd restarts as root"
                    self._restart_as_root()
                elif booted.text.strip() == "1":
                    return
            except DeviceError as error:
                problem = str(error)
            if time.monotonic() > deadline:
                msg = f"device {self.address} is not ready after {_BOOT_SECONDS:g} s: {problem}"
                raise DeviceError(msg)
            time.sleep(0.02)

    def _restart_as_root(self) -> None:
        self._shell.close()
        connection = open_service(self.address, "root:")
        connection.conn.settimeout(10)
        self._may_be_root = "cannot" not in connection.read_until_close()
        connection.conn.close()

    def _read_info(self) -> DeviceInfo:
        properties = ("ro.product.model", "ro.build.version.release", "ro.build.version.sdk")
        scripts = [f"getprop {name}" for name in (*properties, "persist.sys.locale")]
        outputs = self._shell.run_all([*scripts, "wm size", "wm density"])
        model, android, sdk, locale, size, density = (output.text.strip() for output in outputs)
        pixels = re.findall(r"(\d+)x(\d+)", size)
        dots = re.findall(r"\d+", density)
        if not (sdk.isdigit() and pixels and dots):
            msg = f"device {self.address} does not say what it is: {sdk!r}, {size!r}, {density!r}"
            raise DeviceError(msg)
        return DeviceInfo(
            serial=self.address.serial,
            model=model,
            android=android,
            sdk=int(sdk),
            size=(int(pixels[-1][0]), int(pixels[-1][1])),  # the override stands last
            density=int(dots[-1]),
            locale=locale or "en-US",
        )

    def _with_unicode_keyboard(self, command: str) -> str:
        scripts = ["ime list -a -s", "settings get secure default_input_method"]
        installed, current = (output.text.strip() for output in self._shell.run_all(scripts))
        if UNICODE_KEYBOARD not in installed.split():
            msg = f"device {self.address} cannot type beyond ASCII: install ADBKeyboard on it"
            raise DeviceError(msg)
        use = f"ime enable {UNICODE_KEYBOARD}; ime set {UNICODE_KEYBOARD}"
        # It listens only once it is the current one, which takes Android a moment.
        asks = f"dumpsys input_method | grep -q mCurMethodId={UNICODE_KEYBOARD}"
        wait = f"for i in 1 2 3 4 5 6 7 8 9 10; do {asks} && break; sleep 0.1; done"
        return f"{use}; {wait}; {command}; ime set {shlex.quote(current)}"

    def _clear(self, apps: Sequence[str]) -> str:
        names = [shlex.quote(app) for app in apps]
        self._shell.run_all(
            [*(f"am force-stop {name}; pm clear {name}" for name in names), "input keyevent 3"]
        )
        return f"no snapshots: cleared {', '.join(apps) or 'nothing'}"


def _hierarchy(output: str) -> str | None:
    """Return the XML in what uiautomator wrote, which may stand before or after its message."""
    start, end = output.find("<?xml"), output.rfind("</hierarchy>")
    return output[start : end + len("</hierarchy>")] if 0 <= start < end else None


def _screen(png: bytes, xml: str, focus: str, clock: str) -> Screen:
    package, activity = _component(focus)
    try:
        time_ = datetime.strptime(clock.strip(), "%Y-%m-%dT%H:%M:%S%z").replace(tzinfo=None)
    except ValueError:
        msg = f"the device's clock reads {clock.strip()[:100]!r}"
        raise DeviceError(msg) from None
    return Screen(xml, png, package, activity, time_)


def _component(focus: str) -> tuple[str, str]:
    """Return the package and activity of the window that has the focus; empty if none has."""
    component = re.search(r"u\d+ ([\w.]+)/([\w.$]+)", focus)
    return (component[1], component[2]) if component else ("", "")
