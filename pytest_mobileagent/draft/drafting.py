"""Drafting checks for recorded tasks: calling the model, retrying once, and writing the files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pytest_mobileagent.check.episode import Episode, load
from pytest_mobileagent.draft.edits import draft_of, share
from pytest_mobileagent.draft.prompt import messages, repair
from pytest_mobileagent.draft.reply import DraftFunction, UnreadableDraftError, read_draft
from pytest_mobileagent.draft.sandbox import separate
from pytest_mobileagent.episode.calls import totals
from pytest_mobileagent.episode.exchanges import ExchangeLog
from pytest_mobileagent.fileio import writing
from pytest_mobileagent.jsonable import plural, printable
from pytest_mobileagent.llm.asking import ask_until_readable
from pytest_mobileagent.llm.metered import EpisodeModels, MeteredModel
from pytest_mobileagent.llm.model import RequestRefusedError
from pytest_mobileagent.verdict import effective, verdicts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from pytest_mobileagent.draft.sandbox import Separation
    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.llm.model import Model, ModelReply
    from pytest_mobileagent.llm.models import ModelSettings
    from pytest_mobileagent.llm.reference import ModelReference
    from pytest_mobileagent.verdict import Verdict


def places(output: Path | None, tasks: Sequence[str]) -> list[Path | None]:
    """Return the file for the draft of each task: `output` itself, or a file in that folder.

    Raises:
        ValueError: if a file exists, or would have to contain several drafts.
    """
    if output is None:
        return [None for _ in tasks]
    if output.suffix == ".py":
        if len(tasks) > 1:
            msg = f"{output} is a single file, but there are {len(tasks)} tasks: name a folder"
            raise ValueError(msg)
        found = [output]
    else:
        found = [output / f"test_{_word(task)}.py" for task in tasks]
    for path in found:
        if path.exists() or draft_of(path).exists():
            msg = f"{path} or its draft already exists and is not overwritten: name another file"
            raise ValueError(msg)
        if found.count(path) > 1:
            raise ValueError(f"{path} would contain the drafts of two tasks: draft them one by one")
    return [*found]


def write(path: Path, text: str) -> None:
    """Write a draft to a new file, and a copy beside it, which edits are later compared with.

    Raises:
        HostError: if a file cannot be written.
    """
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        for each in (draft_of(path), path):
            with each.open("x", encoding="utf-8") as file:
                file.write(text)


def comment(lines: Iterable[str]) -> str:
    """Return lines as Python comments, whatever they contain."""
    return "".join(f"# {' '.join(printable(line).splitlines())}".rstrip() + "\n" for line in lines)


def _word(task: str) -> str:
    """Return the last part of a task's id in a form that is suitable for a file name."""
    return re.sub(r"\W+", "_", task.rpartition("/")[2]).strip("_").lower()[:60] or "task"


ROLE = "drafter"
STREAM = "drafts.jsonl"  # prompts and replies, beside the episode's calls.jsonl
# Reasoning models count their thoughts as output, however short the reply is.
_MOST_TOKENS = 16_384


@dataclass(frozen=True, slots=True)
class Drafted:
    """A draft with the calls that it took; without a draft, `problem` says why."""

    draft: DraftFunction | None
    calls: tuple[ModelCall, ...]
    problem: str = ""


def drafter(reference: ModelReference, settings: ModelSettings, folder: Path) -> MeteredModel:
    """Return a model that drafts checks for the episode in a folder, where its calls are recorded.

    Raises:
        ValueError: if the model cannot be reached.
    """
    return EpisodeModels(settings, ExchangeLog(folder, STREAM)).metered(reference, ROLE)


