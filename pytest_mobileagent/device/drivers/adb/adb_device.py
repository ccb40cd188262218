"""A device that is driven through adb: an emulator, a phone, or anything else that adb reaches.

View hierarchies come from `uiautomator dump`, or from an automation server on the device. Android's
UiAutomation serves only one program at a time: while a server of uiautomator2 or Appium uses it,
`uiautomator dump` is killed, and the hierarchy is requested from that server instead.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import secrets
import shlex
import time
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action import Open, Wait
from pytest_mobileagent.device.device import PERMIT, Capture
from pytest_mobileagent.device.drivers.adb.gestures import (
    UNICODE_KEYBOARD,
    await_focus,
    needs_unicode_keyboard,
    script,
)
from pytest_mobileagent.device.drivers.adb.shell import open_service
from pytest_mobileagent.device.drivers.adb.system import CLOCK, AdbSystem, probe_scripts, state_of
from pytest_mobileagent.device.live import LiveDevice, Look
from pytest_mobileagent.device.screen import FOCUS, Shot, focus, has_nodes
from pytest_mobileagent.errors import DeviceError, ScreenError
from pytest_mobileagent.screen.xml import outline, parse

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_mobileagent._task import Probe
    from pytest_mobileagent.action import Action
    from pytest_mobileagent.device.device import Address, LogLevel, Settle
    from pytest_mobileagent.device.sources import Restart


class AdbDevice(LiveDevice):
    """Drives a device through a shell that stays open (see `Device`).

    A step takes two round trips: one performs the action and takes a screenshot, the other makes a
    full observation. If both screenshots are equal, the screen has settled. Otherwise observations
    follow until two in a row are equal, or the time limit of `settle` has passed. Without
    screenshots, view hierarchies are compared instead.

    Raises:
        DeviceError: if the device cannot be reached, or is not ready within a minute.
    """

    system: AdbSystem

    def __init__(
        self,
        address: Address,
        settle: Settle | None = None,
        restart: Restart | None = None,
        log: LogLevel = "off",
    ) -> None:
        self.system = AdbSystem(address, restart, self._forget, log)
        self._dump_file = f"/data/local/tmp/mobileagent-{secrets.token_hex(4)}.xml"
        super().__init__(self.system, settle, str(address), "screencap")

    @property
    def address(self) -> Address:
        """The device's address; a reset may replace the device by one at another address."""
        return self.system.address

    def observe(self, probes: Mapping[str, Probe] | None = None) -> Capture:
        probes = probes or {}
        scripts = [dump_script(self._dump_file), FOCUS, CLOCK, *probe_scripts(probes)]
        return self._capture(lambda: self._look(scripts, probes), self._no_tree)

    def perform(self, action: Action) -> None:
        if isinstance(action, Wait):
            time.sleep(action.seconds)
            return
        command = script(action, self._size, self.info.sdk)
        if isinstance(action, Open):
            if action.app not in self.system.packages():
                return  # as on a real phone, nothing happens
            command = f"{command} && {{ {await_focus(action.app)}; }}"
        after = ""
        if needs_unicode_keyboard(action):
            command, after = self._with_unicode_keyboard(command)
        if command:
            glance = dump_script(self._dump_file) if self._spares else self.system.panels.script
            try:
                done, seen = self.system.run(command, glance)
            except DeviceError:
                if after:  # the command may have been cut off
                    with contextlib.suppress(DeviceError):
                        self.system.run(after)
                raise
            self._check_permitted(done.text)
            self._typing.note(action)
            if self._spares:
                self._tree = hierarchy(seen.text)
            else:
                self._shot = Shot.of(seen.raw).png

    def _check_permitted(self, said: str) -> None:
        if "java.lang.SecurityException" in said:
            why = next(line for line in said.splitlines() if "SecurityException" in line)
            raise DeviceError(f"device {self.address} refuses input: {why[:200]}; {PERMIT}")

    @contextlib.contextmanager
    def without_screenshots(self) -> Iterator[None]:
        self._spares, self._shot = True, None
        try:
            yield
        finally:
            self._spares, self._tree = False, None

    def _look(self, scripts: Sequence[str], probes: Mapping[str, Probe]) -> Look:
        shooting = () if self._spares else (self.system.panels.script,)
        outputs = self.system.look(*shooting, *scripts)
        shot = Shot(b"") if self._spares else Shot.of(outputs.pop(0).raw)
        printed, *rest = outputs
        xml = hierarchy(printed.text)
        if xml is None:
            xml = hierarchy_of_servers(self.address)
        if self._spares:
            seen = b"", xml is not None and has_nodes(xml)
        else:
            seen = self._camera.look(shot, xml, self.info.size)
        package = focus(rest[0].text)[0]
        return Look(shot, xml, *seen, package, lambda: state_of(rest, probes), printed.text)

    def _no_tree(self, look: Look) -> DeviceError:
        why = reason(look.printed, served=is_served(self.address))
        return DeviceError(f"device {self.address} returns no view hierarchy; {why}")

    def _with_unicode_keyboard(self, command: str) -> tuple[str, str]:
        """Return a script that types by ADBKeyboard, and its end, which puts the keyboards back."""
        names = ("default_input_method", "enabled_input_methods", "selected_input_method_subtype")
        scripts = ["ime list -a -s", *(f"settings get secure {name}" for name in names)]
        installed, *values = (output.text.strip() for output in self.system.run(*scripts))
        self._check_permitted(installed)
        if UNICODE_KEYBOARD not in installed.split():
            fix = "install ADBKeyboard on it"
            raise DeviceError(f"device {self.address} cannot type beyond ASCII: {fix}")
        use = f"ime enable {UNICODE_KEYBOARD}; ime set {UNICODE_KEYBOARD}"
        # The keyboard listens only once it is the current one, which takes Android a moment.
        asks = f"dumpsys input_method | grep -q mCurMethodId={UNICODE_KEYBOARD}"
        wait = f"for i in 1 2 3 4 5 6 7 8 9 10; do {asks} && break; sleep 0.1; done"
        after = "; ".join(map(_put_back, names, values))
        return f"{use}; {wait}; {command}; {after}", after


