"""Parses Android's own commands into acts: `input`, `monkey` and `am`, with keys and gestures."""

from __future__ import annotations

import base64
import math
import re
import string
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from pytest_mobileagent.action import Key, KeyName, Open, Raw, Type
from pytest_mobileagent.action.gestures import LongPress, Swipe, Tap
from pytest_mobileagent.program.commands import (
    PASTE,
    SCREEN_OFF,
    SELECT_ALL,
    TO_THE_END,
    TO_THE_START,
    Act,
    Clear,
    Erase,
    Pointer,
    fixed,
    opaque,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Literal

    from pytest_mobileagent.action import Action


_SOURCES = {
    "keyboard", "dpad", "gamepad", "touchscreen", "mouse", "stylus", "trackball", "touchpad",
    "touchnavigation", "joystick", "rotaryencoder",
}  # fmt: skip
_SWIPE_MILLISECONDS = 300.0  # Android's own default
_FEW_EVENTS = 5  # with so few events or fewer, monkey only serves to start an app
_PHASES: dict[str, Literal["down", "move", "up", "cancel"]] = {
    "DOWN": "down", "MOVE": "move", "UP": "up", "CANCEL": "cancel",
}  # fmt: skip


def read_input(words: Sequence[str], raw: str) -> tuple[Act, ...]:
    """Return the acts of an `input` command; `raw` is its text."""
    rest = list(words)
    while rest and (rest[0] in _SOURCES or rest[0] in {"-d", "--display"}):
        del rest[: 1 if rest[0] in _SOURCES else 2]
    reader = _READERS.get(rest[0]) if rest else None
    if reader is None:  # a misspelled command, or help
        return ()
    try:
        return reader(rest[1:], raw)
    except (ValueError, IndexError, OverflowError):
        return (Raw(raw),)


def _swipe(arguments: list[str], raw: str) -> tuple[Act, ...]:
    x1, y1, x2, y2 = map(pixel, arguments[:4])
    milliseconds = float(arguments[4]) if len(arguments) > 4 else _SWIPE_MILLISECONDS
    return (swipe(x1, y1, x2, y2, milliseconds / 1000),)


def swipe(x1: int, y1: int, x2: int, y2: int, seconds: float) -> Tap | LongPress | Swipe:
    """Return the act of a finger that moves in a straight line; a tiny movement is ignored."""
    seconds = seconds if seconds >= 0 else _SWIPE_MILLISECONDS / 1000
    action = stroke([(0.0, x1, y1), (seconds, x2, y2)])
    assert isinstance(action, Tap | LongPress | Swipe)
    return action


def typed(text: str) -> tuple[Act, ...]:
    """Return the act of typing text; no act if the text is empty."""
    return (Type(text),) if text else ()


def _keyevent(arguments: list[str], raw: str) -> tuple[Act, ...]:
    long, names = False, []
    words = iter(arguments)
    for word in words:
        if word in {"--delay", "--duration"}:
            next(words, None)
        elif word.startswith("--"):
            long = long or word == "--longpress"
        else:
            names.append(word)
    codes = ((code(name), name) for name in names)
    acts = tuple(pressed(code, f"input keyevent {name}") for code, name in codes if code != WAKE_UP)
    if not long:
        return acts
    # A held key differs from a pressed one unless it repeats.
    repeats = (not isinstance(act, Key) or act.name in {"enter", "tab"} for act in acts)
    return tuple(act if same else Raw(raw) for act, same in zip(acts, repeats, strict=True))


def _keycombination(arguments: list[str], raw: str) -> tuple[Act, ...]:
    rest = arguments[2:] if arguments[:1] == ["-t"] else arguments
    return (together([code(word) for word in rest], raw),)


def _motionevent(arguments: list[str], raw: str) -> tuple[Act, ...]:
    phase = _PHASES.get(arguments[0].upper())
    if phase is None:
        return ()
    x, y = map(pixel, arguments[1:3]) if len(arguments) > 2 else (0, 0)
    return (Pointer(phase, x, y),)


_READERS: dict[str, Callable[[list[str], str], tuple[Act, ...]]] = {
    "tap": lambda given, _: (Tap(*map(pixel, (given[0], given[1]))),),
    "swipe": _swipe,
    # Android ignores everything after the first argument.
    "text": lambda given, _: typed(given[0].replace("%s", " ")),
    "keyevent": _keyevent,
    "keycombination": _keycombination,
    "motionevent": _motionevent,
    "draganddrop": opaque,
    "press": opaque,
    "roll": opaque,
    "scroll": opaque,
}


def pixel(word: object) -> int:
    """Return a coordinate in whole pixels.

    Raises:
        ValueError, TypeError, OverflowError: if the value is not a number.
    """
    if isinstance(word, bool) or not isinstance(word, str | int | float):
        raise TypeError(f"{word!r} is not a coordinate")
    return round(float(word))


def read_monkey(words: Sequence[str], raw: str) -> tuple[Act, ...]:
    """Return the acts of `monkey`: with few events for one package, it opens the app."""
    packages = [after for word, after in pairwise(words) if word == "-p"]
    if not words or not words[-1].isdecimal() or words[-2:-1] == ["-p"]:
        return ()  # monkey prints its help
    if len(packages) == 1 and int(words[-1]) <= _FEW_EVENTS:
        return (Open(packages[0]),)
    return (Raw(raw),)


WAKE_UP = 224  # this key has no effect while the screen is on

_CANONICAL: dict[int, KeyName] = {
    3: "home", 4: "back", 24: "volume_up", 25: "volume_down", 61: "tab", 66: "enter",
    82: "menu", 111: "escape", 160: "enter", 187: "overview",
}  # fmt: skip
_NAMES = {
    "HOME": 3, "BACK": 4, "VOLUME_UP": 24, "VOLUME_DOWN": 25, "POWER": 26, "TAB": 61, "ENTER": 66,
    "SLEEP": 223, "WAKEUP": WAKE_UP, "SOFT_SLEEP": 276, "DEL": 67,
    "MENU": 82, "ESCAPE": 111, "FORWARD_DEL": 112, "MOVE_HOME": 122, "CTRL_LEFT": 113,
    "CTRL_RIGHT": 114, "MOVE_END": 123, "NUMPAD_ENTER": 160, "APP_SWITCH": 187, "PASTE": 279,
    "SHIFT_LEFT": 59, "SHIFT_RIGHT": 60,
}  # fmt: skip
_SIGNS = {
    "STAR": (17, "*"), "POUND": (18, "#"), "COMMA": (55, ","), "PERIOD": (56, "."),
    "SPACE": (62, " "), "GRAVE": (68, "`"), "MINUS": (69, "-"), "EQUALS": (70, "="),
    "LEFT_BRACKET": (71, "["), "RIGHT_BRACKET": (72, "]"), "BACKSLASH": (73, "\\"),
    "SEMICOLON": (74, ";"), "APOSTROPHE": (75, "'"), "SLASH": (76, "/"), "AT": (77, "@"),
    "PLUS": (81, "+"), "NUMPAD_DIVIDE": (154, "/"), "NUMPAD_MULTIPLY": (155, "*"),
    "NUMPAD_SUBTRACT": (156, "-"), "NUMPAD_ADD": (157, "+"), "NUMPAD_DOT": (158, "."),
    "NUMPAD_COMMA": (159, ","), "NUMPAD_EQUALS": (161, "="),
    **{digit: (7 + int(digit), digit) for digit in string.digits},
    **{f"NUMPAD_{digit}": (144 + int(digit), digit) for digit in string.digits},
    **{each.upper(): (29 + place, each) for place, each in enumerate(string.ascii_lowercase)},
}  # fmt: skip
_NAMES |= {name: number for name, (number, _) in _SIGNS.items()}
_CHARACTERS = dict(_SIGNS.values())
_SHIFTED = dict(zip("1234567890-=[]\\;'/`,.", '!@#$%^&*()_+{}|:"?~<>', strict=True))
_A, _V = 29, 50
_EDITS: dict[int, Act] = {
    26: SCREEN_OFF, 67: Erase(), 112: Erase(), 122: TO_THE_START, 123: TO_THE_END,
    223: SCREEN_OFF, 276: SCREEN_OFF, 279: PASTE,
}  # fmt: skip
_CTRL_KEYS, _SHIFT_KEYS = {113, 114}, {59, 60}
_SHIFT, _CTRL, _ALT, _META = 0x1, 0x1000, 0x2, 0x10000


def code(word: str) -> int | None:
    """Return the code of a key named by "67", "DEL" or "KEYCODE_DEL"; None if it is unknown."""
    if re.fullmatch("[0-9]{1,5}", word):
        return int(word)
    return _NAMES.get(word.upper().removeprefix("KEYCODE_"))


def pressed(number: int | None, raw: str, meta: int = 0) -> Act:
    """Return the act of a key pressed with the modifiers `meta`; the command `raw` if unknown."""
    if number is None or meta & (_ALT | _META):
        return Raw(raw)
    if meta & _CTRL:
        return {_A: SELECT_ALL, _V: PASTE}.get(number) or Raw(raw)
    if number in _CHARACTERS:
        character = _CHARACTERS[number]
        is_shifted = bool(meta & _SHIFT)
        return Type(_SHIFTED.get(character, character.upper()) if is_shifted else character)
    if meta & _SHIFT:
        return Raw(raw)
    if number in _CANONICAL:
        return Key(_CANONICAL[number])
    return _EDITS.get(number) or Raw(raw)


def together(codes: Sequence[int | None], raw: str) -> Act:
    """Return the act of keys pressed together: the last one, with the others as modifiers."""
    *modifiers, last = codes
    if modifiers and set(modifiers) <= _CTRL_KEYS:
        return pressed(last, raw, _CTRL)
    if modifiers and set(modifiers) <= _SHIFT_KEYS:
        return pressed(last, raw, _SHIFT)
    return Raw(raw)


STILL = 10  # pixels: a finger that moves no further is considered at rest
HELD = 0.5  # seconds: a finger at rest makes a long press after this time (Android: 0.4)
_STRAIGHT = 40  # pixels by which a path may deviate from the line between its ends


def stroke(points: Sequence[tuple[float, int, int]]) -> Action | None:
    """Return the action of a finger from down to up, given each event's (seconds, x, y).

    The result is None if the path is not straight, because no action describes that.
    """
    begin, x1, y1 = points[0]
    end, x2, y2 = points[-1]
    seconds = max(0.0, end - begin)
    if all(math.dist((x, y), (x1, y1)) <= STILL for _, x, y in points):
        return LongPress(x1, y1, round(seconds, 3)) if seconds >= HELD else Tap(x1, y1)
    if any(_off(x, y, (x1, y1), (x2, y2)) > _STRAIGHT for _, x, y in points):
        return None
    return Swipe(x1, y1, x2, y2, round(seconds, 3))


def _off(x: int, y: int, begin: tuple[int, int], end: tuple[int, int]) -> float:
    """Return the distance of a point from the line between two others."""
    dx, dy = end[0] - begin[0], end[1] - begin[1]
    square = dx * dx + dy * dy
    if not square:
        return math.dist((x, y), begin)
    along = max(0.0, min(1.0, ((x - begin[0]) * dx + (y - begin[1]) * dy) / square))
    return math.dist((x, y), (begin[0] + along * dx, begin[1] + along * dy))


# Options of `am` that take a name and a value, and those that take a value.
_TWO = {
    "-e", "--es", "--ez", "--ei", "--el", "--ef", "--ed", "--eu", "--ecn", "--eia", "--eial",
    "--ela", "--elal", "--efa", "--efal", "--eda", "--edal", "--esa", "--esal",
}  # fmt: skip
_ONE = {
    "--esn", "-a", "-d", "-t", "-i", "-c", "-n", "-p", "-f", "--user", "--display", "-P", "-R",
    "--windowingMode", "--activityType", "--task", "--receiver-permission", "--start-profiler",
    "--sampling", "--attach-agent", "--attach-agent-bind", "--bg-start-allowlist-duration",
}  # fmt: skip
_FIELDS = {"-a": "action", "-d": "data", "-t": "type", "-n": "component", "-p": "package"}
_MAIN = "android.intent.action.MAIN"
_LAUNCHER = "android.intent.category.LAUNCHER"
_HOME = "android.intent.category.HOME"
# Apps that belong to tools: they serve programs rather than the phone's user.
TOOLS = {
    "io.appium.settings", "io.appium.uiautomator2.server", "io.appium.uiautomator2.server.test",
    "com.github.uiautomator", "com.github.uiautomator.test", "com.wetest.uia2",
    "com.android.adbkeyboard", "com.droidrun.portal", "com.mobilerun.portal",
    "com.mobilenext.devicekit", "com.genymobile.scrcpy", "ca.zgrs.clipper",
    "com.google.androidenv.accessibilityforwarder",
}  # fmt: skip
CLIPBOARD = "clipboard: "  # the prefix of a Raw that copies text


@dataclass(slots=True)
class Intent:
    """The contents of an intent; all `extras` are kept as text."""

    action: str = ""
    data: str = ""
    type: str = ""
    component: str = ""
    package: str = ""
    categories: list[str] = field(default_factory=list)
    extras: dict[str, str] = field(default_factory=dict)

    @property
    def app(self) -> str:
        """The package that the intent addresses; empty if it names none."""
        return self.component.partition("/")[0] or self.package


def read_intent(words: Sequence[str]) -> Intent:
    """Return the intent that the arguments of `am start` or `am broadcast` describe."""
    intent, rest = Intent(), list(words)
    while rest:
        word = rest.pop(0)
        if word in _TWO:
            name, value = [*rest, "", ""][:2]
            intent.extras[name] = value
            del rest[:2]
        elif word in _ONE:
            value = rest.pop(0) if rest else ""
            if word == "-c":
                intent.categories.append(value)
            elif word == "--esn":
                intent.extras[value] = ""
            elif word in _FIELDS:
                setattr(intent, _FIELDS[word], value)
        elif not word.startswith("-"):  # a URI, a component or a package
            name = "data" if ":" in word else "component" if "/" in word else "package"
            setattr(intent, name, word)
    return intent


def started(intent: Intent, raw: str) -> tuple[Act, ...]:
    """Return the act of starting an activity; `raw` is the command's text."""
    if intent.app in TOOLS:
        return ()
    if _HOME in intent.categories and not intent.app:
        return (Key("home"),)
    bare = not (intent.data or intent.type or intent.extras)
    main = intent.action in {"", _MAIN} and set(intent.categories) <= {_LAUNCHER}
    return (Open(intent.app),) if intent.app and bare and main else (Raw(raw),)


def sent(intent: Intent, raw: str) -> tuple[Act, ...]:
    """Return the acts of a broadcast: those for keyboards type, others do not change the screen."""
    reader = _BROADCASTS.get(intent.action)
    if reader is None:
        return ()
    if intent.app and intent.app not in TOOLS:  # may be part of an unquoted text with spaces
        return (Raw(raw),)
    try:
        return reader(intent.extras, raw)
    except (ValueError, OverflowError):  # binascii.Error is one
        return (Raw(raw),)


def from_base64(text: str) -> str:
    """Decode text from base64.

    Raises:
        ValueError: if the text is not base64, or the bytes are not UTF-8.
    """
    data = "".join(text.split())
    return base64.b64decode(data + "=" * (-len(data) % 4), validate=True).decode("utf-8")


def _message(extras: dict[str, str], raw: str) -> tuple[Act, ...]:
    if "mcode" not in extras:
        return typed(extras.get("msg", ""))
    numbers = [int(number) for number in extras["mcode"].split(",")]
    pairs = zip(numbers[::2], numbers[1::2], strict=False)  # modifiers, then the key
    return tuple(pressed(number, raw, meta) for meta, number in pairs)


def _text_base64(extras: dict[str, str], raw: str) -> tuple[Act, ...]:
    return typed(from_base64(extras.get("text", "")))


def _clipboard(extras: dict[str, str], raw: str) -> tuple[Act, ...]:
    text = extras.get("text", "")
    return (Raw(CLIPBOARD + (from_base64(text) if extras.get("encoding") == "base64" else text)),)


# First ADBKeyboard's broadcasts, then those of uiautomator2's keyboard, then those of clipboards.
_BROADCASTS: dict[str, Callable[[dict[str, str], str], tuple[Act, ...]]] = {
    "ADB_INPUT_TEXT": _message,
    "ADB_INPUT_B64": lambda extras, _: typed(from_base64(extras.get("msg", ""))),
    "ADB_INPUT_CHARS": lambda extras, _: typed(
        "".join(chr(int(number)) for number in extras.get("chars", "").split(",") if number.strip())
    ),
    "ADB_INPUT_CODE": lambda extras, raw: (pressed(int(extras.get("code", "")), raw),),
    "ADB_EDITOR_CODE": fixed(Key("enter")),
    "ADB_CLEAR_TEXT": fixed(Clear()),
    "ADB_KEYBOARD_INPUT_TEXT": _text_base64,
    "ADB_KEYBOARD_SET_TEXT": lambda extras, raw: (Clear(), *_text_base64(extras, raw)),
    "ADB_KEYBOARD_CLEAR_TEXT": fixed(Clear()),
    "ADB_KEYBOARD_EDITOR_CODE": fixed(Key("enter")),
    "ADB_KEYBOARD_SMART_ENTER": fixed(Key("enter")),
    "devicekit.clipboard.set": _clipboard,
    "clipper.set": _clipboard,
}
_BROADCASTS["ADB_KEYBOARD_INPUT_KEYCODE"] = _BROADCASTS["ADB_INPUT_CODE"]
