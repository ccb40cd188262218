"""The quality of instructions: judges' comparisons with others, and the routes' step efficiency.

As in Table 2 of Mobile-Bench-v2 (arXiv 2505.11891), the win rate is the share of instructions that
are at least as good as those that they are compared with. SE, the step efficiency, is the number of
steps of the golden path divided by the fewest known steps from its first to its last page. Judges
tend to prefer the first or the last of two texts, so each pair is shown in both orders.
"""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, cast

from pytest_mobileagent._task.table import rows
from pytest_mobileagent.action import ends_episode
from pytest_mobileagent.errors import MobileAgentError, ScreenError, TaskError
from pytest_mobileagent.instruct.drafts import pages_of
from pytest_mobileagent.instruct.gias import wording_of
from pytest_mobileagent.judge.evidence import Album
from pytest_mobileagent.judge.prompts import wording_of as judges_wording
from pytest_mobileagent.judge.question import read_notes
from pytest_mobileagent.judge.transcript import TranscriptFrame, in_words
from pytest_mobileagent.llm.fence import Data, sealed
from pytest_mobileagent.llm.model import Message
from pytest_mobileagent.llm.models import ask_until_readable
from pytest_mobileagent.statistics import Estimate, mean, proportion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent.instruct.drafts import DraftInstruction
    from pytest_mobileagent.llm.fence import Part
    from pytest_mobileagent.llm.model import Model, ModelReply

