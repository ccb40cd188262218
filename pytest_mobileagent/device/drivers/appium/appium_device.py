"""A device that is driven through Appium's UiAutomator2 driver, and its system behind the screen.

Where only an Appium server reaches the device, as at a hub, the system works through it, too.
"""

from __future__ import annotations

import base64
import re
import shlex
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, assert_never

from pytest_mobileagent.action.action import (
    Action,
    Ask,
    DoubleTap,
    Finish,
    Impossible,
    Key,
    LongPress,
    Open,
    Raw,
    Scroll,
    Swipe,
    Tap,
    Type,
    Wait,
    scroll_path,
)
from pytest_mobileagent.device.device import Capture, DeviceState, Settle, System, settled
from pytest_mobileagent.device.drivers import KEYCODES, NEVER_A_FLING
from pytest_mobileagent.device.drivers.adb.console import snapshot_names
from pytest_mobileagent.device.drivers.adb.system import read_clock
from pytest_mobileagent.device.logcat import KEPT, is_wanted, kept_crashes, parse_line
from pytest_mobileagent.episode.observation import DeviceInfo, Reset
from pytest_mobileagent.errors import DeviceError, TaskError
from pytest_mobileagent.screen import Screen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from appium.webdriver import Remote

    from pytest_mobileagent.device.device import LogLevel
    from pytest_mobileagent.device.drivers.appium.appium_session import AppiumSession
    from pytest_mobileagent.episode.event import Event
    from pytest_mobileagent.episode.log import Crash, LogLine
    from pytest_mobileagent.task.task import Probe


class Backend(System, Protocol):
    """What is behind the screen of a session: reached by adb, or by Appium too."""

    @property
    def info(self) -> DeviceInfo:
        """What is known of the device."""

    def state(self, probes: Mapping[str, Probe]) -> DeviceState:
        """Read what is not seen on the screen."""

    def events(self) -> tuple[Event, ...]:
        """Return what happened since the last call."""

    def log(self, *, late: bool = False) -> tuple[LogLine, ...] | None:
        """Return the lines of the log since the last call; None if it cannot be read."""

    def close(self) -> None:
        """Disconnect from the device."""


class AppiumSystem:
    """A backend whose session is renewed when a reset or a change of the device has ended it."""

    def __init__(self, backend: Backend, session: AppiumSession) -> None:
        self._backend = backend
        self._session = session

    def reset(self, snapshot: str, apps: Sequence[str]) -> Reset:
        """Bring the device to a task's starting point; it may cost the session."""
        reset = self._backend.reset(snapshot, apps)
        if not self._session.alive():
            self._session.renew("a new session after a reset")
        return reset

    def refresh(self) -> None:
        """Read again what is known of the device, in a new session: the old one has old facts."""
        self._session.renew("a new session after a change of the device")
        self._backend.refresh()

    def snapshots(self) -> Sequence[str]:
        """Return the names of the snapshots that `reset` can load."""
        return self._backend.snapshots()

    def packages(self) -> frozenset[str]:
        """Return the packages that are installed."""
        return self._backend.packages()

    def versions(self) -> Mapping[str, str]:
        """Return the version code of each package that is installed; "" where it is not known."""
        return self._backend.versions()

    def shell(self, script: str) -> str:
        """Run a shell script on the device and return what it wrote."""
        return self._backend.shell(script)


@dataclass(frozen=True, slots=True)
class _Look:
    png: bytes
    xml: str | None
    state: DeviceState

    @property
    def package(self) -> str:
        return self.state.package


