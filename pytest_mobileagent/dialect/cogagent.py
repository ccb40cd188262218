"""The grounded operations of CogAgent, for the models with 18B and with 9B parameters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from pytest_mobileagent.action import Action, Finish, Impossible, Key, KeyName, Open, Type
from pytest_mobileagent.action.gestures import Direction, DoubleTap, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.dialect.dialect import Decision, Dialect, Frame, Parts
from pytest_mobileagent.dialect.parts import DialectError, cannot_say, lacks, quoted
from pytest_mobileagent.dialect.reading import name_for, point, spoken

_Fractions = tuple[float, float, float, float]

# The finger's path for each direction, (x1, y1) to (x2, y2) in fractions of the screen.
_SWIPES: dict[Direction, _Fractions] = {
    "up": (0.5, 0.5, 0.5, 0.2),
    "down": (0.5, 0.2, 0.5, 0.5),
    "left": (0.8, 0.5, 0.2, 0.5),
    "right": (0.2, 0.5, 0.8, 0.5),
}
_PHRASES: dict[str, Action] = {
    "press home": Key("home"),
    "press back": Key("back"),
    "press enter": Key("enter"),
    "task complete": Finish(),
    "task impossible": Impossible(),
}
# Operations that do not use the phone: quoting text into variables, and asking a language model.
_SIGNALS = ("QUOTE_TEXT", "QUOTE_CLIPBOARD", "LLM", "TEXT_FORMAT")

_NAMES = ("status", "plan", "action")
_GROUNDED = re.compile(r"Grounded[ _]Operation\s*[:：]\s*", re.IGNORECASE)
# Text to type: in double quotes, the closing of which may be missing, or else in other quotes.
_QUOTED = (re.compile('"([^"]*)'), re.compile("“([^“”\"]*)|'([^']*)'"))
_ARROW = re.compile(r"->\s*(CLICK|TAP|TYPE|SELECT)\b\s*[:：]?\s*(.*)", re.IGNORECASE | re.DOTALL)
_AT_BOX = re.compile(r"\s*(?:at|in|on)\s+the\s+box.*", re.IGNORECASE | re.DOTALL)
_HEAD = r"^[ \t]*(Status|Plan|(?:Next )?Action)\s*[:：]"
_PARTS = re.compile(
    rf"{_HEAD}(.*?)(?={_HEAD.replace('(S', '(?:S')}|\Z)", re.IGNORECASE | re.DOTALL | re.MULTILINE
)
_CALL = re.compile(r"([A-Z]+(?:_[A-Z]+)*)\s*[(（](.*)", re.IGNORECASE | re.DOTALL)
_SENSITIVITY = re.compile(r"<<(.*?)>>")


# The 9B model names the content's direction; the finger moves in the opposite direction.
_FINGER: dict[str, Direction] = {"UP": "down", "DOWN": "up", "LEFT": "right", "RIGHT": "left"}
# The first name of each key is the one that is printed.
_KEYS: dict[str, KeyName] = {
    "Return": "enter", "Enter": "enter", "Back": "back", "Home": "home", "Menu": "menu",
    "Recent": "overview", "AppSelect": "overview", "Delete": "delete", "Backspace": "delete",
    "Tab": "tab", "Escape": "escape", "Esc": "escape", "VolumeUp": "volume_up",
    "VolumeDown": "volume_down",
}  # fmt: skip
_READ_KEYS = {name.lower(): key for name, key in _KEYS.items()}
_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\'": "'", '\\"': '"', "\\\\": "\\"}
_BOX = re.compile(r"\[+\s*((?:\d+(?:\.\d+)?\s*[,，]\s*){1,3}\d+(?:\.\d+)?)\s*\]")
_THOUSANDTHS = (1000, 1000)


@dataclass(frozen=True, slots=True)
class CogAgent(Dialect):
    """`Grounded Operation:tap … [[x,y]]` (18B), `Grounded Operation: CLICK(box=[[…]])` (9B).

    Coordinates are in thousandths of the picture, (x, y); a box stands for its centre. With
    `submit`, typing clears the field before and presses enter after, as in SPA-Bench's device.py.

    18B: the format read by DigiRL's autoui_utils.py and by SPA-Bench's task_executor.py of
    CogAgent. Swipe directions are the finger's, with a fixed start and end. Their code taps the
    corner of a box of four numbers, and ignores operations after a space or in upper case; here,
    the centre is tapped, and these operations are read. The model's own
    `… -> TYPE: words at the box [[…]]` (a sample in the README of THUDM/CogVLM) is read, too,
    although neither program acts on it.

    9B: Action_space_en.md of THUDM/CogAgent. `SCROLL_…` names the content's direction; `step_count`
    is ignored. `TYPE` taps its box, which the demo's register.py omits; the Return that the demo
    adds is left out. A right click, which opens a context menu, is a long press. Operations that do
    not use the phone (QUOTE_TEXT, LLM, …) are signals in lower case. Hovering and hotkeys fail.
    """

    name = "cogagent"
    title = "CogAgent"

    version: Literal["18b", "9b"] = "18b"
    submit: bool = False

    def _read(self, words: str, frame: Frame) -> Decision | Action:
        before, operation = _split(spoken(words))
        parts = {part[1].lower().split()[-1]: part[2].strip() for part in _PARTS.finditer(before)}
        if self.version == "18b":
            return Decision((self._operation(operation, frame),), parts)
        if sensitivity := _SENSITIVITY.search(operation):
            parts["sensitivity"] = sensitivity[1]
            operation = operation[: sensitivity.start()]
        return self._call(operation, parts, frame)

    def _read_strictly(self, words: str, frame: Frame) -> Decision | Action:
        """Return the action as DigiRL's and SPA-Bench's code reads it (18B), or as `parse` (9B)."""
        if self.version == "9b":
            return self._read(words, frame)
        parts = words.split("Grounded Operation:")
        operation = parts[1] if len(parts) > 1 else ""
        first = operation.split(" ")[0]
        if first == "tap":
            # The code taps the corner of a box of four numbers.
            across, _, rest = operation.partition("[[")[2].partition(",")
            down = rest.partition(",")[0].partition("]]")[0]
            try:
                corner = int(across), int(down)
            except ValueError:
                raise lacks(operation, "[[x,y]]") from None
            return Tap(*frame.pixel(*corner, _THOUSANDTHS))
        if "type" in first:
            if operation.count('"') == 0:
                raise lacks(operation, "text in quotes")
            return Type(operation.split('"')[1], clear=self.submit, enter=self.submit)
        phrases = [*_PHRASES, *(f"swipe {each}" for each in _SWIPES)]
        found = next((each for each in phrases if each in operation), None)
        if found is None:
            raise lacks(words, "operation")
        return self._read(f"Grounded Operation:{found}", frame)

    def _print(self, action: Action, parts: Parts, frame: Frame) -> str:
        lines = [f"{name.capitalize()}: {parts[name]}\n" for name in _NAMES if name in parts]
        if self.version == "18b":
            line = f"Grounded Operation:{self._words(action, frame)}"
        else:
            line = f"Grounded Operation: {_call_of(action, frame, submit=self.submit)}"
        sensitivity = parts.get("sensitivity")
        return "".join(lines) + line + (f"\n<<{sensitivity}>>" if sensitivity else "")

    def _operation(self, words: str, frame: Frame) -> Action:
        """Return the action of an operation of the 18B model, tried in the original's order."""
        lower = words.lower()
        first = lower.split(None, 1)[0] if lower else ""
        if re.match(r"tap\b", lower):
            return Tap(*box_center(words, frame))
        if "type" in first:
            return self._type(_in_quotes(words))
        for phrase, action in _PHRASES.items():
            if phrase in lower:
                return action
        for direction in _SWIPES:
            if f"swipe {direction}" in lower:
                return _swipe(direction, frame)
        if arrow := _ARROW.search(words):
            return self._arrow(arrow[1].upper(), arrow[2], frame)
        raise lacks(words, "operation of CogAgent")

    def _arrow(self, name: str, rest: str, frame: Frame) -> Action:
        if name == "TYPE":
            return self._type(_AT_BOX.sub("", rest).strip(), at=box_center(rest, frame))
        return Tap(*box_center(rest, frame))

    def _type(self, typed: str, at: tuple[int, int] | None = None) -> Type:
        return Type(typed, at, clear=self.submit, enter=self.submit)

    def _call(self, words: str, parts: Parts, frame: Frame) -> Decision:
        """Return the decision of an operation of the 9B model."""
        found = _CALL.match(words)
        name = (found[1] if found else words.strip().split("\n")[0]).upper()
        arguments = found[2] if found else ""
        if name in _SIGNALS:
            return Decision(said=parts, signal=name.lower())
        return Decision((_called(name, arguments, frame, submit=self.submit),), parts)

    def _words(self, action: Action, frame: Frame) -> str:
        match action:
            case Tap(x, y):
                return "tap at the position [[{},{}]]".format(*frame.thousandths(x, y))
            case Type(typed, None, clear, enter) if clear == enter == self.submit:
                if not re.search('["“”]', typed):
                    return f'type "{typed}"'
            case Swipe():
                for direction in _SWIPES:
                    if action == _swipe(direction, frame):
                        return f"swipe {direction}"
        if phrase := name_for(action, _PHRASES):
            return phrase
        raise cannot_say("CogAgent (18B)", action)

    @staticmethod
    def line_of(part: Literal["Action", "Grounded Operation"], words: str) -> str:
        """Return a part of the 9B model's reply for its history, or an empty string."""
        found = re.search(rf"{part}:\s*(.*)", words)
        return found[1].strip() if found else ""


