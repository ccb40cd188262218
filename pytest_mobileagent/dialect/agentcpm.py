"""AgentCPM-GUI: one compact JSON object, `{"thought":"…","POINT":[x,y]}`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from pytest_mobileagent.action import Action, Ask, Finish, Impossible, Key, KeyName, Type, Wait
from pytest_mobileagent.action.gestures import LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.dialect.dialect import Decision, Dialect, Frame
from pytest_mobileagent.dialect.parts import DialectError, cannot_say, quoted, unknown
from pytest_mobileagent.dialect.reading import amount, direction, name_for, object_in, point, text

_SCALE = (1000, 1000)
_TAP = 200  # milliseconds; a touch that lasts longer is a long press
_KEYS: dict[str, KeyName] = {
    "HOME": "home", "BACK": "back", "ENTER": "enter", "APPSELECT": "overview",
}  # fmt: skip
_FIELDS = ("thought", "POINT", "to", "duration", "PRESS", "TYPE", "CLEAR", "STATUS")


@dataclass(frozen=True, slots=True)
class AgentCpm(Dialect):
    """The JSON of AgentCPM-GUI. Coordinates go from 0 to 1000; directions are the finger's.

    A reply has one action: the first of TYPE, POINT, PRESS and duration counts. The action may come
    with a STATUS, in which case it is done before the episode ends, as the README says, although
    the project's evaluator ignores the action. "finish" and "satisfied" end the episode as done,
    "impossible" and "interrupt" as impossible, and "need_feedback" asks the user the thought.

    Source: OpenBMB/AgentCPM-GUI, README "Action Space", `eval/utils/schema/schema.json` and
    `schema_for_extraction.json` (APPSELECT and CLEAR), `eval/utils/evaluator.py` (200 ms). The
    project has no agent; its evaluation counts an unreadable reply as a wrong step. There, a reply
    must be only JSON; here, the JSON may have text around it, and names may be in any case.
    """

    name = "agentcpm"

    def _read(self, words: str, frame: Frame) -> Decision | Action:
        found = _named(object_in(words.rpartition("</think>")[2]))
        thought = found.get("thought")
        parts = {"thought": thought} if isinstance(thought, str) and thought else {}
        actions = [*_actions(found, frame), *_status(found, parts.get("thought", ""))]
        status = str(found.get("STATUS", "")).lower()
        if not actions and status not in {"start", "continue"}:
            raise DialectError(f"{quoted(words)} has neither an action nor a STATUS")
        return Decision(tuple(actions), parts)

    def print(self, decision: Decision, frame: Frame) -> str:
        """Return a decision as compact JSON."""
        thought = decision.said.get("thought", "")
        fields: dict[str, Any] = {"thought": thought} if thought else {}
        for action in decision.actions:
            more = _fields(action, thought, frame)
            if fields.keys() & more.keys() or "STATUS" in fields:
                raise cannot_say(self.name, decision.actions)
            fields |= more
        if not decision.actions:
            fields["STATUS"] = "continue"
        return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def _named(found: dict[str, Any]) -> dict[str, Any]:
    """Return the fields under the schema's names, whatever their case."""
    names = {name.lower(): name for name in _FIELDS}
    return {names.get(name.lower(), name): value for name, value in found.items()}


def _actions(found: dict[str, Any], frame: Frame) -> list[Action]:
    milliseconds = amount(found["duration"]) if found.get("duration") is not None else None
    if "TYPE" in found:
        return [Type(text(found["TYPE"], "TYPE"), clear="CLEAR" in found)]
    if "POINT" in found:
        return [_touch(found, milliseconds, frame)]
    if "PRESS" in found:
        key = _KEYS.get(str(found["PRESS"]).strip().upper())
        if key is None:
            raise DialectError(f"PRESS has no key {quoted(found['PRESS'])}")
        return [Key(key)]
    return [Wait(milliseconds / 1000)] if milliseconds is not None else []


def _touch(found: dict[str, Any], milliseconds: float | None, frame: Frame) -> Action:
    x, y = frame.pixel(*point(found["POINT"]), _SCALE)
    to = found.get("to")
    if to is None:
        long = milliseconds is not None and milliseconds > _TAP
        return LongPress(x, y, (milliseconds or 0) / 1000) if long else Tap(x, y)
    if isinstance(to, str):
        return Scroll(direction(to), (x, y))
    end = frame.pixel(*point(to), _SCALE)
    return Swipe(x, y, *end, milliseconds / 1000) if milliseconds else Swipe(x, y, *end)


def _status(found: dict[str, Any], thought: str) -> list[Action]:
    match str(found.get("STATUS", "continue")).lower():
        case "continue" | "start":
            return []
        case "finish" | "satisfied":
            return [Finish()]
        case "impossible":
            return [Impossible(thought)]
        case "interrupt":
            return [Impossible(f"interrupted: {thought}" if thought else "interrupted")]
        case "need_feedback":
            return [Ask(thought)]
    raise unknown("STATUS", found["STATUS"])


def _fields(action: Action, thought: str, frame: Frame) -> dict[str, Any]:
    match action:
        case Tap(x, y):
            return {"POINT": frame.whole(x, y, _SCALE)}
        case LongPress(x, y, seconds) if seconds * 1000 > _TAP:
            return {"POINT": frame.whole(x, y, _SCALE), "duration": round(seconds * 1000)}
        case Swipe(x1, y1, x2, y2, seconds) if seconds > 0:
            start, to = frame.whole(x1, y1, _SCALE), frame.whole(x2, y2, _SCALE)
            return {"POINT": start, "to": to, "duration": round(seconds * 1000)}
        case Scroll(direction, (x, y)):
            return {"POINT": frame.whole(x, y, _SCALE), "to": direction}
        case Type(typed, None, clear, False):
            return {"TYPE": typed, **({"CLEAR": None} if clear else {})}
        case Key(key) if name := name_for(key, _KEYS):
            return {"PRESS": name}
        case Wait(seconds):
            return {"duration": round(seconds * 1000)}
        case Finish(""):
            return {"STATUS": "finish"}
        case Impossible(reason):
            return {"STATUS": "interrupt" if reason.startswith("interrupted") else "impossible"}
        case Ask(question) if question == thought:
            return {"STATUS": "need_feedback"}
    raise cannot_say(AgentCpm.name, action)
