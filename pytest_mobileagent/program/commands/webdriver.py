"""Parses requests to the UiAutomator2 server, which Appium installs on the phone, into acts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action import Key, Raw, Type, Wait
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Tap
from pytest_mobileagent.program.commands import (
    TO_THE_END,
    Act,
    Clear,
    Command,
    ElementTap,
    Erase,
    android,
    fixed,
    opaque,
)
from pytest_mobileagent.program.commands.android import CLIPBOARD, from_base64, pixel, stroke
from pytest_mobileagent.program.commands.script import call_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Reader = Callable[[dict[str, Any], str], tuple[Act, ...]]

_SESSION = re.compile(r"(?:/wd/hub)?/session/[^/]+/(.*)")
_ELEMENT_CLICK = re.compile(r"element/[\w.-]+/click")
_LOOKS = re.compile(r"screenshot|source|element/[^/]+/screenshot|screenshot/.*|appium/screenshot")


def read(method: str, path: str, values: Any, raw: str) -> Command | None:
    """Return the command of a request; None if it addresses another server."""
    match = _SESSION.fullmatch(path.rstrip("/"))
    if match is None:
        return None
    below = match[1]
    if method != "POST":
        return Command(raw, looks=method == "GET" and bool(_LOOKS.fullmatch(below)))
    body = values if isinstance(values, dict) else {}
    words = call_text(below, body)
    if _ELEMENT_CLICK.fullmatch(below):
        return Command(raw, (ElementTap(path.rstrip("/").removesuffix("/click"), words),))
    for pattern, reader in _READERS:
        if pattern.fullmatch(below):
            try:
                return Command(raw, reader(body, words))
            except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError):
                return Command(raw, (Raw(words),))
    return Command(raw)


def _at_place(kind: type[Tap | DoubleTap]) -> Reader:
    """Return a reader of gestures at one place."""

    def read_gesture(body: dict[str, Any], raw: str) -> tuple[Act, ...]:
        place = _place(body)
        return (kind(*place),) if place else (Raw(raw),)

    return read_gesture


def _long_click(body: dict[str, Any], raw: str) -> tuple[Act, ...]:
    place = _place(body)
    milliseconds = body.get("duration")
    seconds = 0.5 if milliseconds is None else float(milliseconds) / 1000
    return (LongPress(*place, seconds),) if place else (Raw(raw),)


def _place(body: dict[str, Any]) -> tuple[int, int] | None:
    """Return the pixel of a gesture; None if the gesture addresses an element."""
    offset = body.get("offset")
    if body.get("origin") or body.get("element") or not isinstance(offset, dict):
        return None
    return pixel(offset["x"]), pixel(offset["y"])


def _value(body: dict[str, Any], raw: str) -> tuple[Act, ...]:
    """Read text that is typed into an element; `replace` empties the element first."""
    value = body.get("text", body.get("value", ""))
    text = "".join(map(str, value)) if isinstance(value, list) else str(value)
    replaces = (Clear(),) if str(body.get("replace")).lower() == "true" else ()
    if not text.endswith(("\n", "\\n")):
        return (*replaces, *keyed(text, raw))
    text = text.removesuffix("\n").removesuffix("\\n")  # the server presses the key instead
    return (*replaces, *keyed(text, raw), Key("enter"))


_READERS: list[tuple[re.Pattern[str], Reader]] = [
    (re.compile(pattern), reader)
    for pattern, reader in (
        ("actions", lambda body, raw: read_actions(body["actions"], raw)),
        ("element/[^/]+/clear", fixed(Clear())),
        ("element/[^/]+/value", _value),
        ("keys", _value),
        ("back", fixed(Key("back"))),
        (
            "appium/device/press_keycode",
            lambda body, raw: (
                android.pressed(int(body["keycode"]), raw, int(body.get("metastate") or 0)),
            ),
        ),
        ("appium/device/long_press_keycode", opaque),
        ("appium/device/open_notifications", opaque),
        (
            "appium/device/set_clipboard",
            lambda body, _: (Raw(CLIPBOARD + from_base64(body["content"])),),
        ),
        ("appium/gestures/click", _at_place(Tap)),
        ("appium/gestures/double_click", _at_place(DoubleTap)),
        ("appium/gestures/long_click", _long_click),
        ("appium/gestures/.*", opaque),
        ("appium/tap", opaque),
        ("appium/element/[^/]+/scroll_to/.*", opaque),
        ("gestures/scroll_to", opaque),
        ("touch/.*", opaque),
        ("orientation|rotation", opaque),
        ("alert/(accept|dismiss)", opaque),
        ("network_connection", opaque),
    )
]


_DOUBLE_SECONDS = 0.3
_ACTING = {"pointerDown", "keyDown", "scroll"}
# The private characters by which WebDriver names keys.
_CONTROL = "\ue009\ue051"
_SHIFT = "\ue008\ue050"
_KEYS: dict[str, Act] = {
    "\ue003": Erase(), "\ue017": Raw("forward delete"), "\ue004": Key("tab"),
    "\ue006": Key("enter"), "\ue007": Key("enter"), "\ue00c": Key("escape"), "\ue00d": Type(" "),
    "\ue010": TO_THE_END,
}  # fmt: skip


def read_actions(sequences: Sequence[dict[str, Any]], raw: str) -> tuple[Act, ...]:
    """Return the acts of W3C actions; only those of one finger or one keyboard are understood.

    Raises:
        ValueError, KeyError, TypeError: if the actions are malformed.
    """
    busy = [
        each
        for each in sequences
        if any(item.get("type") in _ACTING for item in each.get("actions", ()))
    ]
    if not busy:
        return ()
    if len(busy) > 1:
        return (Raw(raw),)
    items = list(busy[0]["actions"])
    if busy[0].get("type") == "key":
        return _typed(items, raw)
    if busy[0].get("type") == "pointer":
        return _fingered(items, raw)
    return (Raw(raw),)


def _fingered(items: Sequence[dict[str, Any]], raw: str) -> tuple[Act, ...]:
    """Return the strokes of a finger, with the pauses between them."""
    strokes: list[tuple[float, float, Act]] = []
    points: list[tuple[float, int, int]] = []
    time, x, y = 0.0, 0, 0
    down = False
    for item in items:
        kind = item.get("type")
        if kind in {"pause", "pointerMove"}:
            time += float(item.get("duration") or 0) / 1000
        if kind == "pointerMove":
            origin = item.get("origin") or "viewport"
            if origin not in ("viewport", "pointer"):  # an element, whose position is unknown
                return (Raw(raw),)
            from_x, from_y = (x, y) if origin == "pointer" else (0, 0)
            x, y = from_x + pixel(item["x"]), from_y + pixel(item["y"])
        if kind == "pointerDown":
            points, down = [], True
        if down:
            points.append((time, x, y))
        if kind == "pointerUp" and down:
            down = False
            strokes.append((points[0][0], time, stroke(points) or Raw(raw)))
    if down:  # a later request will release the finger
        return (Raw(raw),)
    return tuple(_paused(strokes))


def _paused(strokes: Sequence[tuple[float, float, Act]]) -> Iterator[Act]:
    """Yield the strokes, with two quick taps as a double tap, and with waits between slow taps."""
    rest = list(strokes)
    while rest:
        _, end, act = rest.pop(0)
        if rest and isinstance(act, Tap) and isinstance(rest[0][2], Tap):
            pause = rest[0][0] - end
            if pause < _DOUBLE_SECONDS:
                rest.pop(0)
                yield DoubleTap(act.x, act.y)
                continue
            yield act
            yield Wait(round(pause, 3))
            continue
        yield act


def _typed(items: Sequence[dict[str, Any]], raw: str) -> tuple[Act, ...]:
    acts: list[Act] = []
    held: set[str] = set()
    for item in items:
        value = str(item.get("value", ""))
        if item.get("type") == "keyUp":
            held.discard(value)
        elif item.get("type") == "keyDown":
            if value in _CONTROL + _SHIFT:
                held.add(value)
            else:
                acts.append(_pressed(value, held, raw))
    return tuple(acts)


def _pressed(value: str, held: set[str], raw: str) -> Act:
    if held & set(_CONTROL):
        return android.together([113, android.code(value)], raw)
    if (act := _KEYS.get(value)) is not None:
        return act
    if len(value) == 1 and "\ue000" <= value <= "\uf8ff":
        return Raw(raw)
    return Type(value.upper() if held & set(_SHIFT) and value.isascii() else value)


def keyed(text: str, raw: str) -> tuple[Act, ...]:
    """Return the acts of typing text, which may contain WebDriver's key characters."""
    acts: list[Act] = []
    for char in text:
        act = _pressed(char, set(), raw)
        if isinstance(act, Type) and acts and isinstance(acts[-1], Type):
            act = Type(acts.pop().text + act.text)  # type: ignore[union-attr]
        acts.append(act)
    return tuple(acts)
