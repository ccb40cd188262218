"""Android's `input` and `monkey` commands, as acts."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from pytest_mobileagent.action.action import Key, LongPress, Open, Raw, Swipe, Tap, Type
from pytest_mobileagent.program.commands import keys
from pytest_mobileagent.program.commands.gestures import stroke
from pytest_mobileagent.program.watching import Act, Pointer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Literal

_SOURCES = {
    "keyboard", "dpad", "gamepad", "touchscreen", "mouse", "stylus", "trackball", "touchpad",
    "touchnavigation", "joystick", "rotaryencoder",
}  # fmt: skip
_SWIPE_MILLISECONDS = 300.0  # Android's own default
_FEW_EVENTS = 5  # with which monkey starts an app, and does no more that matters
_PHASES: dict[str, Literal["down", "move", "up", "cancel"]] = {
    "DOWN": "down",
    "MOVE": "move",
    "UP": "up",
    "CANCEL": "cancel",
}


def read_input(words: Sequence[str], raw: str) -> tuple[Act, ...]:
    """Return what an `input` command does, by its arguments; `raw` is it in its own words."""
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


def _tap(arguments: list[str], raw: str) -> tuple[Act, ...]:
    x, y = map(pixel, arguments[:2])
    return (Tap(x, y),)


def _swipe(arguments: list[str], raw: str) -> tuple[Act, ...]:
    x1, y1, x2, y2 = map(pixel, arguments[:4])
    milliseconds = float(arguments[4]) if len(arguments) > 4 else _SWIPE_MILLISECONDS
    return (swipe(x1, y1, x2, y2, milliseconds / 1000),)


def swipe(x1: int, y1: int, x2: int, y2: int, seconds: float) -> Tap | LongPress | Swipe:
    """Return what a finger does that moves straight; it rests if it moves next to nowhere."""
    seconds = seconds if seconds >= 0 else _SWIPE_MILLISECONDS / 1000
    action = stroke([(0.0, x1, y1), (seconds, x2, y2)])
    assert isinstance(action, Tap | LongPress | Swipe)
    return action


def _text(arguments: list[str], raw: str) -> tuple[Act, ...]:
    # What comes after the first argument is ignored.
    return (Type(arguments[0].replace("%s", " ")),) if arguments[0] else ()


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
    codes = ((keys.code(name), name) for name in names)
    acts = tuple(
        keys.pressed(code, f"input keyevent {name}") for code, name in codes if code != keys.WAKE_UP
    )
    return tuple(_held(act, raw) for act in acts) if long else acts


def _held(act: Act, raw: str) -> Act:
    """Return what a key does that is held: something else, but for those that repeat."""
    return act if not isinstance(act, Key) or act.name in {"enter", "tab"} else Raw(raw)


def _keycombination(arguments: list[str], raw: str) -> tuple[Act, ...]:
    rest = arguments[2:] if arguments[:1] == ["-t"] else arguments
    return (keys.together([keys.code(word) for word in rest], raw),)


def _motionevent(arguments: list[str], raw: str) -> tuple[Act, ...]:
    phase = _PHASES.get(arguments[0].upper())
    if phase is None:
        return ()
    x, y = map(pixel, arguments[1:3]) if len(arguments) > 2 else (0, 0)
    return (Pointer(phase, x, y),)


def _other(arguments: list[str], raw: str) -> tuple[Act, ...]:
    return (Raw(raw),)


_READERS: dict[str, Callable[[list[str], str], tuple[Act, ...]]] = {
    "tap": _tap,
    "swipe": _swipe,
    "text": _text,
    "keyevent": _keyevent,
    "keycombination": _keycombination,
    "motionevent": _motionevent,
    "draganddrop": _other,
    "press": _other,
    "roll": _other,
    "scroll": _other,
}


def pixel(word: object) -> int:
    """Return a coordinate in whole pixels.

    Raises:
        ValueError, TypeError, OverflowError: it is no number.
    """
    if isinstance(word, bool) or not isinstance(word, str | int | float):
        msg = f"{word!r} is no coordinate"
        raise TypeError(msg)
    return round(float(word))


def read_monkey(words: Sequence[str], raw: str) -> tuple[Act, ...]:
    """Return what `monkey` does: with few events for one package, it starts an app."""
    packages = [after for word, after in pairwise(words) if word == "-p"]
    if not words or not words[-1].isdecimal() or words[-2:-1] == ["-p"]:
        return ()  # it prints its help
    if len(packages) == 1 and int(words[-1]) <= _FEW_EVENTS:
        return (Open(packages[0]),)
    return (Raw(raw),)