def _split(words: str) -> tuple[str, str]:
    parts = _GROUNDED.split(words, maxsplit=2)
    if len(parts) < 2:
        raise DialectError(f'there is no "Grounded Operation:" in {quoted(words)}')
    return parts[0], parts[1].strip()


def _in_quotes(words: str) -> str:
    for pattern in _QUOTED:
        for found in pattern.finditer(words):
            return next(group for group in found.groups() if group is not None)
    raise DialectError(f"there is no text in quotation marks in {quoted(words)}")


def _swipe(direction: Direction, frame: Frame) -> Swipe:
    x1, y1, x2, y2 = _SWIPES[direction]
    return Swipe(*frame.pixel(x1, y1, (1, 1)), *frame.pixel(x2, y2, (1, 1)), seconds=0.5)


def _called(name: str, arguments: str, frame: Frame, *, submit: bool) -> Action:
    """Return the action of a call; with `submit`, typing clears the field and presses enter."""
    match name:
        case "CLICK":
            return Tap(*box_center(arguments, frame))
        case "DOUBLE_CLICK":
            return DoubleTap(*box_center(arguments, frame))
        case "RIGHT_CLICK" | "LONG_PRESS":
            return LongPress(*box_center(arguments, frame))
        case "TYPE":
            return Type(_argument("text", arguments), _named_box(arguments, frame), submit, submit)
        case "SCROLL_UP" | "SCROLL_DOWN" | "SCROLL_LEFT" | "SCROLL_RIGHT":
            return Scroll(_FINGER[name.removeprefix("SCROLL_")], _named_box(arguments, frame))
        case "KEY_PRESS":
            return Key(_key(_argument("key", arguments)))
        case "LAUNCH":
            return _launch(arguments)
        case "END":
            return Finish()
    raise DialectError(f"a phone cannot do the operation {quoted(name)}")


