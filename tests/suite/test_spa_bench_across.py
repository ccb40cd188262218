"""Four of SPA-Bench's cross-app tasks, from the draft of their subtasks to the verdicts of judges.

The oracle plays the tasks on a virtual phone, and a judge that sees its pictures (see `seeing.py`)
judges them through its provider's client: as in the paper's section 5.2 and appendix E, a model
drafts the subtasks, a person reviews them, the episode is split by app, and each subtask is judged
in turn, with notes on the earlier ones.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import pytest_mobileagent.plugin.items  # noqa: F401 - which has pytest mark tasks
from pytest_mobileagent import Screen, Step, rows
from pytest_mobileagent._task.needs import choose
from pytest_mobileagent.episode import EpisodeRecord
from pytest_mobileagent.episode.reader import read
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.judge.ask import judge_models
from pytest_mobileagent.judge.question import Question
from pytest_mobileagent.judge.subtasks import ask_subtasks, generate, keep, reviewed
from pytest_mobileagent.llm.metered import EpisodeModels
from pytest_mobileagent.llm.reference import parse_reference
from pytest_mobileagent.verdict import verdicts
from tests.suite.seeing import PARTS, Seeing
from tests.suite.test_spa_bench import STOOD_IN_FOR

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_mobileagent.judge.ask import Opinion
    from pytest_mobileagent.judge.question import Subtask
    from pytest_mobileagent.llm.metered import MeteredModel
    from pytest_mobileagent.verdict import Verdict

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PLAYED = {  # the number of subtasks, and the subject of the note that is handed on
    "General_Tool_2_ENG": (2, ""),
    "Information_Management_1_ENG": (2, "date on which the Winter Olympics open"),
    "Media_Entertainment_2_ENG": (3, "video with the soundscape"),
    "General_Tool_1_CHN": (2, ""),
}
WITH_NOTES = [name for name, (_, note) in PLAYED.items() if note]
EACH_PART = [(name, n) for name, (parts, _) in PLAYED.items() for n in range(parts)]


class Played:
    """The episodes of the tasks, their subtasks, and the judge that is asked about them."""

    def __init__(self, runs: Path) -> None:
        self.runs = runs
        table = import_module("tasks.spa_bench.table")
        each = [row for row in rows(ROOT / "tasks/spa_bench/cross.toml") if row.id in PLAYED]
        self.subtasks = {row.id: table.subtasks(row, table.LABELS) for row in each}
        self.goals = {row.id: row.goal for row in each}
        self.judge = Seeing(runs, {row.goal: self.subtasks[row.id] for row in each})

    def episode(self, name: str) -> EpisodeRecord:
        (folder,) = self.runs.glob(f"*/episodes/*{name}*")
        return read(folder, EpisodeRecord)

    def verdicts(self, name: str) -> dict[str, Verdict]:
        """Return the run's verdicts on a task, by their scorers."""
        (folder,) = self.runs.glob(f"*/episodes/*{name}*")
        return {verdict.scorer: verdict for verdict in verdicts(folder)}

    def details(self, name: str) -> dict[str, Any]:
        """Return what the run's judge based its verdict on."""
        (opinion,) = self.verdicts(name)["judge"].evidence["judges"]
        return opinion["details"]

    def parts(self, name: str) -> list[Subtask]:
        """Return the subtasks of a task, in the apps that the phone has."""
        there = {screen.package for screen in self.episode(name).screens}
        return [replace(each, app=choose(each.app, there)) for each in self.subtasks[name]]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """The run of the four tasks, whose judge was asked while they were played."""
    found = Played(tmp_path_factory.mktemp("runs"))
    with found.judge.model().serve() as url:
        command = [
            *(sys.executable, "-m", "pytest", "tasks/spa_bench/test_cross.py", "-q"),
            *("-k", " or ".join(PLAYED), "--agent=oracle", f"--mobile-runs={found.runs}"),
            *(f"--mobile-device-has={STOOD_IN_FOR}", "-o", "mobile_pack_screens=false"),
            *("--llm-judge=single", f"--mobile-judges=openai:judge@{url}/v1"),
            *("--mobile-unpriced=allow", "-p", "no:cacheprovider"),
        ]
        env = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
        finished = subprocess.run(
            command, cwd=ROOT, env=env, capture_output=True, text=True, check=False
        )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return found


@pytest.fixture
def model(played: Played) -> Iterator[MeteredModel]:
    """The judge, as a provider that is asked over HTTP."""
    with played.judge.model().serve() as url:
        (judge,) = judge_models([parse_reference(f"openai:judge@{url}/v1")], EpisodeModels())
        yield judge


def judged(model: MeteredModel, episode: EpisodeRecord, parts: Sequence[Subtask]) -> Opinion:
    return ask_subtasks(model, Question(subtasks=tuple(parts)), episode)


