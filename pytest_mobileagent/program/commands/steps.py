"""Groups the acts of a program into actions, and its actions into steps.

A program decides by calling a model, or at least by looking at the screen. What it does between two
decisions is one step. An act that lacks a decision on either side is a separate step.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from pytest_mobileagent.action import Action, Key, Raw, Type, Wait
from pytest_mobileagent.action.gestures import DoubleTap, Tap
from pytest_mobileagent.program.commands import (
    PASTE,
    SELECT_ALL,
    TO_THE_END,
    TO_THE_START,
    Act,
    Clear,
    ElementTap,
    Erase,
    Pointer,
)
from pytest_mobileagent.program.commands.android import CLIPBOARD, stroke
from pytest_mobileagent.program.commands.script import cut

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_mobileagent.program.commands import Command

    Timed = tuple[Act, float]  # with the time of its request, in seconds

RULE = 1  # the version of this rule, recorded so that steps can be derived again later

# "more" continues the act before it, such as the next letter of a text. "call": a model is called.
# "begin" and "end": the program itself marks a step.
Mark = Literal["act", "more", "look", "call", "begin", "end"]

ACTS = frozenset({"act", "more"})
_DECISIONS = {"call", "begin", "end"}


def grouped(marks: Sequence[Mark]) -> list[list[int]]:
    """Return the indexes of the acts of each step, in order.

    - The acts from "begin" to "end" are one step, finished or not.
    - The acts between two decisions (model calls, or the ends of steps as above) are one step.
    - Before the first decision and after the last one, the acts between two looks are one step; the
      decision itself counts as a look.
    - Each remaining act, which lacks a look or decision on one side, is a step.

    "more" belongs to the step of the act before it; with a decision in between, it is a new act.
    """
    return [step for stretch in _stretches(marks) for step in _steps(marks, *stretch)]


def settled(marks: Sequence[Mark]) -> int:
    """Return how many marks, from the first, belong to steps that no later mark can change."""
    last = max((at for at, mark in enumerate(marks) if mark in _DECISIONS), default=-1)
    if last >= 0:
        return last + 1
    acts = [at for at in range(len(marks)) if _begins(marks, at)]
    if not acts:
        return 0
    looks = [at for at, mark in enumerate(marks[: acts[-1]]) if mark == "look"]
    # Before the first look each act is a step; the acts since the last look may still become one.
    return next(at for at in acts if at > looks[-1]) if looks else acts[-1]


def _begins(marks: Sequence[Mark], at: int) -> bool:
    """Return whether an act begins at an index, rather than continues."""
    if marks[at] == "act":
        return True
    if marks[at] != "more":
        return False
    for mark in reversed(marks[:at]):
        if mark in ACTS:
            return False
        if mark in _DECISIONS:
            break
    return True


def _stretches(marks: Sequence[Mark]) -> Iterator[tuple[int, int]]:
    """Yield the ranges between decisions, without the decisions themselves."""
    start = 0
    for at, mark in enumerate(marks):
        if mark in _DECISIONS:
            yield start, at
            start = at + 1
    yield start, len(marks)


def _steps(marks: Sequence[Mark], start: int, end: int) -> Iterator[list[int]]:
    """Yield the steps between two decisions."""
    own = start > 0 and marks[start - 1] == "begin"
    if own or (start > 0 and end < len(marks)):
        if step := [at for at in range(start, end) if marks[at] in ACTS]:
            yield step
        return
    pieces = _between_looks(marks, start, end)
    for place, piece in enumerate(pieces):
        closed_left = place > 0 or start > 0
        closed_right = place < len(pieces) - 1 or end < len(marks)
        if closed_left and closed_right:
            yield from [[at for act in piece for at in act]] if piece else []
        else:
            yield from piece


def _between_looks(marks: Sequence[Mark], start: int, end: int) -> list[list[list[int]]]:
    """Return the acts between looks, each as the indexes of its parts."""
    pieces: list[list[list[int]]] = [[]]
    act: list[int] | None = None
    for at in range(start, end):
        match marks[at]:
            case "look":
                pieces.append([])
            case "more" if act is not None:
                act.append(at)
            case _:
                act = [at]
                pieces[-1].append(act)
    return pieces


_EMPTIES = 5  # so many presses of the delete key are taken to empty the field
_DOUBLE_SECONDS = 0.3  # the longest pause within a double tap on Android
_DOUBLE_PIXELS = 20
_GESTURE_SECONDS = 1.0  # the longest pause within a gesture whose events cannot be read
_RECENT = 60  # acts that the next one may continue
_BEFORE_ERASING = (SELECT_ALL, TO_THE_END, TO_THE_START)
BINARY = ": binary control"  # the suffix of a Raw for unreadable data on a socket


def merged(acts: Sequence[tuple[Act, float]]) -> tuple[Action, ...]:
    """Return the actions of a sequence of acts, each with the time of its request in seconds."""
    return tuple(action for run in _runs(acts) for action in _actions(run))


def continues(acts: Sequence[tuple[Act, float]], command: Command, at: float) -> bool:
    """Return whether a command at the time `at` only continues the last of the acts before it.

    If so, both are one action, and the screen between them is irrelevant.
    """
    if not acts or not command.acts:
        return False
    recent = list(acts[-_RECENT:])
    more = [*recent, *((act, at) for act in command.acts)]
    return len(_runs(more)) <= len(_runs(recent))


def _runs(acts: Sequence[Timed]) -> list[list[Timed]]:
    """Group acts into runs, each of which is a single operation."""
    runs: list[list[Timed]] = []
    for act, at in _pasted(acts):
        if runs and _continues(runs[-1], act, at):
            runs[-1].append((act, at))
        else:
            runs.append([(act, at)])
    return runs


def _pasted(acts: Sequence[Timed]) -> Iterator[Timed]:
    """Yield the acts, with text that is copied and then pasted replaced by typing it."""
    waiting: Timed | None = None
    for act, at in acts:
        if waiting is not None and act == PASTE:
            assert isinstance(waiting[0], Raw)
            yield Type(waiting[0].command.removeprefix(CLIPBOARD)), waiting[1]
            waiting = None
            continue
        if waiting is not None:
            yield waiting
        copied = isinstance(act, Raw) and act.command.startswith(CLIPBOARD)
        waiting = (act, at) if copied else None
        if not copied:
            yield act, at
    if waiting is not None:
        yield waiting


def _continues(run: Sequence[Timed], act: Act, at: float) -> bool:
    last, then = run[-1]
    match act:
        case Type():
            return isinstance(last, Type | Clear) or last == SELECT_ALL or _empties(run)
        case Erase() | Clear():
            return isinstance(last, Erase | Clear) or last in _BEFORE_ERASING
        case Tap(x, y) | Pointer("down", x, y):
            return _taps_again(run, (x, y), at)
        case Pointer() | Wait():
            return _touching(run)
        case Raw():
            family = _family(act)
            return bool(family) and family == _family(last) and at - then < _GESTURE_SECONDS
    return False


def _touching(run: Sequence[Timed]) -> bool:
    """Return whether a finger is down at the end of a run."""
    last = next((act for act, _ in reversed(run) if not isinstance(act, Wait)), None)
    return isinstance(last, Pointer) and last.phase in {"down", "move"}


def _taps_again(run: Sequence[Timed], place: tuple[int, int], at: float) -> bool:
    """Return whether a finger that goes down begins the second tap of a double tap."""
    if not isinstance(run[-1][0], Tap | Pointer):
        return False
    match _strokes(run):
        case [Tap(x, y)]:
            near = math.dist(place, (x, y)) < _DOUBLE_PIXELS
            return near and at - run[-1][1] < _DOUBLE_SECONDS
    return False


def _empties(run: Sequence[Timed]) -> bool:
    """Return whether a run that only erases empties the field."""
    acts = [act for act, _ in run]
    if any(isinstance(act, Type) for act in acts):
        return False
    erased = sum(act.count for act in acts if isinstance(act, Erase))
    return Clear() in acts or erased >= _EMPTIES or (SELECT_ALL in acts and erased > 0)


def _family(act: Act) -> str:
    """Return what unreadable events of one gesture have in common; empty for other acts."""
    if not isinstance(act, Raw):
        return ""
    if act.command.startswith("sendevent "):
        return "sendevent"
    return act.command if act.command.endswith(BINARY) else ""


def _actions(run: Sequence[Timed]) -> list[Action]:
    first = run[0][0]
    match first:
        case ElementTap():
            return [Raw(first.words)]
        case Tap() | Pointer():
            strokes = _strokes(run)
            twice = len(strokes) == 2 and all(isinstance(each, Tap) for each in strokes)
            return [DoubleTap(first.x, first.y)] if twice else strokes
        case Type() | Erase() | Clear():
            return _written(run)
        case Raw() if first in _BEFORE_ERASING and len(run) > 1:
            return _written(run)
        case Raw() if len(run) > 1 and first.command.startswith("sendevent "):
            return [Raw(f"{first.command} and {len(run) - 1} more")]
    return [first]


def _written(run: Sequence[Timed]) -> list[Action]:
    acts = [act for act, _ in run]
    text = "".join(act.text for act in acts if isinstance(act, Type))
    erasing = [timed for timed in run if not isinstance(timed[0], Type)]
    if not erasing:
        return [Type(text)]
    if text or _empties(erasing):
        return [Type(text, clear=True)]
    count = sum(act.count for act in acts if isinstance(act, Erase))
    moved: list[Action] = [acts[0]] if acts[0] in (TO_THE_END, TO_THE_START) else []
    return moved + [Key("delete")] * count


def _strokes(run: Sequence[Timed]) -> list[Action]:
    """Return what a finger did, from each time it went down until it went up."""
    strokes: list[Action] = []
    pointers: list[tuple[Pointer, float]] = []
    waited = 0.0  # by waits within a command, whose acts all have the time of the command
    for act, at in run:
        if isinstance(act, Tap):
            strokes.append(act)
        elif isinstance(act, Wait):
            waited += act.seconds
        elif isinstance(act, Pointer):
            pointers.append((act, at + waited))
            if act.phase in {"up", "cancel"}:
                strokes.append(_stroke(pointers))
                pointers = []
    return [*strokes, _stroke(pointers)] if pointers else strokes


def _stroke(pointers: Sequence[tuple[Pointer, float]]) -> Action:
    """Return the action of a finger, if its whole path was seen and is straight; else a Raw."""
    first, last = pointers[0][0], pointers[-1][0]
    is_whole = first.phase == "down" and last.phase == "up"
    if is_whole and (action := stroke([(at, act.x, act.y) for act, at in pointers])) is not None:
        return action
    way = ", ".join(f"{act.phase} {act.x},{act.y}" for act, _ in pointers)
    return Raw(cut(f"touch: {way}"))
