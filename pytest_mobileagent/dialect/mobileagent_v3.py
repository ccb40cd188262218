"""The format of Mobile-Agent-v3's executor: sections with a JSON action."""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pytest_mobileagent.action import Action, Finish, Impossible, Key, Open, Wait
from pytest_mobileagent.action.gestures import LongPress, Swipe, Tap
from pytest_mobileagent.dialect.dialect import Decision, Dialect, Frame, Parts
from pytest_mobileagent.dialect.parts import DialectError, cannot_say, quoted, unknown
from pytest_mobileagent.dialect.qwen import BUTTONS, action_without_point, mobile_use
from pytest_mobileagent.dialect.reading import number, object_in, spoken

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class MobileAgentV3(Dialect):
    """`### Thought ###`, `### Action ###` with a JSON object, `### Description ###`.

    Source: X-PLUG/MobileAgent, Mobile-Agent-v3/mobile_v3 (run_mobileagentv3.py and
    utils/mobile_agent_e.py), and its port to AndroidWorld, from which `open_app`, `done` and
    `terminate` come. `coordinates`: "abs" (the default there: pixels of the picture) or "0-1000".

    - `answer` ends the episode. `type` does not tap or press enter. `Menu` shows the recent apps.
    - Actions that the original accepts but ignores (`long_press`, `open_app`, the buttons Enter and
      Menu, `wait`) are performed. An unknown action is an error, as in the port.
    - Pixels are those of the resized picture; the original treats them as pixels of the screen.

    A reply of JSON alone is read, too. The named parts are "thought" and "description".
    """

    name = "mobileagent_v3"
    title = "Mobile-Agent-v3"
    coordinates: Literal["abs", "0-1000"] = "abs"

    def _read(self, words: str, frame: Frame) -> Decision | Action:
        reply = spoken(words)
        thought = MobileAgentV3.section(reply, "Thought", "Action")
        if not thought:
            raise DialectError(f"the reply has no thought: {quoted(reply)}")
        fields = _fields(reply)
        parts = {"thought": thought, "description": MobileAgentV3.section(reply, "Description")}
        return Decision((self._action(fields, frame),), parts)

    def _read_strictly(self, words: str, frame: Frame) -> Decision | Action:
        """Return the decision as the code reads it: the action's section must be JSON only.

        Actions that the original ignores or does not know have no effect.
        """
        thought = MobileAgentV3.section(words, "Thought", "Action")
        action = MobileAgentV3.section(words, "Action", "Description")
        fields = _code_fields(action) if thought else None
        if fields is None:
            raise DialectError(f"the action is not a JSON object: {quoted(action)}")
        parts = {"thought": thought, "description": MobileAgentV3.section(words, "Description")}
        kind, button = fields["action"], fields.get("button", "Back")
        if kind not in ("answer", "click", "swipe", "type", "system_button"):
            return Decision((), parts)
        if kind == "system_button" and button not in ("Back", "Home"):
            return Decision((), parts)
        return Decision((self._action(fields, frame),), parts)

    def _print(self, action: Action, parts: Parts, frame: Frame) -> str:
        fields = json.dumps(self._printed(action, frame), ensure_ascii=False)
        return (
            f"### Thought ###\n{parts.get('thought', '-')}\n\n### Action ###\n{fields}\n\n"
            f"### Description ###\n{parts.get('description', '')}"
        )

    def _action(self, fields: Mapping[str, Any], frame: Frame) -> Action:
        kind = str(fields.get("action")).strip().lower()
        if kind in {"click", "long_press"}:
            at = self._pixel(fields, "coordinate", frame)
            return Tap(*at) if kind == "click" else LongPress(*at, _seconds(fields))
        if kind == "swipe":
            start = self._pixel(fields, "coordinate", frame)
            return Swipe(*start, *self._pixel(fields, "coordinate2", frame), 0.5)
        return _without_place(kind, fields)

    def _pixel(self, fields: Mapping[str, Any], name: str, frame: Frame) -> tuple[int, int]:
        point = fields.get(name)
        if not isinstance(point, list | tuple) or len(point) < 2:
            raise DialectError(f"{name} is not [x, y]: {quoted(repr(point))}")
        scale = None if self.coordinates == "abs" else (1000, 1000)
        return frame.pixel(number(point[0], "x"), number(point[1], "y"), scale)

    def _printed(self, action: Action, frame: Frame) -> dict[str, Any]:
        match action:
            case Open(app):
                return {"action": "open_app", "text": app}
            case Finish(answer):
                return {"action": "answer", "text": answer}
        scale = None if self.coordinates == "abs" else (1000, 1000)
        if fields := mobile_use(action, frame, scale):
            return fields
        raise cannot_say(self.title, action)

    @staticmethod
    def action_json(words: str) -> str:
        """Return the action of a reply as one line of JSON, for the history that all roles read.

        In the original, the history has pixels even if the model uses coordinates from 0 to 1000.

        Raises:
            DialectError: if the reply has no action.
        """
        return json.dumps(_fields(spoken(words)), ensure_ascii=False)

    @staticmethod
    def section(words: str, name: str, until: str = "") -> str:
        """Return the text after the last heading `### name`, up to the heading `### until`.

        The text is on one line, without "###"; without such a heading, it is the whole reply.
        """
        found = _between(words, name, until)
        return found.replace("\n", " ").replace("  ", " ").replace("###", "").strip()


def _fields(words: str) -> dict[str, Any]:
    return object_in(_between(words, "Action", "Description").replace("\n", " "))


def _code_fields(action: str) -> dict[str, Any] | None:
    """Return the object of an action, which may be in a code block, or None."""
    text = action.replace("```", "").replace("json", "").strip()
    for read in (json.loads, ast.literal_eval):
        try:
            found = read(text)
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
        return found if isinstance(found, dict) and "action" in found else None
    return None


def _between(words: str, name: str, until: str) -> str:
    found = words.rsplit(f"### {name}", 1)[-1]
    return found.split(f"### {until}", 1)[0] if until else found


def _without_place(kind: str, fields: Mapping[str, Any]) -> Action:
    if kind == "system_button":
        button = str(fields.get("button")).strip()
        if button.capitalize() not in BUTTONS:
            raise unknown("button", button)
        return Key(BUTTONS[button.capitalize()])
    if kind in {"done", "terminate"}:
        return Impossible() if fields.get("status") == "failure" else Finish()
    if kind == "wait":
        return Wait(_seconds(fields))
    name = {"open_app": "open"}.get(kind, kind)
    if name not in {"type", "answer", "open"}:
        raise unknown("action", kind)
    if "text" not in fields:
        raise DialectError(f"{kind} needs text")
    return action_without_point(name, {"text": str(fields["text"])})


def _seconds(fields: Mapping[str, Any]) -> float:
    return min(max(number(fields.get("time", 1.0), "time"), 0.0), 60.0)
