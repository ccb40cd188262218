"""The JSON actions of AndroidWorld, the format of its agents M3A and T3A."""

from __future__ import annotations

import ast
import dataclasses
import json
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action import Action, Finish, Impossible, Key, Open, Type, Wait
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.dialect.dialect import Decision, Dialect, Frame, Parts
from pytest_mobileagent.dialect.parts import DialectError, cannot_say, lacks, quoted, unknown
from pytest_mobileagent.dialect.reading import (
    ONLY_SIDEWAYS,
    OPPOSITE,
    direction,
    number,
    object_in,
    spoken,
)
from pytest_mobileagent.screen.element import Bounds

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_mobileagent.action.gestures import Direction

_FIELDS = {
    *("action_type", "index", "x", "y", "text", "direction", "goal_status", "app_name"),
    *("keycode", "clear_text"),
}
_TOUCHES: Mapping[str, Callable[[int, int], Action]] = {
    "click": Tap,
    "double_tap": DoubleTap,
    "long_press": LongPress,
}
_WITHOUT_FIELDS: Mapping[str, Action] = {
    "keyboard_enter": Key("enter"), "navigate_home": Key("home"), "navigate_back": Key("back"),
    "wait": Wait(1.0),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class AndroidWorld(Dialect):
    """`Reason: …` and `Action: {"action_type": "click", "index": 3}`.

    Source: google-research/android_world, agents/m3a.py, agents/m3a_utils.py, env/json_action.py
    and env/actuation.py, whose code this class follows. An index is the label of a mark, from "0";
    `x` and `y`, which the prompts do not offer, are pixels of the picture.

    - `input_text` taps the element, types, and presses enter; empty text does nothing.
    - `scroll` names the side of the content to show. Element 0 is an element like any other; in the
      original, and if it is read strictly, it means the whole screen.
    - `scroll` and `swipe` without a direction do nothing. As in the original, the direction
      of `swipe` (not in its prompts) is the finger's vertically, and the opposite horizontally.
    - `answer` is `Finish` with text, `status` is `Finish` without one (or `Impossible`). In
      AndroidWorld, an answer does not end the episode, and a status follows; an agent that
      reproduces this must hold the answer back until the status.
    - Texts with a closing brace are read completely; the original cuts them there, and fails.
    - Read strictly, scrolls and texts are what the original does to the phone (`actuated`).
    - `text_only` selects T3A's code, which crashes on a click without an index (`parse_strictly`).

    Unknown fields and indices are errors, as in the original. Text before the action is "reason".
    """

    name = "androidworld"
    title = "AndroidWorld"
    text_only: bool = False

    def _read(self, words: str, frame: Frame) -> Decision | Action:
        reason, action = _parts(words)
        return Decision(_actions(object_in(action), frame), {"reason": reason})

    def _read_strictly(self, words: str, frame: Frame) -> Decision | Action:
        """Return the decision as the code reads it: names are exact; strings contain no brace."""
        reason = re.search("Reason:(.*)Action:", words, re.DOTALL)
        action = re.search("Action:(.*)", words, re.DOTALL)
        if not (reason and reason[1].strip() and action and action[1].strip()):
            msg = f"the reply is not of the form 'Reason: … Action: …': {quoted(words)}"
            raise DialectError(msg)
        fields = _code_fields(action[1].strip())
        if self.text_only and fields["action_type"] == "click" and fields.get("index") is None:
            raise DialectError("a click without an index", on_error="crash")
        is_whole = fields["action_type"] == "swipe"
        index = int(number(fields.get("index") or 0, "index"))
        label = None if is_whole or index == 0 else str(index)
        if fields["action_type"] == "scroll" and label is None:
            fields = {**fields, "index": None}
        actions = (actuated(each, frame, label, is_whole) for each in _actions(fields, frame))
        return Decision(tuple(actions), {"reason": reason[1].strip()})

    def print(self, decision: Decision, frame: Frame) -> str:
        """Return the reply for a decision; the action is "unknown" if the decision has none."""
        if not decision.actions:
            return _reply({"action_type": "unknown"}, decision.said)
        return Dialect.print(self, decision, frame)

    def _print(self, action: Action, parts: Parts, frame: Frame) -> str:
        return _reply(_printed(action, frame), parts)

    @staticmethod
    def action_json(words: str) -> str:
        """Return the action of a reply as one line of JSON, for the history of M3A and T3A.

        Raises:
            DialectError: if the reply has no action.
        """
        return json.dumps(object_in(_parts(words)[1]), ensure_ascii=False)


def _parts(words: str) -> tuple[str, str]:
    """Return the reason, and everything after the first "Action:", without outer white space."""
    reply = spoken(words)
    for flags in (re.DOTALL, re.DOTALL | re.IGNORECASE):
        reason = re.search("Reason:(.*)Action:", reply, flags)
        action = re.search("Action:(.*)", reply, flags)
        if reason and action and reason[1].strip() and action[1].strip():
            return reason[1].strip(" \t\r\n*"), action[1].strip()
    raise DialectError(f"the reply is not of the form 'Reason: … Action: …': {quoted(reply)}")


def _code_fields(action: str) -> dict[str, Any]:
    """Return the fields as the code extracts them: in two passes, up to the first closing brace.

    Raises:
        DialectError: if the code fails.
    """
    found = re.search(r"\{.*?\}", action, re.DOTALL)
    extracted = _literal(found[0]) if found else None
    # If the text is not a Python literal, the code searches it again, but within a single line.
    again = re.search(r"\{.*?\}", action if extracted is None else json.dumps(extracted))
    fields = None
    if again is not None:
        fields = _literal(again[0])
        if fields is None:
            try:
                fields = json.loads(again[0])
            except (ValueError, RecursionError):
                fields = None
    if not isinstance(fields, dict) or fields.get("action_type") not in _KINDS:
        raise lacks(action, "action")
    if fields.get("direction") and fields["direction"] not in OPPOSITE:
        raise unknown("direction", fields["direction"])
    return fields


def _literal(words: str) -> Any:
    try:
        found = ast.literal_eval(words)
        json.dumps(found)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None
    return found


def _actions(fields: Mapping[str, Any], frame: Frame) -> tuple[Action, ...]:
    if odd := sorted(set(fields) - _FIELDS):
        raise DialectError(f"an action has no field {quoted(odd[0])}")
    kind = re.sub(r"[\s-]+", "_", str(fields.get("action_type")).strip().lower())
    if kind in _WITHOUT_FIELDS:
        return (_WITHOUT_FIELDS[kind],)
    if kind in _TOUCHES:
        at = _target(fields, frame)
        if at is None:
            raise DialectError(f"{kind} needs an index")
        return (_TOUCHES[kind](*at),)
    action = _other(kind, fields, frame)
    return () if action is None else (action,)


def _other(kind: str, fields: Mapping[str, Any], frame: Frame) -> Action | None:
    """Return an action that is not in the tables; None if it lacks what it needs to do anything."""
    text, side = fields.get("text"), fields.get("direction")
    match kind:
        case "input_text" if text not in (None, ""):
            clear = bool(fields.get("clear_text"))
            return Type(str(text), at=_target(fields, frame), clear=clear, enter=True)
        case "scroll":
            return Scroll(OPPOSITE[direction(side)], _target(fields, frame)) if side else None
        case "swipe":
            return Scroll(ONLY_SIDEWAYS[direction(side)]) if side else None
        case "open_app":
            if name := fields.get("app_name"):
                return Open(str(name))
            raise DialectError("open_app needs an app_name")
        case "answer" if text not in (None, ""):
            return Finish(str(text))
        case "status":  # all but "infeasible" mean that the task is completed, even a missing one
            status = str(fields.get("goal_status")).strip().lower()
            return Impossible() if status == "infeasible" else Finish()
        case "input_text" | "answer" | "unknown":
            return None
    raise unknown("action_type", kind)


def actuated(
    action: Action, frame: Frame, label: str | None = None, is_whole: bool = False
) -> Action:
    """Return an action as AndroidWorld's env/actuation.py performs it on the phone.

    A scroll is drawn from the centre of the screen, or of a mark, to its edge within the 0.3 s of
    Android's `input swipe`, which is a fling; a swipe (`is_whole`) from edge to edge within 0.5 s.
    Accents are taken off a text, and other characters that are not ASCII are left out.
    """
    match action:
        case Scroll(finger):
            area = Bounds(0, 0, *frame.size) if label is None else frame.mark(label).bounds
            return _drawn(finger, area, frame.size, is_whole)
        case Type(text):
            plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
            return dataclasses.replace(action, text=plain)
    return action


def _drawn(finger: Direction, area: Bounds, size: tuple[int, int], is_whole: bool) -> Swipe:
    left, top = max(area.left, 0), max(area.top, 0)
    right, bottom = min(area.right, size[0]), min(area.bottom, size[1])
    x, y = (left + right) // 2, (top + bottom) // 2
    edges = {"up": (x, top), "down": (x, bottom), "left": (left, y), "right": (right, y)}
    ends = (edges[OPPOSITE[finger]] if is_whole else (x, y)), edges[finger]
    # The original's ends may be next to the last pixel.
    (x1, y1), (x2, y2) = ((min(x, size[0] - 1), min(y, size[1] - 1)) for x, y in ends)
    return Swipe(x1, y1, x2, y2, 0.5 if is_whole else 0.3)


def _target(fields: Mapping[str, Any], frame: Frame) -> tuple[int, int] | None:
    index, x, y = (fields.get(name) for name in ("index", "x", "y"))
    if index is not None:
        if x is not None or y is not None:
            raise DialectError("an action has either an index, or x and y, not both")
        return frame.mark(str(int(number(index, "index")))).bounds.center
    if x is None or y is None:
        return None
    return frame.pixel(int(number(x, "x")), int(number(y, "y")))


# The names that the code accepts, which must match exactly.
_KINDS = {*_WITHOUT_FIELDS, *_TOUCHES, "input_text", "scroll", "swipe", "open_app", "answer"}
_KINDS |= {"status", "unknown"}


def _reply(fields: Mapping[str, Any], parts: Parts) -> str:
    return f"Reason: {parts.get('reason', '-')}\nAction: {json.dumps(fields, ensure_ascii=False)}"


def _printed(action: Action, frame: Frame) -> dict[str, Any]:
    for kind, known in _WITHOUT_FIELDS.items():
        if action == known or (isinstance(action, Wait) and isinstance(known, Wait)):
            return {"action_type": kind}
    for kind, touch in _TOUCHES.items():
        if isinstance(action, Tap | DoubleTap | LongPress) and type(action) is touch:
            return {"action_type": kind, **_place((action.x, action.y), frame)}
    match action:
        case Type(text, at, clear, True) if text:
            fields = {"action_type": "input_text", "text": text, **_place(at, frame)}
            return {**fields, "clear_text": True} if clear else fields
        case Scroll(finger, at):
            side = OPPOSITE[finger]
            return {"action_type": "scroll", "direction": side, **_place(at, frame)}
        case Open(app) if app:
            return {"action_type": "open_app", "app_name": app}
        case Finish(answer) if answer:
            return {"action_type": "answer", "text": answer}
        case Finish() | Impossible():
            status = "complete" if isinstance(action, Finish) else "infeasible"
            return {"action_type": "status", "goal_status": status}
    raise cannot_say("AndroidWorld", action)


def _place(at: tuple[int, int] | None, frame: Frame) -> dict[str, int]:
    """Return the smallest mark that contains a pixel, or x and y if there are no marks."""
    if at is None:
        return {}
    if frame.marks:
        return {"index": int(frame.mark_at(*at).label)}
    x, y = frame.whole(*at)
    return {"x": x, "y": y}
