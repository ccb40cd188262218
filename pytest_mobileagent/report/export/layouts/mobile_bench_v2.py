"""Mobile-Bench-v2 (arXiv 2505.11891).

mobile-bench-v2:2  quality of instructions: steps, win rate, SE; needs a file, as
                   `instruct TABLE --compare-with=FILE --format=json` prints it
mobile-bench-v2:3  mobile-bench-v2
                   TYPE (single path) or SE, step accuracy and success; needs the tags `simple`,
                   `complex`, `noisy` or `ambiguous`
mobile-bench-v2:4  step accuracy on AITZ, and with ads over it (`contaminate`); needs a run on a
                   single path for each, and AITZ's subsets as tags
mobile-bench-v2:5  the same with success, by training data (--mobile-label)
mobile-bench-v2:6  mobile-bench-v2-ambiguous
                   TYPE, step accuracy and success of full and vague goals; the first two need
                   golden actions
mobile-bench-v2:7  as table 4, by training data, with ads of the other set (--ads=out)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.jsonable import Maybe
from pytest_mobileagent.report.export.layouts import (
    MODELS,
    Layout,
    Measure,
    Parts,
    Run,
    grouped,
    has,
    long,
    measure,
)
from pytest_mobileagent.report.export.tables import Cell
from pytest_mobileagent.report.names import agent_name, models_of
from pytest_mobileagent.statistics import mean_of, ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

_SPLITS: Parts = {
    "Common-Simple": has("tags", "simple"),
    "Common-Complex": has("tags", "complex"),
    "Noisy Data": has("tags", "noisy"),
    "Ambiguous Data": lambda task: "ambiguous" in task.tags and task.variant != "full",
}
_VARIANTS: Parts = {
    "Full Instruction": has("variant", "full"),
    "Ambiguous Instruction": has("variant", "vague"),
}
_SUBSETS: Parts = {  # of AITZ
    "General": has("tags", "general"),
    "Google App": has("tags", "google_apps"),
    "Install": has("tags", "install"),
    "Web Shopping": has("tags", "web_shopping"),
}
_ALL: Parts = {**_SUBSETS, "Total": lambda _: True}


def _share(title: str, name: str, digits: int = 1) -> Measure:
    return measure(title, name, digits, percent=True, sign=False)


def _either(title: str, single: Measure, multi: Measure) -> Measure:
    """Return one measure of runs on a single path, and another one of all other runs."""
    return Measure(title, lambda run: (single if run.is_on_path else multi).cell(run))


_TYPE, _STEP = _share("Type", "type_accuracy"), _share("Step. Acc", "step_accuracy")
_ACTIONS = measure("SE", "mean_actions")  # what the paper prints as SE: see docs/metrics.md
_PATH = _share("SR", "path_success_rate")
_SR = _either("SR", _PATH, _share("SR", "success_rate"))


def _text(title: str, text: Callable[[Run], str]) -> Measure:
    return Measure(title, lambda run: Cell(text(run) if run.tasks else None))


def _efficiency(run: Run) -> Iterable[str]:
    """Yield a remark with SE as the paper defines it, if the table has numbers of actions."""
    if run.tasks and not run.is_on_path:
        each = {title: run.only(wanted).summary for title, wanted in _SPLITS.items()}
        known = {title: summary["step_efficiency"] for title, summary in each.items()}
        told = [f"{title} {number:.2f}" for title, number in known.items() if number is not None]
        by_formula = f"; by its formula it is {', '.join(told)}" if told else ""
        yield f"SE is the mean number of actions, as in the paper's table{by_formula}"


_is_noisy = has("tags", "noisy")
_CATEGORY = _text("Cate.", lambda run: "Single" if run.is_on_path else "Multi")
_BENCHMARK = _text("Benchmark", lambda run: "Noise" if any(map(_is_noisy, run.tasks)) else "Normal")
_TRAINING = Measure("Training Data", lambda run: Cell(run.about.get("label") or None))


def _noise(digits: int) -> tuple[Measure, Measure]:
    noisy = _share("Noisy", "noisy_step_accuracy", digits)
    return _share("Step. Acc", "step_accuracy", digits), noisy


def _trained(abouts: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the models of runs, or else their agents; their labels name the training data."""
    return [", ".join(models_of(about)) or agent_name(str(about.get("agent"))) for about in abouts]


_PAIR = {
    "tags": [str],
    "golden_steps": int,
    "fewest_steps": Maybe(int),
    **dict.fromkeys(("won", "tied", "lost"), int),
}


def _won(pair: Mapping[str, Any]) -> float | None:
    if min(pair[name] for name in ("won", "tied", "lost")) < 0:
        raise ValueError("a number of judges is negative")
    good = pair["won"] + pair["tied"]
    return ratio(good, good + pair["lost"])


_TAGS = ("simple", "complex", "noisy", "ambiguous")
_ROWS: dict[str, tuple[int, Callable[[Mapping[str, Any]], float | None]]] = {
    "Annotation Step": (2, lambda pair: pair["golden_steps"]),
    "Evaluation Step": (2, lambda pair: pair["fewest_steps"]),
    "Win Rate ↑": (1, _won),
    "SE ↓": (2, lambda pair: ratio(pair["golden_steps"], pair["fewest_steps"])),
}


def _instructions(data: dict[str, Any]) -> Iterator[Run]:
    """Yield a run with the means over the instructions with each tag."""
    if not any(set(_TAGS).intersection(each["tags"]) for each in data["instructions"]):
        raise ValueError(f"none of its instructions has a tag of {', '.join(_TAGS)}")
    means = {
        f"{tag} {row}": mean_of((e for e in data["instructions"] if tag in e["tags"]), value)
        for row, (_, value) in _ROWS.items()
        for tag in _TAGS
    }
    yield Run({"label": "instructions"}, means)


_QUALITY = [
    measure(tag.capitalize(), f"{tag} {row}", digits, group=row, percent=value is _won, sign=False)
    for row, (digits, value) in _ROWS.items()
    for tag in _TAGS
]
TABLES = (
    Layout(
        "mobile-bench-v2:2",
        _QUALITY,
        arrange=long,
        heads=("Instructions", "Metric"),
        source="what `instruct --compare-with --format=json` prints",
        kind={"instructions": [_PAIR]},
        counted=_instructions,
    ),
    Layout(
        "mobile-bench-v2:3 mobile-bench-v2",
        (MODELS, _CATEGORY, *grouped(_SPLITS, _either("Type/SE", _TYPE, _ACTIONS), _STEP, _SR)),
        notes=_efficiency,
    ),
    Layout("mobile-bench-v2:4", (_BENCHMARK, *grouped(_ALL, *_noise(1)))),
    Layout("mobile-bench-v2:5", (_TRAINING, *grouped(_SUBSETS, *_noise(1), _PATH)), named=_trained),
    Layout(
        "mobile-bench-v2:6 mobile-bench-v2-ambiguous",
        (MODELS, *grouped(_VARIANTS, _TYPE, _STEP, _SR)),
    ),
    Layout("mobile-bench-v2:7", (_TRAINING, *grouped(_ALL, *_noise(2))), named=_trained),
)
