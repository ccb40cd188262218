"""Mobile-Agent's format (v1): texts and icons to tap, which the agent has to find."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_mobileagent.action import Action, Finish, Key, Type
from pytest_mobileagent.action.gestures import Scroll, Swipe
from pytest_mobileagent.dialect.dialect import Decision, Dialect, Frame, Parts
from pytest_mobileagent.dialect.parts import (
    DialectError,
    argument,
    cannot_say,
    lacks,
    line_after,
    quoted,
)
from pytest_mobileagent.dialect.reading import name_for, spoken

# In the order in which the original searches for them anywhere in the action.
_NAMES = ("stop", "open App", "click text", "click icon", "page", "type", "back", "exit")
_KNOWN: dict[str, Action] = {"stop": Finish(), "back": Key("back"), "exit": Key("home")}


@dataclass(frozen=True, slots=True)
class MobileAgent(Dialect):
    r"""Lines with Observation, Thought and Action: `click text (Wi-Fi)`, `page down`, `stop`.

    Source: Mobile-Agent (Wang et al. 2024, arXiv 2401.16158), Mobile-Agent-v1/run.py and prompt.py.

    The agent must find the point to touch, by OCR and icon detection. Actions that need this are
    signals: "open app" with `said["name"]`, "click text" with `said["text"]`, "click icon" with
    `said["icon"]` and `said["place"]` (top, bottom, left, right, a combination of two, or center).
    An action other than the eight in the prompt is the signal "unknown"; the original ignores it
    and continues. `said` also has the observation, the thought and the action.

    A page is turned by a swipe from the middle over a quarter of the screen's height, for half a
    second. A line break in text to type, also written as "\n", presses the enter key.

    Unlike the code, this class prefers a name at the beginning of the action, so that
    `click text (Bus stop)` is not read as `stop`. The text to type is the action's, not that in the
    first parentheses of the whole reply; it keeps its parentheses, and "_" does not press enter.
    """

    name = "mobileagent"
    title = "Mobile-Agent"
    on_error = "ask again"

    def _read(self, words: str, frame: Frame) -> Decision | Action:
        text = spoken(words)
        names = ("observation", "thought", "action")
        parts = {part: line_after(text, part.title()) for part in names}
        try:
            return _decision(parts, frame)
        except DialectError:
            if any(name in parts["action"] for name in _NAMES):
                raise
            return Decision((), parts, "unknown")  # the original does not know the action, either

    def _read_strictly(self, words: str, frame: Frame) -> Decision | Action:
        """Return the decision as the code reads it: the first known name in the action counts.

        The original asks again if a part is missing, and crashes if an action lacks parentheses.
        """
        parts: dict[str, str] = {}
        for part, end in (("observation", r"\n"), ("thought", r"\n"), ("action", "")):
            lazy = "?" if end else ""
            found = re.search(rf"{part.title()}:(.*{lazy}){end}", words)
            if found is None:
                raise lacks(words, f"'{part.title()}:'")
            parts[part] = found[1].strip()
        name = next((each for each in _NAMES if each in parts["action"]), "")
        if name in ("open App", "click text", "click icon", "type"):
            # The text to type is in the first parentheses of the whole reply.
            found = re.search(r"\((.*?)\)", words if name == "type" else parts["action"])
            if found is None or (name == "click icon" and "," not in found[1]):
                msg = f"{name} lacks its arguments: {quoted(parts['action'])}"
                raise DialectError(msg, on_error="crash")
            if name == "type":
                return Decision((typed(found[1].replace("_", "\n")),), parts)
            decision = _decision({**parts, "action": f"{name} ({found[1]})"}, frame)
            return Decision((), {**decision.said, **parts}, decision.signal)
        done = _simple_action(name, parts["action"], frame)
        return Decision((done,), parts) if done else Decision((), parts, "unknown")

    def print(self, decision: Decision, frame: Frame) -> str:
        """Return the reply for a decision, which may be a signal."""
        if decision.signal:
            return _reply(_signal(decision), decision.said)
        return Dialect.print(self, decision, frame)

    def _print(self, action: Action, parts: Parts, frame: Frame) -> str:
        return _reply(_printed(action), parts)


def typed(text: str) -> Type:
    r"""Return the action that types text; a final line break, also as "\n", presses enter."""
    unescaped = text.replace("\\n", "\n")
    return Type(unescaped.removesuffix("\n"), enter=unescaped.endswith("\n"))


def printed_text(action: Type) -> str:
    """Return the text to type in the format that `typed` reads.

    Raises:
        DialectError: if the parentheses of the text are not balanced, so that its end could not be
            found, or if the action also taps or clears the field.
    """
    text = action.text.replace("\n", "\\n") + "\\n" * action.enter
    if action.at or action.clear or argument(f"({text})") != text or text != text.strip():
        raise DialectError(f"the format cannot express {quoted(action)}")
    return text


def name_of(action: str, names: tuple[str, ...]) -> str:
    """Return the name with which an action begins, ignoring case.

    If the action begins with none of the names, return the first one that it contains, in exactly
    this spelling, or an empty string. The result is in lower case.
    """
    begins = action.lower().lstrip("0123456789.:-*`'\" \t")
    found = [
        name
        for name in names
        if begins.startswith(name.lower()) and not begins[len(name) : len(name) + 1].isalpha()
    ]
    return (found[0] if found else next((n for n in names if n in action), "")).lower()


def parameter(action: str, name: str) -> str:
    """Return the text in parentheses in an action, or else the text after the action's name.

    Raises:
        DialectError: if the action has no text.
    """
    behind = action[action.lower().find(name) + len(name) :]
    found = argument(behind) if "(" in behind else behind.strip(" :.`*\"'")
    if not found.strip():
        raise DialectError(f"there is no text in parentheses in {quoted(action)}")
    return found.strip()


def _decision(parts: Parts, frame: Frame) -> Decision:
    action = parts["action"].replace("（", "(").replace("）", ")")
    name = name_of(action, _NAMES)
    match name:
        case "open app":
            return Decision((), {**parts, "name": parameter(action, name)}, name)
        case "click text":
            return Decision((), {**parts, "text": parameter(action, name)}, name)
        case "click icon":
            icon, comma, place = parameter(action, name).partition(",")
            if not comma:
                raise DialectError(f"an icon needs a description and a place: {quoted(action)}")
            place = place.partition(",")[0].strip().lower()
            return Decision((), {**parts, "icon": icon.strip(), "place": place}, name)
        case "type":
            return Decision((typed(parameter(action, name)),), parts)
    done = _simple_action(name, action, frame)
    return Decision((done,), parts) if done else Decision((), parts, "unknown")


def _simple_action(name: str, action: str, frame: Frame) -> Action | None:
    width, height = frame.size
    lowered = action.lower()
    if name == "page" and "down" in lowered:
        return Swipe(width // 2, height // 2, width // 2, height // 4, 0.5)
    if name == "page" and "up" in lowered:
        return Swipe(width // 2, height // 2, width // 2, 3 * height // 4, 0.5)
    return _KNOWN.get(name)


def _reply(action: str, parts: Parts) -> str:
    lines = [f"{name.title()}: {parts.get(name, '')}" for name in ("observation", "thought")]
    return "\n".join(" ".join(line.split("\n")) for line in [*lines, f"Action: {action}"])


def _signal(decision: Decision) -> str:
    parts = decision.said
    match decision.signal:
        case "open app":
            return f"open App ({parts.get('name', '')})"
        case "click text":
            return f"click text ({parts.get('text', '')})"
        case "click icon":
            return f"click icon ({parts.get('icon', '')}, {parts.get('place', 'center')})"
        case "unknown":
            return parts.get("action", "")
    raise cannot_say("Mobile-Agent", decision.signal)


def _printed(action: Action) -> str:
    if known := name_for(action, _KNOWN):
        return known
    match action:
        case Type():
            return f"type ({printed_text(action)})"
        case Scroll(direction="up" | "down" as direction):
            return "page down" if direction == "up" else "page up"
        case Swipe(x1, y1, x2, y2) if abs(y2 - y1) > abs(x2 - x1):
            return "page down" if y2 < y1 else "page up"
    raise cannot_say("Mobile-Agent", action)
