"""The dual-gesture actions of Android in the Wild, in the format of Auto-UI and DigiRL."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal, get_args

from pytest_mobileagent.action import Action, Finish, Impossible, Key, Type
from pytest_mobileagent.action.gestures import Scroll, Swipe, Tap
from pytest_mobileagent.dialect.dialect import Decision, Dialect, Frame, Parts
from pytest_mobileagent.dialect.parts import DialectError, cannot_say, quoted
from pytest_mobileagent.dialect.reading import NUMBER, number, spoken

Point = tuple[float, float]  # (y, x), the dialect's order
Kind = Literal[
    "DUAL_POINT", "TYPE", "PRESS_BACK", "PRESS_HOME", "PRESS_ENTER", "STATUS_TASK_COMPLETE",
    "STATUS_TASK_IMPOSSIBLE",
]  # fmt: skip
_KINDS: dict[str, Kind] = {
    **{kind: kind for kind in get_args(Kind)},
    "TASK_COMPLETE": "STATUS_TASK_COMPLETE",
    "TASK_IMPOSSIBLE": "STATUS_TASK_IMPOSSIBLE",
}
_WITHOUT_ARGUMENTS: dict[Kind, Action] = {
    "PRESS_BACK": Key("back"),
    "PRESS_HOME": Key("home"),
    "PRESS_ENTER": Key("enter"),
    "STATUS_TASK_COMPLETE": Finish(),
    "STATUS_TASK_IMPOSSIBLE": Impossible(),
}
_UNUSED: Point = (-1.0, -1.0)

# Auto-UI is trained with one gesture per direction (`scroll_map` of its utils_data.py).
GESTURES: dict[str, tuple[Point, Point]] = {
    "up": ((0.8, 0.5), (0.2, 0.5)),
    "down": ((0.2, 0.5), (0.8, 0.5)),
    "left": ((0.5, 0.8), (0.5, 0.2)),
    "right": ((0.5, 0.2), (0.5, 0.8)),
}

# The kinds that the parsers of DigiRL and SPA-Bench know, and the number of parts they expect.
_CODE_WITHOUT_ARGUMENTS = (
    "PRESS_HOME", "PRESS_BACK", "PRESS_ENTER", "STATUS_TASK_COMPLETE", "TASK_IMPOSSIBLE",
)  # fmt: skip
_PARTS = 6
_DECISION = re.compile(r"Action Decision\s*[:：]\s*", re.IGNORECASE)
_PLAN = re.compile(r"Action Plan\s*[:：]\s*\[([^\]]*)\]", re.IGNORECASE)
_KIND = re.compile(r"[\"']?action_type[\"']?\s*[:：]\s*[\"']?\s*(\w+)", re.IGNORECASE)
_TEXT = re.compile(r"[\"']?typed_text[\"']?\s*[:：]\s*(.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Gesture:
    """One action in the dialect's terms: points are (y, x) in fractions of the screen."""

    kind: Kind
    touch: Point = _UNUSED
    lift: Point = _UNUSED
    text: str = ""

    def line(self) -> str:
        """Return the action as text, in the format of a reply and of a history."""
        touch, lift = (_point_words(point) for point in (self.touch, self.lift))
        return (
            f'"action_type": "{self.kind}", "touch_point": "{touch}", "lift_point": "{lift}", '
            f'"typed_text": "{self.text}"'
        )


def _code_gesture(parts: list[str]) -> Gesture:
    """Return the gesture of a decision's six parts, which the code identifies by position.

    Raises:
        DialectError: if the kind is unknown, or a part that it needs is missing.
    """
    values = [part.split(": ")[1:2] for part in parts]
    kind = "".join(values[0]).strip('"')
    if kind in _CODE_WITHOUT_ARGUMENTS:
        return Gesture(_KINDS[kind])
    try:
        if kind == "TYPE":
            return Gesture("TYPE", text=values[5][0].strip('"'))
        if kind == "DUAL_POINT":
            ends = [(f"{values[at][0]}, {parts[at + 1]}").strip('[]"') for at in (1, 3)]
            (y1, x1), (y2, x2) = ([float(each) for each in end.split(", ")] for end in ends)
            return Gesture("DUAL_POINT", (y1, x1), (y2, x2))
    except (IndexError, ValueError):
        pass
    raise DialectError(f"there is no action {quoted(kind)}, or a part that it needs is missing")


