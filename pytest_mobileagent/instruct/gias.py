"""GIAS: writing an instruction for a route in a sequence of simple requests.

Algorithm 1 of arXiv 2505.11891: describe the pages, infer the purpose of each action, summarise
what it changed, write an instruction for each step, merge these, simplify the result, and verify
that no step is redundant. For k steps, this takes 4k + 4 requests with at most one picture each,
since some models accept no more. The last page is described first, and its description is part of
the requests for the others (P_t).

The prompts are in a TOML file for each language; their wording is our own.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from pytest_mobileagent.action import Type
from pytest_mobileagent.dataset import touched
from pytest_mobileagent.dialect.reading import object_in
from pytest_mobileagent.errors import MobileAgentError, ScreenError
from pytest_mobileagent.jsonable import cut, expect
from pytest_mobileagent.judge.evidence import Album
from pytest_mobileagent.judge.prompts import texts_in
from pytest_mobileagent.judge.prompts import wording_of as judges_wording
from pytest_mobileagent.judge.question import read_notes
from pytest_mobileagent.judge.transcript import TranscriptFrame, in_words, outline
from pytest_mobileagent.llm.fence import Data, seal
from pytest_mobileagent.llm.model import Message
from pytest_mobileagent.llm.models import ask_until_readable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pytest_mobileagent.action.matching import Golden
    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.instruct.routes import Route
    from pytest_mobileagent.judge.prompts import Verbs
    from pytest_mobileagent.llm.fence import Part
    from pytest_mobileagent.llm.model import Model, ModelReply
    from pytest_mobileagent.screen import Screen


StageName = Literal["describe", "intent", "change", "part", "merge", "simplify", "verify"]
# The role of each stage. In the paper, three models describe, summarise and write (section 3.2).
ROLES: Mapping[StageName, str] = {
    "describe": "describer", "intent": "writer", "change": "summariser", "part": "writer",
    "merge": "writer", "simplify": "writer", "verify": "verifier",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Stage:
    """One kind of request: the `rules` of the system prompt, and a `sample` of a reply.

    The sample shows the format, and is used as the reply in a dry run, which calls no model.
    """

    rules: str
    sample: str


@dataclass(frozen=True, slots=True)
class Wording:
    """All prompts in one language; capitalised words in braces are placeholders.

    - `guard`: the explanation of how data is fenced ({NUMBER}).
    - `repair`: the message after an unreadable reply ({PROBLEM}).
    - `number`: the request for the instruction of a step ({NUMBER}).
    - `labels`: the heading of each kind of data.
    - `example`: the headings of an example and of its reply.
    - `better`: a judge's rules for two instructions; replies end with `Result: A`, `B` or `tie`.
    """

    verbs: Verbs
    guard: str
    repair: str
    number: str
    labels: Mapping[str, str]
    example: tuple[str, str]
    stages: Mapping[StageName, Stage]
    better: str


@cache
def wording_of(language: str) -> Wording:
    """Return the prompts in a language: Chinese for "zh" and "zh-…", English for all others."""
    texts = texts_in(Path(__file__).with_name("prompts"), language)
    stages = {name: Stage(**stage) for name, stage in texts.pop("stages").items()}
    example = tuple(texts.pop("example"))
    return Wording(judges_wording(language).verbs, stages=stages, example=example, **texts)


T = TypeVar("T")
# Reasoning models count their thoughts as output, however short the reply is.
_MOST_TOKENS = 4096
_LONGEST_PAGE = 8000  # characters of a page's outline
_LONGEST = 2000  # characters of text that a model wrote
_RUN = 4  # consecutive words that an instruction would not share with a page by chance
_RUN_HAN = 8  # the same in characters, for scripts without spaces, such as Chinese
_MARKS = ".,:;!?\"'()[]\u201c\u201d\u2018\u2019\u3002\u3001\u300c\u300d"
_ADDRESS = re.compile(r"\S+@\S+\.\w+|https?://\S+|www\.\S+|\+?\d[\d -]{6,}\d", re.IGNORECASE)


class NotWrittenError(MobileAgentError):
    """No instruction could be written for a route; the message says why."""


@dataclass(frozen=True, slots=True)
class Verification:
    """The automatic checks of an instruction, before a person sees it.

    - `fits`: whether the steps do exactly what it asks for.
    - `redundant`: the numbers of the steps without which it would still be fulfilled.
    - `reason`: the model's reason.
    - `repeats`: text of a page that the instruction repeats although no step touched or typed it,
      which may be an order from a hostile page.
    """

    fits: bool
    redundant: tuple[int, ...] = ()
    reason: str = ""
    repeats: str = ""

    @property
    def passed(self) -> bool:
        """Whether no check failed."""
        return self.fits and not self.redundant and not self.repeats

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain data."""
        return {
            "passed": self.passed,
            "fits": self.fits,
            "redundant": list(self.redundant),
            "repeats": self.repeats,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class WrittenInstruction:
    """An instruction for a route, with a line for each step, and the merged lines."""

    route: Route
    instruction: str
    steps: tuple[str, ...]
    merged: tuple[str, ...]
    verified: Verification


@dataclass(slots=True)
class Writer:
    """Writes instructions for routes in one language.

    - `model`: a function that returns the model for a stage.
    - `examples`: the user's few-shot examples by stage, as pairs of input and reply.
    - `calls`: all model calls so far.
    """

    wording: Wording
    model: Callable[[StageName], Model]
    examples: Mapping[StageName, Sequence[tuple[str, str]]]
    calls: list[ModelCall] = field(default_factory=list)
    _pages: dict[tuple[str, str], str] = field(default_factory=dict)

    def write(self, route: Route) -> WrittenInstruction:
        """Return an instruction for a route.

        Raises:
            NotWrittenError: if a page cannot be shown, or a reply is unreadable even after a retry.
            RequestRefusedError: if a provider refuses a request.
            BudgetSpent, ModelUnavailable (no `Exception`s): if a budget is spent, or none answers.
        """
        screens = route.see()
        pages = self._described(screens)
        lines = []
        for number, golden in enumerate(route.golden):
            before, after = pages[number], pages[number + 1]
            frame = TranscriptFrame(number + 1, number, screens[number], (golden.action,))
            action = in_words(frame, self.wording.verbs)
            pictures = [part for part in _page_parts(frame) if not isinstance(part, Data)]
            both = (*self._labelled("before", before), *self._labelled("after", after))
            intent = self._text("intent", *pictures, *self._labelled("action", action), *both)
            change = self._text("change", *both)
            lines.append(f"{number + 1}. {action}\n   {intent}\n   {change}")
        steps = tuple(self._part(lines, number) for number in range(1, len(lines) + 1))
        numbered = self._labelled("instructions", _numbered(steps))
        merged = self._object("merge", _merged, *numbered)
        request = self._object("simplify", _task, *self._labelled("request", merged[1]))
        found = self._object(
            "verify",
            lambda reply: _verification(reply, len(steps)),
            *self._labelled("request", request),
            *self._labelled("steps", "\n".join(lines)),
            *numbered,
        )
        repeats = repeated((request, *steps, *merged[0]), route.golden, screens)
        verified = Verification(found.fits, found.redundant, found.reason, repeats)
        return WrittenInstruction(route, request, steps, merged[0], verified)

    def _described(self, screens: Sequence[Screen]) -> list[str]:
        """Return the descriptions of all pages; those of the others refer to the last one."""
        goal = self._page(screens[-1], "")
        return [*(self._page(screen, goal) for screen in screens[:-1]), goal]

    def _page(self, screen: Screen, goal: str) -> str:
        key = hashlib.sha256((screen.key + screen.xml).encode()).hexdigest(), goal
        if key not in self._pages:
            parts = [self.wording.labels["page"], *_page_parts(TranscriptFrame(1, 0, screen))]
            parts += self._labelled("goal-page", goal) if goal else ()
            self._pages[key] = self._text("describe", *parts)
        return self._pages[key]

    def _part(self, lines: Sequence[str], number: int) -> str:
        which = self.wording.number.replace("{NUMBER}", str(number))
        steps = self._labelled("steps", "\n".join(lines))
        return " ".join(self._text("part", *steps, which).split())

    def _labelled(self, name: str, text: str) -> tuple[str, Data]:
        return self.wording.labels[name], Data(name, text)

    def _text(self, stage: StageName, *parts: Part) -> str:
        return self._ask(stage, lambda reply: cut(read_notes(reply), _LONGEST), parts)

    def _object(self, stage: StageName, read: Callable[[str], T], *parts: Part) -> T:
        return self._ask(stage, lambda reply: read(read_notes(reply)), parts)

    def _ask(self, stage: StageName, read: Callable[[ModelReply], T], parts: Iterable[Part]) -> T:
        wording = self.wording
        number, sealed = seal([*parts])
        rules = f"{wording.stages[stage].rules}\n\n{wording.guard.replace('{NUMBER}', number)}"
        examples = [
            f"{wording.example[0]}\n{given}\n{wording.example[1]}\n{reply}"
            for given, reply in self.examples.get(stage, ())
        ]
        found, problem, calls = ask_until_readable(
            self.model(stage),
            [Message("system", (rules,)), Message("user", (*examples, *sealed))],
            read,
            lambda why: Message("user", (wording.repair.replace("{PROBLEM}", why),)),
            _MOST_TOKENS,
        )
        self.calls += calls
        if found is None:
            msg = f"the reply of the {ROLES[stage]} to {stage!r} cannot be used: {problem}"
            raise NotWrittenError(msg)
        return found


def _page_parts(frame: TranscriptFrame) -> list[Part]:
    """Return a page as a picture with the touches drawn on it, and as a text outline."""
    parts: list[Part] = []
    try:
        parts.append(Album("text" if frame.actions else "none").picture(frame))
    except ScreenError:
        if not frame.screen.xml:
            raise NotWrittenError("a page has neither a picture nor a view hierarchy") from None
    if frame.screen.xml:
        parts.append(Data("page", cut(outline(frame.screen), _LONGEST_PAGE)))
    return parts


def _numbered(lines: Sequence[str]) -> str:
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))