def _put_back(name: str, value: str) -> str:
    if value in {"null", ""}:
        return f"settings delete secure {name}"
    if name == "default_input_method":
        return f"ime set {shlex.quote(value)}"
    return f"settings put secure {name} {shlex.quote(value)}"


_UIAUTOMATOR2_PORT, _APPIUM_PORT = 9008, 6790
_SECONDS = 15.0
_DEPTH = 50  # the most levels of the hierarchy; uiautomator2's own client requests as many


def hierarchy_of_servers(address: Address) -> str | None:
    """Return the view hierarchy from an automation server on the device; None without a server."""
    for ask in (_uiautomator2, _appium):
        try:
            if xml := ask(address):
                return xml
        except (DeviceError, OSError, http.client.HTTPException, ValueError, LookupError):
            continue
    return None


def _uiautomator2(address: Address) -> str | None:
    params = [False, _DEPTH]
    call = {"jsonrpc": "2.0", "id": 1, "method": "dumpWindowHierarchy", "params": params}
    reply = _ask(address, _UIAUTOMATOR2_PORT, "POST", "/jsonrpc/0", call)
    return _tree(reply.get("result"))


def _appium(address: Address) -> str | None:
    sessions = _ask(address, _APPIUM_PORT, "GET", "/sessions")["value"]
    if not sessions:
        return None
    source = f"/session/{sessions[-1]['id']}/source"
    return _tree(_ask(address, _APPIUM_PORT, "GET", source)["value"])


def _tree(xml: Any) -> str | None:
    return xml if isinstance(xml, str) and "<hierarchy" in xml else None


def _ask(
    address: Address, port: int, method: str, path: str, content: Any = None
) -> dict[str, Any]:
    stream = open_service(address, f"tcp:{port}")
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_SECONDS)
    stream.settimeout(_SECONDS)
    connection.sock = stream
    body = None if content is None else json.dumps(content)
    try:
        connection.request(method, path, body, {"Content-Type": "application/json"})
        return dict(json.loads(connection.getresponse().read()))
    finally:
        connection.close()


_TAKEN = r"already registered"
_OTHER_SERVER = (
    "another automation server, of Appium or uiautomator2, runs on the device: stop it, or choose "
    "--mobile-driver=appium"
)
_REASONS = (
    (r"could not get idle state", "the screen keeps changing: a video, or an animation"),
    (r"null root node", "no window is active: the screen is off, or an app is just starting"),
    (_TAKEN, _OTHER_SERVER),
    (r"No space left", "the storage is full"),
    (r"NullPointerException|Killed", "it has died, as it may while a page is changing"),
    (r"No such file", "uiautomator wrote no file"),
)


def dump_script(file: str) -> str:
    """Return a shell script that dumps the view hierarchy to a file on the device and prints it."""
    # While automatic rotation is off, uiautomator ends by locking the rotation of the moment, even
    # that of an app which turns the screen itself (AOSP: UiAutomationConnection).
    keep = "user=$(settings get system user_rotation)"
    put_back = (
        '[ "$(settings get system user_rotation)" = "$user" ] || [ "$user" = null ] || '
        'settings put system user_rotation "$user"'
    )
    # The file is removed so that, if a dump fails, the previous dump is not mistaken for it.
    return f"{keep}; uiautomator dump {file}; cat {file}; rm -f {file}; {put_back}"


_HIERARCHY = re.compile(r"<hierarchy\b(?:[^<>]*/>|.*</hierarchy>)", re.DOTALL)


def hierarchy(output: str) -> str | None:
    """Return the XML in uiautomator's output, whatever surrounds it; None if none can be read."""
    found = _HIERARCHY.search(output)
    if found is None:
        return None
    xml = output[max(output.rfind("<?xml", 0, found.start()), 0) : found.end()]
    xml = xml if xml.startswith("<?xml") else found[0]
    if outline(xml) is not None:
        return xml
    with contextlib.suppress(ScreenError):
        parse(xml)
        return xml
    return None


def is_taken(output: str) -> bool:
    """Return whether uiautomator says that another automation server is connected."""
    return hierarchy(output) is None and re.search(_TAKEN, output) is not None


def is_served(address: Address) -> bool:
    """Return whether the port of an automation server answers on the device."""
    for port in (_UIAUTOMATOR2_PORT, _APPIUM_PORT):
        with contextlib.suppress(DeviceError):
            open_service(address, f"tcp:{port}").close()
            return True
    return False


def reason(output: str, *, served: bool = False) -> str:
    """Return why uiautomator's output contains no hierarchy: what it says, and what that means.

    `served` says that an automation server runs on the device, which makes Android kill dumps.
    """
    message = " ".join(output.split())[:300]
    known = [why for pattern, why in _REASONS if re.search(pattern, output)]
    known = [_OTHER_SERVER, *known] if served and "Killed" in output else known
    explanation = f" ({known[0]})" if known else ""
    return f"uiautomator printed {repr(message) if message else 'nothing'}{explanation}"
