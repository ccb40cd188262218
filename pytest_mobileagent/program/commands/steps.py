"""Which acts of a program make a step.

A program decides by asking a model, or at least by looking: what it does between two decisions is
one step. Where neither is seen on both sides of an act, it is a step of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

RULE = 1  # the version of this rule, recorded so that steps can be derived anew

# "more" carries on the act before it, as the next letter of a text. "call": a model is asked.
# "begin" and "end": the program itself says what is one step.
Mark = Literal["act", "more", "look", "call", "begin", "end"]

ACTS = frozenset({"act", "more"})
_DECISIONS = {"call", "begin", "end"}


def grouped(marks: Sequence[Mark]) -> list[list[int]]:
    """Return the indexes of the acts of each step, in order.

    - From "begin" to "end" is one step, finished or not.
    - So is what lies between two decisions: model calls, or the ends of such steps.
    - Before the first decision, and after the last, what lies between two looks is one step; the
      decision counts as a look there.
    - What is left has nothing on one of its sides: each act is a step.

    "more" is in the step of the act before it, unless a decision lies between: it is an act then.
    """
    return [step for stretch in _stretches(marks) for step in _steps(marks, *stretch)]


def settled(marks: Sequence[Mark]) -> int:
    """Return how many marks, from the first, are of steps that no later mark can change."""
    last = max((at for at, mark in enumerate(marks) if mark in _DECISIONS), default=-1)
    if last >= 0:
        return last + 1
    acts = [at for at in range(len(marks)) if _begins(marks, at)]
    if not acts:
        return 0
    looks = [at for at, mark in enumerate(marks[: acts[-1]]) if mark == "look"]
    # Before the first look each act is a step; then those since a look may become one.
    return next(at for at in acts if at > looks[-1]) if looks else acts[-1]


def _begins(marks: Sequence[Mark], at: int) -> bool:
    """Whether an act begins at a place, rather than goes on."""
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
    """Yield what lies between decisions: from the place after one to the place of the next."""
    start = 0
    for at, mark in enumerate(marks):
        if mark in _DECISIONS:
            yield start, at
            start = at + 1
    yield start, len(marks)


def _steps(marks: Sequence[Mark], start: int, end: int) -> Iterator[list[int]]:
    """Yield the steps of a stretch between decisions."""
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
    """Return the acts between looks, each as the places where it begins and is carried on."""
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