def results(opinion: Opinion) -> list[bool | None]:
    return [each["passed"] for each in opinion.details["subtasks"]]


def with_screens(episode: EpisodeRecord, places: Sequence[int]) -> EpisodeRecord:
    """Return the episode as if it had only these screens, in this order."""
    steps = [*episode.steps, Step(episode.screen)]
    *kept, last = [steps[place] for place in places]
    return replace(episode, steps=tuple(kept), screen=last.screen)


@pytest.mark.parametrize("name", PLAYED)
def test_a_run_judges_each_subtask_beside_the_check(played: Played, name: str) -> None:
    decided = {scorer: verdict.passed for scorer, verdict in played.verdicts(name).items()}
    assert decided == {"check": True, "judge": True}
    details, (parts, note) = played.details(name), PLAYED[name]
    assert details["split"] == "packages"
    apps = [each.app for each in played.subtasks[name]]
    assert [each["app"] for each in details["segments"]] == apps
    assert [each["passed"] for each in details["subtasks"]] == [True] * parts
    assert list(details["memory"]) == ([note] if note else [])


@pytest.mark.parametrize("name", PLAYED)
def test_subtasks_that_a_model_drafts_are_judged_after_their_review(
    played: Played, model: MeteredModel, name: str, tmp_path: Path
) -> None:
    episode, file = played.episode(name), tmp_path / "subtasks.json"
    drafted = generate(model, played.goals[name], episode.case.task.apps)
    assert list(drafted) == played.parts(name)
    keep(file, played.goals[name], drafted)
    with pytest.raises(TaskError, match="was drafted by a model"):
        reviewed(file)
    file.write_text(file.read_text("utf-8").replace('"reviewed": false', '"reviewed": true'))
    assert judged(model, episode, reviewed(file)).passed


@pytest.mark.parametrize(("name", "part"), EACH_PART)
def test_a_subtask_fails_if_the_screens_that_show_it_are_withheld(
    played: Played, model: MeteredModel, name: str, part: int
) -> None:
    episode, parts, whole = played.episode(name), played.parts(name), played.details(name)
    segment, notes = whole["segments"][part], str(whole["memory"])
    (shows,) = [shows for words, shows in PARTS.items() if words in parts[part].task]
    withheld = {
        place
        for place in range(segment["first"], segment["last"] + 1)
        if shows([played.judge.sight.read(episode.screens[place].png)], notes)
    }
    assert withheld
    places = [place for place in range(len(episode.screens)) if place not in withheld]
    opinion = judged(model, with_screens(episode, places), parts)
    assert opinion.passed is False
    if opinion.calls:  # otherwise, no screen of the app is left
        assert results(opinion) == [True] * part + [False] + [None] * (len(parts) - part - 1)


@pytest.mark.parametrize("hidden", [False, True], ids=["packages", "model"])
@pytest.mark.parametrize("name", PLAYED)
def test_apps_in_another_order_fail_before_anything_is_judged(
    played: Played, model: MeteredModel, name: str, hidden: bool
) -> None:
    episode, parts = played.episode(name), played.parts(name)
    packages = [screen.package for screen in episode.screens]
    cut = packages.index(parts[1].app)
    # An app that is used again at the end comes after the second one anyway.
    begin = range(cut) if parts[-1].app != parts[0].app else ()
    swapped = with_screens(episode, [*range(cut, len(packages)), *begin])
    if hidden:
        swapped = without_packages(swapped)
    opinion = judged(model, swapped, parts)
    assert opinion.passed is False
    assert results(opinion) == [None] * len(parts)
    assert " was not used after " in opinion.reason or " was not used, as " in opinion.reason
    assert len(opinion.calls) == hidden


def without_packages(episode: EpisodeRecord) -> EpisodeRecord:
    """Return the episode as if it had been recorded without the packages of its screens."""
    bare = [Screen(screen.xml, screen.png) for screen in episode.screens]
    steps = [
        replace(step, screen=screen) for step, screen in zip(episode.steps, bare, strict=False)
    ]
    return replace(episode, steps=tuple(steps), screen=bare[-1])


@pytest.mark.parametrize("name", PLAYED)
def test_a_model_splits_what_was_recorded_without_packages(
    played: Played, model: MeteredModel, name: str
) -> None:
    opinion = judged(model, without_packages(played.episode(name)), played.parts(name))
    assert opinion.passed
    assert opinion.details["split"] == "model"


@pytest.mark.parametrize("name", WITH_NOTES)
def test_a_subtask_fails_if_the_notes_that_it_needs_are_not_handed_over(
    played: Played, model: MeteredModel, name: str
) -> None:
    parts = [replace(part, history=False) for part in played.parts(name)]
    opinion = judged(model, played.episode(name), parts)
    assert results(opinion) == [True] * (len(parts) - 1) + [False]
