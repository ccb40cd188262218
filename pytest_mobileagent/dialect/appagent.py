"""AppAgent's format: calls of functions on numbered elements, or on the cells of a grid."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from pytest_mobileagent.action import Action, Finish, Key, Type
from pytest_mobileagent.action.gestures import Direction, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.dialect.dialect import Decision, Dialect, Frame, Parts
from pytest_mobileagent.dialect.parts import DialectError, cannot_say, lacks, line_after, quoted
from pytest_mobileagent.dialect.reading import spoken

if TYPE_CHECKING:
    from pytest_mobileagent.perception.marks import Mark

_LENGTHS = {"short": 1, "medium": 2, "long": 3}
_CALL = re.compile(r"\b(tap|text|long_press|swipe|grid|click|input|scroll)\s*\(", re.IGNORECASE)
_TOUCHES: dict[str, type[Tap | LongPress]] = {"tap": Tap, "long_press": LongPress}
_ALIASES = {"click": "tap", "input": "text", "scroll": "swipe"}
_TEXT = re.compile(r"\(\s*([\"“'])(.*?)[\"”']\s*\)|\((.*)\)", re.DOTALL)
_QUOTES = "\"'\u201c\u201d\u2018\u2019` "
# The nine places in a cell of the grid, in quarters of its width and height.
_PLACES = {
    "top-left": (1, 1), "top": (2, 1), "top-right": (3, 1),
    "left": (1, 2), "center": (2, 2), "right": (3, 2),
    "bottom-left": (1, 3), "bottom": (2, 3), "bottom-right": (3, 3),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class AppAgent(Dialect):
    """Lines with Observation, Thought, Action and Summary; the action is a call or FINISH.

    Source: AppAgent (Yang et al. 2023, arXiv 2312.13771), scripts/model.py and task_executor.py.

    - `grid`: whether the model was shown the grid, whose cells are then the marks.
    - `offers_grid`: whether grid() is a known function, which it is not during exploration.
    - `functions`: "mobile-bench-v2" prints those of Mobile-Bench-v2's adaptation (its appendix C,
      listing 4): `click("c5")`, `input("…")`, `scroll("s2", "up")`. Both are always read.

    Touches are at the centres of elements; a long press lasts one second, a swipe 0.4 seconds. The
    length of a horizontal swipe is a tenth of the screen's width times one, two or three; vertical
    swipes are twice as long. Swipes end at the screen's edge (in the original, Android cuts them).

    Where the original's code misreads a reply, this class follows the prompt instead: text is not
    cut at its first closing parenthesis, unquoted text keeps its first and last character,
    the word FINISH in text to type does not end the task, the number 0 is not the last element,
    the cells of the grid are those that were drawn, and a swipe on the grid begins at the point
    that the model names. `parse_strictly` follows the code in all of these.

    `said` has the observation, the thought and the summary; a call of grid() is the signal "grid".
    """

    name = "appagent"
    title = "AppAgent"
    on_error = "give up"
    grid: bool = False
    functions: Literal["original", "mobile-bench-v2"] = "original"
    offers_grid: bool = True

    def _read(self, words: str, frame: Frame) -> Decision | Action:
        text = spoken(words)
        parts = {part: line_after(text, part.title()) for part in ("observation", "thought")}
        action = line_after(text, "Action")
        parts["summary"] = line_after(text, "Summary")
        if _finishes(action):
            return Decision((Finish(),), parts)
        return self._call(action, parts, frame)

    def _read_strictly(self, words: str, frame: Frame) -> Decision | Action:
        """Return the decision as the released code reads it, including its mistakes.

        An unreadable reply or an unknown element ends the run. A touch in an unknown cell of the
        grid has no effect. Mobile-Bench-v2's code was not released, so `parse` reads its replies.
        """
        if self.functions == "mobile-bench-v2":
            return self._read(words, frame)
        called = _code_call(words, grid=self.grid)
        if called.name == "FINISH":
            return Decision((Finish(),), called.parts)
        if called.name == "grid":
            if not self.offers_grid:
                raise _unexpected("there is no grid while exploring")
            return Decision((), called.parts, "grid")
        if self.grid:
            return Decision(_code_on_grid(called, frame), called.parts)
        return Decision((_code_on_element(called, frame),), called.parts)

    def print(self, decision: Decision, frame: Frame) -> str:
        """Return a decision as a reply; missing parts are empty."""
        parts = decision.said
        lines = [f"{name}: {parts.get(name.lower(), '')}" for name in ("Observation", "Thought")]
        action = "grid()" if decision.signal == "grid" else self._printed(decision, frame)
        lines += [f"Action: {action}", f"Summary: {parts.get('summary', '')}"]
        return "\n".join(part.replace("\n", " ") for part in lines)

    def _call(self, action: str, parts: Parts, frame: Frame) -> Decision:
        called = _CALL.search(action)
        name = called.group(1).lower() if called else action.strip(_QUOTES).lower()
        if name == "grid" and self.offers_grid:
            return Decision((), parts, "grid")
        if called is None or name == "grid":
            raise lacks(action, "known function")
        name = _ALIASES.get(name, name)
        if name == "text" and not self.grid:
            return Decision((Type(_text(action[called.end() - 1 :])),), parts)
        texts = action[called.end() :].partition(")")[0].split(",")
        arguments = [part.rpartition("=")[2].strip(_QUOTES) for part in texts]
        on_screen = self._on_grid if self.grid else self._on_element
        return Decision((on_screen(name, arguments, frame),), parts)

    def _on_element(self, name: str, arguments: list[str], frame: Frame) -> Action:
        match name, arguments:
            case "tap" | "long_press", [element]:
                return _TOUCHES[name](*_mark(frame, element).bounds.center)
            case "swipe", [element, direction] if self.functions == "mobile-bench-v2":
                return _swipe(_mark(frame, element), direction, "medium", frame)
            case "swipe", [element, direction, length]:
                return _swipe(_mark(frame, element), direction, length, frame)
        raise _wrong(name, arguments)

    def _on_grid(self, name: str, arguments: list[str], frame: Frame) -> Action:
        match name, arguments:
            case "tap" | "long_press", [cell, place, *_]:
                return _TOUCHES[name](*_spot(frame, cell, place))
            case "swipe", [start, place, end, other, *_]:
                return Swipe(*_spot(frame, start, place), *_spot(frame, end, other), 0.4)
        raise _wrong(name, arguments)

    def _printed(self, decision: Decision, frame: Frame) -> str:
        adapted = self.functions == "mobile-bench-v2"
        match decision.actions:
            case (Finish(),):
                return "FINISH"
            case (Type(text=text, at=None, clear=False, enter=False),) if not self.grid:
                # The format has no escapes, so text cannot contain the characters that end it.
                if re.search(r"[\"”']\s*\)|[\r\n]", text):
                    msg = f"a text must be one line without a quote before ')': {quoted(text)}"
                    raise DialectError(msg)
                return f'{"input" if adapted else "text"}("{text}")'
            case (Tap(x, y),):
                return f"{'click' if adapted else 'tap'}({self._place(x, y, frame)})"
            case (LongPress(x, y),):
                return f"long_press({self._place(x, y, frame)})"
            case (Swipe() | Scroll() as action,):
                return self._printed_swipe(action, frame)
        raise cannot_say(self.title, decision.actions)

    def _printed_swipe(self, action: Swipe | Scroll, frame: Frame) -> str:
        if isinstance(action, Swipe) and self.grid:
            start, end = (action.x1, action.y1), (action.x2, action.y2)
            return f"swipe({self._place(*start, frame)}, {self._place(*end, frame)})"
        if self.grid:
            raise DialectError(f"a swipe on the grid needs two ends: {quoted(action)}")
        if isinstance(action, Scroll):
            x, y = action.at or (frame.size[0] // 2, frame.size[1] // 2)
            direction, length = action.direction, "long"
        else:
            x, y = action.x1, action.y1
            direction, length = _direction(action, frame)
        mark = frame.mark_at(x, y)
        if self.functions == "mobile-bench-v2":
            return f'scroll({mark.label}, "{direction}")'
        return f'swipe({mark.label}, "{direction}", "{length}")'

    def _place(self, x: int, y: int, frame: Frame) -> str:
        mark = frame.mark_of(x, y)
        if not self.grid:
            return mark.label
        spots = {place: _spot(frame, mark.label, place) for place in _PLACES}
        place = min(spots, key=lambda each: abs(spots[each][0] - x) + abs(spots[each][1] - y))
        return f'{mark.label}, "{place}"'


@dataclass(frozen=True, slots=True)
class AppAgentReflection(Dialect):
    """A reflection on the last action, as made during AppAgent's exploration.

    The reply has one line each for Decision, Thought and Documentation. Source: scripts/model.py
    and self_explorer.py. The decision is the signal: "back", "ineffective", "continue" or
    "success"; "back" also presses the back key. `said` has the thought and the documentation of the
    element, which all decisions except "ineffective" require.
    """

    name = "appagent-reflection"
    on_error = "give up"

    def _read(self, words: str, frame: Frame) -> Decision | Action:
        text = spoken(words)
        decision = line_after(text, "Decision").strip("*. ").lower()
        parts = {"thought": line_after(text, "Thought")}
        if decision in ("back", "continue", "success"):
            parts["documentation"] = line_after(text, "Documentation")
        elif decision != "ineffective":
            msg = f"a decision is BACK, INEFFECTIVE, CONTINUE or SUCCESS, not {quoted(decision)}"
            raise DialectError(msg)
        return Decision((Key("back"),) if decision == "back" else (), parts, decision)

    def _read_strictly(self, words: str, frame: Frame) -> Decision | Action:
        """Return the decision as the released code reads it; its name must match exactly."""
        decision, thought = _code_line(words, "Decision"), _code_line(words, "Thought")
        if decision == "INEFFECTIVE":
            return Decision((), {"thought": thought}, "ineffective")
        if decision not in ("BACK", "CONTINUE", "SUCCESS"):
            raise _unexpected(f"there is no decision {quoted(decision)}")
        parts = {"thought": thought, "documentation": _code_line(words, "Documentation")}
        return Decision((Key("back"),) if decision == "BACK" else (), parts, decision.lower())

    def print(self, decision: Decision, frame: Frame) -> str:
        """Return a reflection as a reply."""
        lines = [f"Decision: {decision.signal.upper()}"]
        lines += [f"{name.title()}: {words}" for name, words in decision.said.items()]
        return "\n".join(line.replace("\n", " ") for line in lines)


@dataclass(frozen=True, slots=True)
class _CodeCall:
    """A call, or FINISH, as the code reads it, with the other parts of the reply."""

    name: str
    arguments: tuple[str, ...]
    parts: Parts

    def number(self, place: int) -> int:
        """Return an argument as a whole number, parsed like Python's `int`."""
        try:
            return int(self.arguments[place])
        except (ValueError, IndexError):
            raise _unexpected(f"{quoted(', '.join(self.arguments))} has no whole number") from None

    def word(self, place: int) -> str:
        """Return an argument without its first and last character, which should be quotes."""
        if len(self.arguments) <= place:
            raise _unexpected(f"{self.name} needs more than {quoted(', '.join(self.arguments))}")
        return self.arguments[place].strip()[1:-1]


