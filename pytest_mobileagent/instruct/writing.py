"""Writing the instructions of many routes concurrently, with their models and their costs."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast, get_args

from pytest_mobileagent._task.table import rows
from pytest_mobileagent.episode.calls import totals
from pytest_mobileagent.errors import MobileAgentError, TaskError
from pytest_mobileagent.instruct.gias import ROLES, StageName, Writer, wording_of
from pytest_mobileagent.jsonable import plural
from pytest_mobileagent.llm.metered import EpisodeModels, MeteredModel
from pytest_mobileagent.llm.model import Completion

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from pytest_mobileagent.episode.calls import ModelCall, Totals
    from pytest_mobileagent.instruct.gias import WrittenInstruction
    from pytest_mobileagent.instruct.routes import Route
    from pytest_mobileagent.llm.metered import EpisodeModels
    from pytest_mobileagent.llm.model import Model, Request

Examples = dict[StageName, list[tuple[str, str]]]


def read_examples(path: Path | None) -> Examples:
    """Return the user's few-shot examples by stage, from a table's `stage`, `given` and `reply`.

    Raises:
        TaskError: if the table cannot be read, or a row has an unknown stage or lacks text.
    """
    found: Examples = {}
    for row in [] if path is None else rows(path.resolve()):
        stage = row.columns.get("stage")
        if stage not in get_args(StageName):
            msg = f"{row.where}: stage={stage!r} is not one of {', '.join(get_args(StageName))}"
            raise TaskError(msg)
        texts = [row.columns.get(name) for name in ("given", "reply")]
        if not all(isinstance(text, str) and text.strip() for text in texts):
            raise TaskError(f"{row.where}: an example needs texts in `given` and `reply`")
        found.setdefault(cast("StageName", stage), []).append(cast("tuple[str, str]", tuple(texts)))
    return found


@dataclass(frozen=True, slots=True)
class _Sample:
    """The client of a dry run: it calls no model, and always replies with a sample."""

    text: str

    def ask(self, _request: Request) -> Completion:
        """Return the sample."""
        return Completion(self.text)


class Writers:
    """The writers of instructions in all languages, whose models share a budget and a cache.

    Unless it `asks`, no model is called: each reply is the sample of its stage, and its cost is
    estimated as for models that report no tokens.

    Raises:
        ValueError: if a model cannot be reached.
    """

    def __init__(self, models: EpisodeModels, examples: Examples, *, asks: bool = True) -> None:
        self._examples = examples
        self._models = models
        asked = models.choice.references if asks else ()
        self._clients = {each: models.client(each) for each in asked}
        self._writers: dict[str, Writer] = {}

    def of(self, language: str) -> Writer:
        """Return the writer in a language."""
        if language not in self._writers:
            wording = wording_of(language)

            def model(stage: StageName) -> Model:
                reference = self._models.choice.of(ROLES[stage])
                assert reference is not None  # every role has one
                client = self._clients.get(reference) or _Sample(wording.stages[stage].sample)
                return MeteredModel(reference, ROLES[stage], client, self._models)

            self._writers[language] = Writer(wording, model, self._examples)
        return self._writers[language]

    @property
    def calls(self) -> list[ModelCall]:
        """All model calls so far."""
        return [call for writer in self._writers.values() for call in writer.calls]

    @property
    def is_scripted(self) -> bool:
        """Whether a model is scripted, so its replies come in a fixed order."""
        return any(each.is_script for each in self._models.choice.references)

    def total(self) -> str:
        """Return the total cost and the cost of each role, in words."""
        lines = [_cost("in all", totals(self.calls))]
        for role in dict.fromkeys(ROLES.values()):
            reference = self._models.choice.of(role)
            own = totals(call for call in self.calls if call.role == role)
            lines.append(_cost(f"{role} {reference.id if reference else '?'}", own))
        return "\n".join(f"  {line}" for line in lines)


def _cost(who: str, total: Totals) -> str:
    price = "price unknown" if total.price_usd is None else f"${total.price_usd:.4f}"
    tokens = f"{total.input_tokens or 0:,} tokens in, {total.output_tokens or 0:,} out"
    about = "about " if total.estimated else ""
    return f"{who}: {plural(total.calls, 'request')}, {about}{tokens}, {price}"


def write_all(
    groups: Sequence[Sequence[Route]],
    writers: Writers,
    threads: int,
    left_out: Counter[str],
    report_progress: Callable[[int, int], None],
) -> list[WrittenInstruction]:
    """Return the instructions of all routes for which one can be written.

    The reasons for the others are counted in `left_out`. Routes between the same ends are written
    one after another, as they share pages. `report_progress` gets the numbers of done and all.

    Raises:
        BudgetSpent, ModelUnavailable (no `Exception`s): if a budget is spent, or no model answers.
    """
    of, done = sum(map(len, groups)), 0

    def write(group: Iterable[Route]) -> list[WrittenInstruction | str]:
        nonlocal done
        found: list[WrittenInstruction | str] = []
        for route in group:
            try:
                found.append(writers.of(route.language).write(route))
            except MobileAgentError as error:
                found.append(str(error))
            done += 1
            report_progress(done, of)
        return found

    pool = ThreadPoolExecutor(1 if writers.is_scripted else threads, "instruct")
    try:
        found = [each for group in pool.map(write, groups) for each in group]
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    left_out.update(each for each in found if isinstance(each, str))
    return [each for each in found if not isinstance(each, str)]
