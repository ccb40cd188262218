"""A reboot: what is only in memory is lost, what is on the storage stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.content.intent import Intent
from pytest_mobileagent.virtual.kernel.properties import BUILT

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone

BUFFERS = {"main", "system", "crash", "events", "radio", "kernel"}
LASTING = ("persist.", "ro.", "gsm.", "debug.clock.")  # properties that are the same again


def reboot(phone: Phone) -> None:
    """Switch off and on again, which takes no time here; whoever is connected is cut off."""
    phone.log.clear(BUFFERS)
    phone.clipboard.text = ""
    phone.telephony.load(None)
    phone.windows.load(None)
    lasting = {name: value for name, value in phone.props.items() if name.startswith(LASTING)}
    phone.props.load({**BUILT, **lasting})
    phone.clock.load({**phone.clock.save(), "uptime": 0.0})
    phone.power.wake()
    phone.restart()
    phone.events.forget()
    phone.accessibility_services.load(None)
    phone.activities.broadcast(Intent("android.intent.action.BOOT_COMPLETED"))
    for told in phone.on_reboot:
        told()
