from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from pytest_mobileagent.agent.registry import available
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.report.export.published_scores import PublishedScore, read_scores, scores_of
from tests.report.conftest import make

ROOT = Path(__file__).parents[3]
HEAD = 'suite = "clock"\ntasks = 4\n'
SCORE = '[[score]]\nagent = "m3a"\nscore = 25.4\nsource = "a paper"\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "published.toml"


def test_scores_take_what_stands_above_all_of_them(file: Path) -> None:
    file.write_text(f'{HEAD}{SCORE}{SCORE}tasks = 2\nlevel = 1\nmodel = "g"\nruns = 3\n')
    first, second = read_scores(file)
    assert first == PublishedScore(
        agent="m3a", score=25.4, source="a paper", suite="clock", tasks=4
    )
    assert (second.tasks, second.level, second.model, second.runs) == (2, 1, "g", 3)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (f"{HEAD}", "has no scores: give each a table [[score]]"),
        (f"score = 3\n{HEAD}", "has no scores: give each a table [[score]]"),
        (f"{HEAD}[[score]", "is not TOML: "),
        (f"{HEAD}{SCORE}modell = 'g'", "score 1 (m3a): unknown key 'modell'; did you mean 'model'"),
        (f"suites = 1\n{SCORE}", "unknown key 'suites'; did you mean 'suite'?"),
        (f"agent = 'x'\n{HEAD}{SCORE}", "unknown key 'agent'; it belongs to a table [[score]]"),
        (f"{HEAD}[[score]]\nagent = 'a'", "score 1 (a) has no score and no source: score is per"),
        (SCORE, "score 1 (m3a) has no suite and no tasks: suite is the suite whose tasks"),
        (f"{HEAD}{SCORE}level = 'x'", "level cannot be of type str; level is a whole number"),
        (f"{HEAD}{SCORE}tasks = true", "tasks cannot be of type bool; tasks is the number of"),
        (f"{HEAD}{SCORE}tasks = 0", "tasks = 0; tasks is the number of tasks that"),
        (f"{HEAD}{SCORE.replace('25.4', '254')}", "score = 254; score is per cent of the tasks"),
        (f"{HEAD}{SCORE.replace('25.4', 'nan')}", "score cannot be nan"),
        (f"{HEAD}{SCORE.replace('a paper', ' ')}", "source is empty; source is where the score"),
    ],
)
def test_wrong_files_are_refused_with_what_to_do(file: Path, content: str, told: str) -> None:
    file.write_text(content)
    with pytest.raises(RecordError, match=re.escape(told)) as caught:
        read_scores(file)
    assert str(file) in str(caught.value)


def test_files_that_cannot_be_read_are_refused(file: Path) -> None:
    with pytest.raises(RecordError, match="cannot be read: No such file"):
        read_scores(file)
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(RecordError, match="is not TOML"):
        read_scores(file)


def test_unknown_agents_are_told_whose_scores_there_are(file: Path) -> None:
    file.write_text(HEAD + SCORE)
    scores = read_scores(file)
    assert scores_of("m3a", scores, file) == scores
    with pytest.raises(RecordError, match="no score of the agent 'm3b' among its 1 score; did you"):
        scores_of("m3b", scores, file)
    with pytest.raises(RecordError, match="'own' among its 1 score; it has those of m3a"):
        scores_of("own", scores, file)


@pytest.mark.parametrize(
    ("filters", "covered"),
    [
        ({}, True), ({"level": 2}, True), ({"level": 1}, False), ({"tag": "fast"}, True),
        ({"tag": "slow"}, False), ({"app": "a"}, True), ({"language": "zh"}, False),
        ({"suite": "notes"}, False),
    ],
)  # fmt: skip
def test_scores_cover_the_tasks_that_they_are_of(filters: dict[str, Any], covered: bool) -> None:
    task = make(True, suite="clock", level=2, tags=["fast"], app="a")
    given = {"suite": "clock", **filters}
    score = PublishedScore(agent="m3a", score=1, source="s", tasks=1, **given)
    assert score.covers(task) is covered


def test_scores_of_our_agents_name_their_presets() -> None:
    agents = available([])
    for score in read_scores(ROOT / "tasks" / "android_world" / "published.toml"):
        assert score.preset in agents[score.agent].load().published
        assert (score.suite, score.tasks, score.only_reported) == ("android_world", 116, True)
