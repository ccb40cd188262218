"""The console's commands and their registry: snapshots, faults, sensors, calls and texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeAlias

from pytest_mobileagent.virtual.faults import FaultError, usage
from pytest_mobileagent.virtual.shell.commands.listing import human_size
from pytest_mobileagent.virtual.system.hardware import Fix

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.snapshots import Snapshot
    from pytest_mobileagent.virtual.system.telephony import Call


class Refusal(Exception):
    """A command is answered with KO; the error includes what was printed before it."""

    def __init__(self, reason: str, printed: str = "") -> None:
        super().__init__(reason)
        self.printed = printed


class Hangup(Exception):
    """The console closes the connection after a final message."""


@dataclass(slots=True)
class Emulator:
    """What commands operate on: the phone, a function that stops it, emulators by serial."""

    phone: Phone
    stop: Callable[[], None]
    read_only: bool = False
    peers: Mapping[str, Emulator] = field(default_factory=dict)


# A command receives the rest of the line after its words, and returns the text to print.
Action: TypeAlias = Callable[[Emulator, str], str | None]


@dataclass(slots=True)
class Command:
    """A command of the console, or a group of them."""

    names: str  # alternatives are separated by |
    abstract: str = ""
    action: Action | None = None
    safe: bool = False  # allowed before authentication
    parts: list[Command] = field(default_factory=list)

    def part(self, word: str) -> Command | None:
        """Return the subcommand that `word` names, or None."""
        return next((part for part in self.parts if word in part.names.split("|")), None)

    def help(self, prefix: str = "") -> str:
        """Return the description of the command and its subcommands."""
        if not self.parts:
            return f"{self.abstract}\n"
        rows = (f"   {prefix} {part.names:<15}  {part.abstract}\n" for part in self.parts)
        return f"{self.abstract}\n\navailable sub-commands:\n{''.join(rows)}\n"


ROOT = Command("")


def group(path: str, abstract: str, *, safe: bool = False) -> None:
    """Describe a group of commands."""
    each = _find(path)
    each.abstract, each.safe = abstract, safe


def command(path: str, abstract: str, *, safe: bool = False) -> Callable[[Action], Action]:
    """Register a function as the command that consists of these words."""

    def register(action: Action) -> Action:
        each = _find(path)
        each.abstract, each.action, each.safe = abstract, action, safe
        return action

    return register


def _find(path: str) -> Command:
    """Return the command with these words, creating it if it does not exist."""
    found = ROOT
    for word in path.split():
        if (part := found.part(word)) is None:
            part = Command(word)
            found.parts.append(part)
        found = part
    return found


@command("ping", "check if the emulator is alive", safe=True)
def _ping(*_: object) -> str:
    return "I am alive!\n"


@command("kill", "kill the emulator instance")
def _kill(emulator: Emulator, _: str) -> str:
    emulator.stop()
    raise Hangup("OK: killing emulator, bye bye\n")


@command("fault", "let things go wrong on purpose, see 'fault help'")
def _fault(emulator: Emulator, text: str) -> str:
    faults, (word, _, rest) = emulator.phone.faults, text.partition(" ")
    try:
        match word:
            case "":
                raise Refusal("missing fault, try 'fault help'")
            case "help":
                return usage()
            case "list":
                return "".join(f"{line}\n" for line in faults.list()) or "no faults\n"
            case "clear":
                faults.clear(rest.strip())
            case _:
                faults.set(text)
    except FaultError as error:
        raise Refusal(str(error)) from None
    return ""


group("avd", "control virtual device execution", safe=True)


@command("avd name", "query virtual device name", safe=True)
def _name(emulator: Emulator, _: str) -> str:
    return f"{emulator.phone.avd_name}\n"


group("avd snapshot", "state snapshot commands")


@command("avd snapshot list", "list available state snapshots")
def _list(emulator: Emulator, _: str) -> str:
    snapshots = emulator.phone.snapshots
    if not snapshots:
        return "There is no snapshot available.\n"
    rows = "".join(_row(name, snapshot) for name, snapshot in snapshots.items())
    head = f"{'ID':<10}{'TAG':<20}{'VM SIZE':>7}{'DATE':>20}{'VM CLOCK':>15}\n"
    return f"List of snapshots present on all disks:\n{head}{rows}"


@command("avd snapshot save", "save state snapshot")
def _save(emulator: Emulator, name: str) -> None:
    _check(emulator, name, "save")
    emulator.phone.snapshots.save(name)


@command("avd snapshot load", "load state snapshot")
def _load(emulator: Emulator, name: str) -> None:
    _check(emulator, name, "load")
    try:
        emulator.phone.snapshots.load(name)
    except KeyError:
        first = f"KO: Device 'encrypt' does not have the requested snapshot '{name}'\n"
        raise Refusal("Snapshot load failure: snapshot doesn't exist", first) from None


@command("avd snapshot del", "delete state snapshot")
@command("avd snapshot delete", "delete state snapshot")
def _delete(emulator: Emulator, name: str) -> None:
    _check(emulator, name, "delete", usage="list")  # sic
    with suppress(KeyError):  # the emulator does not complain either
        emulator.phone.snapshots.delete(name)


@command("avd fork", "bring another device of this process to the state of this one")
def _fork(emulator: Emulator, serial: str) -> None:
    if (other := emulator.peers.get(serial)) is None:
        words = f"no device '{serial}' in this process"
        raise Refusal(f"{words}; there are: {', '.join(emulator.peers)}")
    other.phone.snapshots.take_over(emulator.phone.snapshots)


@command("avd snapshot get", "get the name of the loaded snapshot")
def _get(emulator: Emulator, _: str) -> str:
    return f"{emulator.phone.snapshots.loaded}\n"


def _check(emulator: Emulator, name: str, what: str, usage: str = "") -> None:
    if not name:
        raise Refusal(f"Argument missing, try 'avd snapshot {usage or what} <name>'")
    if emulator.read_only:
        raise Refusal(f'Snapshot {what} is disabled because "-read-only" was specified')


def _row(name: str, snapshot: Snapshot) -> str:
    size = len(snapshot.parts) + sum(len(node.data) for node in snapshot.files.values())
    date = datetime.fromtimestamp(snapshot.time, UTC).strftime("%Y-%m-%d %H:%M:%S")
    minutes, seconds = divmod(snapshot.uptime, 60)
    clock = f"{int(minutes // 60):02}:{int(minutes % 60):02}:{seconds:06.3f}"
    return f"{'--':<10}{name:<20}{human_size(size):>7}{date:>20}{clock:>15}\n"


STATUS = ("unknown", "charging", "discharging", "not-charging", "full")
LEAST_SATELLITES, MOST_SATELLITES = 1, 12

group("geo", "Geo-location commands")
group("finger", "manage emulator finger print")
group("power", "power related commands")


@command("geo fix", "send a simple GPS fix")
def _fix(emulator: Emulator, text: str) -> None:
    words = text.split()
    if len(words) < 2:
        raise Refusal("not enough arguments: see 'help geo fix' for details")
    numbers: list[float] = []
    for word in words[:5]:
        try:
            numbers.append(float(word))
        except ValueError:
            raise Refusal(f"argument '{word}' is not a number") from None
    longitude, latitude, *rest = numbers
    if not -180 <= longitude <= 180:
        raise Refusal("invalid longitude value. Should be in [-180,+180] range")
    if not -90 <= latitude <= 90:
        raise Refusal("invalid latitude value. Should be in [-90,+90] range")
    altitude, satellites, velocity = [*rest, *(0.0, 1.0, 0.0)[len(rest) :]]
    whole = satellites == int(satellites)
    if not whole or not LEAST_SATELLITES <= satellites <= MOST_SATELLITES:
        raise Refusal("invalid number of satellites. Must be an integer between 1 and 12")
    now = emulator.phone.clock.uptime()
    fix = Fix(longitude, latitude, altitude, int(satellites), velocity, now)
    emulator.phone.hardware.locate(fix)


@command("finger touch", "touch finger print sensor with <fingerid>")
def _touch(_: Emulator, text: str) -> None:
    """Touch the sensor, which has no effect, because no finger is enrolled."""
    if not text:
        raise Refusal("missing fingerid")
    if not text.isdecimal() or int(text) == 0:
        raise Refusal("invalid fingerid")


_FIXED = (
    "The phone is turned, but not its screen: auto-rotate is off.\n"
    "Switch it on by: adb shell settings put system accelerometer_rotation 1\n"
)


@command("rotate", "rotate the screen clockwise by 90 degrees")
def _rotate(emulator: Emulator, _: str) -> str:
    """Rotate the phone; unlike an emulator's console, mention it if the screen does not turn."""
    emulator.phone.hardware.rotate()
    return "" if emulator.phone.display.turns_with_phone else _FIXED


