"""A restart of Android above its kernel, as when init starts zygote anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_mobileagent.virtual.phone import Phone


def restart(phone: Phone, always_on: Iterable[str]) -> None:
    """End every app and begin at the home screen; what is on disk and in properties stays."""
    kept = set(always_on)
    for package in phone.packages.names():
        phone.proc.stop(package)
    phone.activities.tasks.clear()
    phone.notifications.load({**phone.notifications.save(), "posted": [], "announced": None})
    phone.shade.open = False
    phone.ime.hide()
    phone.log.system("I", "SystemServer", "Entered the Android system server!")
    phone.locales.start()
    for package in kept & set(phone.packages.names()):
        phone.proc.start(package, phone.packages[package].uid)
    phone.activities.home()
    phone.log.system("I", "SystemServiceManager", "Starting phase 1000")
