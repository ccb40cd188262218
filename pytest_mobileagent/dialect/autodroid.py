"""AutoDroid's format: a dictionary that names an element of the screen's simplified HTML."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action import Action, Finish, Key, Type
from pytest_mobileagent.action.gestures import LongPress, Tap
from pytest_mobileagent.dialect.dialect import Decision, Dialect, Frame, Parts
from pytest_mobileagent.dialect.parts import DialectError, cannot_say, lacks, quoted
from pytest_mobileagent.dialect.reading import literal, spoken
from pytest_mobileagent.perception.marks import is_editable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.perception.marks import Mark

_PARTS = {"steps": "Steps", "analyses": "Analyses", "next_step": "Next step"}
_WORDS_FOR_ACTIONS = ("tap", "check", "choose", "none", "click", "input", "n/a")
_MOST_TYPED = 30  # characters; the original's limit
_LONGEST = 100_000
_MOST = 1e9  # the exclusive limit of an id given as a float


@dataclass(frozen=True, slots=True)
class AutoDroid(Dialect):
    """`{"Steps": …, "Analyses": …, "Finished": …, "Next step": …, "id": …, "action": …, …}`.

    Source: AutoDroid (Wen et al. 2024, arXiv 2308.15272), tools.py and droidbot/input_policy.py.
    Marks are the entries of the simplified HTML, from "0"; the one without an element is "go back".

    "Yes", the id -1 and "N/A" mean finished, as in the code. The element determines the action: in
    a field, the text replaces the content; any other element is tapped. The action's name must only
    be a known word. An unknown id is the signal "unknown": the original goes on without an action.

    The code expects a Python literal; here, JSON is also read, and so is a dictionary in a code
    block or within other text. Unlike in the code, which works around limits of its keyboard, texts
    keep quotes and spaces, and may exceed 30 characters. "Not finished" does not mean finished.

    `said` has the steps, the analyses and the next step.
    """

    name = "autodroid"
    title = "AutoDroid"
    on_error = "finish"

    def _read(self, words: str, frame: Frame) -> Decision | Action:
        fields = _dictionary(words)
        given = ((name, fields.get(key)) for name, key in _PARTS.items())
        parts = {name: str(value) for name, value in given if value is not None}
        if _finished(fields):
            return Decision((Finish(),), parts)
        action = self._action(fields, frame)
        return Decision((action,), parts) if action else Decision((), parts, "unknown")

    def _read_strictly(self, words: str, frame: Frame) -> Decision | Action:
        """Return the decision as the code reads it, which accepts Python literals only.

        Typed texts lose their quotes, have "-" for spaces, and are dropped above 30 characters.
        """
        fields = literal(words)
        if not isinstance(fields, dict):
            raise DialectError(f"this is not a Python dictionary: {quoted(words)}")
        finished = fields.get("Finished", fields.get("finished", ""))
        if not isinstance(finished, str):
            msg = f"'Finished' is not a string: {quoted(finished)}"
            raise DialectError(msg, on_error="no action")
        if "finished" in finished.lower():
            return Decision((Finish(),))  # even for "not finished"
        if not _finished(fields) and not {"id", "action", "input_text"} <= fields.keys():
            msg = f"id, action or input_text is missing in {quoted(words)}"
            raise DialectError(msg, on_error="no action")
        decision = self.parse(repr(fields), frame)
        match decision.actions:
            case (Type(text=text) as action,):
                typed = text.replace('"', "").replace(" ", "-")
                shortened = replace(action, text=typed if len(typed) <= _MOST_TYPED else "")
                return replace(decision, actions=(shortened,))
        return decision

    def _print(self, action: Action, parts: Parts, frame: Frame) -> str:
        match action:
            case Finish():
                chosen = ("Yes", "-1", "N/A", "N/A")
            case Type(text=text, at=(x, y), clear=True, enter=False):
                field = frame.only(filter(is_field, frame.marks.values())).mark_at(x, y)
                chosen = ("No", field.label, "input", text or "N/A")
            case Tap(x, y) | LongPress(x, y):
                others = (m for m in frame.marks.values() if m.element and not is_field(m))
                chosen = ("No", frame.only(others).mark_of(x, y).label, "tap", "N/A")
            case Key("back"):
                chosen = ("No", _back(frame).label, "tap", "N/A")
            case _:
                raise cannot_say(self.title, action)
        finished, label, word, text = chosen
        named = {key: parts[name] for name, key in _PARTS.items() if name in parts}
        rest = {"Finished": finished, "id": label, "action": word, "input_text": text}
        return json.dumps({**named, **rest}, ensure_ascii=False)

    def _action(self, fields: Mapping[str, Any], frame: Frame) -> Action | None:
        if missing := [name for name in ("id", "action", "input_text") if name not in fields]:
            raise DialectError(f"the reply has no {' and no '.join(map(repr, missing))}")
        word = fields["action"].lower() if isinstance(fields["action"], str) else ""
        if not any(known in word for known in _WORDS_FOR_ACTIONS):
            raise DialectError(f"an action must be 'tap' or 'input', not {quoted(word)}")
        number = _number(fields["id"])
        if number == -1:
            return Finish()
        mark = frame.marks.get(str(number))
        if mark is None:
            return None
        if mark.element is None:
            return Key("back")
        if is_field(mark):
            return Type(_text(fields["input_text"]), at=mark.bounds.center, clear=True)
        return Tap(*mark.bounds.center)

    @staticmethod
    def chosen(words: str) -> str:
        """Return the label of the entry that a reply chooses, or an empty string."""
        try:
            number = _number(_dictionary(words).get("id"))
        except DialectError:
            return ""
        return str(number) if number >= 0 else ""


def is_field(mark: Mark) -> bool:
    """Return whether text can be typed into a mark's element."""
    return mark.element is not None and is_editable(mark.element)


def _dictionary(words: str) -> Mapping[str, Any]:
    """Return the first dictionary in a reply.

    Raises:
        DialectError: if the reply has no dictionary.
    """
    text = spoken(words).strip()
    start = text.find("{")
    if start >= 0 and len(text) <= _LONGEST:
        for candidate in (text[start:], text[start : text.rfind("}") + 1]):
            for found in (literal(candidate), _json(candidate)):
                if isinstance(found, dict):
                    return {str(key): value for key, value in found.items()}
    raise lacks(words, "dictionary")


def _json(text: str) -> Any:
    with suppress(ValueError, RecursionError):
        return json.JSONDecoder(strict=False).raw_decode(text)[0]


def _finished(fields: Mapping[str, Any]) -> bool:
    status = str(fields.get("Finished", fields.get("finished", ""))).strip().lower()
    unfinished = re.search(r"\bnot\b|n't\b|\bun", status)
    return status in ("yes", "y", "true") or ("finished" in status and not unfinished)


def _number(value: Any) -> int:
    text = str(value).strip()
    if text.upper() == "N/A":
        return -1
    if isinstance(value, float) and abs(value) < _MOST:
        return int(value)
    if not re.fullmatch(r"[+-]?\d{1,9}(\.0+)?", text):
        raise DialectError(f"an id must be a whole number, not {quoted(text)}")
    return int(float(text))


def _text(value: Any) -> str:
    return "" if value is None or value == "N/A" else str(value)


def _back(frame: Frame) -> Mark:
    for mark in frame.marks.values():
        if mark.element is None:
            return mark
    raise DialectError('the page has no entry "go back"')
