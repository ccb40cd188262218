"""GELab-Zero (Step-GUI): `<THINK>…</THINK>`, then fields separated by tabs."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_mobileagent.action import (
    LONGEST_WAIT,
    Action,
    Ask,
    Finish,
    Impossible,
    Key,
    Open,
    Type,
    Wait,
)
from pytest_mobileagent.action.gestures import LongPress, Swipe, Tap
from pytest_mobileagent.dialect.dialect import Decision, Dialect, Frame, Parts
from pytest_mobileagent.dialect.parts import (
    DialectError,
    cannot_say,
    lacks,
    quoted,
    unknown,
    without_fences,
)
from pytest_mobileagent.dialect.reading import amount, key_named, number, point

Fields = dict[str, str]

_SCALE = (1000, 1000)
_MOVE = 1.5  # seconds of a slide and a long press, in the program
_TAG = r"<\s*{}t(?:h)?inki?n?g?\s*>"
_OPENS, _CLOSES = (re.compile(_TAG.format(slash), re.IGNORECASE) for slash in ("", r"/\s*"))
_NAMES = "explain|action|point1?|point2|value|return|summary|key"
# Between fields: a tab, also if it is spelt out, or a line break before the next name.
_FIELDS = re.compile(rf"(?:^|\t|\\t|\n)\s*({_NAMES})\s*[:：]", re.IGNORECASE)
_STRICT_TAG = re.compile(r"<\s*/?THINK\s*>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class GelabZero(Dialect):
    """The fields of GELab-Zero. Coordinates go from 0 to 1000.

    After its thought, a reply has the fields `explain`, `action`, those of the action, and
    `summary`, which is all that the model remembers. The named parts are "thought", "explain" and
    "summary". CLICK and LONGPRESS have a `point`, SLIDE `point1` and `point2`, TYPE a `value` and
    the `point` of its field, which is tapped first. As its `value`, WAIT has seconds, AWAKE an app,
    INFO a question, and ABORT the reason; COMPLETE has the answer as `return`. There is no action
    to go back or home; BACK, HOME and HOT_KEY, which only the program knows, are read, not printed.

    Source: stepfun-ai/gelab-zero (19465cf), `copilot_tools/parser_0920_summary.py` and
    `copilot_front_end/pu_frontend_executor.py`. The program crashes on any reply that it cannot
    read, and ignores the point of TYPE. Its AWAKE ends the app before it opens it; `Open` does not.
    """

    name = "gelab_zero"
    title = "GELab-Zero"
    on_error = "crash"

    def _read(self, words: str, frame: Frame) -> Decision | Action:
        thought, rest = _halves(words)
        text = without_fences(rest)
        places = list(_FIELDS.finditer(text))
        ends = [*(each.start() for each in places[1:]), len(text)]
        fields: Fields = {}
        for place, end in zip(places, ends, strict=False):
            fields.setdefault(place[1].lower(), text[place.end() : end].strip())
        if not fields.get("action"):
            raise lacks(words, "field 'action:'")
        return Decision((self._action(fields, frame),), _said(thought, fields))

    def _read_strictly(self, words: str, frame: Frame) -> Decision | Action:
        """Return the decision as the program reads it, which splits at tabs only.

        An action that the program performs, but cannot put into its history, is an error as well.
        """
        thought, fields = _strict_fields(words)
        kind = fields.setdefault("action", fields.get("action_type", ""))
        if kind not in _NEEDS:
            raise unknown("action", kind)
        needed = (*_NEEDS[kind], *(() if kind in ("COMPLETE", "ABORT") else ("explain",)))
        if missing := [name for name in needed if name not in fields]:
            raise lacks(words, f"field {missing[0]!r}")
        if kind == "TYPE":
            fields.pop("point", None)
            fields["value"] = fields["value"].replace("\n", " ")
        if kind in ("WAIT", "LONGPRESS"):
            seconds = number(fields.get("duration", fields.get("value", _MOVE)), "value")
            if kind == "WAIT" and seconds < 0:
                raise DialectError(f"{quoted(fields['value'])} is no time to wait")
        places = [fields[name] for name in _NEEDS[kind] if name.startswith("point")]
        is_on_screen = all(0 <= each <= 1000 for place in places for each in point(place))
        actions = (self._action(fields, frame),) if is_on_screen else ()
        return Decision(actions, _said(thought, fields))

    def _action(self, fields: Fields, frame: Frame) -> Action:
        kind, value = fields["action"].strip().upper(), fields.get("value", "")
        match kind:
            case "CLICK":
                return Tap(*_pixel(fields, "point", frame))
            case "LONGPRESS":
                seconds = amount(fields.get("duration", value or _MOVE), "value")
                return LongPress(*_pixel(fields, "point", frame), _clipped(seconds))
            case "SLIDE":
                start, end = _pixel(fields, "point1", frame), _pixel(fields, "point2", frame)
                return Swipe(*start, *end, _MOVE)
            case "TYPE":
                return Type(value, _pixel(fields, "point", frame) if fields.get("point") else None)
            case "WAIT":
                return Wait(_clipped(amount(value or 1.0, "value")))
            case "AWAKE" if value:
                return Open(value)
            case "INFO":
                return Ask(value)
            case "COMPLETE":
                return Finish(fields.get("return", value))
            case "ABORT":
                return Impossible(value)
            case "BACK" | "HOME":
                return Key(key_named(kind))
            case "HOT_KEY":
                return Key(key_named(fields.get("key", value)))
        raise unknown("action", fields["action"])

    def _print(self, action: Action, parts: Parts, frame: Frame) -> str:
        kind, fields = self._fields(action, frame)
        printed = {"explain": parts.get("explain", ""), "action": kind, **fields}
        printed["summary"] = parts.get("summary", "")
        thought = parts.get("thought", "")
        lines = [thought, *printed.values()]
        if any(_FIELDS.search(f"\n{line}") or "\t" in line or "\\t" in line for line in lines[1:]):
            raise cannot_say(self.title, "a tab or the name of a field in a text")
        if any(_OPENS.search(line) or _CLOSES.search(line) for line in lines):
            raise cannot_say(self.title, "a tag in a text")
        rest = "\t".join(f"{name}:{value}" for name, value in printed.items())
        return f"<THINK> {thought} </THINK>\n{rest}"

    def _fields(self, action: Action, frame: Frame) -> tuple[str, Fields]:
        match action:
            case Tap(x, y):
                return "CLICK", {"point": _at(x, y, frame)}
            case LongPress(x, y, seconds) if seconds == _MOVE:
                return "LONGPRESS", {"point": _at(x, y, frame)}
            case Swipe(x1, y1, x2, y2):
                return "SLIDE", {"point1": _at(x1, y1, frame), "point2": _at(x2, y2, frame)}
            case Type(text, at, False, False) if text.strip() == text:
                return "TYPE", {"value": text} | ({"point": _at(*at, frame)} if at else {})
            case Wait(seconds):
                return "WAIT", {"value": f"{seconds}"}
            case Open(app) if app.strip() == app and app:
                return "AWAKE", {"value": app}
            case Ask(question) if question.strip() == question:
                return "INFO", {"value": question}
            case Finish(answer) if answer.strip() == answer:
                return "COMPLETE", {"return": answer}
            case Impossible(reason) if reason.strip() == reason:
                return "ABORT", {"value": reason}
        raise cannot_say(self.title, action)


# The fields without which the program fails.
_NEEDS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("CLICK", "LONGPRESS"), ("point",)),
    "SLIDE": ("point1", "point2"),
    **dict.fromkeys(("TYPE", "WAIT", "AWAKE", "INFO"), ("value",)),
    **dict.fromkeys(("COMPLETE", "ABORT"), ()),
}


def _halves(words: str) -> tuple[str, str]:
    """Return the thought and the fields of a reply; the thought's first tag may be missing."""
    closes = list(_CLOSES.finditer(words))
    if not closes:
        return "", _OPENS.sub("", words)
    return _OPENS.sub("", words[: closes[-1].start()]).strip(), words[closes[-1].end() :]


