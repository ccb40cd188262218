"""Open-AutoGLM: `<think>…</think><answer>do(action="Tap", element=[x,y])</answer>`."""

from __future__ import annotations

import ast
import re
import warnings
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.action import Action, Ask, Finish, Key, Open, Type, Wait
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Swipe, Tap
from pytest_mobileagent.dialect.dialect import Decision, Dialect, Frame
from pytest_mobileagent.dialect.parts import Call, DialectError, call, cannot_say, escaped, quoted
from pytest_mobileagent.dialect.reading import amount, number
from pytest_mobileagent.jsonable import why_unreadable

if TYPE_CHECKING:
    from collections.abc import Mapping

INVALID = "invalid"

_SCALE = (1000, 1000)
_HOLD = 3.0
_NUMBERS = re.compile(r"-?\d+(?:\.\d+)?")
_BEGIN = ("finish(message=", "do(action=", "finish(", "do(")
# Text is not escaped between its quotes, even if it contains quotes or line breaks.
_TYPE = re.compile(r'do\(\s*action="Type(?:_Name)?"[\s,]*text=(["\'])(.*)\1\s*,?\s*\)', re.DOTALL)
_FINISH = re.compile(r'finish\(\s*(?:message\s*=\s*)?(["\'])(.*)\1\s*,?\s*\)', re.DOTALL)
# The same calls, cut off by a token limit: everything after the quote is the text.
_CUT_TYPE = re.compile(r'do\(\s*action="Type(?:_Name)?"[\s,]*text=(["\']?)(.*)', re.DOTALL)
_CUT_FINISH = re.compile(r'finish\(message=(["\']?)(.*)', re.DOTALL)
_SIGNALS = {"Note": "note", "Call_API": "call_api"}