def _call_of(action: Action, frame: Frame, *, submit: bool) -> str:
    """Return the call that expresses an action."""
    match action:
        case Tap(x, y):
            return f"CLICK({_box(x, y, frame)})"
        case DoubleTap(x, y):
            return f"DOUBLE_CLICK({_box(x, y, frame)})"
        case LongPress(x, y):
            return f"RIGHT_CLICK({_box(x, y, frame)})"
        case Type(typed, at, clear, enter) if clear == enter == submit:
            box = f"{_box(*at, frame)}, " if at else ""
            return f"TYPE({box}text={_literal(typed)})"
        case Scroll(direction, at):
            box = f"{_box(*at, frame)}, " if at else ""
            content = next(name for name, finger in _FINGER.items() if finger == direction)
            return f"SCROLL_{content}({box}step_count=5)"
        case Key(name):
            return f"KEY_PRESS(key='{name_for(name, _KEYS)}')"
        case Open(app):
            return f"LAUNCH(app={_literal(app)}, url='None')"
        case Finish(""):
            return "END()"
    raise cannot_say("CogAgent (9B)", action)


def _named_box(arguments: str, frame: Frame) -> tuple[int, int] | None:
    found = re.search(r"\bbox\s*=\s*(\[[^\]]*\])", arguments)
    return box_center(found[1], frame) if found else None


def _argument(name: str, arguments: str) -> str:
    """Return a quoted argument, which ends at a quote before the next argument or the end."""
    opened = re.search(rf"\b{name}\s*=\s*(['\"])", arguments)
    if opened is None:
        raise lacks(arguments, f"{name}='…'")
    for behind in (r"\s*(?:,\s*\w+\s*=|[)）]\s*(?:\n|$))", r"\s*[)）]"):
        literal = re.compile(rf"((?:\\.|[^\\])*?){opened[1]}(?={behind})", re.DOTALL)
        if found := literal.match(arguments, opened.end()):
            return re.sub(r"\\[nt'\"\\]", lambda slash: _ESCAPES[slash[0]], found[1])
    raise DialectError(f"the argument {name} is not closed in {quoted(arguments)}")


def _key(word: str) -> KeyName:
    key = _READ_KEYS.get(re.sub(r"[\s_-]", "", word).lower())
    if key is None:
        raise DialectError(f"a phone has no key {quoted(word)}")
    return key


def _launch(arguments: str) -> Open:
    app = _argument("app", arguments)
    if re.search(r"url\s*=\s*(['\"])(?!None\1|\1)", arguments) or app in ("", "None"):
        raise DialectError(f"only an app can be launched, not {quoted(arguments)}")
    return Open(app)


def _box(x: int, y: int, frame: Frame) -> str:
    px, py = frame.thousandths(x, y)
    return f"box=[[{px:03d},{py:03d},{px:03d},{py:03d}]]"


def _literal(typed: str) -> str:
    escaped = {char: escape for escape, char in _ESCAPES.items() if char != '"'}
    return "'" + "".join(escaped.get(char, char) for char in typed) + "'"


def box_center(words: str, frame: Frame) -> tuple[int, int]:
    """Return the pixel of the first point [[x, y]], or of the centre of a box [[x1, y1, x2, y2]].

    Both are in thousandths of the picture.

    Raises:
        DialectError: if there is no point or box, or it lies outside the picture.
    """
    found = _BOX.search(words)
    if found is None or found[1].count(",") + found[1].count("，") == 2:
        raise lacks(words, "point or box")
    return frame.pixel(*point(found[1]), _THOUSANDTHS)
