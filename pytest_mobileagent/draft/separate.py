"""Testing on recorded episodes whether a drafted check separates success from failure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pytest_mobileagent.draft.sandbox import ask_prefixes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pytest_mobileagent.check.episode import Episode
    from pytest_mobileagent.draft.reply import DraftFunction
    from pytest_mobileagent.draft.sandbox import PrefixAnswer
    from pytest_mobileagent.verdict import Verdict

# The behaviour of a draft on an episode; only the first separates success from failure.
Outcome = Literal["separates", "always", "never", "too early", "broke"]


@dataclass(frozen=True, slots=True)
class Separation:
    """The answers of a drafted function for an episode and its proper prefixes.

    - `episode`: the folder of the episode.
    - `steps`: the number of steps of each prefix; `answers`: the answer for each. The last one is
      for the whole episode.
    - `verdict`: the effective verdict on the episode; None if there is none.
    """

    episode: Path
    steps: tuple[int, ...]
    answers: tuple[PrefixAnswer, ...]
    verdict: Verdict | None = None

    @property
    def passed(self) -> bool | None:
        """Whether the whole episode met the goal; None if it is undecided."""
        return None if self.verdict is None else self.verdict.passed

    @property
    def outcome(self) -> Outcome:
        """The behaviour of the function on this episode, right or wrong."""
        whole = self.answers[-1]
        if whole.broke:
            return "broke"
        if not whole.holds:
            return "too early" if any(answer.holds for answer in self.answers) else "never"
        return "always" if self.answers[0].holds else "separates"

    @property
    def is_right(self) -> bool:
        """Whether the function separates, or fails if the goal is known not to be met."""
        if self.passed is False:
            return self.outcome in {"never", "too early"}
        return self.outcome == "separates"

    @property
    def held(self) -> str:
        """The steps after which the function held, as in "4, 6-8"; empty if it never did."""
        marks = [
            (step, answer.holds) for step, answer in zip(self.steps, self.answers, strict=True)
        ]
        return ", ".join(
            str(first) if first == last else f"{first}-{last}" for first, last in _runs(marks)
        )

    @property
    def first(self) -> int | None:
        """The number of steps after which the function first held; None if it never did."""
        pairs = zip(self.steps, self.answers, strict=True)
        return next((step for step, answer in pairs if answer.holds), None)

    def lines(self) -> Iterator[str]:
        """Yield a report for a person: whether the function is right, and where it fails."""
        known = {True: "goal met", False: "goal not met", None: "nobody has decided"}[self.passed]
        right, wrong = ("right", "WRONG") if self.passed is not None else ("separates", "USELESS")
        where = f"after step {self.held}" if self.held else "at no step"
        remark = _REMARKS[self.passed is False, self.outcome]
        sign = right if self.is_right else wrong
        yield f"{sign}: holds {where} of {self.steps[-1]}{remark} ({known})"
        whole = self.answers[-1]
        if not self.is_right and whole.reason:
            yield from (f"  {line}" for line in whole.reason.splitlines())
        elif broken := next((a.reason for a in self.answers if a.broke), ""):
            yield f"  before the end: {broken.splitlines()[0]}"
        first = None if self.verdict is None else self.verdict.first_step
        if self.is_right and first is not None and first != self.first:
            yield f"  the recorded check first held after step {first}"


# The remarks by whether the goal is known not to be met, and by the function's behaviour.
_REMARKS: dict[tuple[bool, Outcome], str] = {
    (False, "separates"): "",
    (False, "always"): ": even before anything was done",
    (False, "never"): ": it does not recognise success",
    (False, "too early"): ", but not at the end",
    (False, "broke"): ": at the end it breaks",
    (True, "separates"): ": it does not recognise failure",
    (True, "always"): ": it accepts any state",
    (True, "never"): "",
    (True, "too early"): ", but not at the end",
    (True, "broke"): ": at the end it breaks",
}


def separate(
    draft: DraftFunction, episode: Episode, folder: Path, verdict: Verdict | None
) -> Separation:
    """Run a draft in the sandbox on a recorded episode and on each of its prefixes.

    Raises:
        UnavailableError: if this system cannot isolate a process.
        HostError: if the sandbox's process fails.
    """
    count = len(episode.steps)
    answers = ask_prefixes(folder, count, draft.source, draft.name)
    steps = tuple(episode.prefix(length).step_count for length in range(count + 1))
    return Separation(folder, steps, answers, verdict)


def _runs(marks: Sequence[tuple[int, bool]]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last step of each run of prefixes for which the function held."""
    first: int | None = None
    previous = 0
    for step, holds in marks:
        if holds and first is None:
            first = step
        if not holds and first is not None:
            yield first, previous
            first = None
        previous = step
    if first is not None:
        yield first, previous
