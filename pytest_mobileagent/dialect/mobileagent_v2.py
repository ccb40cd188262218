"""Mobile-Agent-v2's format: headings, and an action in pixels."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from pytest_mobileagent.action import Action, Finish, Key, Type
from pytest_mobileagent.action.gestures import Scroll, Swipe, Tap
from pytest_mobileagent.dialect.dialect import Decision, Dialect, Frame, Parts
from pytest_mobileagent.dialect.mobileagent import name_of, parameter, printed_text, typed
from pytest_mobileagent.dialect.parts import DialectError, cannot_say, quoted, section
from pytest_mobileagent.dialect.reading import name_for, spoken

# In the order in which the original searches for them anywhere in the action.
_NAMES = ("Open app", "Tap", "Swipe", "Type", "Back", "Home", "Stop")
_KNOWN: dict[str, Action] = {"back": Key("back"), "home": Key("home"), "stop": Finish()}
_NUMBER = r"(-?\d{1,9}(?:\.\d{1,9})?)"
_POINT = re.compile(rf"[(\[]?\s*(?:x\d?\s*=\s*)?{_NUMBER}\s*[,，]\s*(?:y\d?\s*=\s*)?{_NUMBER}")


@dataclass(frozen=True, slots=True)
class MobileAgentV2(Dialect):
    r"""`### Thought ###`, `### Action ###` and `### Operation ###`: `Tap (540, 1200)`, `Stop`.

    Source: Mobile-Agent-v2 (Wang et al. 2024, arXiv 2406.01014), Mobile-Agent-v2/run.py, prompt.py.

    Points are pixels of the picture; the last of several is tapped, as in the code. A swipe lasts
    half a second. `Open app (name)` is the signal "open app" with `said["name"]`, because the agent
    must find the app's label on the screen. An unknown action is the signal "unknown"; the original
    does nothing in this step, and reflects on it. `said` has the thought, the action and the
    operation, each on one line. A line break in text to type, also as "\n", presses the enter key.

    Unlike the code, this class prefers a name at the beginning of the action, and keeps parentheses
    in text to type; "_" does not press enter.
    """

    name = "mobileagent_v2"
    title = "Mobile-Agent-v2"
    on_error = "crash"

    def _read(self, words: str, frame: Frame) -> Decision | Action:
        text = spoken(words)
        parts = {
            "thought": _one_line(section(text, "Thought", "Action")).replace(":", ""),
            "action": _one_line(section(text, "Action", "Operation")),
            "operation": _one_line(section(text, "Operation")),
        }
        try:
            return _decision(parts, frame)
        except DialectError:
            if any(name in parts["action"] for name in _NAMES):
                raise
            return Decision((), parts, "unknown")  # the original does not know the action, either

    def _read_strictly(self, words: str, frame: Frame) -> Decision | Action:
        """Return the decision as the code reads it, which needs exact headings and points."""
        thought = _behind(words, "### Thought ###").partition("### Action ###")[0]
        action = _behind(words, "### Action ###").partition("### Operation ###")[0]
        parts = {
            "thought": _code_line(thought.replace(":", "")),
            "action": _code_line(action),
            "operation": _code_line(_behind(words, "### Operation ###")),
        }
        return _code_decision(parts, frame)

    def print(self, decision: Decision, frame: Frame) -> str:
        """Return the reply for a decision, which may be a signal."""
        if decision.signal == "open app":
            return _reply(f"Open app ({decision.said.get('name', '')})", decision.said)
        if decision.signal == "unknown":
            return _reply(decision.said.get("action", ""), decision.said)
        return Dialect.print(self, decision, frame)

    def _print(self, action: Action, parts: Parts, frame: Frame) -> str:
        return _reply(_printed(action, frame), parts)

    @staticmethod
    def outcome(words: str) -> Literal["A", "B", "C", ""]:
        """Return a reflection's answer: A as expected, B a wrong page, C no change, or empty.

        As in the original, the first letter in this order that occurs below "### Answer ###", or in
        the whole reply without this heading, counts. Unlike in the original, a single letter at the
        beginning of the answer takes precedence.
        """
        answer = section(spoken(words), "Answer")
        if alone := re.match(r"[\W_]*([ABC])\b", answer):
            return alone.group(1)  # type: ignore[return-value]
        letters: tuple[Literal["A", "B", "C"], ...] = ("A", "B", "C")
        return next((letter for letter in letters if letter in answer), "")


def _decision(parts: Parts, frame: Frame) -> Decision:
    action = parts["action"].replace("（", "(").replace("）", ")")
    name = name_of(action, _NAMES)
    behind = action[action.lower().find(name) + len(name) :]
    match name:
        case "open app":
            return Decision((), {**parts, "name": parameter(action, name)}, name)
        case "tap":
            return Decision((Tap(*_points(behind, 1, frame)[-1]),), parts)
        case "swipe":
            points = _points(behind, 2, frame)
            return Decision((Swipe(*points[0], *points[-1], 0.5),), parts)
        case "type":
            return Decision((typed(_text(action)),), parts)
    done = _KNOWN.get(name)
    return Decision((done,), parts) if done else Decision((), parts, "unknown")


def _behind(words: str, heading: str) -> str:
    return words.rpartition(heading)[2]


def _code_line(text: str) -> str:
    return text.replace("\n", " ").replace("  ", " ").strip()


def _code_decision(parts: Parts, frame: Frame) -> Decision:
    action = parts["action"]
    name = next((each for each in _NAMES if each in action), "")
    last = action.split("(")[-1].split(")")[0]
    match name:
        case "Open app":
            return Decision((), {**parts, "name": last}, "open app")
        case "Tap":
            return Decision((Tap(*_code_point(last, frame)),), parts)
        case "Swipe":
            start = _code_point(action.split("Swipe (")[-1].split("), (")[0], frame)
            end = _code_point(action.split("), (")[-1].split(")")[0], frame)
            return Decision((Swipe(*start, *end, 0.5),), parts)
        case "Type":
            text = action.split(' "')[-1].split('"')[0] if "(text)" in action else last
            return Decision((typed(text.replace("_", "\n")),), parts)
    done = _KNOWN.get(name.lower())
    return Decision((done,), parts) if done else Decision((), parts, "unknown")


def _code_point(words: str, frame: Frame) -> tuple[int, int]:
    """Return the pixel of a point such as "540, 1200".

    Raises:
        DialectError: if the text is not a point, which makes the original crash, or if the point is
            outside the screen, which has no effect there.
    """
    parts = words.split(", ")
    try:
        x, y = int(parts[0]), int(parts[1])
    except (ValueError, IndexError):
        msg = f"a point must be two whole numbers with a comma and a space: {quoted(words)}"
        raise DialectError(msg) from None
    try:
        return frame.pixel(x, y)
    except DialectError as error:
        raise DialectError(str(error), on_error="no action") from None


def _points(words: str, count: int, frame: Frame) -> list[tuple[int, int]]:
    points = _POINT.findall(words)
    if len(points) < count:
        msg = f"expected at least {count} point(s) such as (540, 1200): {quoted(words)}"
        raise DialectError(msg)
    return [frame.pixel(float(x), float(y)) for x, y in (points[0], points[-1])]


def _text(action: str) -> str:
    """Return the text to type; some models write `Type (text) "hello"`."""
    if "(text)" not in action:
        return parameter(action, "type")
    typed_text = re.search(r"[\"“](.*?)[\"”]", action.partition("(text)")[2])
    if typed_text is None:
        raise DialectError(f"there is no text to type in {quoted(action)}")
    return typed_text.group(1)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _reply(action: str, parts: Parts) -> str:
    return (
        f"### Thought ###\n{parts.get('thought', '')}\n### Action ###\n{action}\n"
        f"### Operation ###\n{parts.get('operation', '')}"
    )


def _printed(action: Action, frame: Frame) -> str:
    if known := name_for(action, _KNOWN):
        return known.title()
    match action:
        case Type(text=text) if text != "text":
            return f"Type ({printed_text(action)})"
        case Tap(x, y):
            return f"Tap {frame.whole(x, y)}"
        case Swipe() | Scroll():
            return f"Swipe {', '.join(str(frame.whole(*end)) for end in _ends(action, frame))}"
    raise cannot_say("Mobile-Agent-v2", action)


def _ends(action: Swipe | Scroll, frame: Frame) -> tuple[tuple[int, int], tuple[int, int]]:
    if isinstance(action, Swipe):
        return (action.x1, action.y1), (action.x2, action.y2)
    width, height = frame.size
    x, y = action.at or (width // 2, height // 2)
    across = {"left": x // 2, "right": (x + width) // 2}.get(action.direction, x)
    down = {"up": y // 2, "down": (y + height) // 2}.get(action.direction, y)
    return (x, y), (across, down)
