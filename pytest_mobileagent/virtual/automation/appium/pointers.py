"""W3C actions: converts what fingers and keys do in each tick to touches and keys of the phone."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pytest_mobileagent.virtual.automation.actions import Sample, Touch, do, grouped
from pytest_mobileagent.virtual.automation.appium.errors import InvalidArgument
from pytest_mobileagent.virtual.automation.appium.session import number

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.phone import Phone

ELEMENT = "element"
DEFAULT_MOVE = 0  # ms
_TABLE: Final = tomllib.loads(Path(__file__).with_name("keys.toml").read_text("utf-8"))
_KEYS: Final[dict[str, str]] = _TABLE["keys"]  # WebDriver's characters, with Android's names
_META: Final[dict[str, int]] = _TABLE["meta"]  # the modifier keys, with Android's bits


@dataclass(frozen=True, slots=True)
class Press:
    """A key that goes down."""

    time: int
    value: str
    meta: int


def perform(phone: Phone, actions: Any, centre: Callable[[str], tuple[int, int]]) -> None:
    """Perform the actions of all input sources; `centre` returns an element's centre by its id."""
    if not isinstance(actions, list):
        raise InvalidArgument("'actions' must be a list")
    touches: list[Touch] = []
    presses: list[Press] = []
    for source in actions:
        kind, items = _source(source)
        if kind == "pointer":
            touches += _Pointer(str(source.get("id")), centre).read(items)
        elif kind == "key":
            presses += _keys(items)
    work = [(group[0].start.time, 0, partial(do, phone, group)) for group in grouped(touches)]
    work += [(press.time, 1, partial(_press, phone, press)) for press in presses]
    for _, _, act in sorted(work, key=lambda each: each[:2]):
        act()


def _source(source: Any) -> tuple[str, list[dict[str, Any]]]:
    if not isinstance(source, dict) or not isinstance(source.get("actions"), list):
        raise InvalidArgument("every source of input needs a list of 'actions'")
    kind = source.get("type")
    if kind not in ("pointer", "key", "none"):
        raise InvalidArgument(f"'{kind}' is no type of input that can be performed")
    items = source["actions"]
    if not all(isinstance(item, dict) for item in items):
        raise InvalidArgument("every action must be an object")
    return str(kind), items


class _Pointer:
    def __init__(self, id: str, centre: Callable[[str], tuple[int, int]]) -> None:
        self._id = id
        self._centre = centre
        self._time = 0
        self._at: tuple[float, float] | None = None
        self._touch: Touch | None = None

    def read(self, items: list[dict[str, Any]]) -> list[Touch]:
        done: list[Touch] = []
        for item in items:
            match item.get("type"):
                case "pause":
                    self._time += _duration(item)
                case "pointerMove":
                    if self._touch:  # it has rested until now
                        self._touch.way.append(self._sample())
                    self._time += _duration(item)
                    self._at = self._place(item)
                    if self._touch:
                        self._touch.way.append(self._sample())
                case "pointerDown" if self._touch is None:
                    self._touch = Touch([self._sample()])
                case "pointerUp":
                    done += self._lift()
                case "pointerCancel":
                    self._touch = None
                case other:
                    raise InvalidArgument(f"'{other}' is not expected in action '{self._id}'")
        return done

    def _lift(self) -> list[Touch]:
        touch, self._touch = self._touch, None
        if touch is None:
            return []
        touch.lifted = self._time
        return [touch]

    def _sample(self) -> Sample:
        if self._at is None:
            words = "should be preceded with at least one item with coordinates"
            raise InvalidArgument(f"The first touch of action '{self._id}' {words}")
        return Sample(self._time, *self._at)

    def _place(self, item: dict[str, Any]) -> tuple[float, float]:
        x, y = (number(item.get(axis, 0), f"{axis} of action {self._id}") for axis in "xy")
        origin = item.get("origin", "viewport")
        if origin == "viewport":
            return x, y
        if origin == "pointer":
            base = self._sample()
            return base.x + x, base.y + y
        left, top = self._centre(_element_id(origin))
        return left + x, top + y


def _element_id(origin: Any) -> str:
    members = origin.items() if isinstance(origin, dict) else [(ELEMENT, origin)]
    ids = [each for name, each in members if name.lower().startswith(ELEMENT)]
    if not ids or not isinstance(ids[0], str):
        raise InvalidArgument(f"An unknown element '{origin}' is set as origin")
    return ids[0]


def _duration(item: dict[str, Any]) -> int:
    duration = item.get("duration")
    found = DEFAULT_MOVE if duration is None else number(duration, "duration")
    if found < 0:
        raise InvalidArgument("duration must be a number that is not negative")
    return round(found)


def _keys(items: list[dict[str, Any]]) -> list[Press]:
    time, meta, presses = 0, 0, list[Press]()
    for item in items:
        kind, value = item.get("type"), item.get("value")
        if kind == "pause":
            time += _duration(item)
            continue
        if kind not in ("keyDown", "keyUp") or not isinstance(value, str) or not value:
            raise InvalidArgument(f"'{kind}' is not expected in an action of keys")
        if value in _META:
            meta = meta | _META[value] if kind == "keyDown" else meta & ~_META[value]
        elif kind == "keyDown":
            presses.append(Press(time, value, meta))
    return presses


def _press(phone: Phone, press: Press) -> None:
    if press.value in _KEYS:
        phone.key(_KEYS[press.value], press.meta)
    elif press.meta & ~0x1 and press.value.isascii() and press.value.isalnum():
        phone.key(press.value.upper(), press.meta)
    else:
        phone.clock.input_happened()
        phone.ime.commit(press.value)