def _code_call(words: str, *, grid: bool) -> _CodeCall:
    """Return the call in a reply as `parse_explore_rsp` of AppAgent's scripts/model.py reads it."""
    names = ("Observation", "Thought", "Action", "Summary")
    parts = {name.lower(): _code_line(words, name) for name in names}
    action = parts.pop("action")
    if "FINISH" in action:
        return _CodeCall("FINISH", (), parts)
    name = action.partition("(")[0]
    if name == "grid":
        return _CodeCall(name, (), {**parts, "summary": name})
    if name not in (*_TOUCHES, "swipe") and (grid or name != "text"):
        raise _unexpected(f"{quoted(name)} is not a function")
    behind = re.search(rf"{name}\((.*?)\)", action)
    if behind is None:
        raise _unexpected(f"the call is not closed: {quoted(action)}")
    arguments = (behind[1],) if name == "text" else tuple(behind[1].split(","))
    if not grid and len(arguments) != (3 if name == "swipe" else 1):
        raise _unexpected(f"{name} does not take the arguments {quoted(behind[1])}")
    return _CodeCall(name, arguments, parts)


def _code_spot(area: int, place: str, frame: Frame) -> tuple[int, int]:
    """Return the pixel on which the code acts; it is outside the screen for an unknown cell.

    The code's cells divide the whole screen evenly, and so differ slightly from the drawn grid.
    """
    columns = len({mark.bounds.left for mark in frame.marks.values()}) or 1
    rows = len(frame.marks) // columns or 1
    width, height = frame.size[0] // columns, frame.size[1] // rows
    across, down = _PLACES.get(place, _PLACES["center"])
    row, column = divmod(area - 1, columns)
    return column * width + width * across // 4, row * height + height * down // 4