@command("power ac", "set AC charging state")
def _ac(emulator: Emulator, word: str) -> None:
    if word.lower() not in ("on", "off"):
        raise Refusal('Usage: "ac on" or "ac off"')
    emulator.phone.power.set_battery(ac=word.lower() == "on")


@command("power status", "set battery status")
def _status(emulator: Emulator, word: str) -> None:
    if word.lower() not in STATUS:
        raise Refusal(f'Usage: "status {"|".join(STATUS)}"')
    emulator.phone.power.set_battery(status=STATUS.index(word.lower()) + 1)


@command("power capacity", "set battery capacity state")
def _capacity(emulator: Emulator, text: str) -> None:
    if not text.isdecimal() or int(text) > 100:
        raise Refusal('Usage: "capacity <percentage>"')
    emulator.phone.power.set_battery(level=int(text))


_ESCAPE = re.compile(r"\\(?:n|\\|x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4}))")

group("gsm", "GSM related commands")
group("sms", "SMS related commands")


@command("gsm list", "list current phone calls")
def _calls(emulator: Emulator, _: str) -> str:
    call = emulator.phone.telephony.call
    if call is None:
        return ""
    way, state = ("inbound from", "incoming") if call.incoming else ("outbound to ", "dialing")
    if call.active:
        state = "held" if call.held else "active"
    return f"{way} {call.number:<10} : {state}\n"