@dataclass(frozen=True, slots=True)
class Aitw(Dialect):
    """`Action Plan: […]; Action Decision: "action_type": "DUAL_POINT", "touch_point": …`.

    Points are fractions of the screen, (y, x), with four decimals. Sources: Android in the Wild
    (arXiv 2307.10088, section 3.2 and action_matching.py), Auto-UI (cooelf/Auto-GUI), DigiRL
    (autoui_utils.py and env.py), SPA-Bench (framework/models/AutoUI and DigiRL). Variants:

    - "auto-ui": two points are a tap if they are at most 0.04 of the screen apart, as in AITW.
    - "digirl": they are a tap if they are less than √10 pixels apart. A decision that has all its
      parts, but is invalid, does nothing: signal "idle".
    - "spa-bench": like "digirl", but without idling; and typing clears the field first and presses
      enter afterwards (its device.py), which neither the data nor DigiRL does.

    The released parsers know only TASK_IMPOSSIBLE, although models are trained to write
    STATUS_TASK_IMPOSSIBLE, and they cannot read typed text that contains ", " or ": ". This class
    follows the papers and reads all of these. A scroll is printed as Auto-UI's gesture, a swipe.
    """

    name = "aitw"
    title = "AITW"
    on_error = "give up"

    variant: Literal["auto-ui", "digirl", "spa-bench"] = "auto-ui"

    def _read(self, words: str, frame: Frame) -> Decision | Action:
        plan = _PLAN.search(words)
        parts = {"plan": plan[1].strip()} if plan else {}
        try:
            action = self._action(Aitw.gesture_in(words), frame)
        except DialectError as error:
            if self.variant == "digirl" and _has_all_parts(words):
                return Decision(said={**parts, "problem": str(error)}, signal="idle")
            raise
        return Decision((action,), parts)

    def _read_strictly(self, words: str, frame: Frame) -> Decision | Action:
        """Return the action as DigiRL's and SPA-Bench's parsers read it, from six exact parts.

        Auto-UI was released without code that acts on replies, so "auto-ui" is read as by `parse`.
        """
        if self.variant == "auto-ui":
            return self._read(words, frame)
        _, found, behind = words.partition("Action Decision: ")
        parts = behind.split("Action Decision: ")[0].split(", ")
        if not found or len(parts) != _PARTS:
            raise DialectError(f"the decision does not have six parts: {quoted(words)}")
        try:
            return self._action(_code_gesture(parts), frame)
        except DialectError as error:
            if self.variant == "digirl":
                return Decision(said={"problem": str(error)}, signal="idle")
            raise

    def _print(self, action: Action, parts: Parts, frame: Frame) -> str:
        line = self._gesture(action, frame).line()
        plan = f"Action Plan: [{parts['plan']}]; " if "plan" in parts else ""
        return f"{plan}Action Decision: {line}"

    def _action(self, gesture: Gesture, frame: Frame) -> Action:
        if gesture.kind == "DUAL_POINT":
            return self._touch(gesture, frame)
        if gesture.kind == "TYPE":
            spa = self.variant == "spa-bench"
            return Type(gesture.text, clear=spa, enter=spa)
        return _WITHOUT_ARGUMENTS[gesture.kind]

    def _touch(self, gesture: Gesture, frame: Frame) -> Tap | Swipe:
        start = frame.pixel(gesture.touch[1], gesture.touch[0], (1, 1))
        end = frame.pixel(gesture.lift[1], gesture.lift[0], (1, 1))
        if self._is_tap(gesture, frame):
            return Tap(*start)
        # The swipe of uiautomator2 in SPA-Bench's device.py takes half a second.
        return Swipe(*start, *end, seconds=0.5 if self.variant == "spa-bench" else 0.3)

    def _is_tap(self, gesture: Gesture, frame: Frame) -> bool:
        dy = gesture.touch[0] - gesture.lift[0]
        dx = gesture.touch[1] - gesture.lift[1]
        if self.variant == "auto-ui":
            return math.hypot(dx, dy) <= 0.04
        width, height = frame.size
        return (dx * width) ** 2 + (dy * height) ** 2 < 10

    def _gesture(self, action: Action, frame: Frame) -> Gesture:
        spa = self.variant == "spa-bench"
        match action:
            case Tap(x, y):
                point = _fraction(x, y, frame)
                return Gesture("DUAL_POINT", point, point)
            case Swipe(x1, y1, x2, y2):
                swipe = Gesture("DUAL_POINT", _fraction(x1, y1, frame), _fraction(x2, y2, frame))
                if not self._is_tap(swipe, frame):
                    return swipe
            case Scroll(direction, None):
                return Gesture("DUAL_POINT", *GESTURES[direction])
            case Type(typed, None, clear, enter) if clear == enter == spa:
                return Gesture("TYPE", text=typed)
        for kind, alone in _WITHOUT_ARGUMENTS.items():
            if action == alone:
                return Gesture(kind)
        raise cannot_say(self.title, action)

    @staticmethod
    def decision_of(words: str) -> str:
        """Return the text after "Action Decision:", or the whole reply without this heading."""
        parts = _DECISION.split(spoken(words), maxsplit=2)
        return parts[1] if len(parts) > 1 else parts[0]

    @staticmethod
    def gesture_in(words: str) -> Gesture:
        """Return the gesture in a model's reply, or in a line of a history.

        Raises:
            DialectError: if the text has no gesture.
        """
        decision = Aitw.decision_of(words)
        found = _KIND.search(decision)
        if found is None:
            raise DialectError(f'there is no "action_type" in {quoted(decision)}')
        kind = _KINDS.get(found[1].upper())
        if kind is None:
            raise DialectError(f"there is no action of the type {quoted(found[1])}")
        if kind == "DUAL_POINT":
            return Gesture(kind, _point("touch_point", decision), _point("lift_point", decision))
        return Gesture(kind, text=_typed(decision)) if kind == "TYPE" else Gesture(kind)


