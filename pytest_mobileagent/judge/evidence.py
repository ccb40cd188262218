"""The evidence from an episode that a judge sees, in one or several windows, and its pictures.

- `screens`: all screenshots in order, with actions as text, drawn into them, or omitted (SPA-Bench,
  arXiv 2410.15164, appendix D).
- `xml`: the last view hierarchy; all of them in order for multi-frame queries and cross-app tasks
  (A3, arXiv 2501.01149, section 3.4.2).

An episode is only split into windows if it does not fit into one request. Each window begins with
the last screen of the previous one, so every change is visible in one of them.

A picture is made once, and shared by all judges and votes that need it.
"""

from __future__ import annotations

import copy
import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from pytest_mobileagent.action import Type
from pytest_mobileagent.action.gestures import Scroll, Swipe, Touch
from pytest_mobileagent.errors import JudgeError, NoScreenshotError, ScreenError
from pytest_mobileagent.judge.prompts import wording_of
from pytest_mobileagent.judge.transcript import frames, in_quotes, in_words, outline
from pytest_mobileagent.llm.fence import Data
from pytest_mobileagent.llm.model import Image
from pytest_mobileagent.llm.prices import text_tokens
from pytest_mobileagent.perception.picture import draw_strip, draw_touches, encode, fit

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from pytest_mobileagent.episode import EpisodeRecord
    from pytest_mobileagent.judge.prompts import Wording
    from pytest_mobileagent.judge.question import Actions, Evidence, Question
    from pytest_mobileagent.judge.transcript import TranscriptFrame
    from pytest_mobileagent.llm.fence import Part
    from pytest_mobileagent.perception.picture import Point
    from pytest_mobileagent.screen import Screen


V = TypeVar("V")


class LruCache(Generic[V]):
    """A thread-safe cache of the `most` recently used values, by key."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Hashable, V] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], V]) -> V:
        """Return the value of a key; `make` computes a missing one, maybe twice in parallel."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = make()
        with self._lock:
            self._values[key] = value
            while len(self._values) > self._most:
                self._values.popitem(last=False)
        return value


LONGEST_SIDE = 1024  # pixels of a screenshot's longer side, without the strip below it
_QUALITY = 85
_DIRECTIONS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_CODE = 6  # hexadecimal digits
_LONGEST_WORDS = 120  # characters of one text on a strip
_LONGEST_STRIP = 600  # characters of all strings on a strip


@dataclass(frozen=True, slots=True)
class Album:
    """The pictures of one request, and the strings that cannot be written on their strips.

    Strips are drawn in a font that is available everywhere, but only has ASCII letters. Texts that
    are too long or have other letters appear on a strip as [1], [2] …, and in `words`. Each strip
    begins with `code`, which no app can know, so an app cannot imitate a strip.
    """

    actions: Actions
    code: str = ""
    words: list[str] = field(default_factory=list)

    def picture(self, frame: TranscriptFrame) -> Image:
        """Return the screenshot of a frame as a JPEG, with its actions drawn into it.

        Raises:
            ScreenError: if the screenshot cannot be decoded.
        """
        acts = frame.actions if self.actions != "none" else ()
        touches = tuple(action for action in acts if isinstance(action, Touch | Type))
        strip = ""
        if self.actions == "image" and not frame.is_last:
            words = in_words(frame, wording_of("en").verbs, self._on_strip)
            if len(words) > _LONGEST_STRIP:
                words = self._number(words)
            strip = f"{self.code} {words}"
        key = frame.screen.key, repr(touches), strip  # a record's coordinates may be unhashable
        return Image(_pictures.get(key, lambda: _drawn(frame.screen, touches, strip)), "high")

    def _on_strip(self, text: object) -> str:
        words = in_quotes(text)
        if words.isascii() and words.isprintable() and len(words) <= _LONGEST_WORDS:
            return words
        return self._number(words)

    def _number(self, words: str) -> str:
        """Return a reference such as [1] to text that is listed beside the pictures."""
        if words not in self.words:
            self.words.append(words)
        return f"[{self.words.index(words) + 1}]"