@command("gsm call", "create inbound phone call")
def _call(emulator: Emulator, text: str) -> None:
    emulator.phone.telephony.ring(_number(text, "call"))


@command("gsm busy", "close waiting outbound call as busy")
@command("gsm cancel", "disconnect an inbound or outbound phone call")
def _cancel(emulator: Emulator, text: str) -> None:
    _current(emulator, text, "cancel")
    emulator.phone.telephony.cancel()


@command("gsm hold", "change the state of an outbound call to 'held'")
def _hold(emulator: Emulator, text: str) -> None:
    _current(emulator, text, "hold")
    emulator.phone.telephony.change(held=True)


@command("gsm accept", "change the state of an outbound call to 'active'")
def _accept(emulator: Emulator, text: str) -> None:
    call = _current(emulator, text, "accept")
    if call.incoming and not call.active:
        emulator.phone.telephony.answer()
    else:
        since = call.since if call.active else emulator.phone.clock.uptime()
        emulator.phone.telephony.change(active=True, held=False, since=since)


@command("sms send", "send inbound SMS text message")
def _send(emulator: Emulator, text: str) -> None:
    number, _, message = text.partition(" ")
    if not number or not message.strip():
        raise Refusal("missing argument, try 'sms send <phonenumber> <text message>'")
    if not re.fullmatch(r"\+?[0-9]*", number):
        raise Refusal("bad phone number format, must be [+](0-9)*")
    emulator.phone.telephony.receive(number, _ESCAPE.sub(_unescape, message.strip()))


def _unescape(match: re.Match[str]) -> str:
    if code := match[1] or match[2]:
        return chr(int(code, 16))
    return "\n" if match[0] == "\\n" else "\\"


def _current(emulator: Emulator, text: str, command: str) -> Call:
    number, call = _number(text, command), emulator.phone.telephony.call
    if call is None or call.number != number:
        raise Refusal(f"no current call to/from number '{number}'")
    return call


def _number(text: str, command: str) -> str:
    if not text:
        raise Refusal(f"missing argument, try 'gsm {command} <phonenumber>'")
    if not re.fullmatch(r"[0-9#+]+", text):
        raise Refusal("bad phone number format, use digits, # and + only")
    return text
