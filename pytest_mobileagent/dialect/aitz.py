"""The calls of AITZ (Android in the Zoo), and the actions of its annotations."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pytest_mobileagent.action import Action, Finish, Impossible, Key, Type
from pytest_mobileagent.action.gestures import Scroll, Tap
from pytest_mobileagent.dialect.aitw import Aitw, Gesture, Kind
from pytest_mobileagent.dialect.dialect import Decision, Dialect, Frame, Parts
from pytest_mobileagent.dialect.parts import DialectError, cannot_say, quoted, unknown
from pytest_mobileagent.dialect.reading import direction as as_direction
from pytest_mobileagent.dialect.reading import name_for, number, object_in, point, spoken, text

if TYPE_CHECKING:
    from collections.abc import Mapping

_SCALE = (1000, 1000)
_WITHOUT_ARGUMENTS: dict[str, Action] = {
    "press_enter": Key("enter"),
    "press_home": Key("home"),
    "press_back": Key("back"),
}
_PARTS = {"THINK": "thought", "NEXT": "next"}
# AITW's action types by their numbers in annotations (coat/action_utils.py).
KINDS: dict[int, Kind] = {
    3: "TYPE", 4: "DUAL_POINT", 5: "PRESS_BACK", 6: "PRESS_HOME", 7: "PRESS_ENTER",
    10: "STATUS_TASK_COMPLETE", 11: "STATUS_TASK_IMPOSSIBLE",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Aitz(Dialect):
    """`{"ACTION": "click_element", "ARGS": {"bbox": [x1, y1, x2, y2]}}`, a call in JSON.

    Boxes are in thousandths of the picture, (x, y); a tap is at the centre. Sources: AITZ (arXiv
    2403.02713; coat/config.yaml, agent.py and evaluate.py of IMNearth/CoAT). `screen` is what the
    model was shown, and determines how taps are printed: as boxes for "text", as numbers of marks,
    from 0, for "marks". Both are read. Scroll directions are the finger's, as in the annotations;
    the prompt's "down" is the content's, but its "up", which opens the app drawer, contradicts it.

    A step of the annotations (`result_action_type`, `result_touch_yx`, …) is read, too. Two points
    at most 0.04 apart are a tap where the finger lifts. Other pairs are a scroll, which is vertical
    if its height is at least 0.9 times its width, as in extract_gt_action of action_utils.py.
    """

    name = "aitz"
    title = "AITZ"

    screen: Literal["text", "marks"] = "text"

    def _read(self, words: str, frame: Frame) -> Decision | Action:
        data = _object(spoken(words))
        if "result_action_type" in data:
            return _annotated(data, frame)
        parts = {name: str(data[key]) for key, name in _PARTS.items() if key in data}
        arguments = data.get("ARGS") or {}
        if not isinstance(arguments, dict):
            raise DialectError(f"ARGS is not an object in {quoted(words)}")
        return Decision((_called(text(data.get("ACTION")), arguments, frame),), parts)

    def _print(self, action: Action, parts: Parts, frame: Frame) -> str:
        named = {key: parts[name] for key, name in _PARTS.items() if name in parts}
        name, arguments = self._call(action, frame)
        return json.dumps({**named, "ACTION": name, "ARGS": arguments}, ensure_ascii=False)

    def _call(self, action: Action, frame: Frame) -> tuple[str, dict[str, Any]]:
        match action:
            case Tap(x, y) if self.screen == "marks":
                return "click_element", {"idx": _index(frame.mark_at(x, y).label)}
            case Tap(x, y):
                return "click_element", {"bbox": [*frame.thousandths(x, y)] * 2}
            case Scroll(direction, None):
                return "scroll", {"direction": direction}
            case Type(typed, None, False, False):
                return "input", {"text": typed}
            case Finish("") | Impossible():
                status = "success" if isinstance(action, Finish) else "failure"
                return "stop", {"task_status": status}
        if name := name_for(action, _WITHOUT_ARGUMENTS):
            return name, {}
        raise cannot_say(self.title, action)


def _index(label: str) -> int:
    if not label.isdecimal():
        raise DialectError(f"AITZ marks are numbered; it cannot express {quoted(label)}")
    return int(label)


def _object(words: str) -> dict[str, Any]:
    """Return the object in a reply; a missing last brace is added, as by CoAT's agent."""
    keys = ("ACTION", "result_action_type")
    try:
        return object_in(words, *keys)
    except DialectError as error:
        try:
            return object_in(words.rstrip("` \n") + "}", *keys)
        except DialectError:
            raise error from None


def _called(name: str, arguments: Mapping[str, Any], frame: Frame) -> Action:
    """Return the action of a call; names are matched by substring, as in evaluate.py."""
    call = name.strip().lower()
    if "click" in call:
        return _clicked(arguments, frame)
    if "scroll" in call:
        return Scroll(as_direction(arguments.get("direction")))
    if call == "input" or "type" in call:
        return Type(text(arguments.get("text")))
    if "stop" in call:
        failed = str(arguments.get("task_status")).lower() in ("failure", "impossible")
        return Impossible() if failed else Finish()
    if call in _WITHOUT_ARGUMENTS:
        return _WITHOUT_ARGUMENTS[call]
    raise unknown("function", name)


def _clicked(arguments: Mapping[str, Any], frame: Frame) -> Tap:
    box, index = arguments.get("bbox"), arguments.get("idx")
    if box is None and index is not None:
        return Tap(*frame.mark(f"{number(index, 'idx'):g}").bounds.center)
    if not isinstance(box, list | tuple) or len(box) != 4:
        raise DialectError("click_element needs a bbox of four numbers, or an idx")
    left, top, right, bottom = (number(each, "a coordinate") for each in box)
    return Tap(*frame.pixel((left + right) / 2, (top + bottom) / 2, _SCALE))


def _annotated(data: Mapping[str, Any], frame: Frame) -> Action:
    kind = KINDS.get(int(number(data["result_action_type"], "result_action_type")))
    if kind is None:
        msg = f"there is no action with result_action_type {quoted(data['result_action_type'])}"
        raise DialectError(msg)
    if kind == "TYPE":
        return Type(text(data.get("result_action_text")))
    if kind != "DUAL_POINT":
        return Aitw().parse(Gesture(kind).line(), frame).actions[0]
    touch, lift = point(data.get("result_touch_yx")), point(data.get("result_lift_yx"))
    dy, dx = lift[0] - touch[0], lift[1] - touch[1]
    if dy * dy + dx * dx <= 0.04**2:
        return Tap(*frame.pixel(lift[1], lift[0], (1, 1)))
    if abs(dy) >= 0.9 * abs(dx):
        return Scroll("up" if dy < 0 else "down")
    return Scroll("left" if dx < 0 else "right")
