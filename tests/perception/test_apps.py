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


@pytest.mark.parametrize(
    ("package", "name"),
    [
        ("com.android.settings", "Settings"),
        ("com.google.android.deskclock", "Clock"),
        ("com.android.vending", "Play Store"),
        ("org.coursera.android", "org.coursera.android"),
    ],
)
def test_packages_of_common_apps_have_a_name(package: str, name: str) -> None:
    assert name_of(package) == name
