"""Running a drafted check in an isolated process, on the episodes that it should tell apart."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.isolation import UnavailableError, python_command, unsupported
from pytest_mobileagent.jsonable import expect, printable, read_as, why_unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pytest_mobileagent.check.episode import Episode
    from pytest_mobileagent.verdict import Verdict


_LONGEST = 2000  # characters of a reason


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """The limits of a function for one prefix: seconds, and bytes in addition to the episode's."""

    seconds: float = 10.0
    memory: int = 512 * 1024**2


@dataclass(frozen=True, slots=True)
class PrefixAnswer:
    """Whether a function holds for a prefix.

    - `reason`: why it does not hold, in words; empty if it holds.
    - `broke`: whether it ended with an error or at a limit, instead of a failed assert.
    """

    holds: bool
    reason: str = ""
    broke: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the answer as plain data."""
        return {"holds": self.holds, "reason": self.reason[:_LONGEST], "broke": self.broke}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PrefixAnswer:
        """Return the answer from a process's output, after checking its form.

        Raises:
            LookupError, TypeError, ValueError: if it is not an answer.
        """
        answer = read_as(cls, data, "answer")
        return replace(answer, reason=answer.reason[:_LONGEST])


_LOADING = 60.0  # seconds to load modules and an episode


def check_sandbox() -> None:
    """Check that drafts can be run here.

    Raises:
        UnavailableError: if this system cannot isolate a process; the message says what is missing.
        HostError: if the sandbox's process fails.
    """
    _asked({"episode": None}, SandboxLimits(), 1)


def ask_prefixes(
    episode: Path, steps: int, source: str, name: str, limits: SandboxLimits | None = None
) -> tuple[PrefixAnswer, ...]:
    """Run a draft's function on each prefix of a recorded episode, and return its answers.

    Answer n is for the first n steps, so the last one is for the whole episode.

    Raises:
        UnavailableError: if this system cannot isolate a process.
        HostError: if the sandbox's process fails.
    """
    request = {"episode": str(episode.absolute()), "source": source, "name": name}
    return _asked(request, limits or SandboxLimits(), steps + 1)


def _asked(request: dict[str, Any], limits: SandboxLimits, asked: int) -> tuple[PrefixAnswer, ...]:
    if why := unsupported():
        raise UnavailableError(why)
    request |= {"seconds": limits.seconds, "memory": limits.memory}
    try:
        done = subprocess.run(
            python_command("pytest_mobileagent.draft.inside"),
            input=json.dumps(request).encode(),
            env={},
            capture_output=True,
            timeout=_LOADING + asked * limits.seconds,
            check=True,
        )
        answers = _answers(json.loads(done.stdout))
    except subprocess.CalledProcessError as error:
        lines = printable(error.stderr.decode("utf-8", "replace")).strip().splitlines()
        msg = f"the sandbox's process ended: {lines[-1] if lines else f'status {error.returncode}'}"
        raise HostError(msg) from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise HostError(f"the sandbox's process does not work: {error}") from error
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        msg = f"the output of the sandbox's process is unreadable: {why_unreadable(error)}"
        raise HostError(msg) from error
    if request["episode"] is not None and len(answers) != asked:
        raise HostError(f"the sandbox's process returned {len(answers)} answers instead of {asked}")
    return answers


def _answers(reply: dict[str, Any]) -> tuple[PrefixAnswer, ...]:
    expect(reply, dict, "reply")
    if "unavailable" in reply:
        raise UnavailableError(expect(reply["unavailable"], str, "unavailable"))
    return tuple(map(PrefixAnswer.from_json, expect(reply["answers"], list, "answers")))


# The behaviour of a draft on an episode; only the first separates success from failure.
Outcome = Literal["separates", "always", "never", "too early", "broke"]


@dataclass(frozen=True, slots=True)
class Separation:
    """The answers of a drafted function for an episode and its proper prefixes.

    - `episode`: the folder of the episode.
    - `steps`, `answers`: each prefix's number of steps and answer; the last is the whole episode.
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
        marks = zip(self.steps, self.answers, strict=True)
        runs = [
            [step for step, _ in run]
            for holds, run in groupby(marks, lambda mark: mark[1].holds)
            if holds
        ]
        return ", ".join(str(r[0]) if r[0] == r[-1] else f"{r[0]}-{r[-1]}" for r in runs)

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
    source: str, name: str, episode: Episode, folder: Path, verdict: Verdict | None
) -> Separation:
    """Run a draft's function in the sandbox on a recorded episode and on each of its prefixes.

    Raises:
        UnavailableError: if this system cannot isolate a process.
        HostError: if the sandbox's process fails.
    """
    count = len(episode.steps)
    answers = ask_prefixes(folder, count, source, name)
    steps = tuple(episode.prefix(length).step_count for length in range(count + 1))
    return Separation(folder, steps, answers, verdict)
