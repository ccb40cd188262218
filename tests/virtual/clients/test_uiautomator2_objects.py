"""The uiautomator2 package: finding objects with selectors, and acting on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import uiautomator2

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # adbutils leaves sockets open
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

TITLE = "org.demo:id/note_title"
FOUND = [
    ({"text": "Milk"}, ["Milk"]),
    ({"textContains": "ilk"}, ["Milk"]),
    ({"textStartsWith": "Bre"}, ['Bread <&> "salt"']),
    ({"textMatches": "[MN].{3}"}, ["Milk"]),
    ({"description": "Add"}, [""]),
    ({"descriptionContains": "More"}, [""]),
    ({"descriptionMatches": "A.d"}, [""]),
    ({"descriptionStartsWith": "Ad"}, [""]),
    ({"resourceId": TITLE}, ["Milk", 'Bread <&> "salt"']),
    ({"resourceIdMatches": ".*/note_title"}, ["Milk", 'Bread <&> "salt"']),
    ({"className": "android.widget.Switch"}, ["Loud"]),
    ({"classNameMatches": ".*Switch"}, ["Loud"]),
    ({"packageName": "org.demo", "checkable": True}, ["Loud"]),
    ({"packageNameMatches": "org.*", "text": "Milk"}, ["Milk"]),
    ({"checked": True}, []),
    ({"clickable": False, "resourceId": TITLE}, ["Milk", 'Bread <&> "salt"']),
    ({"longClickable": True}, ["", ""]),
    ({"resourceId": TITLE, "instance": 1}, ['Bread <&> "salt"']),
    ({"resourceId": TITLE, "index": 1}, []),
    ({"text": "Milk", "enabled": False}, []),
    ({"text": "milk"}, []),
]


@pytest.mark.parametrize(("criteria", "texts"), FOUND, ids=[str(row[0]) for row in FOUND])
def test_selectors(demo: uiautomator2.Device, criteria: dict[str, Any], texts: list[str]) -> None:
    assert [info["text"] for info in demo(**criteria).info_list()] == texts
    assert demo(**criteria).count == len(texts)
    assert bool(demo(**criteria).exists) == bool(texts)


def test_objects_inside_and_beside(demo: uiautomator2.Device) -> None:
    notes = demo(resourceId="org.demo:id/notes")
    assert notes.child(resourceId=TITLE).count == 2
    assert notes.child(resourceId=TITLE)[1].get_text() == 'Bread <&> "salt"'
    assert notes.child(resourceId=TITLE)[-1].get_text() == 'Bread <&> "salt"'
    assert [each.get_text() for each in demo(resourceId=TITLE)] == ["Milk", 'Bread <&> "salt"']
    row = demo(resourceId="org.demo:id/notes").child(clickable=True, instance=1)
    assert row.child(resourceId=TITLE).get_text() == 'Bread <&> "salt"'
    assert notes.sibling(className="android.widget.Switch").get_text() == "Loud"
    assert not notes.child(text="Loud").exists


def test_objects_above_and_below(demo: uiautomator2.Device) -> None:
    milk = demo(text="Milk")
    assert milk.down(resourceId=TITLE).get_text() == 'Bread <&> "salt"'
    assert milk.up(text="Loud").exists
    assert milk.left(text="Loud") is None


def test_children_by_their_texts(demo: uiautomator2.Device) -> None:
    notes = demo(resourceId="org.demo:id/notes")
    row = notes.child_by_text("Milk", clickable=True)
    assert row.info["resourceName"] == "org.demo:id/note"
    row.click()
    assert demo(resourceId="org.demo:id/title").get_text() == "Milk"
    demo.press("back")
    assert notes.child_by_instance(1, clickable=True).exists
    with pytest.raises(Exception, match="UiObjectNotFoundException"):
        notes.child_by_text("Nothing", clickable=True)


def test_information(demo: uiautomator2.Device) -> None:
    info = demo(text="Loud").info
    bounds = info.pop("bounds")
    assert info.pop("visibleBounds") == bounds
    assert demo(text="Loud").bounds() == tuple(
        bounds[side] for side in ("left", "top", "right", "bottom")
    )
    assert info == {
        "checkable": True,
        "checked": False,
        "childCount": 0,
        "className": "android.widget.Switch",
        "clickable": True,
        "contentDescription": "",
        "enabled": True,
        "focusable": True,
        "focused": False,
        "longClickable": False,
        "packageName": "org.demo",
        "resourceName": "org.demo:id/loud",
        "scrollable": False,
        "selected": False,
        "text": "Loud",
    }


def test_a_missing_object_is_reported_as_not_found(demo: uiautomator2.Device) -> None:
    with pytest.raises(Exception, match=r"UiObjectNotFoundException: UiSelector\[TEXT=Nothing\]"):
        _ = demo(text="Nothing").info
    with pytest.raises(Exception, match="Nothing"):
        demo(text="Nothing").click(timeout=0.05)
    assert demo(text="Nothing").click_exists() is False


def test_clicks(demo: uiautomator2.Device) -> None:
    demo(text="Loud").click()
    assert demo(text="Loud").info["checked"]
    demo(text="Milk").long_click()
    assert not demo(text="Milk").exists
    demo(resourceId="org.demo:id/add").click(offset=(0.2, 0.2))
    assert demo(resourceId="org.demo:id/title").exists
    assert demo.jsonrpc.click(demo(description="Navigate up").selector) is True
    assert demo(description="Add").click_gone(interval=0.01)


def test_texts_of_fields(demo: uiautomator2.Device) -> None:
    demo(description="Add").click()
    title = demo(resourceId="org.demo:id/title")
    assert title.get_text() == "Title"  # the hint, as in Android
    title.set_text("Größe 字 😀")
    assert title.get_text() == "Größe 字 😀"
    title.clear_text()
    assert title.get_text() == "Title"
    title.click()
    demo.send_keys("typed")
    demo.send_keys(" and more")
    assert demo(focused=True).get_text() == "typed and more"
    demo.send_keys("anew", clear=True)
    assert title.get_text() == "anew"
    demo.clear_text()
    assert title.get_text() == "Title"


def test_its_own_keyboard_types_in_any_script(demo: uiautomator2.Device) -> None:
    demo(description="Add").click()
    title = demo(resourceId="org.demo:id/title")
    title.click()
    assert not demo.is_input_ime_installed()
    demo.set_input_ime()
    assert demo.current_ime() == "com.github.uiautomator/.AdbKeyboard"
    demo.send_keys("Größe 字 😀")
    assert title.get_text() == "Größe 字 😀"
    demo.clear_text()
    assert title.get_text() == "Title"
    demo.send_keys("one")
    title.click()
    demo.send_action("next")
    assert demo(resourceId="org.demo:id/body").info["focused"]
    demo.hide_keyboard()
    demo.set_input_ime(False)
    assert demo.current_ime() != "com.github.uiautomator/.AdbKeyboard"


def test_scrolling(demo: uiautomator2.Device) -> None:
    demo(description="Add").click()
    form = demo(scrollable=True)
    assert not demo(text="Save").exists
    assert form.scroll.to(text="Save")
    assert demo(text="Save").exists
    assert form.scroll.toBeginning()
    assert demo(text="Line 0").exists
    assert form.scroll.forward()
    assert not demo(text="Line 0").exists
    assert form.scroll.vert.backward()
    assert form.fling.toEnd()
    assert not form.fling.forward()
    assert form.fling.toBeginning()
    assert form.scroll.toEnd()
    assert not form.scroll.to(text="Nothing")
    form.swipe("down", steps=20)
    form.swipe("up")


def test_dragging_and_pinching_reach_their_places(demo: uiautomator2.Device) -> None:
    demo(description="Add").click()
    top = demo(text="Line 9").bounds()[1]
    assert demo(text="Line 9").drag_to(500, top - 500, duration=0.1)
    assert demo(text="Line 9").bounds()[1] < top
    assert demo(scrollable=True).pinch_in(50, 10)
    assert demo(scrollable=True).pinch_out(50, 10)
    assert demo(scrollable=True).gesture((400, 900), (600, 900), (300, 900), (700, 900), 10)


def test_xpath(demo: uiautomator2.Device) -> None:
    assert demo.xpath("//*[@text='Milk']").exists
    assert demo.xpath("Milk").get_text() == "Milk"
    assert [each.text for each in demo.xpath(f"//*[@resource-id='{TITLE}']").all()] == [
        "Milk",
        'Bread <&> "salt"',
    ]
    demo.xpath("//android.widget.Switch").click()
    assert demo.xpath("//android.widget.Switch").info["checked"] in (True, "true")
    assert not demo.xpath("//*[@text='Nothing']").exists


def test_watchers(demo: uiautomator2.Device) -> None:
    demo.watcher("later").when("Later").click()
    demo(description="More options").click()
    demo(text="Rate").click()
    demo.watcher.run()
    assert not demo(text="Later").exists
    demo.watcher.reset()
