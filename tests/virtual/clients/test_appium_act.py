"""Actions through Appium: touches, keys and text."""

# ruff: noqa: E501 - tables are read across

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from appium.webdriver.common.appiumby import AppiumBy
from selenium.common.exceptions import (
    InvalidElementStateException,
    NoAlertPresentException,
    WebDriverException,
)
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions import interaction
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.pointer_input import PointerInput
from selenium.webdriver.common.keys import Keys

if TYPE_CHECKING:
    from appium.webdriver import Remote
    from appium.webdriver.webelement import WebElement

    from tests.virtual.phones import Running

    Driven = tuple[Running, Remote]

pytestmark = pytest.mark.slow


def by_id(driver: Remote, name: str) -> WebElement:
    return driver.find_element(AppiumBy.ID, name)


def last(driver: Remote) -> str:
    return by_id(driver, "last").text


def finger(driver: Remote, *moves: tuple[float, float], name: str = "finger", pause: float = 0) -> ActionBuilder:  # fmt: skip
    """A finger that touches the first place, rests, and moves to the others."""
    pointer = PointerInput(interaction.POINTER_TOUCH, name)
    builder = ActionBuilder(driver, mouse=pointer, duration=200)
    (x, y), *others = moves
    builder.pointer_action.move_to_location(x, y)
    builder.pointer_action.pointer_down()
    if pause:
        builder.pointer_action.pause(pause)
    for x, y in others:
        builder.pointer_action.move_to_location(x, y)
    builder.pointer_action.release()
    return builder


def middle(element: WebElement) -> tuple[int, int]:
    rect = element.rect
    return rect["x"] + rect["width"] // 2, rect["y"] + rect["height"] // 2


def test_a_click_taps_the_middle(touches: Driven) -> None:
    _, driver = touches
    by_id(driver, "button").click()
    assert last(driver) == "click"


@pytest.mark.parametrize("text", ["plain", "Grüße, 日本語 — ok?", 'a "b" <c> & \\d', "🧀🧀"])
def test_any_text_is_typed_and_cleared(touches: Driven, text: str) -> None:
    running, driver = touches
    name = by_id(driver, "name")
    name.send_keys(text)
    assert name.text == text
    assert running.loop.call(lambda: running.phone.activities.top.activity.state["name"]) == text
    name.send_keys("!")
    assert name.text == text + "!"
    name.clear()
    assert name.text == "Name"
    assert name.get_attribute("showing-hint") == "true"


def test_a_password_shows_dots_and_takes_digits_only(touches: Driven) -> None:
    running, driver = touches
    secret = by_id(driver, "secret")
    secret.send_keys("12a4")
    assert secret.text == "•••"
    assert secret.get_attribute("password") == "true"
    assert running.loop.call(lambda: running.phone.activities.top.activity.state["secret"]) == "124"


def test_a_replaced_value_forgets_the_old_one(touches: Driven) -> None:
    _, driver = touches
    name = by_id(driver, "name")
    name.send_keys("old")
    driver.execute_script("mobile: replaceElementValue", {"elementId": name.id, "text": "new"})
    assert name.text == "new"


def test_an_element_that_takes_no_text_reports_an_error(touches: Driven) -> None:
    _, driver = touches
    with pytest.raises(InvalidElementStateException, match="Cannot set the element to 'x'"):
        by_id(driver, "last").send_keys("x")
    with pytest.raises(InvalidElementStateException):
        by_id(driver, "last").clear()


def test_a_slider_takes_numbers(touches: Driven) -> None:
    _, driver = touches
    level = driver.find_element(AppiumBy.ACCESSIBILITY_ID, "Level")
    level.send_keys("42")
    assert (level.text, last(driver)) == ("42.0", "level 42")


def test_w3c_tap_and_long_press(touches: Driven) -> None:
    _, driver = touches
    place = middle(by_id(driver, "button"))
    finger(driver, place).perform()
    assert last(driver) == "click"
    finger(driver, place, pause=1).perform()
    assert last(driver) == "long click"


def test_action_chains_click_and_hold(touches: Driven) -> None:
    _, driver = touches
    button = by_id(driver, "button")
    ActionChains(driver).click_and_hold(button).pause(1).release().perform()
    assert last(driver) == "long click"
    ActionChains(driver).move_to_element(button).click().perform()
    assert last(driver) == "click"


def test_w3c_drag_moves_a_slider(touches: Driven) -> None:
    _, driver = touches
    x, y = middle(driver.find_element(AppiumBy.ACCESSIBILITY_ID, "Level"))
    finger(driver, (x, y), (1079, y)).perform()
    assert last(driver) == "level 100"


def test_w3c_swipe_over_what_does_not_scroll(touches: Driven) -> None:
    _, driver = touches
    x, y = middle(driver.find_element(AppiumBy.ACCESSIBILITY_ID, "Pad"))
    finger(driver, (x, y), (x + 300, y)).perform()
    assert last(driver) == "swipe right"
    driver.swipe(x, y, x - 300, y, 200)
    assert last(driver) == "swipe left"


def test_a_list_follows_the_finger_there_and_back(touches: Driven) -> None:
    _, driver = touches
    x, y = middle(by_id(driver, "rows"))
    rows = lambda: [each.text for each in driver.find_elements(AppiumBy.XPATH, "//*[starts-with(@text,'Row')]")]  # noqa: E731  # fmt: skip
    before = rows()
    finger(driver, (x, y), (x, y - 300)).perform()
    assert rows()[0] != before[0]
    driver.execute_script("mobile: swipeGesture", {"elementId": by_id(driver, "rows").id, "direction": "down", "percent": 0.9})  # fmt: skip
    assert rows()[0] == before[0]