def _has_all_parts(words: str) -> bool:
    """Return whether DigiRL's parser finds the six parts of a decision."""
    return "Action Decision: " in words and Aitw.decision_of(words).count(", ") == 5


def _point(name: str, decision: str) -> Point:
    pattern = rf"{name}[\"']?\s*[:：]\s*[\"'\[(\s]*({NUMBER})\s*[,，]\s*({NUMBER})\s*[\])\"']"
    found = re.search(pattern, decision, re.IGNORECASE)
    if found is None:
        raise DialectError(f'there is no "{name}" of two numbers in {quoted(decision, 160)}')
    return number(found[1], "y"), number(found[2], "x")


def _typed(decision: str) -> str:
    found = _TEXT.search(decision)
    if found is None or not found[1].strip():
        raise DialectError(f'there is no "typed_text" in {quoted(decision, 160)}')
    rest = found[1].strip().removesuffix("}").rstrip()
    if rest[:1] in ("'", '"'):
        end = rest.rfind(rest[0])
        return rest[1:end] if end > 0 else rest[1:]
    return rest


def _fraction(x: int, y: int, frame: Frame) -> Point:
    fx, fy = frame.point(x, y, (1, 1))
    return round(fy, 4), round(fx, 4)


def _point_words(point: Point) -> str:
    return "[-1.0, -1.0]" if point == _UNUSED else f"[{point[0]:.4f}, {point[1]:.4f}]"
