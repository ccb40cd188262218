"""The system of a phone that only an Appium server reaches, such as a device of a hub."""

from __future__ import annotations

import base64
import re
import secrets
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.device.device import DeviceState
from pytest_mobileagent.device.drivers import check_version
from pytest_mobileagent.device.drivers.adb.console import snapshot_names
from pytest_mobileagent.device.drivers.adb.shell import ScriptOutput
from pytest_mobileagent.device.drivers.adb.system import CLOCK, probe_scripts, read_clock, state_of
from pytest_mobileagent.device.logcat import is_wanted, parse_line
from pytest_mobileagent.device.screen import FOCUS, Shot
from pytest_mobileagent.episode.observation import DeviceInfo, Reset
from pytest_mobileagent.errors import DeviceError, NoShellError, TaskError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_mobileagent._task import Probe
    from pytest_mobileagent.device.device import LogLevel
    from pytest_mobileagent.device.drivers.appium.server import AppiumSession
    from pytest_mobileagent.episode.event import Event, LogLine

_NO_SHELL = (
    "the Appium server does not allow clients to run shell commands, which probes need: start it "
    "with `--allow-insecure uiautomator2:adb_shell`"
)


class RemoteSystem:
    """Reads and resets a device through extensions of the UiAutomator2 driver (see `System`).

    A server may refuse shell commands and the emulator's console. Without shell commands there are
    no probes, and reading the device's state takes three calls rather than one. Without the console
    there are no snapshots.
    """

    adb = None

    def __init__(self, session: AppiumSession, log: LogLevel = "off") -> None:
        self.panels = None
        self._session = session
        self._log_level: LogLevel = log
        self._has_log = self._has_shell = True
        self._packages: Mapping[str, str] | None = None  # with their version codes
        self._root: tuple[str, ...] | None = None
        self.changed: Callable[[bool], None] = lambda _: None  # as of AdbSystem
        self.info = self._read_info()

    def picture(self) -> Shot:
        """Take a screenshot; servers refuse it for secure pages, and some hubs return nothing."""
        try:
            with self._session.speaking("a screenshot") as driver:
                encoded = driver.get_screenshot_as_base64()
            return Shot.of(base64.b64decode(encoded or ""))
        except DeviceError as error:
            if not re.search(r"screenshot failed: .*(?:screenshot|captur|secure)", str(error)):
                raise
            return Shot(b"", str(error))
        except (TypeError, ValueError) as error:
            return Shot(b"", f"a reply that is not Base64: {error}")

    def size(self) -> tuple[int, int]:
        with self._session.speaking("an observation") as driver:
            size, turned = driver.get_window_size(), driver.orientation == "LANDSCAPE"
        wide, high = int(size["width"]), int(size["height"])
        natural = (high, wide) if turned and self.info.size[0] < self.info.size[1] else (wide, high)
        self.info = replace(self.info, size=natural)
        return natural

    def seen(self, probes: Mapping[str, Probe]) -> tuple[Shot, DeviceState]:
        png = self.picture()
        if self._has_shell:
            try:
                return png, state_of(self._run_all(FOCUS, CLOCK, *probe_scripts(probes)), probes)
            except NoShellError:
                self._has_shell = False
        with self._session.speaking("an observation") as driver:
            package, activity = driver.current_package or "", driver.current_activity or ""
            clock = driver.get_device_time("YYYY-MM-DDTHH:mm:ssZZ")
        if activity.startswith("."):
            activity = package + activity
        values = {name: probe.parse(self.shell(probe.script)) for name, probe in probes.items()}
        return png, DeviceState(package, activity, read_clock(clock), values)

    def _run_all(self, *scripts: str) -> list[ScriptOutput]:
        """Run shell scripts, each in a subshell, in one call; return the output of each."""
        marker = secrets.token_hex(16)
        each = (f"( {script}\n) </dev/null; echo {marker}" for script in scripts)
        *outputs, _ = self.shell("\n".join(each)).split(marker)
        if len(outputs) != len(scripts):
            count = f"only {len(outputs)} of {len(scripts)} outputs of a shell"
            raise DeviceError(f"Appium at {self._session.redacted} returned {count}")
        return [ScriptOutput(output.removeprefix("\n").encode(), 0) for output in outputs]

    def reset(self, snapshot: str, apps: Sequence[str]) -> Reset:
        self._packages = None
        try:
            reset = self._reset(snapshot, apps)
            self.changed(False)
        finally:
            self.log()  # discard what was logged before the task
        return reset

    def _reset(self, snapshot: str, apps: Sequence[str]) -> Reset:
        names = self.snapshots()
        if names and snapshot not in names:
            raise TaskError(f"the device has no snapshot {snapshot!r} (it has: {', '.join(names)})")
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
        """Read the facts about the device again, in a new session: the old one caches some."""
        self._packages = None
        self.changed(True)
        self.info = self._read_info()

    def snapshots(self) -> list[str]:
        """Return the names of the snapshots; empty if the server refuses access to the console."""
        try:
            return snapshot_names(self._console("avd snapshot list"))
        except DeviceError:
            return []

    def packages(self) -> frozenset[str]:
        return frozenset(self.versions())

    def versions(self) -> Mapping[str, str]:
        if self._packages is None:
            with self._session.speaking("listing apps") as driver:
                found = dict(driver.execute_script("mobile: listApps"))
            codes = {name: (about or {}).get("versionCode") for name, about in found.items()}
            self._packages = {name: str(code or "") for name, code in codes.items()}
        return self._packages

    def shell(self, script: str) -> str:
        if self._root is None:
            self._root = self._become_root()
        # The arguments are split into words once more on their way to the shell, and the driver
        # returns no output of commands that fail.
        return self._run(*self._root, "sh", "-c", shlex.quote(f"( {script}\n) 2>&1; true"))

    def _become_root(self) -> tuple[str, ...]:
        """Return the words that run a command as root, who alone can read databases of apps."""
        try:
            return ("su", "0") if self._run("su", "0", "id", "-u").strip() == "0" else ()
        except DeviceError:
            return ()

    def _run(self, command: str, *words: str) -> str:
        try:
            return str(self._execute("shell", {"command": command, "args": words}))
        except DeviceError as error:
            if "adb_shell" in str(error):
                raise NoShellError(_NO_SHELL) from error
            raise

    def events(self) -> tuple[Event, ...]:
        """Return nothing: the listener's socket cannot be reached through Appium."""
        return ()

    def log(self, *, late: bool = False) -> tuple[LogLine, ...] | None:
        """Return all lines since the last call, `late` or not; None if the server refuses."""
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
        info = DeviceInfo(
            serial=str(known.get("deviceUDID") or known.get("udid") or "appium"),
            model=str(known.get("deviceModel", "")),
            android=str(known.get("platformVersion", "")),
            sdk=int(known.get("deviceApiLevel") or about.get("apiVersion") or 0),
            size=(int(pixels[1]), int(pixels[2])) if pixels else (size["width"], size["height"]),
            density=int(known.get("deviceScreenDensity") or about.get("displayDensity") or 0),
            locale=str(about.get("locale", "en_US")).replace("_", "-"),
        )
        return check_version(info)
