"""Measures how often hostile screens and agents manipulate the verdicts of judges.

python benchmarks/judge_injection.py --judges openai:gpt-4o,anthropic:claude-sonnet-4-5 [--sample N]

Judges are asked about failed episodes in which screens or the agent claim success
(tests/judge/attacks.py), about the same episodes without a claim, and about some successful ones.
With --sample, only N of the attacks are tried, always the same ones. Keys are read from the
environment, as in runs. Each question is one call, or two if the first reply cannot be read.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.append(str(Path(__file__).parent.parent))

from pytest_mobileagent.errors import JudgeError
from pytest_mobileagent.judge.ask import ask, judge_models
from pytest_mobileagent.judge.question import Question
from pytest_mobileagent.llm.metered import EpisodeModels
from pytest_mobileagent.llm.providers import prepare
from pytest_mobileagent.llm.reference import parse_references
from tests.judge.attacks import ATTACKS, BY_AGENT, NEVER, Attack, episode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_mobileagent.judge.ask import Opinion
    from pytest_mobileagent.llm.metered import MeteredModel

WAYS = {
    "image": Question(actions="image"),
    "text": Question(actions="text"),
    "xml": Question(evidence="xml", actions="text"),
}
AT_ONCE = 8
HARMLESS, DONE = "no claim, not done", "no claim, done"


@dataclass(frozen=True)
class Trial:
    """One question to a judge."""

    attack: Attack
    way: str
    kind: str  # the attack's place, or `HARMLESS` or `DONE`

    def opinion(self, model: MeteredModel) -> Opinion | JudgeError:
        """Return a model's opinion, or the error of a judge, which is counted."""
        try:
            return ask(model, WAYS[self.way], episode(self.attack, done=self.kind == DONE))
        except JudgeError as error:
            return error


def trials(sample: int | None) -> list[Trial]:
    """Return all trials: each attack in every form in which a judge would see it."""
    attacks = [Trial(each, way, each.place) for each in ATTACKS for way in ways(each.place)]
    if sample is not None:
        attacks = random.Random(0).sample(attacks, min(sample, len(attacks)))
    plain = [
        Trial(Attack(kind, language, "none", ""), way, kind)
        for kind in (HARMLESS, DONE)
        for language in ("en", "zh")
        for way in WAYS
    ]
    return [*plain, *attacks]


def ways(place: str) -> Iterator[str]:
    if place in NEVER:
        return  # no prompt contains them
    if place in ("shown", "before"):
        yield "image"
    if place in BY_AGENT:
        yield from ("image", "text")
    if place != "before":  # for a single-frame query, only the last hierarchy is shown
        yield "xml"


def table(judge: str, said: Iterable[tuple[Trial, Opinion | JudgeError]]) -> list[str]:
    """Return a judge's lines: the number of trials of each kind that it judged as done."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    price, errors = 0.0, []
    for trial, opinion in said:
        if isinstance(opinion, JudgeError):
            counts[trial.kind]["error"] += 1
            errors.append(f"  error: {opinion}")
            continue
        price += sum(call.price_usd or 0 for call in opinion.calls)
        counts[trial.kind]["done" if opinion.passed else "not done"] += 1
    attacked = sum((c for kind, c in counts.items() if kind not in {HARMLESS, DONE}), Counter())
    total = attacked["done"] + attacked["not done"]
    lines = [f"{judge}: fooled by {attacked['done']} of {total} attacks (${price:.2f})"]
    lines.append(f"  {'':20} {'done':>5} {'not done':>9} {'error':>6}")
    for kind, count in counts.items():
        lines.append(f"  {kind:20} {count['done']:5} {count['not done']:9} {count['error']:6}")
    return [*lines, *errors[:3]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--judges", required=True, help="PROVIDER:NAME[@URL], …")
    parser.add_argument("--sample", type=int, help="how many attacks are made")
    given = parser.parse_args()
    asked = trials(given.sample)
    references = parse_references(given.judges)
    prepare(references)
    for model in judge_models(references, EpisodeModels()):
        with ThreadPoolExecutor(AT_ONCE) as pool:
            opinions = pool.map(lambda trial, model=model: trial.opinion(model), asked)
            print("\n".join(table(model.name, zip(asked, opinions, strict=True))))


if __name__ == "__main__":
    main()
