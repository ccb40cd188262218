"""W3C actions: what fingers and a keyboard do, tick by tick."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action.action import DoubleTap, Key, Raw, Tap, Type, Wait
from pytest_mobileagent.program.commands import keys
from pytest_mobileagent.program.commands.gestures import stroke
from pytest_mobileagent.program.commands.inputs import pixel
from pytest_mobileagent.program.watching import Act, Erase

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_DOUBLE_SECONDS = 0.3
# The private characters that WebDriver gives to keys.
_CONTROL = "\ue009\ue051"
_SHIFT = "\ue008\ue050"
_KEYS: dict[str, Act] = {
    "\ue003": Erase(), "\ue017": Raw("forward delete"), "\ue004": Key("tab"),
    "\ue006": Key("enter"), "\ue007": Key("enter"), "\ue00c": Key("escape"), "\ue00d": Type(" "),
    "\ue010": keys.TO_THE_END,
}  # fmt: skip


def read_actions(sequences: Sequence[dict[str, Any]], raw: str) -> tuple[Act, ...]:
    """Return what W3C actions do; one finger, or a keyboard, at a time can be told.

    Raises:
        ValueError, KeyError, TypeError: they are malformed.
    """
    busy = [each for each in sequences if any(_acts(item) for item in each.get("actions", ()))]
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


def _acts(item: dict[str, Any]) -> bool:
    return item.get("type") in {"pointerDown", "keyDown", "scroll"}


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
            if origin not in ("viewport", "pointer"):  # an element, whose place is not known
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
    if down:  # released by whoever began it, later
        return (Raw(raw),)
    return tuple(_paused(strokes))


def _paused(strokes: Sequence[tuple[float, float, Act]]) -> Iterator[Act]:
    """Yield strokes: two quick taps as a double tap, and the pause between slow ones."""
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
        return keys.together([113, keys.code(value)], raw)
    act = _KEYS.get(value)
    if act is not None:
        return act
    if len(value) == 1 and "\ue000" <= value <= "\uf8ff":
        return Raw(raw)
    return Type(value.upper() if held & set(_SHIFT) and value.isascii() else value)


def keyed(text: str, raw: str) -> tuple[Act, ...]:
    """Return what a text does that may hold WebDriver's keys."""
    acts: list[Act] = []
    for char in text:
        act = _pressed(char, set(), raw)
        if isinstance(act, Type) and acts and isinstance(acts[-1], Type):
            act = Type(acts.pop().text + act.text)  # type: ignore[union-attr]
        acts.append(act)
    return tuple(acts)