@dataclass(frozen=True, slots=True)
class AutoGlm(Dialect):
    """The instructions of Open-AutoGLM. Coordinates go from 0 to 999 and are divided by 1000.

    - "Type" clears the field first; its text is not escaped between the quotes.
    - "Swipe" lasts one to two seconds, depending on its length; "Long Press" lasts three seconds.
    - A "Tap" with a message is sensitive, and the original asks the user to confirm it. Here, it
      counts as confirmed, and the message is in `said`.
    - "Take_over" and "Interact" ask the user; without a message, the thought is the question.
    - "Note" and "Call_API" are the signals "note" and "call_api"; the original ignores them.
    - A well-formed action that cannot be performed (an unknown name, a point outside the picture)
      is the signal "invalid", with the "problem" in `said`. It costs the original one step, whereas
      an unreadable reply ends its run, with the reply as the final message.

    If a token limit cuts a reply off within the text to type, or within the final message, the
    remaining text counts, as in the original. A "Type" cut off before its text is unreadable.

    Source: zai-org/Open-AutoGLM, `phone_agent/config/prompts_zh.py` and `prompts_en.py`, and the
    code of `phone_agent/model/client.py` and `phone_agent/actions/handler.py`. The original's code
    keeps a closing `</answer>`, and then cannot read the format that its own prompt asks for; this
    class can. Without `<answer>`, the action begins at "finish(message=" or else at "do(action=".
    """

    name = "autoglm"
    on_error = "finish"

    def _read(self, words: str, frame: Frame) -> Decision | Action:
        try:
            return self._leniently(words, frame)
        except DialectError as error:
            with suppress(DialectError):
                read = self.parse_strictly(words, frame)
                if not isinstance(next(iter(read.actions), None), Finish):
                    return read  # the original can read the reply, and continues
            raise error from None

    def _read_strictly(self, words: str, frame: Frame) -> Decision | Action:
        """Return the decision as the original's code reads it.

        A closing tag, or any other text after the call, is a syntax error, which ends the run. The
        strings of "Type" and "finish" lose their first character and their last two characters.
        """
        thinking, action = _split(words)
        parts = {"thinking": thinking} if thinking else {}
        action = action.strip()
        if action.startswith(('do(action="Type"', 'do(action="Type_Name"')):
            _, behind, text = action.partition("text=")
            if not behind:
                raise DialectError(f"{quoted(action)} has no text=")
            return Decision((Type(text[1:-2], clear=True),), parts)
        if action.startswith("do"):
            return _done(_python_call(action), frame, parts)
        if action.startswith("finish"):
            return Decision((Finish(action.replace("finish(message=", "")[1:-2]),), parts)
        raise DialectError(f"{quoted(action)} begins with neither do nor finish")

    def _leniently(self, words: str, frame: Frame) -> Decision:
        thinking, action = AutoGlm.halves(words)
        parts = {"thinking": thinking} if thinking else {}
        if match := _FINISH.match(action):
            return Decision((Finish(match[2]),), parts)
        if match := _TYPE.match(action):
            return Decision((Type(match[2], clear=True),), parts)
        try:
            each = call(action)
        except DialectError:
            return Decision((_cut_off(action),), parts)
        if each.name == "finish":
            return Decision((Finish(each.get("message", "0")),), parts)
        if each.name != "do":
            raise DialectError(f"{quoted(action)} is neither do(…) nor finish(…)")
        if each.get("action").startswith("Type") and "text" not in each.arguments:
            raise DialectError(f"{quoted(action)} has no text to type")
        return _done(each, frame, parts)

    def print(self, decision: Decision, frame: Frame) -> str:
        """Return a decision in the format of the prompt."""
        thinking = decision.said.get("thinking", "")
        think = f"<think>{thinking}</think>\n" if thinking else ""
        return f"{think}<answer>{self._instruction(decision, frame)}</answer>"

    def _instruction(self, decision: Decision, frame: Frame) -> str:
        for name, signal in _SIGNALS.items():
            if decision.signal == signal and not decision.actions:
                part = "message" if name == "Note" else "instruction"
                return _do(name, **{part: decision.said.get(part, "")})
        match decision.actions:
            case (Tap(x, y),) if message := decision.said.get("message", ""):
                return _do("Tap", element=frame.whole(x, y, _SCALE), message=message)
            case (Ask(""),) if decision.said.get("thinking"):
                raise cannot_say(self.name, "asking nothing")
            case (action,):
                return _instruction(action, frame)
        raise cannot_say(self.name, decision.actions or decision.signal)

    @staticmethod
    def halves(words: str) -> tuple[str, str]:
        """Return the thought and the action of a reply as strings without tags."""
        thought, closed, behind = words.partition("</think>")
        if not closed:
            thought, behind = "", words
        if "<answer>" in behind:
            before, _, action = behind.partition("<answer>")
            action = action.rpartition("</answer>")[0] or action
        else:
            starts = [behind.find(begin) for begin in _BEGIN]
            begin = next((start for start in starts if start >= 0), None)
            if begin is None:
                return "", _bare(words)
            before, action = behind[:begin], behind[begin:]
        return _bare(f"{thought}\n{before}"), _bare(action)


def _split(words: str) -> tuple[str, str]:
    """Return the thought and the action, split as in the original: at a call, or else at tags."""
    for begin in _BEGIN[:2]:
        before, found, behind = words.partition(begin)
        if found:
            return before.strip(), begin + behind
    before, found, behind = words.partition("<answer>")
    if found:
        return re.sub("</?think>", "", before).strip(), behind.replace("</answer>", "")
    return "", words


def _python_call(action: str) -> Call:
    """Return a call parsed by Python's own parser; arguments must be literals."""
    source = action.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes that Python does not know
            called = ast.parse(source, mode="eval").body
            if not isinstance(called, ast.Call):
                raise DialectError(f"{quoted(action)} is not a call")
            given = {each.arg or "": ast.literal_eval(each.value) for each in called.keywords}
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError) as error:
        if isinstance(error, DialectError):
            raise
        msg = f"{quoted(action)} is not a Python call: {quoted(why_unreadable(error))}"
        raise DialectError(msg) from None
    # With an invalid argument (a point that is not a list, a duration that is not a string), the
    # original fails during the action, and its run continues. So drop the point, and do not wait.
    arguments = {name: value for name, value in given.items() if isinstance(value, str)}
    for name in ("element", "start", "end"):
        arguments[name] = repr(given.get(name)) if isinstance(given.get(name), list | tuple) else ""
    if "duration" in given:
        arguments.setdefault("duration", "0")
    return Call("do", arguments, len(action))