def draft_check(model: Model, episode: Episode, *, passed: bool | None) -> Drafted:
    """Ask a model for a check of an episode's task.

    `passed` is whether the episode met the goal; None if it is undecided.

    Raises:
        BudgetSpent, ModelUnavailable: if the budget is spent, or the model does not answer; they
            do not inherit from `Exception`.
        RequestRefusedError: if the provider refuses the request.
    """

    def read(reply: ModelReply) -> DraftFunction:
        if reply.stop == "length":
            raise UnreadableDraftError("it was cut off: write less")
        return read_draft(reply.text, tuple(episode.case.parameters))

    draft, problem, calls = ask_until_readable(
        model,
        messages(episode, passed=passed),
        read,
        lambda problem: repair(episode, problem),
        _MOST_TOKENS,
    )
    return Drafted(draft, calls, problem)


class Drafting:
    """Drafts checks with a model, and formats them as Python with remarks in comments.

    `run` says whether drafts are run on their episodes; otherwise they count neither as right nor
    as wrong.
    """

    def __init__(self, reference: ModelReference, settings: ModelSettings, *, run: bool) -> None:
        self._reference, self._settings, self._run = reference, settings, run
        self._rights: list[bool] = []
        self._calls: list[ModelCall] = []

    @property
    def all_right(self) -> bool:
        """Whether no draft was found to be wrong."""
        return all(self._rights)

    def draft(self, episodes: Sequence[Recorded], file: Path | None) -> str:
        """Draft a check from the first episode of a task, run it on all, and return the results.

        Raises:
            BudgetSpent, ModelUnavailable: if the budget is spent, or the model does not answer;
                they do not inherit from `Exception`.
            UnavailableError: if this system cannot isolate a process.
            HostError: if the file cannot be written, or the sandbox's process fails.
            ValueError: if the model cannot be reached.
        """
        drafted = self._drafted(episodes[0])
        self._calls += drafted.calls
        day = datetime.now(UTC).date()
        head = f"{self._reference.id}, {day}: a draft for {episodes[0].episode.case.id}"
        if drafted.draft is None:
            self._rights.append(False)
            return comment([head, f"WRONG: its reply cannot be used: {drafted.problem}"])
        lines = [head, "A model wrote this: read it, correct it, and put it under its @task."]
        if self._run:
            source, name = drafted.draft.source, drafted.draft.name
            found = [separate(source, name, r.episode, r.folder, r.verdict) for r in episodes]
            self._rights.append(all(each.is_right for each in found))
            lines += [line for each in found for line in _report(each)]
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
        """Return the number of right drafts, and the cost of all, as comments."""
        total = totals(self._calls)
        cost = "price unknown" if total.price_usd is None else f"${total.price_usd:.4f}"
        times = plural(total.calls, "call")
        calls = f"{times} of {self._reference.id}, {cost}"
        right = f"{share(sum(self._rights), len(self._rights))} right; " if self._rights else ""
        return comment([f"{right}{calls}"])


def _report(separation: Separation) -> Iterator[str]:
    yield f"{separation.episode}:"
    yield from (f"  {line}" for line in separation.lines())


@dataclass(frozen=True, slots=True)
class Recorded:
    """An episode, its folder, and the effective verdict on it."""

    folder: Path
    episode: Episode
    verdict: Verdict | None

    @property
    def passed(self) -> bool | None:
        """Whether the goal was met; None if the episode is undecided."""
        return None if self.verdict is None else self.verdict.passed


def recorded_tasks(folders: Iterable[Path]) -> list[list[Recorded]]:
    """Return the episodes in the folders, grouped by task.

    The first of each group, from which the draft is made, met the goal if any of them did.

    Raises:
        RecordError: if a folder does not contain an episode.
    """
    tasks: dict[str, list[Recorded]] = {}
    for folder in dict.fromkeys(folders):
        each = Recorded(folder, load(folder), effective(verdicts(folder)))
        tasks.setdefault(each.episode.case.id, []).append(each)
    best_first = [True, None, False]
    return [sorted(each, key=lambda e: best_first.index(e.passed)) for each in tasks.values()]