class AppiumDevice:
    """Sees and acts through an Appium session; `backend` is the device behind the screen.

    Raises:
        DeviceError: no session can be opened.
    """

    def __init__(
        self, session: AppiumSession, backend: Backend, settle: Settle | None = None
    ) -> None:
        self.session = session
        self.system = AppiumSystem(backend, session)
        self._backend = backend
        self._settle = settle or Settle()
        with session.speaking("a session"):
            self._size = self.info.size  # that of the last screen, which may have been turned

    @property
    def info(self) -> DeviceInfo:
        """What is known of the device."""
        return self._backend.info

    def observe(self, probes: Mapping[str, Probe] | None = None) -> Capture:
        """Look at the screen once it has settled, and read the probes."""
        look = settled(lambda: self._look(probes or {}), self._settle, None, self._no_tree)
        state = look.state
        assert look.xml is not None
        screen = Screen(look.xml, look.png, state.package, state.activity, state.time)
        self._size = screen.size
        return Capture(screen, state.probes)

    def perform(self, action: Action) -> None:
        """Do an action on the device; the next `observe` waits until the screen has settled."""
        if isinstance(action, Wait):
            time.sleep(action.seconds)
        elif isinstance(action, Open) and action.app not in self.system.packages():
            return  # as on a real phone, nothing happens
        else:
            with self.session.speaking(f"{type(action).__name__}") as driver:
                perform(driver, action, self._size)

    def events(self) -> tuple[Event, ...]:
        """Return what happened on the device since the last call."""
        return self._backend.events()

    def log(self, *, late: bool = False) -> tuple[LogLine, ...] | None:
        """Return the lines of the device's log since the last call; None if it cannot be read."""
        return self._backend.log(late=late)

    def kept_crashes(self, since: datetime) -> Sequence[tuple[datetime, Crash]] | None:
        """Return the crashes that Android has kept since a moment; None if it keeps none."""
        return kept_crashes(self._backend.shell(KEPT), since)

    def close(self) -> None:
        """Disconnect from the device and leave it as it is."""
        with suppress(DeviceError):
            self.session.close()
        self._backend.close()

    def _look(self, probes: Mapping[str, Probe]) -> _Look:
        with self.session.speaking("an observation") as driver:
            png = base64.b64decode(driver.get_screenshot_as_base64())
            source = driver.page_source
        xml = source if "<hierarchy" in source else None
        return _Look(png, xml, self._backend.state(probes))

    def _no_tree(self, look: _Look) -> DeviceError:
        return DeviceError(f"Appium at {self.session.shown} gives no view hierarchy")


def perform(driver: Remote, action: Action, size: tuple[int, int]) -> None:
    """Do an action on a screen of `size` pixels."""
    match action:
        case Tap(x, y):
            driver.execute_script("mobile: clickGesture", {"x": x, "y": y})
        case DoubleTap(x, y):
            driver.execute_script("mobile: doubleClickGesture", {"x": x, "y": y})
        case LongPress(x, y, seconds):
            where = {"x": x, "y": y, "duration": round(seconds * 1000)}
            driver.execute_script("mobile: longClickGesture", where)
        case Swipe(x1, y1, x2, y2, seconds):
            driver.swipe(x1, y1, x2, y2, round(seconds * 1000))
        case Scroll():
            (x1, y1), (x2, y2) = scroll_path(action, size)
            driver.swipe(x1, y1, x2, y2, NEVER_A_FLING)
        case Type():
            _type(driver, action)
        case Key(name):
            driver.press_keycode(KEYCODES[name])
        case Open(app):
            driver.activate_app(app)
        case Wait() | Ask() | Finish() | Impossible() | Raw():
            pass  # nothing is done on the device
        case _:
            assert_never(action)


def _type(driver: Remote, action: Type) -> None:
    from selenium.common.exceptions import NoSuchElementException

    if action.at is not None:
        x, y = action.at
        driver.execute_script("mobile: clickGesture", {"x": x, "y": y})
    # Where nothing has the focus, keys go nowhere, as on a real phone.
    with suppress(NoSuchElementException):
        if action.clear:
            driver.switch_to.active_element.clear()
        for part in re.split(r"([\n\t])", re.sub(r"\r\n?", "\n", action.text)):
            if part in {"\n", "\t"}:
                driver.press_keycode(KEYCODES["enter" if part == "\n" else "tab"])
            elif part:
                driver.switch_to.active_element.send_keys(part)
    if action.enter:
        driver.press_keycode(KEYCODES["enter"])


_SHELL = (
    "the Appium server does not let clients run shell commands, which probes need: start it with "
    "`--allow-insecure uiautomator2:adb_shell`"
)


