"""The next alarm clock, which the system publishes in its settings and its log."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone

SETTING = ("system", "next_alarm_formatted")


def set_next_alarm(phone: Phone, at: datetime | None) -> None:
    """Publish the time of the next alarm; a change is also logged."""
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
    """Format a time as `java.util.Date.toString` does, followed by its milliseconds."""
    return f"{moment:%a %b %d %H:%M:%S %Z %Y} ({int(moment.timestamp() * 1000)})"
