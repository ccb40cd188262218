"""Sets a device's clock, so that a run gives the same results on any day.

Emulators take the host's time when they start and when they load a snapshot, so the clock is set
before each episode; it then continues to run.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from pytest_mobileagent.device.device import system_of
from pytest_mobileagent.errors import DeviceError

if TYPE_CHECKING:
    from pytest_mobileagent.device.device import Device, System

_ZONED = re.compile(r"(.+)\[([\w/+-]+)\]")  # as in RFC 9557
_TOLERANCE = 60.0  # seconds by which the device's clock may differ after it was set


def parse_moment(text: str) -> datetime | None:
    """Return the moment that an option gives in ISO 8601; None for "now".

    A moment without a time zone is in the device's. The name of a zone may follow in brackets, as
    in RFC 9557: the moment is in that zone, and so is the device.

    Raises:
        ValueError: if the text does not specify a moment.
    """
    if (text := text.strip()) == "now":
        return None
    zoned = _ZONED.fullmatch(text)
    try:
        moment = datetime.fromisoformat(zoned[1] if zoned else text)
        zone = ZoneInfo(zoned[2]) if zoned else moment.tzinfo
    except (KeyError, ValueError, OSError):
        msg = "must be a date and time such as 2026-11-22T09:00, perhaps with [Asia/Tokyo], or now"
        raise ValueError(msg) from None
    return moment.astimezone(zone) if moment.tzinfo else moment.replace(tzinfo=zone)


def set_clock(device: Device, moment: datetime) -> None:
    """Set a device's clock, and its zone if the moment has a `ZoneInfo`; apps are notified of it.

    The alarm manager sets it (`cmd alarm set-time`), or else `date`, which needs a root shell.

    Raises:
        DeviceError: if the device does not allow it.
    """
    system = system_of(device)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=_zone(system.shell("getprop persist.sys.timezone").strip()))
    elif isinstance(moment.tzinfo, ZoneInfo):
        _set_zone(system, moment.tzinfo.key)
    seconds = int(moment.timestamp())
    output = system.shell(
        f"settings put global auto_time 0; cmd alarm set-time {seconds * 1000} 2>&1; date +%s"
    )
    if _is_set(output, seconds):
        return
    as_root = system.shell(
        f"date -u @{seconds} 2>&1"
        " && am broadcast -a android.intent.action.TIME_SET >/dev/null 2>&1; date +%s"
    )
    if not _is_set(as_root, seconds):
        msg = (
            f"device {device.info.serial} does not permit setting its clock to "
            f"{moment.isoformat()}: {output.strip()[:200]}; as root: {as_root.strip()[:200]}. "
            "This needs `adb root`, which emulators without the Play Store permit; otherwise omit "
            "--mobile-device-time"
        )
        raise DeviceError(msg)


def _set_zone(system: System, name: str) -> None:
    output = system.shell(
        f"settings put global auto_time_zone 0; cmd alarm set-timezone {name} 2>&1;"
        " getprop persist.sys.timezone"
    )
    if output.strip().rpartition("\n")[2] != name:
        raise DeviceError(f"the device's time zone cannot be {name}: {output.strip()[:200]}")


def _is_set(output: str, seconds: int) -> bool:
    last = output.strip().rpartition("\n")[2]
    return last.isdecimal() and abs(int(last) - seconds) < _TOLERANCE


def _zone(name: str) -> tzinfo:
    """Return a time zone by its name; UTC for an unknown one, as in Android."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return UTC