def _code_line(words: str, name: str) -> str:
    """Return the text after the first "NAME: ", up to the end of the line."""
    found = re.search(rf"{name}: (.*?)$", words, re.MULTILINE)
    if found is None:
        raise lacks(words, f"'{name}: '", "crash")
    return found[1]


def _unexpected(problem: str) -> DialectError:
    """Return an error that ends the original's run."""
    return DialectError(problem, on_error="crash")


def _code_on_element(called: _CodeCall, frame: Frame) -> Action:
    if called.name == "text":
        # The code drops the first and last character, supposedly quotes; adb's shell, apostrophes.
        return Type(called.arguments[0][1:-1].replace("'", ""))
    number, marks = called.number(0), list(frame.marks.values())
    try:
        mark = marks[number - 1]  # 0 selects the last element, as an index of -1 does in Python
    except IndexError:
        raise _unexpected(f"there is no element {number} of {len(marks)}") from None
    if called.name == "swipe":
        if called.word(1) not in get_args(Direction):
            raise _unexpected(f"there is no direction {quoted(called.word(1))}")
        return _swipe(mark, called.word(1), called.word(2), frame)
    return _TOUCHES[called.name](*mark.bounds.center)


def _code_on_grid(called: _CodeCall, frame: Frame) -> tuple[Action, ...]:
    x, y = _code_spot(called.number(0), called.word(1), frame)
    width, height = frame.size
    if called.name == "swipe":
        # The code uses x for y by mistake, and leaves points outside the screen to Android.
        x2, y2 = _code_spot(called.number(2), called.word(3), frame)
        return (Swipe(x, min(x, height - 1), x2, min(max(y2, 0), height - 1), 0.4),)
    return (_TOUCHES[called.name](x, y),) if 0 <= x < width and 0 <= y < height else ()


