"""Telephony: the current call, and incoming and outgoing text messages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from pytest_mobileagent.virtual.content import numbers
from pytest_mobileagent.virtual.content.intent import Intent
from pytest_mobileagent.virtual.snapshots import Kept
from pytest_mobileagent.virtual.system.packages.permissions import SMS_APP

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.content.settings import Settings
    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.kernel.clock import Clock
    from pytest_mobileagent.virtual.kernel.log import Log
    from pytest_mobileagent.virtual.system.activities import Activities
    from pytest_mobileagent.virtual.system.hardware import Power, Radios
    from pytest_mobileagent.virtual.system.ipc import Broadcasts, Resolver
    from pytest_mobileagent.virtual.system.packages.packages import Packages

ANSWERED_AFTER: Final = 4.0  # seconds until an outgoing call is answered
DELIVER: Final = "android.provider.Telephony.SMS_DELIVER"
RECEIVED: Final = "android.provider.Telephony.SMS_RECEIVED"
PHONE_STATE: Final = "android.intent.action.PHONE_STATE"
INBOX: Final = "content://sms/inbox"
MISSED: Final = "android.telecom.action.SHOW_MISSED_CALLS_NOTIFICATION"
CALLS: Final = "content://call_log/calls"
EMERGENCY: Final = frozenset({"112", "911"})
INCOMING, OUTGOING, MISSED_CALL, REJECTED, BLOCKED = 1, 2, 3, 5, 6  # call types in the call log


@dataclass(frozen=True, slots=True)
class Call:
    """A call; `since` is the uptime of its last change, `date` the wall-clock time of its start."""

    number: str
    incoming: bool
    date: float
    since: float
    active: bool = False  # the call has been answered
    muted: bool = False
    speaker: bool = False
    held: bool = False


@dataclass(eq=False)
class Telephony(Kept):
    """The phone's calls and messages. There is at most one call at a time."""

    KEPT = ("_call",)

    clock: Clock
    log: Log
    changes: Changes
    settings: Settings
    broadcasts: Broadcasts
    power: Power
    radios: Radios
    packages: Packages
    resolver: Resolver
    activities: Activities
    _call: Call | None = None

    @property
    def call(self) -> Call | None:
        """The current call; an outgoing call is answered after a few seconds."""
        call, now = self._call, self.clock.uptime()
        if call and not call.incoming and not call.active and now - call.since >= ANSWERED_AFTER:
            self._call = replace(call, active=True, since=call.since + ANSWERED_AFTER)
        return self._call

    @property
    def seconds(self) -> int:
        """The duration of the call in seconds, since it was answered."""
        call = self.call
        return int(self.clock.uptime() - call.since) if call and call.active else 0

    @property
    def state(self) -> str:
        """Android's name for the state of the line."""
        call = self.call
        if call is None:
            return "IDLE"
        return "RINGING" if call.incoming and not call.active else "OFFHOOK"

    # Calls

    def dial(self, number: str) -> None:
        """Call a number, if the line is free."""
        number = numbers.bare(number)
        if not number or self._call:
            return
        if number in EMERGENCY:
            self.log.system("I", "Telecom", f"Emergency number detected: {number}")
        self._begin(Call(number, False, self.clock.time(), self.clock.uptime()))

    def ring(self, number: str) -> bool:
        """Receive a call; return False if the line is busy. Blocked numbers do not ring."""
        if self._call or self.radios.airplane:
            return False
        call = Call(number, True, self.clock.time(), self.clock.uptime())
        if self._blocked(number):
            self._record(call, BLOCKED, 0)
        else:
            self._begin(call)
        return True

    def answer(self) -> None:
        """Answer the ringing call."""
        if self._call and self._call.incoming and not self._call.active:
            self.change(active=True, since=self.clock.uptime())
            self._tell(self._call.number)

    def hang_up(self) -> None:
        """End the call from this phone, which rejects a ringing one."""
        self._end(REJECTED)

    def cancel(self) -> None:
        """End the call from the other side, which makes a ringing one a missed call."""
        self._end(MISSED_CALL)

    def change(self, **values: Any) -> None:
        """Change the state of the call: muted, speaker, held."""
        if self._call:
            self._call = replace(self._call, **values)
            self.changes.note()

    def _begin(self, call: Call) -> None:
        self._call = call
        kind = "incoming" if call.incoming else "outgoing"
        self.log.system("I", "Telecom", f"CallsManager: addCall({kind})")
        self._tell(call.number)

    def _end(self, unanswered: int) -> None:
        """End the call; a ringing call is recorded in the call log as `unanswered`."""
        call, seconds = self.call, self.seconds
        if call is None:
            return
        incoming = INCOMING if call.active else unanswered
        self._call, kind = None, incoming if call.incoming else OUTGOING
        self._record(call, kind, seconds)
        dialer = self.settings.text("secure", "dialer_default_application")
        if kind == MISSED_CALL and dialer:
            extras = {"android.telecom.extra.NOTIFICATION_PHONE_NUMBER": call.number}
            self.broadcasts.send(Intent(MISSED, package=dialer, extras=extras))
        self._tell(call.number)

    def _tell(self, number: str) -> None:
        """Notify the apps of the line's state."""
        extras = {"state": self.state, "incoming_number": number}
        self.broadcasts.send(Intent(PHONE_STATE, extras=extras))
        self.changes.note()

    def _record(self, call: Call, kind: int, seconds: int) -> None:
        """Add a call to the call log."""
        if self.resolver.provider("call_log") is None:
            return
        missed = kind == MISSED_CALL
        self.resolver.insert(
            CALLS,
            number=call.number,
            date=int(call.date * 1000),
            duration=seconds,
            type=kind,
            new=int(missed),
            is_read=int(not missed),
            name=self._name_of(call.number),
            formatted_number=numbers.formatted(call.number),
            normalized_number=numbers.normalized(call.number),
            block_reason=3 if kind == BLOCKED else 0,
            last_modified=int(self.clock.time() * 1000),
        )

    def _name_of(self, number: str) -> str | None:
        uri = f"content://com.android.contacts/phone_lookup/{quote(number, safe='')}"
        rows = self.resolver.query(uri, ("display_name",))
        return str(rows[0]["display_name"]) if rows else None

    # Messages

    def receive(self, number: str, text: str) -> None:
        """Receive a message by the default messaging app, or else the system, unless blocked."""
        if self.radios.airplane or self._blocked(number):
            return
        app = self.settings.text("secure", SMS_APP)
        extras = {"address": number, "body": text}
        if app in self.packages:
            self.broadcasts.send(Intent(DELIVER, package=app, extras=extras))
        elif self.resolver.provider("sms"):
            date = int(self.clock.time() * 1000)
            self.resolver.insert(INBOX, **extras, date=date, date_sent=date, read=0, seen=0)
        self.broadcasts.send(Intent(RECEIVED, extras=extras))

    def _blocked(self, number: str) -> bool:
        rows = self.resolver.query("content://com.android.blockednumber/blocked")
        return any(numbers.same(row["original_number"], number) for row in rows)