def _merged(reply: str) -> tuple[tuple[str, ...], str]:
    steps = [_line(each) for each in expect(object_in(reply, "steps")["steps"], list, "steps")]
    if not steps:
        raise ValueError("`steps` is empty")
    return tuple(steps), _task(reply)


def _task(reply: str) -> str:
    found = object_in(reply, "task")
    if "task" not in found:
        raise ValueError("it has no `task`")
    return _line(found["task"])


def _line(value: object) -> str:
    """Return the text on one line.

    Raises:
        ValueError: if it is not a string, or is empty or too long.
    """
    line = " ".join(value.split()) if isinstance(value, str) else ""
    if not line or len(line) > _LONGEST:
        raise ValueError(f"steps and tasks must be texts of at most {_LONGEST} characters")
    return line


def _verification(reply: str, steps: int) -> Verification:
    found = object_in(reply, "fits")
    fits, redundant = found["fits"], found.get("redundant", [])
    numbers = redundant if isinstance(redundant, list) else [None]
    are_steps = all(type(each) is int and 1 <= each <= steps for each in numbers)
    if not (isinstance(fits, bool) and are_steps):
        msg = f"`fits` must be true or false, and `redundant` a list of numbers from 1 to {steps}"
        raise ValueError(msg)
    reason = cut(str(found.get("reason", "")), _LONGEST)
    return Verification(fits, tuple(sorted({*numbers})), reason)


