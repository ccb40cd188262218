"""The next alarm clock, which the system tells whoever wants to know."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone

SETTING = ("system", "next_alarm_formatted")


def set_next_alarm(phone: Phone, at: datetime | None) -> None:
    """Take note of the alarm that will ring next; the log says so when it changed."""
    shown = f"{at:%a} {at.hour % 12 or 12}:{at:%M} {'AM' if at.hour < 12 else 'PM'}" if at else ""
    if phone.settings.text(*SETTING) == shown:
        return
    phone.settings.put(*SETTING, shown)
    alarm = at or datetime.fromtimestamp(0, phone.clock.zone)
    line = (
        f"evaluateSubscriptionLocked cal=null, now={_java(phone.clock.now())},"
        f" nextUserAlarmTime={_java(alarm)}"
    )
    phone.log.system("D", "ConditionProviders.SCP", line)


def _java(moment: datetime) -> str:
    """Write a moment as java.util.Date does, with its milliseconds."""
    return f"{moment:%a %b %d %H:%M:%S %Z %Y} ({int(moment.timestamp() * 1000)})"