def _cut_off(action: str) -> Action:
    """Return the action of a "Type" or "finish" that was cut off.

    Raises:
        DialectError: if the text is not the beginning of one of these calls.
    """
    if match := _CUT_TYPE.match(action):
        return Type(match[2], clear=True)
    if match := _CUT_FINISH.match(action):
        return Finish(match[2])
    raise DialectError(f"{quoted(action)} is not a complete call")


def _bare(words: str) -> str:
    return re.sub(r"</?(?:think|answer)>", "", words).strip().strip("`").strip()


def _done(called: Call, frame: Frame, parts: Mapping[str, str]) -> Decision:
    """Return the decision of a call, or the signal "invalid" if the call cannot be done."""
    try:
        return _decision(called, frame, parts)
    except DialectError as error:
        return Decision((), {**parts, "problem": str(error)}, INVALID)


def _decision(called: Call, frame: Frame, parts: Mapping[str, str]) -> Decision:
    name, thinking = called.get("action", "0"), parts.get("thinking", "")
    if name in _SIGNALS:
        given = {key: value for key, value in called.arguments.items() if key != "action" and value}
        return Decision((), {**parts, **given}, _SIGNALS[name])
    if name == "Tap" and (message := called.get("message")):
        parts = {**parts, "message": message}
    return Decision((_action(name, called, frame, thinking),), parts)


def _action(name: str, called: Call, frame: Frame, thinking: str) -> Action:
    match name:
        case "Tap":
            return Tap(*_pixel(called, "element", frame))
        case "Double Tap":
            return DoubleTap(*_pixel(called, "element", frame))
        case "Long Press":
            return LongPress(*_pixel(called, "element", frame), _HOLD)
        case "Swipe":
            (x1, y1), (x2, y2) = (_pixel(called, end, frame) for end in ("start", "end"))
            square = (x1 - x2) ** 2 + (y1 - y2) ** 2
            return Swipe(x1, y1, x2, y2, max(1000, min(square // 1000, 2000)) / 1000)
        case "Type" | "Type_Name":
            return Type(called.arguments.get("text", ""), clear=True)
        case "Launch" if app := called.get("app"):
            return Open(app)
        case "Back":
            return Key("back")
        case "Home":
            return Key("home")
        case "Wait":
            return Wait(_seconds(called.get("duration")))
        case "Take_over" | "Interact":
            return Ask(called.get("message") or thinking)
    raise DialectError(f"there is no action {quoted(name)}, or its app is missing")


def _pixel(called: Call, name: str, frame: Frame) -> tuple[int, int]:
    numbers = _NUMBERS.findall(called.get(name))
    if len(numbers) < 2:
        raise DialectError(f"{quoted(called.get('action', '0'))} needs {name}=[x,y]")
    return frame.pixel(number(numbers[0]), number(numbers[1]), _SCALE)


def _seconds(duration: str) -> float:
    try:
        return amount(duration)
    except DialectError:
        return 1.0


def _instruction(action: Action, frame: Frame) -> str:
    match action:
        case Tap(x, y):
            return _do("Tap", element=frame.whole(x, y, _SCALE))
        case DoubleTap(x, y):
            return _do("Double Tap", element=frame.whole(x, y, _SCALE))
        case LongPress(x, y):
            return _do("Long Press", element=frame.whole(x, y, _SCALE))
        case Swipe(x1, y1, x2, y2):
            return _do("Swipe", start=frame.whole(x1, y1, _SCALE), end=frame.whole(x2, y2, _SCALE))
        case Type(text, None, True, False):
            return f'do(action="Type", text="{text}")'
        case Key("back" | "home" as key):
            return _do(key.title())
        case Finish(answer):
            return f'finish(message="{answer}")'
        case Open(app) if app:
            return _do("Launch", app=app)
        case Wait(seconds):
            return _do("Wait", duration=f"{seconds!r} seconds")
        case Ask(question):
            return _do("Take_over", message=question) if question else _do("Interact")
    raise cannot_say(AutoGlm.name, action)


def _do(name: str, **arguments: str | tuple[int, int]) -> str:
    parts = [f'action="{name}"']
    for key, value in arguments.items():
        literal = f"'{escaped(value)}'" if isinstance(value, str) else str(list(value))
        parts.append(f"{key}={literal}")
    return f"do({', '.join(parts)})"
