"""Parts of an episode on pages: marks on screenshots, hierarchies, verdicts, and model calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action import Type
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.errors import ScreenError
from pytest_mobileagent.fileio import parse_json, read_bytes
from pytest_mobileagent.jsonable import to_wire
from pytest_mobileagent.llm.reference import public_name
from pytest_mobileagent.screen.element import FLAGS
from pytest_mobileagent.verdict import PERSON, effective, is_withdrawal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.episode import EpisodeRecord
    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.screen import Screen
    from pytest_mobileagent.screen.element import Element
    from pytest_mobileagent.verdict import Verdict

_FLICK = 0.25  # half the length of a scroll's mark, as a share of the screen's height or width
_FAR = 1_000_000  # pixels, more than any screen has
_AWAY = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}


def screens(episode: EpisodeRecord) -> Sequence[Screen]:
    """Return the screens to show: one for each step, and the one after the last, if observed."""
    seen = episode.seen
    return seen[:-1] if episode.steps and episode.steps[-1].screen is seen[-1] else seen


def opinions(verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
    """Return the verdicts on an episode as plain data, the oldest first."""
    stands = effective(verdicts)
    return [
        {
            "scorer": verdict.scorer,
            "passed": verdict.passed,
            "reason": verdict.reason,
            "when": verdict.extra.get("when"),
            "who": verdict.evidence.get("who"),
            "withdrawn": is_withdrawal(verdict),
            "stands": verdict is stands,
            "judges": _judges(verdict),
            "evidence": {n: v for n, v in verdict.evidence.items() if n not in {"who", "judges"}},
        }
        for verdict in verdicts
    ]


def _judges(verdict: Verdict) -> list[dict[str, Any]]:
    if verdict.scorer == PERSON:
        return []
    given = verdict.evidence.get("judges")
    found = []
    for judge in given if isinstance(given, list) else ():
        if isinstance(judge, dict):
            model = judge.get("model")
            own = {name: judge.get(name) for name in ("passed", "reason", "details")}
            found.append({"model": public_name(model) if isinstance(model, str) else model, **own})
    return found


def mark(action: Action, screen: Screen) -> dict[str, Any] | None:
    """Return the start and end of a touch on a screenshot; None if there was no touch."""
    match action:
        case Tap(x, y) | LongPress(x, y) | DoubleTap(x, y) | Type(at=(x, y)):
            place: tuple[Any, ...] = (x, y)
        case Swipe(x1, y1, x2, y2):
            place = (x1, y1, x2, y2)
        case Scroll():
            place = _flick(action, screen)
        case _:
            return None
    if not place or not all(map(_is_number, place)):
        return None
    return {"kind": type(action).__name__.lower(), "at": place[:2], "to": place[2:] or None}


def _flick(action: Scroll, screen: Screen) -> tuple[Any, ...]:
    size = size_of(screen)
    away = _AWAY.get(str(action.direction))
    if size is None or away is None:
        return ()
    middle = action.at or (size[0] / 2, size[1] / 2)
    if len(middle) != 2 or not all(map(_is_number, middle)):
        return ()
    x, y = middle
    far = (away[0] * _FLICK * size[0], away[1] * _FLICK * size[1])
    return x - far[0], y - far[1], x + far[0], y + far[1]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and abs(value) < _FAR


def size_of(screen: Screen) -> tuple[int, int] | None:
    """Return the width and height of a screenshot in pixels; None if they cannot be read."""
    try:
        return screen.size
    except ScreenError:
        return None


_DEEPEST = 150  # levels; deeper elements are shown at this level
_MOST = 5_000  # elements
_SET = tuple(flag for flag in FLAGS if flag != "enabled")


def tree(screen: Screen) -> list[Any] | None:
    """Return the view hierarchy of a screen; None if it cannot be read.

    A node is [class, text, resource id, content description, bounds, flags, children]; flags are
    separated by spaces. A hierarchy that is too large is cut off.
    """
    try:
        root = screen.root
    except ScreenError:
        return None
    top = _node(root)
    pending: list[tuple[Element, list[Any], int]] = [(root, top, 0)]
    room = _MOST
    while pending and room:
        element, node, depth = pending.pop()
        below = [(child, _node(child), depth + 1) for child in element.children[:room]]
        room -= len(below)
        node[6].extend(each for _, each, _ in below)
        # Elements that are too deep are attached beside their parent instead of below it.
        pending += [(e, n if d < _DEEPEST else [*n[:6], node[6]], d) for e, n, d in reversed(below)]
    return top


def _node(element: Element) -> list[Any]:
    flags = [flag for flag in _SET if getattr(element, flag)]
    if not element.enabled:
        flags.append("disabled")
    return [
        element.class_name, element.text, element.resource_id, element.content_desc,
        list(element.bounds), " ".join(flags), [],
    ]  # fmt: skip


JUDGES = "judges.jsonl"
REF = "§"  # the only key of an object that stands for a long string, by its number
_SHORT = 120  # characters; shorter strings are repeated instead of referenced
_FIELDS = (
    "model", "role", "input_tokens", "output_tokens", "cached_tokens", "price_usd", "seconds",
    "waited", "retries", "estimated", "from_cache",
)  # fmt: skip
_REQUEST = ("model", "role", "settings", "prompt")


class Texts:
    """The distinct long strings of an episode, by number."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        """Return the number of a string."""
        return self._numbers.setdefault(text, len(self._numbers))

    @property
    def all(self) -> list[str]:
        """All strings, in the order of their numbers."""
        return list(self._numbers)


class Exchanges:
    """The calls in a file such as calls.jsonl; `picture` returns the path of a picture's file."""

    def __init__(self, path: Path, texts: Texts, picture: Callable[[str], str]) -> None:
        self._lines = _lines(path)
        self._texts, self._picture = texts, picture

    def of_call(self, call: ModelCall) -> dict[str, Any]:
        """Return the data of a call with its request and reply, as far as they were recorded."""
        given = to_wire({name: getattr(call, name) for name in _FIELDS})
        line = call.line
        found = self._lines[line - 1] if line and line <= len(self._lines) else None
        return {**given, **self._exchange(found)}

    def all(self) -> list[dict[str, Any]]:
        """Return the data of all calls that were answered."""
        called = [line for line in self._lines if line and isinstance(line.get("call"), dict)]
        return [
            {**{name: line["call"].get(name) for name in _FIELDS}, **self._exchange(line)}
            for line in called
        ]

    def _exchange(self, line: Mapping[str, Any] | None) -> dict[str, Any]:
        if line is None:
            return {"request": None, "reply": None, "failure": ""}
        request = {name: self._shared(line[name]) for name in _REQUEST if name in line}
        failure = str(line.get("error") or "")
        return {"request": request, "reply": self._shared(line.get("reply")), "failure": failure}

    def _shared(self, value: Any) -> Any:
        """Return a value with references to long strings, and with the paths of pictures."""
        match value:
            case str() if len(value) >= _SHORT:
                return {REF: self._texts.number(value)}
            case {"picture": str(name), **rest} if not rest:
                return {"picture": self._picture(name)}
            case dict():
                return {name: self._shared(each) for name, each in value.items()}
            case list():
                return [self._shared(each) for each in value]
        return value


def pictures_of(value: Any) -> Iterator[str]:
    """Yield the paths of the pictures in the data of calls."""
    match value:
        case {"picture": str(path)}:
            yield path
        case dict() | list():
            for each in value.values() if isinstance(value, dict) else value:
                yield from pictures_of(each)


def _lines(path: Path) -> list[dict[str, Any] | None]:
    """Return the content of each line of a file; None for a damaged line."""
    try:
        *lines, _ = read_bytes(path).split(b"\n")
    except OSError:
        return []
    return [_content(line) for line in lines]


def _content(line: bytes) -> dict[str, Any] | None:
    try:
        content = parse_json(line)
    except ValueError:
        return None
    return content if isinstance(content, dict) else None
