"""Drafting the checks of several tasks, one after the other, and what all of them come to."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pytest_mobileagent.draft.drafter import Drafted, draft_check, drafter
from pytest_mobileagent.draft.edits import share
from pytest_mobileagent.draft.files import comment, write
from pytest_mobileagent.draft.separate import separate
from pytest_mobileagent.episode.calls import totals
from pytest_mobileagent.llm.failures import RequestRefusedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pytest_mobileagent.draft.recorded import Recorded
    from pytest_mobileagent.draft.separate import Separation
    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.llm.models import ModelSettings
    from pytest_mobileagent.llm.reference import ModelReference


class Drafting:
    """Lets one model draft checks; what it prints is Python, with all that is ours as comments.

    `run` says whether drafts are run on their episodes; without that none counts as right or wrong.
    """

    def __init__(self, reference: ModelReference, settings: ModelSettings, *, run: bool) -> None:
        self._reference, self._settings, self._run = reference, settings, run
        self._rights: list[bool] = []
        self._calls: list[ModelCall] = []

    @property
    def all_right(self) -> bool:
        """Whether no draft was found wrong."""
        return all(self._rights)

    def draft(self, episodes: Sequence[Recorded], file: Path | None) -> str:
        """Draft a check from the first episode of a task, run it on all, and return what came out.

        Raises:
            BudgetSpent, ModelUnavailable: no `Exception`s: the model does not answer.
            UnavailableError: nothing can be shut off on this system.
            HostError: the file cannot be written, or the sandbox's process does not work.
            ValueError: the model cannot be reached from here.
        """
        drafted = self._drafted(episodes[0])
        self._calls += drafted.calls
        head = f"{self._reference.id}, {_day()}: a draft for {episodes[0].episode.case.id}"
        if drafted.draft is None:
            self._rights.append(False)
            return comment([head, f"WRONG: its reply cannot be used: {drafted.problem}"])
        lines = [head, "A model wrote this: read it, correct it, and put it under its @task."]
        if self._run:
            found = [separate(drafted.draft, r.episode, r.folder, r.verdict) for r in episodes]
            self._rights.append(all(each.is_right for each in found))
            lines += [line for each in found for line in _told(each)]
        text = f"{comment(lines)}{drafted.draft.source}"
        if file is None:
            return text
        write(file, text)
        return f"{text}{comment([f'written to {file}'])}"

    def _drafted(self, recorded: Recorded) -> Drafted:
        model = drafter(self._reference, self._settings, recorded.folder)
        try:
            return draft_check(model, recorded.episode, passed=recorded.passed)
        except RequestRefusedError as error:
            return Drafted(None, (), f"the request is refused: {error}")

    def summary(self) -> str:
        """Return how many drafts were right, and what they cost, as comments."""
        total = totals(self._calls)
        cost = "price unknown" if total.price_usd is None else f"${total.price_usd:.4f}"
        times = f"{total.calls} call{'s' * (total.calls != 1)}"
        calls = f"{times} of {self._reference.id}, {cost}"
        right = f"{share(sum(self._rights), len(self._rights))} right; " if self._rights else ""
        return comment([f"{right}{calls}"])


def _told(separation: Separation) -> Iterator[str]:
    yield f"{separation.episode}:"
    yield from (f"  {line}" for line in separation.lines())


def _day() -> str:
    return datetime.now(UTC).date().isoformat()