def repeated(texts: Iterable[str], golden: Sequence[Golden], screens: Sequence[Screen]) -> str:
    """Return a text of a page that instructions repeat, although no step involves it; or "".

    It is a run of words, an address or a number that occurs neither on a touched element nor in
    typed text. It may be harmless, but a person must see it.
    """
    used = " \n ".join(_normalised(text) for text in _used(golden, screens))
    pages = [_normalised(text) for screen in screens for text in _texts_of(screen)]
    for text in texts:
        for run in _runs(_normalised(text)):
            if run not in used and any(run in page for page in pages):
                return run
        for address in _ADDRESS.findall(text):
            if _normalised(address) not in used:
                return str(address)
    return ""


def _runs(text: str) -> Iterator[str]:
    """Yield all runs of words in the text, and of characters in scripts without spaces."""
    words = text.split()
    for at in range(len(words) - _RUN + 1):
        yield " ".join(words[at : at + _RUN])
    for word in re.findall(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+", text):
        for at in range(len(word) - _RUN_HAN + 1):
            yield word[at : at + _RUN_HAN]


def _used(golden: Sequence[Golden], screens: Sequence[Screen]) -> Iterator[str]:
    """Yield the texts that the steps involve: those of touched elements, and typed texts."""
    for each, screen in zip(golden, screens, strict=False):
        if isinstance(each.action, Type):
            yield each.action.text
        if (control := touched(each.action, screen)) is not None:
            yield from (t for e in control.iter() for t in (e.text, e.content_desc) if t)


def _texts_of(screen: Screen) -> Sequence[str]:
    try:
        return screen.texts
    except ScreenError:
        return ()


def _normalised(text: str) -> str:
    """Return the text in lower case with single spaces, without punctuation around words."""
    normalised = unicodedata.normalize("NFKC", text).lower()
    seen = "".join(char for char in normalised if unicodedata.category(char) != "Cf")
    return " ".join(found for word in seen.split() if (found := word.strip(_MARKS)))
