"""Finding elements with Appium, and reading them."""

# ruff: noqa: E501 - tables are read across

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING

import pytest
from appium.webdriver.common.appiumby import AppiumBy
from lxml import etree
from PIL import Image
from selenium.common.exceptions import (
    InvalidSelectorException,
    NoSuchElementException,
    StaleElementReferenceException,
    WebDriverException,
)

if TYPE_CHECKING:
    from appium.webdriver import Remote

    from tests.virtual.phones import Running

    Driven = tuple[Running, Remote]

pytestmark = pytest.mark.slow

UI = AppiumBy.ANDROID_UIAUTOMATOR


@pytest.mark.parametrize(
    ("strategy", "selector", "text"),
    [
        (AppiumBy.ID, "org.demo:id/note_title", "Milk"),
        (AppiumBy.ID, "note_title", "Milk"),
        (AppiumBy.CLASS_NAME, "android.widget.Switch", "Loud"),
        (AppiumBy.XPATH, "//android.widget.Switch", "Loud"),
        (AppiumBy.XPATH, "//*[@text='Milk']", "Milk"),
        (AppiumBy.XPATH, "//*[matches(@text, '^M.lk$')]", "Milk"),
        (AppiumBy.XPATH, "(//*[@resource-id='org.demo:id/note_title'])[last()]", 'Bread <&> "salt"'),
        (AppiumBy.XPATH, "//*[@text='Milk']/../following-sibling::*[1]/*", 'Bread <&> "salt"'),
        (AppiumBy.XPATH, "/hierarchy//android.widget.TextView[starts-with(@text,'Mi')]", "Milk"),
        (UI, 'new UiSelector().text("Milk")', "Milk"),
        (UI, 'UiSelector().textContains("il")', "Milk"),
        (UI, 'new UiSelector().textMatches("[A-Z]ilk")', "Milk"),
        (UI, 'new UiSelector().resourceIdMatches(".*:id/note_title").instance(1)', 'Bread <&> "salt"'),
        (UI, 'new UiSelector().resourceId("org.demo:id/notes").childSelector(new UiSelector().textStartsWith("Br"))', 'Bread <&> "salt"'),
        (UI, 'new UiSelector().text("nothing");new UiSelector().className("android.widget.Switch");', "Loud"),
        (UI, 'new UiSelector().textContains("\\"salt\\"")', 'Bread <&> "salt"'),
        (AppiumBy.CSS_SELECTOR, "*[text='Milk']", "Milk"),
    ],
)  # fmt: skip
def test_an_element_is_found_by_every_strategy(
    notes: Driven, strategy: str, selector: str, text: str
) -> None:
    _, driver = notes
    assert driver.find_element(strategy, selector).text == text


def test_an_accessibility_id_is_the_description(notes: Driven) -> None:
    _, driver = notes
    add = driver.find_element(AppiumBy.ACCESSIBILITY_ID, "Add")
    assert add.get_attribute("class") == "android.widget.ImageButton"
    assert add.get_attribute("contentDescription") == "Add"


@pytest.mark.parametrize(
    ("strategy", "selector"),
    [
        (AppiumBy.ID, "note_title"),
        (AppiumBy.XPATH, "//*[@resource-id='org.demo:id/note_title']"),
        (UI, 'new UiSelector().resourceId("org.demo:id/note_title")'),
    ],
)
def test_several_elements_come_in_the_order_of_the_screen(
    notes: Driven, strategy: str, selector: str
) -> None:
    _, driver = notes
    found = driver.find_elements(strategy, selector)
    assert [each.text for each in found] == ["Milk", 'Bread <&> "salt"']


def test_nothing_is_an_error_for_one_element_and_none_for_several(notes: Driven) -> None:
    _, driver = notes
    for strategy, selector in [(AppiumBy.ID, "x"), (AppiumBy.XPATH, "//x"), (UI, 'UiSelector().text("x")')]:  # fmt: skip
        with pytest.raises(NoSuchElementException, match="could not be located on the page"):
            driver.find_element(strategy, selector)
        assert driver.find_elements(strategy, selector) == []


@pytest.mark.parametrize(
    ("strategy", "selector"),
    [
        (AppiumBy.XPATH, "//*["),
        (AppiumBy.XPATH, "count(//*)"),
        (UI, "new UiSelector().text("),
        (UI, 'new UiSelector().colour("red")'),
    ],
)
def test_an_unknown_locator_is_invalid(notes: Driven, strategy: str, selector: str) -> None:
    _, driver = notes
    with pytest.raises(InvalidSelectorException):
        driver.find_element(strategy, selector)


def test_elements_are_found_inside_others(notes: Driven) -> None:
    _, driver = notes
    row = driver.find_elements(AppiumBy.ID, "note")[1]
    for strategy, selector in [
        (AppiumBy.ID, "note_title"),
        (AppiumBy.XPATH, ".//android.widget.TextView"),
        (UI, 'new UiSelector().className("android.widget.TextView")'),
    ]:
        assert row.find_element(strategy, selector).text == 'Bread <&> "salt"'
    with pytest.raises(NoSuchElementException):
        row.find_element(AppiumBy.ACCESSIBILITY_ID, "Add")


