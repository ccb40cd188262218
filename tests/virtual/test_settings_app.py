"""Settings: what its pages change in the phone."""

from pathlib import Path

import pytest

from pytest_mobileagent.virtual import Intent
from pytest_mobileagent.virtual.intent import NEW_TASK
from pytest_mobileagent.virtual.loading import load_apps
from pytest_mobileagent.virtual.phone import Phone

APPS = Path(__file__).parents[2] / "fixtures" / "apps"
POST = "android.permission.POST_NOTIFICATIONS"


@pytest.fixture(scope="module")
def booted():
    demo = [app for app in load_apps(Path(__file__).parent / "apps") if app.package == "org.demo"]
    settings = [app for app in load_apps(APPS) if app.package == "com.android.settings"]
    return Phone([*settings, *demo], frozen=True)


@pytest.fixture
def page(phone):
    def open_page(action):
        phone.activities.start(Intent(action, flags=NEW_TASK))

    return open_page


def test_a_pin_is_chosen_and_asked_for(phone, page, hand):
    page("android.app.action.SET_NEW_PASSWORD")
    hand.tap("text", "PIN")
    hand.tap("resource-id", "com.android.settings:id/password_entry")
    phone.type_text("12\n")
    assert hand.sees("PIN must be at least 4 digits")
    phone.type_text("34\n")
    assert hand.sees("Re-enter your PIN")
    hand.tap("resource-id", "com.android.settings:id/password_entry")
    phone.type_text("1234")
    assert not phone.keyguard.secure
    hand.tap("text", "Confirm")
    assert (phone.keyguard.method, phone.keyguard.is_right("1234")) == ("pin", True)
    page("android.app.action.SET_NEW_PASSWORD")
    assert hand.sees("To continue, use your device lock")
    hand.tap("resource-id", "com.android.settings:id/password_entry")
    phone.type_text("1234\n")
    hand.tap("text", "None")
    assert phone.keyguard.method == "none"


def test_the_time_zone_is_chosen(phone, page, hand):
    page("android.settings.DATE_SETTINGS")
    hand.tap("text", "UTC")
    left, top, right, bottom = hand.bounds("class", "android.widget.ScrollView")
    for _ in range(2):
        phone.swipe((left + right) // 2, bottom - 50, (left + right) // 2, top + 50, 2000)
    hand.tap("text", "Asia/Seoul")
    assert phone.clock.timezone == "Asia/Seoul"
    assert phone.props["persist.sys.timezone"] == "Asia/Seoul"


def test_wifi_goes_through_its_service(phone, page, hand):
    page("android.settings.WIFI_SETTINGS")
    hand.tap("text", "Wi-Fi")
    assert not phone.radios.wifi
    written = [entry.message for entry in phone.log.entries if entry.tag == "WifiService"]
    assert written == ["setWifiEnabled package=com.android.settings uid=1000 enable=false"]


def test_an_app_is_kept_from_posting(phone, hand):
    component = "com.android.settings/com.android.settings.applications.InstalledAppDetails"
    about = Intent(component=component, extras={"package": "org.demo"}, flags=NEW_TASK)
    phone.activities.start(about)
    hand.tap("text", "Notifications")
    hand.tap("text", "All Demo notifications")
    assert phone.notifications.post("org.demo", "1", "News", "No") is None
    phone.key("BACK")
    hand.tap("text", "Permissions")
    assert hand.sees("App permissions")
    assert hand.sees("Camera")
