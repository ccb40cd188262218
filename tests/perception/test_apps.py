"""Tests of the names of common apps and their packages."""

from __future__ import annotations

import pytest

from pytest_mobileagent.perception.apps import name_of, package_of

INSTALLED = ["com.android.settings", "com.android.deskclock", "org.coursera.android"]


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("com.android.settings", "com.android.settings"),
        ("Settings", "com.android.settings"),
        ("the clock app", "the clock app"),
        ("Clock", "com.android.deskclock"),
        ("Coursera", "org.coursera.android"),
        ("Maps", "Maps"),
    ],
)
def test_names_stand_for_installed_packages(name: str, package: str) -> None:
    assert package_of(name, INSTALLED) == package


def test_packages_of_common_apps_have_a_name() -> None:
    assert name_of("com.google.android.deskclock") == "Clock"
    assert name_of("com.android.vending") == "Play Store"
    assert name_of("org.coursera.android") == "org.coursera.android"


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("pro expense", "com.arduia.expense"),
        ("Broccoli recipe app", "com.flauschcode.broccoli"),
        ("Simple Calendar Pro", "com.simplemobiletools.calendar.pro"),
        ("simple gallery", "com.simplemobiletools.gallery.pro"),
        ("simple sms", "com.simplemobiletools.smsmessenger"),
        ("simple sms messenger", "com.simplemobiletools.smsmessenger"),
        ("Simple Draw Pro", "com.simplemobiletools.draw.pro"),
        ("activity tracker", "de.dennisguse.opentracks"),
        ("Open Tracks", "de.dennisguse.opentracks"),
        ("open tracks sports tracker", "de.dennisguse.opentracks"),
        ("Retro Music", "code.name.monkey.retromusic"),
        ("tasks.org", "org.tasks"),
        ("Tasks app", "org.tasks"),
    ],
)
def test_the_names_of_androidworld_open_its_apps(name: str, package: str) -> None:
    installed = {
        "code.name.monkey.retromusic",
        "com.android.calendar",
        "com.arduia.expense",
        "com.flauschcode.broccoli",
        "com.google.android.apps.messaging",
        "com.google.android.apps.tasks",
        "com.simplemobiletools.calendar.pro",
        "com.simplemobiletools.draw.pro",
        "com.simplemobiletools.gallery.pro",
        "com.simplemobiletools.smsmessenger",
        "de.dennisguse.opentracks",
        "org.tasks",
    }
    assert package_of(name, installed) == package
