"""The grounded operations of CogAgent: of the model with 18B parameters, and of that with 9B."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from pytest_mobileagent.action.action import (
    Direction,
    Finish,
    Impossible,
    Key,
    Swipe,
    Tap,
    Type,
)
from pytest_mobileagent.dialect.cogagent_calls import box_center, call_of, called
from pytest_mobileagent.dialect.dialect import Decision, Dialect, DialectError
from pytest_mobileagent.dialect.reading import quoted, reading, spoken
from pytest_mobileagent.dialect.wording import cannot_say, thousandths

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.dialect.dialect import Frame, OnError

_Fractions = tuple[float, float, float, float]

# The finger's way for each direction, (x1, y1) to (x2, y2) in fractions of the screen.
_SWIPES: dict[Direction, _Fractions] = {
    "up": (0.5, 0.5, 0.5, 0.2),
    "down": (0.5, 0.2, 0.5, 0.5),
    "left": (0.8, 0.5, 0.2, 0.5),
    "right": (0.2, 0.5, 0.8, 0.5),
}
_PHRASES: tuple[tuple[str, Action], ...] = (
    ("press home", Key("home")),
    ("press back", Key("back")),
    ("press enter", Key("enter")),
    ("task complete", Finish()),
    ("task impossible", Impossible()),
)
# What needs no phone: reading into variables, and asking a language model.
_SIGNALS = ("QUOTE_TEXT", "QUOTE_CLIPBOARD", "LLM", "TEXT_FORMAT")

_GROUNDED = re.compile(r"Grounded[ _]Operation\s*[:：]\s*", re.IGNORECASE)
# What is typed: in double quotes, of which the last may be missing; else in any others.
_QUOTED = (re.compile('"([^"]*)'), re.compile("“([^“”\"]*)|'([^']*)'"))
_ARROW = re.compile(r"->\s*(CLICK|TAP|TYPE|SELECT)\b\s*[:：]?\s*(.*)", re.IGNORECASE | re.DOTALL)
_AT_BOX = re.compile(r"\s*(?:at|in|on)\s+the\s+box.*", re.IGNORECASE | re.DOTALL)
_HEAD = r"^[ \t]*(Status|Plan|(?:Next )?Action)\s*[:：]"
_PARTS = re.compile(
    rf"{_HEAD}(.*?)(?={_HEAD.replace('(S', '(?:S')}|\Z)", re.IGNORECASE | re.DOTALL | re.MULTILINE
)
_CALL = re.compile(r"([A-Z]+(?:_[A-Z]+)*)\s*[(（](.*)", re.IGNORECASE | re.DOTALL)
_SENSITIVITY = re.compile(r"<<(.*?)>>")


@dataclass(frozen=True, slots=True)
class CogAgent(Dialect):
    """`Grounded Operation:tap … [[x,y]]` (18B), `Grounded Operation: CLICK(box=[[…]])` (9B).

    Coordinates are thousandths of the picture, (x, y); a box means its centre. With `submit`,
    typing clears the field first and presses enter afterwards, as SPA-Bench's device.py does.

    18B: what DigiRL's autoui_utils.py and SPA-Bench's task_executor.py of CogAgent read; swipes are
    the finger's, with their start and end fixed there. Their code taps the corner of a box of four
    numbers, and reads nothing behind a space or in upper case; we take the centre, and the words.
    The model's own `… -> TYPE: words at the box [[…]]` (the README's sample of THUDM/CogVLM) is
    understood too, though both of them do nothing then.

    9B: Action_space_en.md of THUDM/CogAgent. `SCROLL_…` moves the content; `step_count` is lost.
    `TYPE` taps its box, which the demo's register.py forgets; the demo's own Return is left out. A
    right click, which opens a context menu, stands for a long press. What asks for no phone
    (QUOTE_TEXT, LLM, …) is a signal in lower case. Hovering and combinations of keys are errors.
    """

    name: ClassVar[str] = "cogagent"
    on_error: ClassVar[OnError] = "no action"

    version: Literal["18b", "9b"] = "18b"
    submit: bool = False

    def parse(self, words: str, frame: Frame) -> Decision:
        """Return what a model's words mean.

        Raises:
            DialectError: they are none of this dialect.
        """
        with reading(words):
            before, operation = _split(spoken(words))
            said = {
                part[1].lower().split()[-1]: part[2].strip() for part in _PARTS.finditer(before)
            }
            if self.version == "18b":
                return Decision((self._operation(operation, frame),), said)
            sensitivity = _SENSITIVITY.search(operation)
            if sensitivity:
                said["sensitivity"] = sensitivity[1]
                operation = operation[: sensitivity.start()]
            return self._call(operation, said, frame)

    def parse_strictly(self, words: str, frame: Frame) -> Decision:
        """Return what words mean to DigiRL's and SPA-Bench's code for 18B; 9B is read as ever."""
        if self.version == "9b":
            return self.parse(words, frame)
        with reading(words):
            parts = words.split("Grounded Operation:")
            operation = parts[1] if len(parts) > 1 else ""
            first = operation.split(" ")[0]
            if first == "tap":
                # Of a box of four numbers, the corner is tapped.
                across, _, rest = operation.partition("[[")[2].partition(",")
                down = rest.partition(",")[0].partition("]]")[0]
                try:
                    point = int(across), int(down)
                except ValueError:
                    msg = f"there is no [[x,y]] in {quoted(operation)}"
                    raise DialectError(msg) from None
                return Decision((Tap(*frame.pixel(*point, (1000, 1000))),))
            if "type" in first:
                if operation.count('"') == 0:
                    msg = f"there is no text in quotes in {quoted(operation)}"
                    raise DialectError(msg)
                text = operation.split('"')[1]
                return Decision((Type(text, clear=self.submit, enter=self.submit),))
            phrases = [*(name for name, _ in _PHRASES), *(f"swipe {each}" for each in _SWIPES)]
            found = next((each for each in phrases if each in operation), None)
            if found is None:
                msg = f"there is no operation in {quoted(words)}"
                raise DialectError(msg)
            return self.parse(f"Grounded Operation:{found}", frame)

    def print(self, decision: Decision, frame: Frame) -> str:
        """Return a decision in the dialect's words.

        Raises:
            DialectError: the dialect cannot say such an action.
        """
        if len(decision.actions) != 1:
            msg = f"CogAgent says one action at a time, not {len(decision.actions)}"
            raise DialectError(msg)
        parts = [f"{name.capitalize()}: {decision.said[name]}\n" for name in _said(decision)]
        if self.version == "18b":
            line = f"Grounded Operation:{self._words(decision.actions[0], frame)}"
        else:
            call = call_of(decision.actions[0], frame, submit=self.submit)
            line = f"Grounded Operation: {call}"
        sensitivity = decision.said.get("sensitivity")
        return "".join(parts) + line + (f"\n<<{sensitivity}>>" if sensitivity else "")

    def _operation(self, words: str, frame: Frame) -> Action:
        """Return what an operation of the 18B model means, tested in the original's order."""
        lower = words.lower()
        first = lower.split(None, 1)[0] if lower else ""
        if re.match(r"tap\b", lower):
            return Tap(*box_center(words, frame))
        if "type" in first:
            return self._type(_in_quotes(words))
        for phrase, action in _PHRASES:
            if phrase in lower:
                return action
        for direction in _SWIPES:
            if f"swipe {direction}" in lower:
                return _swipe(direction, frame)
        arrow = _ARROW.search(words)
        if arrow:
            return self._arrow(arrow[1].upper(), arrow[2], frame)
        msg = f"there is no operation of CogAgent in {quoted(words)}"
        raise DialectError(msg)

    def _arrow(self, name: str, rest: str, frame: Frame) -> Action:
        if name == "TYPE":
            return self._type(_AT_BOX.sub("", rest).strip(), at=box_center(rest, frame))
        return Tap(*box_center(rest, frame))

    def _type(self, typed: str, at: tuple[int, int] | None = None) -> Type:
        return Type(typed, at, clear=self.submit, enter=self.submit)

    def _call(self, words: str, said: Mapping[str, str], frame: Frame) -> Decision:
        """Return what an operation of the 9B model means."""
        found = _CALL.match(words)
        name = (found[1] if found else words.strip().split("\n")[0]).upper()
        arguments = found[2] if found else ""
        if name in _SIGNALS:
            return Decision(said=said, signal=name.lower())
        return Decision((called(name, arguments, frame, submit=self.submit),), said)

    def _words(self, action: Action, frame: Frame) -> str:
        match action:
            case Tap(x, y):
                return "tap at the position [[{},{}]]".format(*thousandths(x, y, frame))
            case Type(typed, None, clear, enter) if clear == enter == self.submit:
                if not re.search('["“”]', typed):
                    return f'type "{typed}"'
            case Swipe():
                for direction in _SWIPES:
                    if action == _swipe(direction, frame):
                        return f"swipe {direction}"
        for phrase, said in _PHRASES:
            if action == said:
                return phrase
        raise cannot_say("CogAgent (18B)", action)


def line_of(part: Literal["Action", "Grounded Operation"], words: str) -> str:
    """Return a part of the 9B model's words as its history repeats it; empty if it is missing."""
    found = re.search(rf"{part}:\s*(.*)", words)
    return found[1].strip() if found else ""


def _split(words: str) -> tuple[str, str]:
    parts = _GROUNDED.split(words, maxsplit=2)
    if len(parts) < 2:
        msg = f'there is no "Grounded Operation:" in {quoted(words)}'
        raise DialectError(msg)
    return parts[0], parts[1].strip()


def _in_quotes(words: str) -> str:
    for pattern in _QUOTED:
        for found in pattern.finditer(words):
            return next(group for group in found.groups() if group is not None)
    msg = f"nothing in quotation marks is typed in {quoted(words)}"
    raise DialectError(msg)


def _said(decision: Decision) -> list[str]:
    return [name for name in ("status", "plan", "action") if name in decision.said]


def _swipe(direction: Direction, frame: Frame) -> Swipe:
    x1, y1, x2, y2 = _SWIPES[direction]
    return Swipe(*frame.pixel(x1, y1, (1, 1)), *frame.pixel(x2, y2, (1, 1)), seconds=0.5)
