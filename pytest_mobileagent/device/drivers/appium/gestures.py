"""Actions as what a UiAutomator2 session understands."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, assert_never

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
)
from pytest_mobileagent.device.gestures import KEYCODES, NEVER_A_FLING, scroll_path

if TYPE_CHECKING:
    from appium.webdriver import Remote


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