class RemoteSystem:
    """Reads and resets a device by what the UiAutomator2 driver offers.

    Shell commands and the emulator's console are features that a server may refuse: without the
    first there are no probes, without the second no snapshots.
    """

    def __init__(self, session: AppiumSession, log: LogLevel = "off") -> None:
        self._session = session
        self._log_level: LogLevel = log
        self._has_log = True
        self._packages: Mapping[str, str] | None = None  # with their version codes
        self._root: tuple[str, ...] | None = None
        self.info = self._read_info()

    def state(self, probes: Mapping[str, Probe]) -> DeviceState:
        """Read what is not seen on the screen."""
        with self._session.speaking("an observation") as driver:
            package, activity = driver.current_package or "", driver.current_activity or ""
            clock = driver.get_device_time("YYYY-MM-DDTHH:mm:ssZZ")
        if activity.startswith("."):
            activity = package + activity
        values = {name: probe.parse(self.shell(probe.script)) for name, probe in probes.items()}
        return DeviceState(package, activity, read_clock(clock), values)

    def reset(self, snapshot: str, apps: Sequence[str]) -> Reset:
        """Load the snapshot; where there is none, clear and stop `apps` instead.

        Raises:
            TaskError: the device has snapshots, but not this one.
        """
        self._packages = None
        try:
            return self._reset(snapshot, apps)
        finally:
            self.log()  # what was logged before does not belong to the task

    def _reset(self, snapshot: str, apps: Sequence[str]) -> Reset:
        names = self.snapshots()
        if names and snapshot not in names:
            msg = f"the device has no snapshot {snapshot!r} (it has: {', '.join(names)})"
            raise TaskError(msg)
        if names:
            self._console(f"avd snapshot load {snapshot}")
            return Reset("snapshot", snapshot)
        installed = [app for app in apps if app in self.packages()]
        with self._session.speaking("clearing apps") as driver:
            for app in installed:
                driver.terminate_app(app)
                driver.execute_script("mobile: clearApp", {"appId": app})
            driver.press_keycode(3)
        return Reset("cleared", cleared=tuple(installed), reason="no snapshots")

    def refresh(self) -> None:
        """Read again what is known of the device, from the session that there is now."""
        self._packages = None
        self.info = self._read_info()

    def snapshots(self) -> list[str]:
        """Return the names of the snapshots; none where the server keeps the console closed."""
        try:
            return snapshot_names(self._console("avd snapshot list"))
        except DeviceError:
            return []

    def packages(self) -> frozenset[str]:
        """Return the packages that are installed."""
        return frozenset(self.versions())

    def versions(self) -> Mapping[str, str]:
        """Return the version code of each package; "" where the server does not tell it."""
        if self._packages is None:
            with self._session.speaking("listing apps") as driver:
                found = dict(driver.execute_script("mobile: listApps"))
            told = {name: (about or {}).get("versionCode") for name, about in found.items()}
            self._packages = {name: str(code or "") for name, code in told.items()}
        return self._packages

    def shell(self, script: str) -> str:
        """Run a shell script on the device and return what it wrote."""
        if self._root is None:
            self._root = self._become_root()
        # What the shell is given is split into words once more on its way, and the driver keeps
        # back the output of what fails.
        return self._run(*self._root, "sh", "-c", shlex.quote(f"( {script}\n) 2>&1; true"))

    def _become_root(self) -> tuple[str, ...]:
        """Return what to put before a command; only root can read databases of apps."""
        try:
            return ("su", "0") if self._run("su", "0", "id", "-u").strip() == "0" else ()
        except DeviceError:
            return ()

    def _run(self, command: str, *words: str) -> str:
        try:
            return str(self._execute("shell", {"command": command, "args": words}))
        except DeviceError as error:
            if "adb_shell" in str(error):
                raise DeviceError(_SHELL) from error
            raise

    def events(self) -> tuple[Event, ...]:
        """Return nothing: the listener's socket cannot be reached through Appium."""
        return ()

    def log(self, *, late: bool = False) -> tuple[LogLine, ...] | None:
        """Return the lines of the log since the last call; None where the server keeps it back.

        They are all that there are, `late` or not.
        """
        del late
        if not self._has_log:
            return None
        try:
            with self._session.speaking("reading the log") as driver:
                entries = driver.get_log("logcat")
        except DeviceError:
            self._has_log = False
            return None
        lines = [parse_line(str(entry.get("message", ""))) for entry in entries]
        return tuple(line for line in lines if line and is_wanted(line, self._log_level))

    def close(self) -> None:
        """Do nothing: the owner of the session closes it."""

    def _console(self, command: str) -> str:
        return str(self._execute("execEmuConsoleCommand", {"command": command}))

    def _execute(self, name: str, request: dict[str, Any]) -> Any:
        with self._session.speaking(f"mobile: {name}") as driver:
            return driver.execute_script(f"mobile: {name}", request)

    def _read_info(self) -> DeviceInfo:
        with self._session.speaking("a session") as driver:
            known = driver.capabilities
            size = driver.get_window_size()
            about = driver.execute_script("mobile: deviceInfo")
        pixels = re.fullmatch(r"(\d+)x(\d+)", str(known.get("deviceScreenSize", "")))
        return DeviceInfo(
            serial=str(known.get("deviceUDID") or known.get("udid") or "appium"),
            model=str(known.get("deviceModel", "")),
            android=str(known.get("platformVersion", "")),
            sdk=int(known.get("deviceApiLevel") or about.get("apiVersion") or 0),
            size=(int(pixels[1]), int(pixels[2])) if pixels else (size["width"], size["height"]),
            density=int(known.get("deviceScreenDensity") or about.get("displayDensity") or 0),
            locale=str(about.get("locale", "en_US")).replace("_", "-"),
        )
