"""What judges answered of labelled episodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.episode.calls import ModelCall


@dataclass(frozen=True, slots=True)
class Answer:
    """What one judge says of one labelled episode in one mode.

    - `label`: its place in the list of labels; `done`: what people say; `language`: the task's.
    - `judge`: PROVIDER:NAME; `mode`: its name.
    - `passed`: what the judge says; None where its votes are even, where it was not asked
      (`skipped`), or where it could not answer (`error` says why).
    - `components`: whether the label has key components; `lacks`: whether no screenshot shows them
      all, for which it is skipped unless key components are not to be used.
    - `calls` that it took.
    """

    label: int
    done: bool
    language: str = ""
    judge: str = ""
    mode: str = ""
    passed: bool | None = None
    components: bool = False
    lacks: bool = False
    skipped: bool = False
    calls: tuple[ModelCall, ...] = ()
    error: str = ""

    @property
    def verdict(self) -> bool | None:
        """What a run makes of it: an episode that lacks key components was not done."""
        return False if self.skipped else self.passed

    @property
    def verdict_by_components(self) -> bool | None:
        """The verdict if key components were used, whether they were or not."""
        return False if self.lacks else self.passed


def majority(votes: Sequence[bool | None]) -> bool | None:
    """Return what most of the votes say; None if as many say one as the other."""
    balance = sum((vote is True) - (vote is False) for vote in votes)
    return balance > 0 if balance else None
