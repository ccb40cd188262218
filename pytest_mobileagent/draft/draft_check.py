"""`python -m pytest_mobileagent draft-check`: have a model draft checks for recorded tasks."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.arguments import Parser, program_name
from pytest_mobileagent.check.episode import Episode, load
from pytest_mobileagent.draft.edits import compared, draft_of, drafted_files, edits_of, share
from pytest_mobileagent.draft.prompt import messages, repair
from pytest_mobileagent.draft.reply import DraftFunction, UnreadableDraftError, read_draft
from pytest_mobileagent.draft.sandbox import check_sandbox, separate
from pytest_mobileagent.episode.calls import totals
from pytest_mobileagent.episode.exchanges import ExchangeLog
from pytest_mobileagent.errors import MobileAgentError
from pytest_mobileagent.fileio import writing
from pytest_mobileagent.isolation import UnavailableError
from pytest_mobileagent.jsonable import plural, printable
from pytest_mobileagent.llm.budget import BudgetSpent
from pytest_mobileagent.llm.metered import EpisodeModels, MeteredModel
from pytest_mobileagent.llm.model import ModelUnavailable, RequestRefusedError
from pytest_mobileagent.llm.models import add_model_options, ask_until_readable, model_of
from pytest_mobileagent.verdict import effective, verdicts

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Sequence

    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.llm.model import Model, ModelReply
    from pytest_mobileagent.llm.models import Settings
    from pytest_mobileagent.llm.reference import ModelReference
    from pytest_mobileagent.verdict import Verdict


def main(arguments: Sequence[str], project: Callable[[], Settings]) -> int:
    """Draft checks, or compare drafts with their edited versions; return the exit status.

    The status is 0 if every draft is right on its episodes, 1 if one is not, 2 after an error, 130
    after Ctrl-C. `project` returns the project's settings, which apply where no option is given.
    """
    parser = _parser()
    given = parser.parse_args(arguments)
    paths = [*given.paths, *given.episode]
    if not paths:
        parser.error("no episode is given: name its folder, as in runs/…/episodes/wifi.0")
    try:
        return _compare(paths) if given.compare else _draft(given, paths, project)
    except UnavailableError as error:
        how = "Drafts are run nowhere else; --no-run prints them without running them"
        problem = f"what a model wrote cannot be run here: {error}. {how}"
    except (MobileAgentError, ValueError, ModelUnavailable, BudgetSpent) as error:
        problem = str(error)
    except KeyboardInterrupt:
        return 130
    print(f"error: {printable(str(problem))}", file=sys.stderr)
    return 2


def _draft(given: argparse.Namespace, paths: list[Path], project: Callable[[], Settings]) -> int:
    """Draft a check for each task; inputs are validated before any model is called."""
    tasks = recorded_tasks(paths)
    files = places(given.output, [episodes[0].episode.case.id for episodes in tasks])
    if not given.no_run:
        check_sandbox()
    reference, prices = model_of(given, project, ROLE, "draft")
    drafting = Drafting(reference, EpisodeModels(prices=prices), run=not given.no_run)
    for number, (episodes, file) in enumerate(zip(tasks, files, strict=True)):
        print("\n\n" * bool(number) + drafting.draft(episodes, file), end="", flush=True)
    print(f"\n\n{drafting.summary()}", end="")
    return 0 if drafting.all_right else 1


def _compare(paths: list[Path]) -> int:
    files = list(dict.fromkeys(drafted_files(paths)))
    if not files:
        where = ", ".join(map(str, paths))
        raise ValueError(f"no drafts are in {where}: `draft-check EPISODE -o DIR` makes some")
    print("\n".join(compared([edits_of(file) for file in files])))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=program_name("draft-check"),
        description="Have a model write a check for a recorded task. The draft is run in a sandbox "
        "on the episode, as it was after each step, to show when it holds. A person should edit "
        "it.",
        epilog="Several episodes of a task make one draft, which is run on all of them. The exit "
        "status is 0 if all drafts are right on their episodes, 1 if one is not, 2 after an error. "
        "Keys are read from the environment (docs/models.md).",
    )
    add = parser.add_argument
    add("paths", nargs="*", type=Path, metavar="EPISODE", help="the folder of a recorded episode")
    same = "the same as EPISODE"
    add("--episode", action="append", default=[], type=Path, metavar="DIR", help=same)
    output = "a new FILE.py, or a folder, for the drafts; the model's original text is written to "
    output += "FILE.py.draft"
    add("-o", "--output", type=Path, metavar="FILE", help=output)
    add_model_options(
        parser,
        "the model: PROVIDER:NAME, with @URL for an endpoint of your own (default: the project's "
        "MOBILE_MODEL or mobile_model)",
    )
    add("--no-run", action="store_true", help="only print the drafts, if there is no sandbox")
    compare = "instead of drafting, count the unchanged drafts and changed lines in files and "
    compare += "folders, which are given instead of episodes"
    add("--compare", action="store_true", help=compare)
    return parser


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


def drafter(reference: ModelReference, models: EpisodeModels, folder: Path) -> MeteredModel:
    """Return a model that drafts checks for the episode in a folder, where its calls are recorded.

    Raises:
        ValueError: if the model cannot be reached.
    """
    return replace(models, log=ExchangeLog(folder, STREAM)).metered(reference, ROLE)


def draft_check(model: Model, episode: Episode, *, passed: bool | None) -> Drafted:
    """Ask a model for a check of an episode's task; `passed` is None if it is undecided.

    Raises:
        BudgetSpent, ModelUnavailable (no `Exception`s): if the budget is spent, or no answer comes.
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

    `run` says whether drafts are run on their episodes; otherwise they are neither right nor wrong.
    """

    def __init__(self, reference: ModelReference, models: EpisodeModels, *, run: bool) -> None:
        self._reference, self._models, self._run = reference, models, run
        self._rights: list[bool] = []
        self._calls: list[ModelCall] = []

    @property
    def all_right(self) -> bool:
        """Whether no draft was found to be wrong."""
        return all(self._rights)

    def draft(self, episodes: Sequence[Recorded], file: Path | None) -> str:
        """Draft a check from the first episode of a task, run it on all, and return the results.

        Raises:
            BudgetSpent, ModelUnavailable (no `Exception`s): see `draft_check`.
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
            for each in found:
                lines += [f"{each.episode}:", *(f"  {line}" for line in each.lines())]
        text = f"{comment(lines)}{drafted.draft.source}"
        if file is None:
            return text
        write(file, text)
        return f"{text}{comment([f'written to {file}'])}"

    def _drafted(self, recorded: Recorded) -> Drafted:
        model = drafter(self._reference, self._models, recorded.folder)
        try:
            return draft_check(model, recorded.episode, passed=recorded.passed)
        except RequestRefusedError as error:
            return Drafted(None, (), f"the request is refused: {error}")

    def summary(self) -> str:
        """Return the number of right drafts, and the cost of all, as comments."""
        total = totals(self._calls)
        cost = "price unknown" if total.price_usd is None else f"${total.price_usd:.4f}"
        calls = f"{plural(total.calls, 'call')} of {self._reference.id}, {cost}"
        right = f"{share(sum(self._rights), len(self._rights))} right; " if self._rights else ""
        return comment([f"{right}{calls}"])


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