def code_of(found: Iterable[TranscriptFrame]) -> str:
    """Return a code that is derived from all pictures, so none of them can show it."""
    return hashlib.sha256("".join(f.screen.key for f in found).encode()).hexdigest()[:_CODE]


_pictures: LruCache[bytes] = LruCache(256)  # about 80 kB each


def _drawn(screen: Screen, touches: Sequence[Touch | Type], strip: str) -> bytes:
    image = copy.copy(screen).image  # of a copy, so the episode does not keep decoded pixels
    ways = [_way(each, image.size) for each in touches]
    dots = [way[0] for way in ways if len(way) == 1]
    image = draw_touches(image, dots, [(way[0], way[-1]) for way in ways if len(way) > 1])
    image = fit(image, LONGEST_SIDE)
    return encode(draw_strip(image, strip) if strip else image, "jpeg", _QUALITY)


def _way(action: Touch | Type, size: tuple[int, int]) -> list[Point]:
    """Return the point that an action touches, or the start and end of the finger's path.

    It is empty if nothing is touched, or if the coordinates in the record are not numbers.
    """
    try:
        match action:
            case Swipe(x1, y1, x2, y2):
                points = [(x1, y1), (x2, y2)]
            case Scroll(direction, at):
                x, y = at or (size[0] // 2, size[1] // 2)
                across, down = _DIRECTIONS.get(direction, (0, 0))
                reach = across * size[0] // 4, down * size[1] // 4
                points = [(x - reach[0], y - reach[1]), (x + reach[0], y + reach[1])]
            case Type(at=at):
                points = [] if at is None else [at]
            case _:
                points = [(action.x, action.y)]
        return [(round(x), round(y)) for x, y in points]
    except (TypeError, ValueError, OverflowError):
        return []


def numbered(
    episode: EpisodeRecord,
    screens: Iterable[int],
    evidence: Evidence = "screens",
    side: int = LONGEST_SIDE,
) -> list[Part]:
    """Return screens of an episode, given by their indices, each with its number (index plus 1).

    They are pictures whose longer side has at most `side` pixels, or outlines of view hierarchies.
    """
    parts: list[Part] = []
    for place in screens:
        screen = episode.screens[place]
        if evidence == "xml":
            parts.append(Data(f"screen-{place + 1}", outline(screen)))
            continue
        parts.append(f"Screenshot {place + 1}:")
        try:
            parts.append(Image(encode(fit(copy.copy(screen).image, side), "jpeg"), detail="high"))
        except ScreenError:
            parts.append("(missing)")
    return parts


# OpenAI long accepted 50 pictures in a request, Anthropic accepts 100; 50 are about 40,000 tokens.
MOST_PICTURES = 50
MOST_TOKENS = 60_000  # of view hierarchies, as estimated here; models accept 128,000 or more
_ALL_HIERARCHIES = ("multi-frame query", "cross-app")


def windows(
    question: Question, episode: EpisodeRecord, screens: range | None, wording: Wording
) -> list[tuple[tuple[Part, ...], int]]:
    """Return the evidence of each request in order, with the number of screens that follow it.

    Raises:
        JudgeError: if there is nothing to show.
    """
    found = frames(episode, screens)
    if not found:
        raise JudgeError(f"no judge can be asked: the episode has no screens {screens}")
    if question.evidence == "xml":
        shows_all = screens is not None or episode.case.task.kind in _ALL_HIERARCHIES
        return _hierarchies(question, found, wording, shows_all=shows_all)
    most = min(question.window or MOST_PICTURES, MOST_PICTURES)
    return [
        (_screenshots(question, part, found, wording), len(found) - part[-1].number)
        for part in _cut(found, [1] * len(found), most)
    ]


def _screenshots(
    question: Question,
    part: Sequence[TranscriptFrame],
    found: Sequence[TranscriptFrame],
    wording: Wording,
) -> tuple[Part, ...]:
    code = code_of(found)
    album = Album(question.actions or "none", code)
    pictures: list[Part] = []
    decoded = 0
    for frame in part:
        pictures.append(_title(wording.picture, frame, wording))
        try:
            pictures.append(album.picture(frame))
            decoded += 1
        except NoScreenshotError as error:
            raise JudgeError(f"no judge can be asked: {error}") from error
        except ScreenError:
            pictures.append(wording.unreadable)
    if not decoded:
        raise JudgeError("no judge can be asked: none of the episode's screenshots can be decoded")
    content: list[Part] = [_counted(wording.pictures, part, len(found))]
    if album.actions == "image":
        content.append(wording.picture_actions.replace("{CODE}", code))
    if album.words:
        words = "\n".join(f"[{number}] {each}" for number, each in enumerate(album.words, 1))
        content += [wording.picture_words, Data("words", words)]
    if album.actions == "text":
        content += [wording.dots, *_listed(part, wording.picture, wording)]
    return (*content, *pictures)


def _hierarchies(
    question: Question, found: Sequence[TranscriptFrame], wording: Wording, *, shows_all: bool
) -> list[tuple[tuple[Part, ...], int]]:
    outlines = {frame.number: _limited(outline(frame.screen)) for frame in found}
    chosen = found if shows_all else found[-1:]
    parts = []
    for part in _cut(chosen, [_tokens(outlines[f.number]) for f in chosen], MOST_TOKENS):
        content: list[Part] = []
        if question.actions == "text":
            content += _listed(part if shows_all else found, wording.screen, wording)
        if shows_all:
            content.append(_counted(wording.hierarchies, part, len(found)))
        else:
            content.append(wording.final_hierarchy)
        for frame in part:
            content.append(_title(wording.screen, frame, wording))
            content.append(Data(f"screen-{frame.number}", outlines[frame.number]))
        parts.append((tuple(content), len(found) - part[-1].number))
    return parts


def _listed(part: Sequence[TranscriptFrame], title: str, wording: Wording) -> list[Part]:
    """Return the actions, one line per screen, fenced because they quote apps and the agent."""
    lines = [
        f"{title.replace('{NUMBER}', str(frame.number))} {in_words(frame, wording.verbs)}"
        for frame in part
        if not frame.is_last
    ]
    return [wording.listed_actions, Data("actions", "\n".join(lines))] if lines else []


def _cut(
    found: Sequence[TranscriptFrame], sizes: Sequence[int], most: int
) -> list[Sequence[TranscriptFrame]]:
    """Return windows of at most `most` in size, but of at least two frames, that overlap by one.

    The last frame of a window is the first one of the next.
    """
    parts: list[Sequence[TranscriptFrame]] = []
    first = 0
    while True:
        end, size = first + 1, sizes[first]
        while end < len(found) and (size + sizes[end] <= most or end - first < 2):
            size += sizes[end]
            end += 1
        parts.append(found[first:end])
        if end == len(found):
            return parts
        first = end - 1


def _limited(text: str) -> str:
    """Return the text, cut to fit into half a window; the number of cut characters is appended."""
    most = MOST_TOKENS // 2
    if _tokens(text) <= most:
        return text
    end = most  # no character counts as more than one token
    while _tokens(text[: end + most]) <= most:
        end += most
    return f"{text[:end]}… ({len(text) - end} more characters)"


def _tokens(text: str) -> int:
    """Return an estimate of the text's tokens; each non-ASCII character counts as one token."""
    ascii_only = text.encode("ascii", "ignore").decode("ascii")
    return text_tokens(ascii_only) + len(text) - len(ascii_only)


def _title(title: str, frame: TranscriptFrame, wording: Wording) -> str:
    last = f" {wording.last}" if frame.is_last else ""
    return f"{title.replace('{NUMBER}', str(frame.number))}{last}"


def _counted(text: str, part: Sequence[TranscriptFrame], count: int) -> str:
    numbers = {"{FIRST}": part[0].number, "{LAST}": part[-1].number, "{COUNT}": count}
    for name, number in numbers.items():
        text = text.replace(name, str(number))
    return text
