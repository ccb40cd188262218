"""Anthropic's computer use: uses of the tool or toolset `computer` as JSON, phone functions."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from pytest_mobileagent.action import Action, Type, Wait
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.dialect import computer
from pytest_mobileagent.dialect.dialect import Decision, Dialect, Frame
from pytest_mobileagent.dialect.parts import DialectError, cannot_say, quoted, reading, unknown
from pytest_mobileagent.dialect.reading import OPPOSITE, amount, number, point
from pytest_mobileagent.dialect.reading import direction as as_direction

if TYPE_CHECKING:
    from collections.abc import Mapping

Point = tuple[float, float]
Version = Literal["20241022", "20250124", "20251124", "20260801"]

TOOLSET: Version = "20260801"
TOOLSET_NAME = "computer"

_CLICKS = 5  # of the wheel, which scroll half a screen (one `Scroll`)
_SCROLLS = 5  # the most that are made for one use of the tool
_SIGNALS = ("screenshot", "cursor_position", "zoom")
_REPEATS = 100  # the most times that a key is repeated (the API's limit)
_HOLD = 1.0  # seconds of a long press by mouse down and up on the same point, without a wait


@dataclass(frozen=True, slots=True)
class AnthropicComputerUse(Dialect):
    """The tool `computer`. Coordinates are pixels of the picture that was sent.

    A reply is the JSON of the tool's input, `{"action": "left_click", "coordinate": [x, y]}`, or a
    list of such objects; with "20260801", the call of a toolset's member, `{"toolset_name":
    "computer", "name": "left_click", "input": {"coordinate": [x, y]}}`. A function call is
    `{"name": "open_app", "input": {"name": "Clock"}}`; `computer.PHONE_FUNCTIONS` lists the
    functions that a computer does not have (back, home, …). A closing message is
    `{"type": "message", "content": "…"}`.

    `version` is the tool's version, in which decisions are printed; all of them are read. With
    "20241022", clicks happen at the current position of the mouse; in later versions, only clicks
    without a coordinate do. `cursor` is where the mouse is, and `pressed` where its left button was
    pressed, in the picture's pixels. `after` returns the dialect with the mouse after a reply.

    On a touchscreen, a right click is a long press, and so is pressing and releasing the left
    button on the same point. Moving the mouse has no effect; a reply that does nothing else is the
    signal "mouse". The wheel's direction is the content's; five clicks scroll half a screen.
    "screenshot", "cursor_position" and "zoom" are signals. Keys held during a click or a scroll
    have no effect. Key combinations, triple clicks and the middle button, which no phone has, fail.

    Source: Anthropic's documentation "Computer use tool", and anthropics/claude-quickstarts,
    `computer-use-demo` (the position of clicks in version 20241022). The tool was not made for
    phones: the effect of a mouse on a touchscreen is this project's interpretation.
    """

    name = "anthropic_computer_use"
    version: Version = "20251124"
    cursor: Point | None = None
    pressed: Point | None = None

    def _read(self, words: str, frame: Frame) -> Decision | Action:
        mouse, actions, signal = self, [], ""
        waited, moved = 0.0, False
        for each in _uses(computer.json_value(words)):
            name = each.get("action")
            if name in _SIGNALS:
                self.region(each, frame)
                signal = str(name)
                continue
            if name == "wait" and mouse.pressed:
                waited += amount(each.get("duration", 1))
            actions += mouse._actions(each, frame, waited)
            mouse = mouse._moved(each)
            moved = moved or name in ("mouse_move", "left_mouse_down")
        signal = signal or (computer.MOUSE if moved and not actions else "")
        return Decision(tuple(actions), signal=signal)

    def after(self, words: str) -> AnthropicComputerUse:
        """Return this dialect with the state of the mouse after a reply.

        Raises:
            DialectError: if the reply does not consist of uses of the tool.
        """
        mouse = self
        with reading(words):
            for each in _uses(computer.json_value(words)):
                mouse = mouse._moved(each)
        return mouse

    def region(self, use: Mapping[str, Any], frame: Frame) -> tuple[int, int, int, int]:
        """Return the part of the screen that a zoom shows: left, top, right, bottom, in pixels.

        Without a region, it is the whole screen.

        Raises:
            DialectError: if the region is not two corners, or nothing in it is on the screen.
        """
        sides = (frame.shown or frame.size) * 2
        region = use.get("region")
        region = [0, 0, *sides[:2]] if region is None else region
        if not isinstance(region, list) or len(region) != 4:
            raise DialectError(f"a region has four numbers, not {quoted(region)}")
        left, top, right, bottom = (
            round(max(0.0, min(number(each), side)) * pixels / side)
            for each, side, pixels in zip(region, sides, frame.size * 2, strict=True)
        )
        if left >= right or top >= bottom:
            raise DialectError(f"no part of the screen is in the region {quoted(region)}")
        return left, top, right, bottom

    def print(self, decision: Decision, frame: Frame) -> str:
        """Return a decision as JSON: an object for one use of the tool, a list for several."""
        uses = [each for action in decision.actions for each in self._calls_of(action, frame)]
        if decision.signal in _SIGNALS:
            uses.append({"action": decision.signal})
        elif decision.signal:
            raise cannot_say(self.name, decision.signal)
        if self.version == TOOLSET:
            uses = [_member(each) for each in uses]
        return json.dumps(uses[0] if len(uses) == 1 else uses, ensure_ascii=False)

    def _moved(self, use: dict[str, Any]) -> AnthropicComputerUse:
        at = point(use["coordinate"]) if use.get("coordinate") is not None else self.cursor
        match use.get("action"):
            case "left_mouse_down":
                return replace(self, cursor=at, pressed=at)
            case "mouse_move" | "wait":
                return replace(self, cursor=at)
        return replace(self, cursor=at, pressed=None)

    def _actions(self, use: dict[str, Any], frame: Frame, waited: float) -> list[Action]:
        name = use.get("action")
        if not isinstance(name, str):
            return [computer.function_action(use, lambda at: frame.pixel(*at))]
        match name:
            case "left_click":
                return [Tap(*self._pixel(use, frame))]
            case "right_click":
                return [LongPress(*self._pixel(use, frame))]
            case "double_click":
                return [DoubleTap(*self._pixel(use, frame))]
            case "left_click_drag":
                return [self._drag(use, frame)]
            case "left_mouse_up":
                return [self._up(use, frame, waited)]
            case "scroll":
                return self._scroll(use, frame)
            case "wait" if self.pressed:
                return []
            case "mouse_move" | "left_mouse_down":
                return []
            case "type":
                return [computer.typed(use.get("text"))]
            case "key":
                times = max(1, min(int(amount(use.get("repeat") or 1)), _REPEATS))
                return [computer.one_key(use.get("text", use.get("key")))] * times
            case "wait":
                return [Wait(amount(use.get("duration", 1)))]
            case "triple_click" | "middle_click" | "hold_key":
                raise DialectError(f"a touchscreen has no {name.replace('_', ' ')}")
        raise unknown("action", name)

    def _pixel(self, use: dict[str, Any], frame: Frame) -> tuple[int, int]:
        at = point(use["coordinate"]) if use.get("coordinate") is not None else self.cursor
        if at is None:
            msg = f"{quoted(use)} has no coordinate, and the mouse was not moved before"
            raise DialectError(msg)
        return frame.pixel(*at)

    def _drag(self, use: dict[str, Any], frame: Frame) -> Swipe:
        start = use.get("start_coordinate")
        begin = self.cursor if start is None else point(start)
        if begin is None or use.get("coordinate") is None:
            raise DialectError(f"{quoted(use)} needs a start and an end point")
        return Swipe(*frame.pixel(*begin), *self._pixel(use, frame))

    def _up(self, use: dict[str, Any], frame: Frame, waited: float) -> Action:
        if self.pressed is None:
            raise DialectError("the left button is released, but was not pressed")
        begin, end = frame.pixel(*self.pressed), self._pixel(use, frame)
        return LongPress(*begin, waited or _HOLD) if begin == end else Swipe(*begin, *end)

    def _scroll(self, use: dict[str, Any], frame: Frame) -> list[Action]:
        content = as_direction(use.get("scroll_direction"))
        clicks = amount(use.get("scroll_amount", _CLICKS))
        anywhere = use.get("coordinate") is None and self.cursor is None
        at = None if anywhere else self._pixel(use, frame)
        times = 0 if clicks <= 0 else max(1, min(round(clicks / _CLICKS), _SCROLLS))
        return [Scroll(OPPOSITE[content], at)] * times

    def _calls_of(self, action: Action, frame: Frame) -> list[dict[str, Any]]:
        match action:
            case Tap(x, y):
                return self._click("left_click", x, y, frame)
            case LongPress(x, y):
                return self._click("right_click", x, y, frame)
            case DoubleTap(x, y):
                return self._click("double_click", x, y, frame)
            case Swipe(x1, y1, x2, y2):
                start, end = frame.whole(x1, y1), frame.whole(x2, y2)
                if self.version == "20241022":
                    return [_use("mouse_move", start), _use("left_click_drag", end)]
                return [{**_use("left_click_drag", end), "start_coordinate": start}]
        if self.version != "20241022":
            match action:
                case Scroll(direction, at):
                    place = {"coordinate": frame.whole(*at)} if at else {}
                    more = {"scroll_direction": OPPOSITE[direction], "scroll_amount": _CLICKS}
                    return [{"action": "scroll", **place, **more}]
                case Wait(seconds):
                    return [{"action": "wait", "duration": seconds}]
        if isinstance(action, Type):
            return [{"action": "type", "text": computer.typed_text(action, self.name)}]
        return [_function(action, self.name)]

    def _click(self, name: str, x: int, y: int, frame: Frame) -> list[dict[str, Any]]:
        at = frame.whole(x, y)
        if self.version == "20241022":
            return [_use("mouse_move", at), {"action": name}]
        return [_use(name, at)]


def _uses(value: Any) -> list[dict[str, Any]]:
    uses = value if isinstance(value, list) else [value]
    for each in uses:
        if not isinstance(each, dict):
            raise DialectError(f"{quoted(each)} is not a use of a tool")
    return [_input(each) for each in uses]


def _input(use: dict[str, Any]) -> dict[str, Any]:
    """Return the input of the tool, also for a member of the toolset; other uses unchanged."""
    inner = use.get("input", use.get("arguments"))
    if use.get("toolset_name") == TOOLSET_NAME:
        return {**(inner if isinstance(inner, dict) else {}), "action": use.get("name")}
    return inner if use.get("name") == "computer" and isinstance(inner, dict) else use


def _member(use: dict[str, Any]) -> dict[str, Any]:
    """Return the call of the toolset's member for an input of the tool; other uses unchanged."""
    if "action" not in use:
        return use
    given = {name: value for name, value in use.items() if name != "action"}
    return {"toolset_name": TOOLSET_NAME, "name": use["action"], "input": given}


def _function(action: Action, dialect: str) -> dict[str, Any]:
    call = computer.function_call(action, dialect)
    if call.get("type") == "keypress":
        return {"action": "key", "text": call["keys"][0]}
    if "name" in call:
        return {"name": call["name"], "input": call["arguments"]}
    return call


def _use(name: str, at: tuple[int, int]) -> dict[str, Any]:
    return {"action": name, "coordinate": at}