def test_two_fingers_pinch(touches: Driven) -> None:
    _, driver = touches
    x, y = middle(driver.find_element(AppiumBy.ACCESSIBILITY_ID, "Pad"))
    one = PointerInput(interaction.POINTER_TOUCH, "one")
    builder = ActionBuilder(driver, mouse=one)
    other = builder.add_pointer_input(interaction.POINTER_TOUCH, "two")
    for pointer, side in ((one, -1), (other, 1)):
        pointer.create_pointer_move(duration=0, x=x + side * 20, y=y)
        pointer.create_pointer_down(button=0)
        pointer.create_pointer_move(duration=300, x=x + side * 300, y=y)
        pointer.create_pointer_up(button=0)
    builder.perform()
    assert last(driver) == "pinch open"
    pad = driver.find_element(AppiumBy.ACCESSIBILITY_ID, "Pad")
    for name, said in (("pinchCloseGesture", "pinch close"), ("pinchOpenGesture", "pinch open")):
        driver.execute_script(f"mobile: {name}", {"elementId": pad.id, "percent": 0.75})
        assert last(driver) == said


def test_appiums_own_gestures(touches: Driven) -> None:
    _, driver = touches
    button, rows = by_id(driver, "button"), by_id(driver, "rows")
    pad, level = (driver.find_element(AppiumBy.ACCESSIBILITY_ID, n) for n in ("Pad", "Level"))

    def gesture(name: str, **arguments: object) -> object:
        return driver.execute_script(f"mobile: {name}Gesture", arguments)

    gesture("click", elementId=button.id)
    assert last(driver) == "click"
    gesture("longClick", elementId=button.id, duration=1000)
    assert last(driver) == "long click"
    gesture("doubleClick", elementId=button.id)
    assert last(driver) == "click"
    gesture("swipe", elementId=pad.id, direction="up", percent=0.75)
    assert last(driver) == "swipe up"
    gesture("drag", elementId=level.id, endX=1079, endY=middle(level)[1])
    assert last(driver) == "level 100"
    assert gesture("scroll", elementId=rows.id, direction="down", percent=1.0) is True
    assert gesture("fling", elementId=rows.id, direction="up", speed=9000) is False
    while gesture("scroll", elementId=rows.id, direction="down", percent=3.0):
        pass
    assert driver.find_elements(AppiumBy.XPATH, "//*[@text='Row 59']")
    with pytest.raises(WebDriverException, match="Direction must be"):
        gesture("swipe", elementId=pad.id, direction="sideways", percent=0.75)


def test_scrolling_to_an_element_and_back(touches: Driven) -> None:
    _, driver = touches
    rows = by_id(driver, "rows")
    first = rows.find_element(AppiumBy.XPATH, "//*[@text='Row 0']")
    selector = {"strategy": "-android uiautomator", "selector": 'new UiSelector().text("Row 40")'}
    driver.execute_script("mobile: scroll", selector)
    assert driver.find_elements(AppiumBy.XPATH, "//*[@text='Row 40']")
    driver.execute_script("mobile: scrollBackTo", {"elementId": rows.id, "elementToId": first.id})
    assert first.is_displayed()


def test_keys_go_to_the_field_with_the_focus(touches: Driven) -> None:
    _, driver = touches
    by_id(driver, "name").click()
    assert driver.is_keyboard_shown()
    ActionChains(driver).send_keys("ab").send_keys(Keys.BACKSPACE).send_keys("c").perform()
    assert by_id(driver, "name").text == "ac"
    driver.press_keycode(29)
    driver.press_keycode(30, 1)
    assert by_id(driver, "name").text == "acaB"
    driver.hide_keyboard()
    assert not driver.is_keyboard_shown()


def test_any_script_is_typed_by_the_helpers_input_method(touches: Driven) -> None:
    running, driver = touches
    by_id(driver, "name").click()
    driver.execute_script("mobile: type", {"text": "Ünïcødé & 한국어"})
    assert by_id(driver, "name").text == "Ünïcødé & 한국어"
    assert "LatinIME" in running.loop.call(lambda: running.phone.ime.current)


def test_dialogs_are_alerts(touches: Driven) -> None:
    _, driver = touches
    with pytest.raises(NoAlertPresentException):
        _ = driver.switch_to.alert.text
    by_id(driver, "ask").click()
    assert driver.switch_to.alert.text == "Really?\nIt cannot be undone."
    driver.switch_to.alert.accept()
    assert last(driver) == "yes"
    by_id(driver, "ask").click()
    driver.switch_to.alert.dismiss()
    assert last(driver) == "no"
    by_id(driver, "ask").click()
    driver.execute_script("mobile: acceptAlert", {"buttonLabel": "No"})
    assert last(driver) == "no"


def test_the_question_for_a_permission_is_an_alert_too(touches: Driven) -> None:
    running, driver = touches
    contacts = "android.permission.READ_CONTACTS"
    by_id(driver, "contacts").click()
    assert "Touches" in driver.switch_to.alert.text
    driver.switch_to.alert.dismiss()
    by_id(driver, "contacts").click()
    driver.switch_to.alert.accept()
    assert driver.current_package == "org.touches"
    granted = running.loop.call(lambda: running.phone.permissions.granted("org.touches", contacts))
    assert granted


def test_back_and_keys_of_the_system(touches: Driven) -> None:
    _, driver = touches
    driver.press_keycode(3)
    assert driver.current_package == "com.google.android.apps.nexuslauncher"
    driver.press_keycode(187)
    driver.back()
    driver.long_press_keycode(3)
    assert driver.current_package == "com.google.android.apps.nexuslauncher"
