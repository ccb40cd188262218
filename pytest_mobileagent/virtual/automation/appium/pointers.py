"""W3C actions: what fingers and keys do one tick after the other, as touches of the phone."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pytest_mobileagent.virtual.automation.appium.errors import InvalidArgument
from pytest_mobileagent.virtual.system.input.gestures import SLOP, SLOW

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_mobileagent.virtual.phone import Phone

ELEMENT = "element"
DEFAULT_MOVE = 0  # ms
STILL = 100  # ms of rest after which a finger that is lifted flings nothing
_KEYS: Final = {  # WebDriver's own characters, by Android's names
    "\ue002": "HELP",
    "\ue003": "DEL",
    "\ue004": "TAB",
    "\ue005": "CLEAR",
    "\ue006": "ENTER",
    "\ue007": "ENTER",
    "\ue00c": "ESCAPE",
    "\ue00d": "SPACE",
    "\ue00e": "PAGE_UP",
    "\ue00f": "PAGE_DOWN",
    "\ue010": "MOVE_END",
    "\ue011": "MOVE_HOME",
    "\ue012": "DPAD_LEFT",
    "\ue013": "DPAD_UP",
    "\ue014": "DPAD_RIGHT",
    "\ue015": "DPAD_DOWN",
    "\ue017": "FORWARD_DEL",
}
_META: Final = {  # the keys that modify others, by Android's bits
    "\ue008": 0x1,
    "\ue009": 0x1000,
    "\ue00a": 0x2,
    "\ue03d": 0x10000,
    "\ue050": 0x1,
    "\ue051": 0x1000,
    "\ue052": 0x2,
}


@dataclass(frozen=True, slots=True)
class Sample:
    """Where a finger is at some time."""

    time: int  # ms
    x: float
    y: float


@dataclass(slots=True)
class Touch:
    """The way of one finger, from touching the screen to leaving it."""

    way: list[Sample] = field(default_factory=list)
    lifted: int = 0

    @property
    def start(self) -> Sample:
        """Where it touches."""
        return self.way[0]

    @property
    def end(self) -> Sample:
        """Where it leaves."""
        return self.way[-1]

    def farthest(self) -> float:
        """Give how far it has been from where it touched, in pixels."""
        return max(_distance(self.start, sample) for sample in self.way)

    def held(self, slop: float) -> int:
        """Give how long it has rested at first, in ms."""
        moved = [i for i, each in enumerate(self.way) if _distance(self.start, each) > slop]
        until = self.way[moved[0] - 1].time if moved else self.lifted
        return until - self.start.time


@dataclass(frozen=True, slots=True)
class Press:
    """A key that goes down."""

    time: int
    value: str
    meta: int


def perform(phone: Phone, actions: Any, centre: Callable[[str], tuple[int, int]]) -> None:
    """Do what the sources of input do; `centre` tells where an element is, by its id."""
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
    play(phone, touches, presses)


def play(phone: Phone, touches: Iterable[Touch], presses: Iterable[Press] = ()) -> None:
    """Do touches and presses in the order in which they begin; two fingers at once pinch."""
    todo = sorted(touches, key=lambda touch: touch.start.time)
    keys = sorted(presses, key=lambda press: press.time)
    while todo:
        touch = todo.pop(0)
        while keys and keys[0].time < touch.start.time:
            _press(phone, keys.pop(0))
        if todo and todo[0].start.time < touch.lifted:
            _together(phone, touch, todo.pop(0))
        else:
            _alone(phone, touch)
    for press in keys:
        _press(phone, press)


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
    """Reads the items of one finger."""

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
                    if self._touch:  # it has rested up to now
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
        x, y, origin = item.get("x", 0), item.get("y", 0), item.get("origin", "viewport")
        if not all(isinstance(v, int | float) and math.isfinite(v) for v in (x, y)):
            raise InvalidArgument(f"Both coordinates must be numbers in action '{self._id}'")
        if origin == "viewport":
            return float(x), float(y)
        if origin == "pointer":
            base = self._sample()
            return base.x + x, base.y + y
        left, top = self._centre(_element_id(origin))
        return left + x, top + y


def _element_id(origin: Any) -> str:
    ids = (
        [each for name, each in origin.items() if name.lower().startswith(ELEMENT)]
        if isinstance(origin, dict)
        else [origin]
    )
    if not ids or not isinstance(ids[0], str):
        raise InvalidArgument(f"An unknown element '{origin}' is set as origin")
    return ids[0]


def _duration(item: dict[str, Any]) -> int:
    duration = item.get("duration", DEFAULT_MOVE)
    if duration is None:
        return DEFAULT_MOVE
    if not isinstance(duration, int | float) or isinstance(duration, bool) or duration < 0:
        raise InvalidArgument("duration must be a number that is not negative")
    return round(duration)


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


def _alone(phone: Phone, touch: Touch) -> None:
    """Do what one finger does: tap, hold, hold and drag, or swipe, leg by leg where it turns."""
    slop = phone.display.metrics.px(SLOP)
    start, end = touch.start, touch.end
    timeout = int(phone.settings.text("secure", "long_press_timeout", "400"))
    if touch.farthest() <= slop:
        phone.swipe(start.x, start.y, end.x, end.y, touch.lifted - start.time)
    elif touch.held(slop) >= timeout:
        phone.gestures.drag(start.x, start.y, end.x, end.y, touch.lifted - start.time)
    else:
        legs = _legs(touch.way)
        for leg in legs[:-1]:
            phone.swipe(leg[0].x, leg[0].y, leg[-1].x, leg[-1].y, SLOW)
        first, last = _begin(legs[-1]), legs[-1][-1]
        spent = SLOW if touch.lifted - last.time >= STILL else max(1, last.time - first.time)
        phone.swipe(first.x, first.y, last.x, last.y, spent)


def _begin(leg: list[Sample]) -> Sample:
    """Give the moment in which a finger starts off on a leg."""
    moved = (at for at, sample in enumerate(leg) if (sample.x, sample.y) != (leg[0].x, leg[0].y))
    return leg[next(moved, 1) - 1]


def _legs(way: list[Sample]) -> list[list[Sample]]:
    """Cut a way where the finger turns back."""
    legs = [[way[0]]]
    for sample in way[1:]:
        leg = legs[-1]
        if len(leg) > 1:
            before = (leg[-1].x - leg[0].x, leg[-1].y - leg[0].y)
            after = (sample.x - leg[-1].x, sample.y - leg[-1].y)
            if before[0] * after[0] + before[1] * after[1] < 0:
                legs.append([leg[-1]])
        legs[-1].append(sample)
    return legs


def _together(phone: Phone, one: Touch, other: Touch) -> None:
    """Do what two fingers do: a pinch if their distance changes, else what the first does."""
    before, after = _distance(one.start, other.start), _distance(one.end, other.end)
    middle = ((one.start.x + other.start.x) / 2, (one.start.y + other.start.y) / 2)
    if abs(after - before) > phone.display.metrics.px(SLOP):
        phone.pinch(*middle, max(after, 1.0) / max(before, 1.0))
    else:
        _alone(phone, one)


def _distance(one: Sample, other: Sample) -> float:
    return math.hypot(one.x - other.x, one.y - other.y)
