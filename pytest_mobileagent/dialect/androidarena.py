"""AndroidArena's format: one action between two "#" signs, on the nodes of a compressed page."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_mobileagent.action import Action, Finish, Impossible, Key, Open, Type
from pytest_mobileagent.action.gestures import LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.dialect.dialect import Decision, Dialect, Frame, Parts
from pytest_mobileagent.dialect.parts import DialectError, cannot_say, lacks, quoted, unknown
from pytest_mobileagent.dialect.reading import name_for, spoken

_WITHOUT_ARGUMENTS: dict[str, Action] = {
    "swipe_up": Scroll("up"),
    "scroll_down": Scroll("up"),
    "swipe_down": Scroll("down"),
    "swipe_left": Scroll("left"),
    "swipe_right": Scroll("right"),
    "press_back": Key("back"),
    "press_recent": Key("overview"),
    "press_enter": Key("enter"),
}


@dataclass(frozen=True, slots=True)
class AndroidArena(Dialect):
    """A thought that ends with `#click [n5cf0]#`, `#set_text [n5cf0] [Kaggle]#`, `#finish [42]#`.

    Source: AndroidArena (Xing et al. 2024, arXiv 2402.06596), agents/action_parser.py, prompt.py
    and android_env2/simulator.py. Swipe directions are the finger's, across the middle of the
    screen. Typed text replaces the field's content. The answer "N/A" means an impossible task.

    The last action between two "#" signs counts, or the whole reply if it has no such signs. Unlike
    the code, this class removes the brackets around an answer, keeps brackets inside text, and
    presses a key for "press_recent", which the original's parser accepts without effect. Stopping
    an app is not supported, since the prompt does not offer it.
    """

    name = "androidarena"
    title = "AndroidArena"

    def _read(self, words: str, frame: Frame) -> Decision | Action:
        text = spoken(words)
        between = list(re.finditer(r"#(.+?)#", text))
        thought = text[: between[-1].start()].strip() if between else ""
        called = " ".join((between[-1].group(1) if between else text).split())
        name = re.match(r"\[?[^\[\] ]*\]?", called).group()  # type: ignore[union-attr]
        action = _action(name.strip("[]"), called[len(name) :].strip(), frame)
        return Decision((action,), {"thought": thought} if thought else {})

    def _read_strictly(self, words: str, frame: Frame) -> Decision | Action:
        """Return the action as the code reads it, without brackets around names or in strings.

        An empty action, or `set_text` without text, ends the original's run with an exception.
        """
        between = re.findall(r"#(.+?)#", words)
        parts = (between[-1] if between else words).split()
        if not parts or ("set_text" in parts[0] and len(parts) == 1):
            raise lacks(words, "action", "crash")
        name, rest = parts[0], " ".join(parts[1:])
        if "finish" in name and not re.search("start|stop|click|set_text", name):
            return _finish(name, rest)
        if name in _WITHOUT_ARGUMENTS:
            return _WITHOUT_ARGUMENTS[name]
        groups = [parts[1], " ".join(parts[2:])] if "set_text" in name else [rest]
        found = [re.findall(r"\[.+?\]", each) for each in groups]
        if any(len(each) != 1 for each in found):
            raise DialectError(f"exactly one part in brackets is needed: {quoted(rest)}")
        return _action(name, " ".join(each[0] for each in found), frame)

    def _print(self, action: Action, parts: Parts, frame: Frame) -> str:
        return f"{parts.get('thought', '')} #{_printed(action, frame)}#".lstrip()


def _action(name: str, rest: str, frame: Frame) -> Action:
    if name in _WITHOUT_ARGUMENTS:
        return _WITHOUT_ARGUMENTS[name]
    if "start" in name:
        return Open(_only(rest))
    if "long_click" in name:
        return LongPress(*frame.mark(_only(rest)).bounds.center)
    if "click" in name:
        return Tap(*frame.mark(_only(rest)).bounds.center)
    if "set_text" in name:
        node, closes, text = rest.partition("]")
        at = frame.mark(_only(node + closes)).bounds.center
        return Type(_only(text.strip()), at=at, clear=True)
    return _finish(name, rest)


def _finish(name: str, rest: str) -> Action:
    if "finish" in name:
        answer = rest[1:-1].strip() if re.fullmatch(r"\[.*\]", rest) else rest
        return Impossible(answer) if answer.upper() == "N/A" else Finish(answer)
    raise unknown("action", f"{name} {rest}")


def _only(words: str) -> str:
    """Return the text in the only pair of brackets.

    Raises:
        DialectError: if the text has no brackets, or several pairs.
    """
    if re.fullmatch(r"\[.+\]", words) and "] [" not in words:
        return words[1:-1]
    found = re.findall(r"\[(.+?)\]", words)
    if len(found) != 1:
        msg = f"exactly one part in brackets is needed, not {len(found)}: {quoted(words)}"
        raise DialectError(msg)
    return str(found[0])


def _printed(action: Action, frame: Frame) -> str:
    match action:
        case Swipe(x1, y1, x2, y2) if abs(y2 - y1) >= abs(x2 - x1):
            return "swipe_up" if y2 < y1 else "swipe_down"
        case Swipe(x1, _, x2, _):
            return "swipe_left" if x2 < x1 else "swipe_right"
        case Scroll(direction):
            return f"swipe_{direction}"
        case Tap(x, y):
            return f"click [{frame.mark_of(x, y).label}]"
        case LongPress(x, y):
            return f"long_click [{frame.mark_of(x, y).label}]"
        case Type(text=text, at=(x, y), clear=True, enter=False):
            return f"set_text [{frame.mark_of(x, y).label}] [{_sayable(text)}]"
        case Open(text):
            return f"start [{_sayable(text)}]"
        case Impossible():
            return "finish [N/A]"
        case Finish(text):
            return f"finish [{_sayable(text)}]" if text else "finish"
    if name := name_for(action, _WITHOUT_ARGUMENTS):
        return name
    raise cannot_say("AndroidArena", action)


def _sayable(text: str) -> str:
    if not text or "#" in text or "] [" in text or text != " ".join(text.split()):
        msg = f"a text must not contain '#', '] [', line breaks or double spaces: {quoted(text)}"
        raise DialectError(msg)
    return text
