"""Splits an episode into the segments in which each app of a cross-app task was used.

Packages show each segment's app; without them, a model splits it (SPA-Bench, appendix E.2).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from pytest_mobileagent._task.needs import alternatives
from pytest_mobileagent.errors import JudgeError, TaskError
from pytest_mobileagent.judge.ask import converse
from pytest_mobileagent.judge.evidence import numbered
from pytest_mobileagent.judge.prompts import wording_of
from pytest_mobileagent.judge.question import UnreadableReplyError, read_notes
from pytest_mobileagent.llm.fence import Data, sealed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pytest_mobileagent.episode import EpisodeRecord
    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.judge.question import Question
    from pytest_mobileagent.llm.model import Model, ModelReply


class SplitError(Exception):
    """An app was not used, or not in order, which fails the task; the message names it."""


@dataclass(frozen=True, slots=True)
class Visit:
    """The screens from `first` to `last`, during which no other app of a list was used."""

    app: str
    first: int
    last: int


def check_apps(apps: Sequence[str]) -> None:
    """Check that adjacent subtasks use different apps.

    Raises:
        TaskError: if there are no subtasks, or two in a row use the same app.
    """
    if not apps:
        raise TaskError("judge: a cross-app task needs subtasks")
    for number, (one, next_one) in enumerate(pairwise(apps), 1):
        if one == next_one:
            raise TaskError(
                f"judge: subtasks {number} and {number + 1} both use {one}; make one of them: "
                "adjacent subtasks use different apps"
            )


def visits(packages: Iterable[str], apps: Iterable[str]) -> list[Visit]:
    """Return the visits to the apps of a list, in order, given the package of each screen.

    An app of the list may have alternatives (see `task.needs`), each of which has its own visits.
    Only another app of the list ends a visit. Other screens (launcher, system, keyboard, detours to
    other apps, screens without a known package) do not.
    """
    wanted = {package for app in apps for package in alternatives(app)}
    found: list[Visit] = []
    for index, package in enumerate(packages):
        if package not in wanted:
            continue
        if found and found[-1].app == package:
            found[-1] = Visit(package, found[-1].first, index)
        else:
            found.append(Visit(package, index, index))
    return found


def split(packages: Sequence[str], apps: Sequence[str]) -> list[range]:
    """Return the screens of each subtask, given the app of each in order.

    If apps were visited more often than the list says, the visits can be assigned to subtasks in
    several ways that keep the order. A subtask gets all screens from its visit in the earliest
    assignment to its visit in the latest one, so no correct way of doing the task is cut off; the
    screens of neighbouring subtasks may then overlap. The last one is that after leaving the app.

    Raises:
        SplitError: if an app was not visited, or not in this order.
    """
    found = visits(packages, apps)
    earliest = _in_order(found, apps)
    missing = len(earliest)
    if missing < len(apps):
        app = apps[missing]
        if all(visit.app not in alternatives(app) for visit in found):
            raise SplitError(f"{app} was never used")
        raise SplitError(f"{app} was not used after {apps[missing - 1]}, as subtask {missing + 1}")
    backwards = _in_order(found[::-1], apps[::-1])
    latest = [len(found) - 1 - number for number in reversed(backwards)]
    return [
        range(found[a].first, min(found[b].last + 2, len(packages)))
        for a, b in zip(earliest, latest, strict=True)
    ]


def _in_order(found: Sequence[Visit], apps: Sequence[str]) -> list[int]:
    """Return the indices of the earliest visits that match the apps in order, as far as they do.

    If adjacent apps have a common alternative, one visit may match both.
    """
    numbers: list[int] = []
    for number, visit in enumerate(found):
        while len(numbers) < len(apps) and visit.app in alternatives(apps[len(numbers)]):
            numbers.append(number)
    return numbers


MOST_SCREENS = 100  # the number of pictures that Anthropic accepts in one request
_SIDE = 512  # pixels of the longer side, which is enough to recognise apps
_SYSTEM = """\
You are shown the screens of a phone on which someone worked, numbered and in order, and a list of \
apps in the order in which they were to be used. For each entry of the list, say on which screens \
that app was used. The entries follow one another: an app may be listed more than once, with \
another one in between, and each entry is then a separate use. The home screen, system dialogs, \
the keyboard and apps that are not listed belong to no entry. An ad or a pop-up within an app is \
not a change of app. If an app was not used when its turn came, its entry has no screens.
Reply with one line for each entry and nothing else: its number, a colon, and the first and last \
of its screens, as in "1: 3-7", or "1: none"."""
_REPAIR = (
    "Your reply could not be read. Reply with exactly one line for each entry, from 1 to "
    '{entries}, as in "1: 3-7" or "1: none"; the screens are numbered from 1 to {screens}.'
)
_LINE = re.compile(
    r"\W*(\d+)\s*[:：]\s*(?:(\d+)(?:\s*[-\u2013\u2014]\s*(\d+))?|(none))\W*", re.IGNORECASE
)


def split_by_model(
    model: Model, apps: Sequence[str], question: Question, episode: EpisodeRecord
) -> tuple[Callable[[], list[range]], tuple[ModelCall, ...]]:
    """Ask a model for the screens of each app of a list, in order.

    Return a function and the calls. The function returns the screens of each app, or raises
    SplitError if an app was not used, or not in this order.

    Raises:
        JudgeError: if the model does not answer, stays unreadable, or there are too many screens.
    """
    count = len(episode.screens)
    listed = "\n".join(f"{number}. {app}" for number, app in enumerate(apps, 1))
    if count > MOST_SCREENS:
        msg = f"judge {model.name}: {count} screens without packages cannot be split at once"
        raise JudgeError(msg)
    pictures = numbered(episode, range(count), question.evidence, _SIDE)
    parts = ["The apps:", Data("apps", listed), *pictures]
    messages = sealed(_SYSTEM, wording_of("en").guard, parts)

    def parse(reply: ModelReply) -> list[tuple[int, int] | None]:
        return _read(read_notes(reply), len(apps), count)

    repair = _REPAIR.format(entries=len(apps), screens=count)
    found, calls = converse(model, messages, parse, repair)
    return lambda: _checked(found, apps, count), calls


def _read(text: str, entries: int, screens: int) -> list[tuple[int, int] | None]:
    """Return the first and last screen of each entry, from 1; None for an entry without screens.

    Raises:
        UnreadableReplyError: if an entry is missing or duplicated, or names an unknown screen.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    matches = [_LINE.fullmatch(line) for line in lines]
    numbers = [int(match[1]) for match in matches if match]
    if len(numbers) != len(lines) or numbers != list(range(1, entries + 1)):
        raise UnreadableReplyError(f"its lines are not those of the entries 1 to {entries}")
    found: list[tuple[int, int] | None] = []
    for match in matches:
        assert match is not None  # otherwise there are fewer numbers than lines
        if match[4]:
            found.append(None)
            continue
        first, last = int(match[2]), int(match[3] or match[2])
        if not 1 <= first <= last <= screens:
            raise UnreadableReplyError(f"there are no screens {first} to {last}")
        found.append((first, last))
    return found


def _checked(
    found: Sequence[tuple[int, int] | None], apps: Sequence[str], count: int
) -> list[range]:
    before = 0
    for number, (app, each) in enumerate(zip(apps, found, strict=True), 1):
        if each is None:
            raise SplitError(f"{app} was not used, as subtask {number} asks for")
        if each[0] <= before:
            raise SplitError(f"{app} was not used after {apps[number - 2]}, as subtask {number}")
        before = each[1]
    # The last screen of a segment is the one after the app was left.
    return [range(each[0] - 1, min(each[1] + 1, count)) for each in found if each]