Better = Literal["A", "B", "tie"]
_MOST_TOKENS = 4096
_MOST_PICTURES = 8  # in a request; many models accept no more (section 3.2)
_RESULT = re.compile(
    r"[*_`\s]*(?:Result|结果)[*_`\s]*[:：][*_`\s]*(A|B|tie|平局)[*_`.。\s]*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class PairwiseComparison:
    """The judges' comparison of an instruction with another one.

    - `won`, `tied`, `lost`: the numbers of judges that prefer it, have no preference, or prefer the
      other one. A judge whose preference depends on the order has none.
    - `turned`: the number of judges that decide differently if the order is reversed.
    """

    draft: DraftInstruction
    won: int
    tied: int
    lost: int
    turned: int

    @property
    def value(self) -> float:
        """The share of judges that find it at least as good as the other one."""
        return (self.won + self.tied) / (self.won + self.tied + self.lost)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The compared pairs, why others `failed`, and the number of instructions without a pair."""

    pairs: Sequence[PairwiseComparison]
    failed: Mapping[str, str]
    unpaired: int

    def to_json(self) -> dict[str, Any]:
        """Return the counts of each pair as plain data, from which `report` makes Table 2."""
        own, counted = ("id", "tags", "golden_steps", "fewest_steps"), ("won", "tied", "lost")
        pairs = [
            {name: p.draft.row[name] for name in own} | {n: getattr(p, n) for n in counted}
            for p in self.pairs
        ]
        return {"instructions": pairs, "unpaired": self.unpaired, "failed": dict(self.failed)}

    def lines(self) -> Iterator[str]:
        """Yield the lines of a table with a column for each size of task, and one for all tasks."""
        sizes = list(dict.fromkeys(tag for pair in self.pairs for tag in pair.draft.row["tags"]))
        columns = [[p for p in self.pairs if size in p.draft.row["tags"]] for size in sizes]
        table = [("", *sizes, "all"), *(
            (name, *(value(column) for column in (*columns, self.pairs)))
            for name, value in _ROWS
        )]  # fmt: skip
        for row in table:
            yield "  ".join([f"{row[0]:<18}", *(f"{cell:>20}" for cell in row[1:])])
        if self.unpaired:
            yield f"{self.unpaired} have no other instruction with the same id"
        yield from (f"not compared: {name}: {why}" for name, why in self.failed.items())


def compare(
    drafts: Sequence[DraftInstruction],
    table: Path,
    others: Path,
    judges: Sequence[Model],
    threads: int,
) -> Comparison:
    """Ask judges which of two instructions describes a trajectory better.

    The models' instructions, without people's edits, are compared with the goals of the table
    `others` with the same ids. Equal texts are a tie without asking a judge.

    Raises:
        TaskError: if the other table cannot be read, or has none of the ids.
        BudgetSpent, ModelUnavailable (no `Exception`s): if a budget is spent, or no judge answers.
    """
    goals = {row.id: _instruction_of(row.columns) for row in rows(others.resolve())}
    known = [draft for draft in drafts if goals.get(draft.id)]
    if not known:
        raise TaskError(f"{others} has none of the instructions' ids, such as {drafts[0].id!r}")

    def one(draft: DraftInstruction) -> PairwiseComparison | str:
        try:
            return _pair(draft, goals[draft.id], table, judges)
        except MobileAgentError as error:
            return str(error)

    pool = ThreadPoolExecutor(threads, "compare")
    try:
        found = [*zip(known, pool.map(one, known), strict=True)]
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    return Comparison(
        [each for _, each in found if isinstance(each, PairwiseComparison)],
        {draft.id: each for draft, each in found if isinstance(each, str)},
        len(drafts) - len(known),
    )


def _instruction_of(columns: Mapping[str, object]) -> str:
    """Return the instruction of a row: its goal without the braces of a template."""
    goal = columns.get("goal", columns.get("instruction", ""))
    return str(goal).replace("{{", "{").replace("}}", "}").strip()


def _pair(
    draft: DraftInstruction, other: str, table: Path, judges: Sequence[Model]
) -> PairwiseComparison:
    own = str(draft.row["instruction"])
    if own == other:
        return PairwiseComparison(draft, 0, len(judges), 0, 0)
    pages = _trajectory(draft, table)
    won = lost = turned = 0
    for judge in judges:
        first = _better(judge, draft, pages, own, other)
        second = _better(judge, draft, pages, other, own)
        score = {"A": 1, "B": -1, "tie": 0}
        both = score[first] - score[second]
        won, lost = won + (both > 0), lost + (both < 0)
        turned += score[first] != -score[second]
    return PairwiseComparison(draft, won, len(judges) - won - lost, lost, turned)


def _trajectory(draft: DraftInstruction, table: Path) -> list[Part]:
    """Return the parts of a prompt that show a trajectory: its actions, and up to 8 pictures.

    Raises:
        MobileAgentError: if its pages cannot be read.
    """
    screens, wording = pages_of(draft, table), wording_of(str(draft.row["language"]))
    actions = [each.action for each in draft.golden if not ends_episode(each.action)]
    frames = [
        TranscriptFrame(at + 1, at, screen, tuple(actions[at : at + 1]), is_last=at == len(actions))
        for at, screen in enumerate(screens)
    ]
    lines = [f"{frame.number}. {in_words(frame, wording.verbs)}" for frame in frames[:-1]]
    parts: list[Part] = [wording.labels["action"], Data("steps", "\n".join(lines))]
    title, album = judges_wording(str(draft.row["language"])).picture, Album("text")
    count = min(len(frames), _MOST_PICTURES)
    places = {round(n * (len(frames) - 1) / max(1, count - 1)) for n in range(count)}
    for frame in (frames[place] for place in sorted(places)):
        try:
            picture = album.picture(frame)
        except ScreenError:
            continue
        parts += [title.replace("{NUMBER}", str(frame.number)), picture]
    return parts


def _better(
    model: Model, draft: DraftInstruction, pages: Sequence[Part], one: str, other: str
) -> Better:
    """Return which of two instructions a judge finds better."""
    wording = wording_of(str(draft.row["language"]))
    both = (wording.labels["A"], Data("A", one), wording.labels["B"], Data("B", other))
    found, problem, _ = ask_until_readable(
        model,
        sealed(wording.better, wording.guard, [*pages, *both]),
        _result,
        lambda why: Message("user", (wording.repair.replace("{PROBLEM}", why),)),
        _MOST_TOKENS,
    )
    if found is None:
        raise TaskError(f"the reply of {model.name} cannot be read: {problem}")
    return found


def _result(reply: ModelReply) -> Better:
    last = _RESULT.fullmatch(read_notes(reply).splitlines()[-1])
    if last is None:
        raise ValueError("its last line is not `Result: A`, `Result: B` or `Result: tie`")
    word = last[1].upper()
    return cast("Better", word if word in {"A", "B"} else "tie")


def _mean_of(name: str, pairs: Sequence[PairwiseComparison]) -> str:
    return Estimate(mean([float(pair.draft.row[name]) for pair in pairs]).value).in_words()


def _efficiency(pairs: Sequence[PairwiseComparison]) -> str:
    known = [pair.draft.row for pair in pairs if pair.draft.row["fewest_steps"]]
    return mean([row["golden_steps"] / row["fewest_steps"] for row in known]).in_words()


def _win_rate(pairs: Sequence[PairwiseComparison]) -> str:
    return proportion(sum(pair.value for pair in pairs), len(pairs)).in_words("{:.1%}")


def _counts(pairs: Sequence[PairwiseComparison]) -> str:
    return "/".join(str(sum(getattr(p, name) for p in pairs)) for name in ("won", "tied", "lost"))


_ROWS: Sequence[tuple[str, Callable[[Sequence[PairwiseComparison]], str]]] = (
    ("instructions", lambda pairs: str(len(pairs))),
    ("golden steps", partial(_mean_of, "golden_steps")),
    ("fewest steps", partial(_mean_of, "fewest_steps")),
    ("SE", _efficiency),
    ("win rate", _win_rate),
    ("won/tied/lost", _counts),
    ("turned by order", lambda pairs: str(sum(pair.turned for pair in pairs))),
)