def _finishes(action: str) -> bool:
    """Return whether an action contains the word FINISH outside text to type."""
    called = _CALL.search(action)
    if called is not None and called.group(1).lower() in ("text", "input"):
        behind = action[called.end() - 1 :]
        typed = _TEXT.match(behind)  # not `search`, since the text must begin here
        action = action[: called.start()] + (behind[typed.end() :] if typed else behind)
    return "FINISH" in action or action.strip(". ").upper() == "FINISH"


def _text(behind: str) -> str:
    found = _TEXT.match(behind)
    if found is None:
        return behind[1:].strip(_QUOTES)  # the call was cut off, or has no closing parenthesis
    quoted, bare = found.group(2), found.group(3)
    return bare.strip() if quoted is None else quoted


def _mark(frame: Frame, label: str) -> Mark:
    """Return the mark with a label, which may be "05", "+5", full-width digits or "element 5"."""
    if label in frame.marks:
        return frame.mark(label)
    number = re.fullmatch(r"(?:\w*\s+)?\+?(\d{1,9})", label)
    return frame.mark(str(int(number.group(1))) if number else label)


def _spot(frame: Frame, cell: str, place: str) -> tuple[int, int]:
    bounds = _mark(frame, cell).bounds
    across, down = _PLACES.get(place.lower(), _PLACES["center"])
    return bounds.left + bounds.width * across // 4, bounds.top + bounds.height * down // 4


def _swipe(mark: Mark, direction: str, length: str, frame: Frame) -> Swipe:
    """Return the swipe in a direction; an unknown length counts as "short"."""
    x, y = mark.bounds.center
    unit = frame.size[0] // 10 * _LENGTHS.get(length.lower(), 1)
    offsets = {"up": (0, -2 * unit), "down": (0, 2 * unit), "left": (-unit, 0), "right": (unit, 0)}
    if direction.lower() not in offsets:
        msg = f"a direction is {', '.join(get_args(Direction))}, not {quoted(direction)}"
        raise DialectError(msg)
    across, down = offsets[direction.lower()]
    ends = zip((x + across, y + down), frame.size, strict=True)
    x2, y2 = (min(max(end, 0), size - 1) for end, size in ends)
    return Swipe(x, y, x2, y2, 0.4)


def _direction(swipe: Swipe, frame: Frame) -> tuple[Direction, str]:
    """Return the direction and the length that come closest to a swipe."""
    across, down = swipe.x2 - swipe.x1, swipe.y2 - swipe.y1
    if abs(across) >= abs(down):
        direction: Direction = "right" if across > 0 else "left"
        units = abs(across) / max(1, frame.size[0] // 10)
    else:
        direction = "down" if down > 0 else "up"
        units = abs(down) / max(1, 2 * (frame.size[0] // 10))
    return direction, min(_LENGTHS, key=lambda length: abs(_LENGTHS[length] - units))


def _wrong(name: str, arguments: list[str]) -> DialectError:
    return DialectError(f"the function {name} cannot be called with {', '.join(arguments) or '()'}")