def _strict_fields(words: str) -> tuple[str, Fields]:
    text = words.strip().replace("<TINK>", "<THINK>").replace("</TINK>", "</THINK>")
    text = _STRICT_TAG.sub(lambda tag: "</THINK>" if "/" in tag[0] else "<THINK>", text)
    thought = ""
    if "<THINK>" in text and "</THINK>" in text:
        thought = text.split("<THINK>")[1].split("</THINK>")[0].strip()
        text = text.split("</THINK>")[1].strip()
    fields: Fields = {}
    for part in text.split("\t"):
        name, colon, value = (each.strip() for each in part.strip().partition(":"))
        if colon:
            fields[name] = _strict_point(value) if "point" in name else value
    return thought, fields


def _strict_point(value: str) -> str:
    try:
        x, y, *_ = value.replace(",", " ").split()
        return f"{int(x)},{int(y)}"
    except ValueError:
        raise DialectError(f"{quoted(value)} is not a point of whole numbers") from None


def _said(thought: str, fields: Fields) -> Parts:
    parts = {"thought": thought} | {name: fields.get(name, "") for name in ("explain", "summary")}
    return {name: text for name, text in parts.items() if text}


def _pixel(fields: Fields, name: str, frame: Frame) -> tuple[int, int]:
    if not fields.get(name):
        raise DialectError(f"{fields['action']} needs a {name}")
    return frame.pixel(*point(fields[name]), _SCALE)


def _at(x: int, y: int, frame: Frame) -> str:
    left, top = frame.thousandths(x, y)
    return f"{left},{top}"


def _clipped(seconds: float) -> float:
    return min(max(seconds, 0.0), LONGEST_WAIT)
