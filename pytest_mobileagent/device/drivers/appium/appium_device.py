"""A device that is driven by Appium's UiAutomator2 driver."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, assert_never

from pytest_mobileagent.action import Action, Ask, Finish, Impossible, Key, Open, Raw, Type, Wait
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Scroll, Swipe, Tap, scroll_path
from pytest_mobileagent.device.drivers import KEYCODES, NEVER_A_FLING
from pytest_mobileagent.device.drivers.adb.adb_device import hierarchy
from pytest_mobileagent.device.live import LiveDevice, Look
from pytest_mobileagent.errors import DeviceError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from appium.webdriver import Remote
    from selenium.webdriver.support.wait import WebDriverWait

    from pytest_mobileagent._task import Probe
    from pytest_mobileagent.device.device import Capture, Settle
    from pytest_mobileagent.device.drivers.adb.system import AdbSystem
    from pytest_mobileagent.device.drivers.appium.remote_system import RemoteSystem
    from pytest_mobileagent.device.drivers.appium.server import AppiumSession

_FOCUS_SECONDS = 1.0  # a busy app may be late to give a tapped field the focus


class AppiumDevice(LiveDevice):
    """Drives a device through an Appium session; `system` is behind its screen.

    A step takes two calls to the server: the action and the page source. The system takes a
    screenshot before and after the page source; if these are equal, the screen has settled.

    Raises:
        DeviceError: if no session can be opened.
    """

    def __init__(
        self, session: AppiumSession, system: AdbSystem | RemoteSystem, settle: Settle | None = None
    ) -> None:
        self.session = session
        system.changed = self._follow
        self._why = ""  # why the server returned no page source
        with session.speaking("a session"):
            super().__init__(system, settle, system.info.serial, "the request for one")

    def observe(self, probes: Mapping[str, Probe] | None = None) -> Capture:
        def no_tree(_: Look) -> DeviceError:
            at = self.session.redacted
            return DeviceError(f"Appium at {at} returns no view hierarchy{self._why}")

        return self._capture(lambda: self._look(probes or {}), no_tree)

    def perform(self, action: Action) -> None:
        self._typing.note(action)
        if isinstance(action, Wait):
            time.sleep(action.seconds)
        elif isinstance(action, Open) and action.app not in self.system.packages():
            return  # as on a real phone, nothing happens
        else:
            with self.session.speaking(f"{type(action).__name__}") as driver:
                perform(driver, action, self._size)
            self._shot = self.system.picture().png

    def close(self) -> None:
        with suppress(DeviceError):
            self.session.close()
        super().close()

    def _look(self, probes: Mapping[str, Probe]) -> Look:
        with self.session.speaking("an observation") as driver:
            source = self._source(driver)
        xml = hierarchy(source)
        shot, state = self.system.seen(probes)
        seen = self._camera.look(shot, xml, self.info.size)
        return Look(shot, xml, *seen, state.package, lambda: state)

    def _source(self, driver: Remote) -> str:
        """Return the page source; empty while no window has any content, as when an app starts."""
        from selenium.common.exceptions import WebDriverException

        self._why = ""
        try:
            return driver.page_source
        except WebDriverException as error:
            if "root AccessibilityNodeInfo" not in (error.msg or ""):
                raise
            self._why = f": {(error.msg or '').splitlines()[0][:300]}"
            return ""

    def _follow(self, anew: bool) -> None:
        """Renew the session if a change of the device has ended it, or it caches facts (`anew`)."""
        if anew or not self.session.alive():
            self.session.renew("a new session after a change of the device")
        self._forget()


def perform(driver: Remote, action: Action, size: tuple[int, int]) -> None:
    """Perform an action on a screen of `size` pixels."""
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
    from selenium.common.exceptions import InvalidElementStateException, TimeoutException
    from selenium.webdriver.support.wait import WebDriverWait

    patience = 0.0
    if action.at is not None:
        x, y = action.at
        driver.execute_script("mobile: clickGesture", {"x": x, "y": y})
        patience = _FOCUS_SECONDS
    waiting = WebDriverWait(driver, patience, poll_frequency=0.1)
    # If nothing has the focus, or it takes no text, typing has no effect, as on a real phone.
    with suppress(TimeoutException, InvalidElementStateException):
        if action.clear:
            _with_focused(waiting, lambda focused: focused.clear())
        for part in re.split(r"([\n\t])", re.sub(r"\r\n?", "\n", action.text)):
            if part in {"\n", "\t"}:
                driver.press_keycode(KEYCODES["enter" if part == "\n" else "tab"])
            elif part:
                _send(driver, waiting, part)
    if action.enter:
        driver.press_keycode(KEYCODES["enter"])


def _send(driver: Remote, waiting: WebDriverWait[Remote], text: str) -> None:
    """Set the text of the focused field, or press keys if it is not a field of Android's own."""
    from selenium.common.exceptions import InvalidElementStateException

    try:
        _with_focused(waiting, lambda focused: focused.send_keys(text))
    except InvalidElementStateException:
        driver.execute_script("mobile: type", {"text": text})


def _with_focused(waiting: WebDriverWait[Remote], act: Callable[[Any], None]) -> None:
    """Act on the element that has the focus, which apps may replace by another in the meantime.

    Raises:
        TimeoutException: if nothing gets the focus in time.
    """
    from selenium.common.exceptions import StaleElementReferenceException

    try:
        act(waiting.until(_focused))
    except StaleElementReferenceException:
        act(waiting.until(_focused))


def _focused(driver: Remote) -> Any:
    return driver.switch_to.active_element
