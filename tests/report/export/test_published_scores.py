"""Tests of published scores: read from a file, and with a run beside them."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.agent.registry import available
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.report.export.published_scores import (
    PublishedScore,
    as_lines,
    as_table,
    beside,
    published_beside,
    read_scores,
    scores_of,
)
from pytest_mobileagent.report.export.tables import as_csv, as_latex, as_markdown
from tests.report.conftest import make
from tests.report.gate.entries import entries, many, recorded

if TYPE_CHECKING:
    from pytest_mobileagent.report.recorded_run import RecordedRun

PUBLISHED = {"preset": "paper", "options": {}, "settings": {}}


def run(tasks: dict[str, str], **about: Any) -> RecordedRun:
    given = {"agent": "m3a", "models": {"actor": "openai:gpt"}, "published": PUBLISHED}
    fields = {"suite": "clock", "termination": "self-reported"}
    return recorded(entries(tasks, **fields), id="run", **{**given, **about})


def score(per_cent: float, **fields: Any) -> PublishedScore:
    given = {"agent": "m3a", "suite": "clock", "tasks": 20, "preset": "paper", "model": "gpt"}
    return PublishedScore(score=per_cent, source="a paper", **{**given, **fields})


def mixed(passed: int, failed: int, outcome: str = "P", other: str = "F") -> dict[str, str]:
    names = [f"tasks/clock/t{n}" for n in range(passed + failed)]
    return dict(zip(names, [outcome] * passed + [other] * failed, strict=True))


def test_chance_explains_a_score_or_the_run_contradicts_it():
    found = beside(run(mixed(6, 14)), score(35.0))
    assert (found["own"], found["score"], found["decided"], found["epochs"]) == (0.3, 0.35, 20, 1)
    assert found["difference"] == pytest.approx(-0.05)
    # Student's t over 20 tasks: 2.093 times the standard error.
    error = math.sqrt(0.3 * 0.7 / 19)
    assert found["own_error"] == pytest.approx(error)
    assert found["interval"] == pytest.approx([-0.05 - 2.093 * error, -0.05 + 2.093 * error], 1e-3)
    assert (found["by_chance"], found["differs_in"]) == (True, [])
    contradicted = beside(run(mixed(2, 18)), score(60.0))
    assert contradicted["interval"][1] < 0
    assert contradicted["by_chance"] is False


def test_epochs_of_a_task_are_one_sample():
    once, thrice = (beside(run(mixed(6, 14, *each)), score(30)) for each in ("PF", ("PPP", "FFF")))
    assert once["interval"] == thrice["interval"]
    assert (thrice["own"], thrice["decided"], thrice["epochs"]) == (0.3, 20, 3)


def test_the_chance_of_the_published_score_is_added():
    flaky = run(mixed(10, 10, "PFP", "FPF"))
    exact, runs = beside(flaky, score(50, standard_error=0.0)), beside(flaky, score(50, runs=100))
    found = beside(flaky, score(50))
    own = exact["interval"][1]
    # Within a task, the variance of an epoch is 1/3, so that of the mean of 20 tasks is 1/60.
    assert found["interval"][1] == pytest.approx(math.hypot(own, 1.96 * math.sqrt(1 / 60)), 1e-3)
    assert own < runs["interval"][1] < found["interval"][1]
    stated = beside(flaky, score(50, standard_error=4.0))
    assert stated["interval"][1] == pytest.approx(math.hypot(own, 1.96 * 0.04), 1e-3)


def test_tasks_that_all_turn_out_alike_are_no_certainty():
    found = beside(run(mixed(0, 20)), score(10))
    assert found["own"] == 0
    assert found["interval"][0] == pytest.approx(-0.1)
    assert found["interval"][1] == pytest.approx(0.161 - 0.1, abs=1e-3)  # Wilson's, of 0 in 20


def test_successes_that_were_not_reported_may_count_as_failures():
    tasks = entries(mixed(4, 0), suite="clock", termination="step limit")
    made = recorded(tasks, id="run", agent="m3a")
    assert beside(made, score(50, tasks=4))["own"] == 1
    assert beside(made, score(50, tasks=4, only_reported=True))["own"] == 0
    found = beside(run(mixed(0, 3, "", "E")), score(50, tasks=3))
    unknown = [found[name] for name in ("own", "difference", "interval", "by_chance")]
    assert unknown == [None] * 4, "nothing is decided"


@pytest.mark.parametrize(
    ("about", "fields", "names"),
    [
        ({}, {}, []),
        ({}, {"tasks": 116}, ["tasks"]),
        ({}, {"model": "gpt-2"}, ["model"]),
        ({}, {"model": None}, ["model"]),
        ({"models": {"a": "openai:gpt", "b": "openai:other"}}, {}, ["model"]),
        ({"published": None}, {}, ["preset"]),
        ({}, {"preset": "other"}, ["preset"]),
        ({"published": {**PUBLISHED, "settings": {"steps": None}}}, {}, ["steps"]),
        ({"virtual": True}, {}, ["phone"]),
    ],
)
def test_differences_of_conditions_are_named(about, fields, names):
    found = beside(run(mixed(5, 15), **about), score(25, **fields))
    assert [each["name"] for each in found["differs_in"]] == names


def test_every_score_of_the_agent_is_beside_the_run(tmp_path):
    file = tmp_path / "published.toml"
    table = '[[score]]\nagent = "m3a"\nscore = 1\nsource = "s"\ntasks = 1\nsuite = '
    file.write_text(f'{table}"clock"\n{table}"notes"\n{table}"clock"\n')
    found = published_beside(run(many(4, "P")), file)
    assert [each["suite"] for each in found] == ["clock", "clock"]
    file.write_text(f'{table}"notes"\n{table}"maps"\n')
    told = f"has no task of {file}: its scores of m3a are of notes, maps; the run has clock"
    with pytest.raises(RecordError, match=re.escape(told)):
        published_beside(run(many(4, "P")), file)


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
        (f"{HEAD}[[score]", "is not TOML: "),
        (f"{HEAD}{SCORE}modell = 'g'", "score 1 (m3a): unknown key 'modell'; did you mean 'model'"),
        (f"agent = 'x'\n{HEAD}{SCORE}", "unknown key 'agent'; it belongs to a table [[score]]"),
        (f"{HEAD}[[score]]\nagent = 'a'", "score 1 (a) has no score and no source: score is per"),
        (SCORE, "score 1 (m3a) has no suite and no tasks: suite is the suite whose tasks"),
        (f"{HEAD}{SCORE}level = 'x'", "level cannot be of type str; level is a whole number"),
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


BESIDE: dict[str, Any] = {
    "agent": "m3a", "score": 0.306, "source": "a paper", "suite": "clock", "tasks": 116,
    "model": None, "preset": "paper", "only_reported": False, "runs": None, "standard_error": None,
    "own": 0.306, "own_error": 0.043, "decided": 116, "epochs": 3, "difference": -0.0001,
    "interval": [-0.084, 0.084], "by_chance": True,
    "differs_in": [
        {"name": "screen", "own": "720x1600", "published": "1080x2400", "source": "s"},
        {"name": "runs", "own": 1, "published": None, "source": ""},
    ],
}  # fmt: skip


def test_a_score_is_on_one_line_with_what_differs() -> None:
    line = "m3a  30.6 ± 4.3 (116 tasks, 3 epochs)   published 30.6   difference 0.0 (-8.4 to 8.4)"
    assert as_lines("m3a", [BESIDE]) == [
        f"{line}   differs in: screen 720x1600 for 1080x2400, runs unknown",
        "  chance can explain the difference",
        "  published in: a paper",
    ]


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"model": "gpt"}, "published 30.6 with gpt   "),
        ({"decided": 24}, "(24 of 116 tasks, 3 epochs)"),
        ({"decided": 24}, "  the run has decided 24 of 116 tasks; the others may be easier"),
        ({"by_chance": False}, "  chance does not explain the difference: see what differs"),
        ({"by_chance": None}, "  whether chance can explain the difference cannot be told"),
        ({"only_reported": True}, "  only successes that the agent reported count"),
        ({"epochs": 1}, "  with one epoch, the published score is taken as exact"),
        ({"own": None, "own_error": None, "difference": None, "interval": None}, "n/a (116 tasks"),
        ({"source": "\x1b[31mred"}, "  published in: \\x1b[31mred"),
    ],
)
def test_lines_say_what_limits_the_comparison(fields: dict[str, Any], told: str) -> None:
    assert told in "\n".join(as_lines("m3a", [{**BESIDE, **fields}]))


def test_several_runs_and_scores_are_rows_of_a_table() -> None:
    table = as_table(["m3a", "t3a"], [[BESIDE, {**BESIDE, "model": "g"}], [BESIDE]])
    lines = as_markdown(table).splitlines()
    assert lines[2] == (
        "| m3a | 30.6% ± 4.3% | 116 | 3 | 30.6% | n/a | 0.0 | -8.4 to 8.4 | yes | "
        "screen 720x1600 for 1080x2400, runs unknown |"
    )
    assert lines[3].startswith("| m3a | ")
    assert lines[4].startswith("| t3a | ")
    assert as_csv(table).splitlines()[1].startswith("m3a,0.306,0.043,116,3,0.306,n/a,0.0,'-8.4 to")
    assert r"t3a & 30.6\% $\pm$ 4.3\% & 116" in as_latex(table)