def test_scrolling_into_view_finds_what_is_further_down(touches: Driven) -> None:
    _, driver = touches
    scrollable = "new UiScrollable(new UiSelector().scrollable(true).instance(0))"
    found = driver.find_element(UI, f'{scrollable}.scrollIntoView(new UiSelector().text("Row 47"))')
    assert found.text == "Row 47"
    assert driver.find_element(UI, f'{scrollable}.scrollTextIntoView("Row 3")').text == "Row 3"
    with pytest.raises(NoSuchElementException):
        driver.find_element(UI, f'{scrollable}.scrollTextIntoView("Row 99")')
    with pytest.raises(InvalidSelectorException, match="must return a UiObject"):
        driver.find_element(UI, f"{scrollable}.scrollToBeginning(99)")
    assert driver.find_elements(AppiumBy.XPATH, "//*[@text='Row 0']")


def test_an_element_has_all_of_its_attributes(notes: Driven) -> None:
    _, driver = notes
    switch = driver.find_element(AppiumBy.ID, "loud")
    assert switch.get_attribute("checked") == "false"
    assert switch.get_attribute("resource-id") == "org.demo:id/loud"
    assert switch.get_attribute("package") == "org.demo"
    assert (switch.is_displayed(), switch.is_enabled(), switch.is_selected()) == (True, True, False)
    rect = switch.rect
    assert switch.location == {"x": rect["x"], "y": rect["y"]}
    assert switch.size == {"width": rect["width"], "height": rect["height"]}
    left, top = rect["x"], rect["y"]
    right, bottom = left + rect["width"], top + rect["height"]
    assert switch.get_attribute("bounds") == f"[{left},{top}][{right},{bottom}]"
    switch.click()
    assert switch.get_attribute("checked") == "true"
    with pytest.raises(WebDriverException, match="'colour' attribute is unknown"):
        switch.get_attribute("colour")


def test_the_page_source_is_in_appiums_dialect(notes: Driven) -> None:
    _, driver = notes
    source = driver.page_source
    assert source.startswith("<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>")
    root = etree.fromstring(source.encode())
    assert dict(root.attrib.items()) == {
        "index": "0", "class": "hierarchy", "rotation": "0", "width": "1080", "height": "2400",
    }  # fmt: skip
    milk = root.find(".//android.widget.TextView[@text='Milk']")
    assert milk is not None
    assert list(milk.attrib)[:6] == [
        "index",
        "package",
        "class",
        "text",
        "resource-id",
        "checkable",
    ]
    assert root.xpath("//*[@text='Bread <&> \"salt\"']")
    assert not root.xpath("//*[@package='com.android.systemui']")


def test_with_several_windows_the_bars_are_in_the_source(notes: Driven) -> None:
    _, driver = notes
    driver.update_settings({"enableMultiWindows": True})
    assert driver.get_settings()["enableMultiWindows"] is True
    root = etree.fromstring(driver.page_source.encode())
    packages = {each.get("package") for each in root}
    assert packages == {"com.android.systemui", "org.demo"}
    assert driver.find_element(AppiumBy.ID, "com.android.systemui:id/clock").text


def test_elements_can_bring_their_attributes_along(notes: Driven) -> None:
    _, driver = notes
    driver.update_settings(
        {
            "shouldUseCompactResponses": False,
            "elementResponseAttributes": "text,rect,attribute/class",
        }
    )
    assert driver.find_element(AppiumBy.ID, "note_title").text == "Milk"


def test_screenshots_show_the_screen_and_its_parts(notes: Driven) -> None:
    running, driver = notes
    assert driver.get_screenshot_as_png() == running.loop.call(running.phone.screenshot)
    add = driver.find_element(AppiumBy.ACCESSIBILITY_ID, "Add")
    picture = Image.open(io.BytesIO(base64.b64decode(add.screenshot_as_base64)))
    assert picture.size == (add.size["width"], add.size["height"])


def test_a_removed_element_is_stale_and_a_returning_one_is_not(notes: Driven) -> None:
    _, driver = notes
    milk, bread = driver.find_elements(AppiumBy.ID, "note_title")
    add = driver.find_element(AppiumBy.ACCESSIBILITY_ID, "Add")
    add.click()
    for element in (milk, bread, add):
        with pytest.raises(
            StaleElementReferenceException, match=r"do(es)? not exist in DOM anymore"
        ):
            element.click()
    driver.back()
    assert (milk.text, bread.text) == ("Milk", 'Bread <&> "salt"')


def test_an_element_that_was_the_only_one_is_looked_for_again(notes: Driven) -> None:
    running, driver = notes
    first = driver.find_element(AppiumBy.XPATH, "//*[@resource-id='org.demo:id/note'][1]/*")
    sql = "delete from notes where title = 'Milk'"
    app = running.phone.packages.app("org.demo")
    running.loop.call(lambda: app.database("notes.db").execute(sql))
    running.loop.call(running.phone.changed)
    assert first.text == 'Bread <&> "salt"'


def test_the_active_element_has_the_focus(touches: Driven) -> None:
    _, driver = touches
    with pytest.raises(NoSuchElementException):
        _ = driver.switch_to.active_element
    driver.find_element(AppiumBy.ID, "name").click()
    assert driver.switch_to.active_element.get_attribute("resourceId") == "org.touches:id/name"


def test_a_toast_is_in_the_source(notes: Driven) -> None:
    _, driver = notes
    driver.find_element(AppiumBy.ACCESSIBILITY_ID, "More options").click()
    driver.find_element(UI, 'new UiSelector().text("Rate")').click()
    driver.find_element(AppiumBy.ID, "android:id/button1").click()
    toast = etree.fromstring(driver.page_source.encode()).find("android.widget.Toast")
    assert toast is not None
    assert toast.get("text") == "Thank you"
    assert driver.find_element(AppiumBy.XPATH, "//android.widget.Toast").text == "Thank you"
