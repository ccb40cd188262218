"""Tests of comparing two instructions with judges in both orders, and of the resulting table."""

import json

import pytest

from pytest_mobileagent import Finish, Key, Tap
from pytest_mobileagent.instruct.drafts import read_drafts
from pytest_mobileagent.instruct.quality import compare
from pytest_mobileagent.llm.metered import EpisodeModels, MeteredModel
from pytest_mobileagent.llm.reference import parse_reference
from pytest_mobileagent.report.export import find_layout
from pytest_mobileagent.report.export.layouts import tabulate
from pytest_mobileagent.testing import ScriptedModel
from tests.instruct.conftest import GOAL, page, recorded, replies

OTHER = "Look at the drinks."


@pytest.fixture
def table(command, run):
    assert command.run(run, "-o", "new.jsonl", lines=replies())[0] == 0
    return "new.jsonl"


@pytest.fixture
def others(tmp_path):
    def write(**goals):
        lines = [json.dumps({"id": name, "goal": goal}) for name, goal in goals.items()]
        (tmp_path / "others.jsonl").write_text("\n".join(lines))
        return "others.jsonl"

    return write


def compared(command, table, others, *judges, **more):
    names = []
    for number, lines in enumerate(judges):
        command.script(lines, f"judge{number}.jsonl")
        names.append(f"scripted:judge{number}.jsonl")
    words = (table, f"--compare-with={others}", f"--judges={','.join(names)}")
    return command.run(*words, *more.get("words", ()))


def row(out, name):
    return next(line.split() for line in out.splitlines() if line.startswith(name))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        # The instruction is A in the first order and B in the second.
        (["A", "B"], ["1/0/0", "0", "100.0%"]),
        (["B", "A"], ["0/0/1", "0", "0.0%"]),
        (["tie", "tie"], ["0/1/0", "0", "100.0%"]),
        # The first one always wins, which shows no preference.
        (["A", "A"], ["0/1/0", "1", "100.0%"]),
        (["B", "B"], ["0/1/0", "1", "100.0%"]),
        (["A", "tie"], ["1/0/0", "1", "100.0%"]),
        (["tie", "A"], ["0/0/1", "1", "0.0%"]),
    ],
)
def test_both_orders_decide(command, table, others, said, told):
    lines = [f"So.\nResult: {word}" for word in said]
    status, out, err = compared(command, table, others(mocha=OTHER), lines)
    assert (status, err) == (0, "")
    counts, turned = row(out, "won/tied/lost")[-1], row(out, "turned by order")[-1]
    assert [counts, turned, row(out, "win rate")[2]] == told


def test_the_interval_is_that_of_shares_of_judges(command, table, others):
    wins, loses = ["Result: A", "Result: B"], ["Result: B", "Result: A"]
    status, out, _ = compared(command, table, others(mocha=OTHER), wins, loses)
    assert status == 0
    assert row(out, "won/tied/lost")[-1] == "1/0/1"
    assert row(out, "win rate")[2:4] == ["50.0%", "(5.5%-94.5%)"]
    assert row(out, "golden steps")[-1] == row(out, "fewest steps")[-1] == "5.00"
    assert row(out, "SE")[-1] == "1.00"


def test_equal_words_are_a_tie_and_nobody_is_asked(command, table, others):
    status, out, _ = compared(command, table, others(mocha=GOAL), [])
    assert status == 0
    assert row(out, "won/tied/lost")[-1] == "0/1/0"


def test_counts_are_printed_as_json_of_which_a_table_is_made(command, table, others, tmp_path):
    wins, loses = ["Result: A", "Result: B"], ["Result: B", "Result: A"]
    given = others(mocha=OTHER)
    words = ["--format=json"]
    status, out, _ = compared(command, table, given, wins, loses, words=words)
    assert status == 0
    (pair,) = json.loads(out)["instructions"]
    assert (pair["won"], pair["tied"], pair["lost"]) == (1, 0, 1)
    path = tmp_path / "quality.json"
    path.write_text(out)
    layout = find_layout("mobile-bench-v2:2")
    shown = [str(row[2]) for row in tabulate(layout, layout.read(path)).rows]
    assert shown == ["5.00", "5.00", "50.0", "1.00"]


@pytest.mark.slow  # It loads a provider's library.
def test_a_judge_sees_what_was_done_and_both_as_data(command, table, others, tmp_path):
    judge = ScriptedModel(["Result: A", "Result: B"])
    with judge.serve() as url:
        status, _, _ = command.run(
            table,
            f"--compare-with={others(mocha=OTHER)}",
            f"--judges=openai:j@{url}/v1",
            "--unpriced=allow",
            f"--cache={tmp_path / 'kept'}",
        )
    assert status == 0
    first, second = judge.requests
    assert len(first.images) == 6
    assert f"| {GOAL}" in first.text
    assert first.text.index(GOAL) < first.text.index(OTHER)
    assert second.text.index(GOAL) > second.text.index(OTHER)
    assert '| 3. type "mocha"' in first.text


def test_at_most_eight_pictures_are_shown(command, others, tmp_path):
    actions = [Key("back") if number % 2 else Tap(540, 60) for number in range(10)]
    pages = [page(f"Page {number}", shade=100 + number) for number in range(11)]
    recorded(tmp_path / "runs" / "long", [*zip(pages, [*actions, Finish()], strict=True)])
    assert command.run("runs", "-o", "new.jsonl", lines=replies())[0] == 0
    shown = []

    def answer(request):
        shown.append(len(request.images))
        return "Result: tie"

    model = MeteredModel(
        parse_reference("scripted:x"),
        "judge",
        ScriptedModel([answer, answer]),
        EpisodeModels(),
    )
    table = tmp_path / "new.jsonl"
    compare(read_drafts(table), table, tmp_path / others(long=OTHER), [model], 1)
    assert shown == [8, 8]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("other", (4, "others.jsonl has none of the instructions' ids, such as 'mocha'")),
        ("mocha", (1, "not compared: mocha: the reply of scripted:judge0.jsonl cannot be read")),
    ],
)
def test_incomparable_instructions_are_reported(command, table, others, name, expected):
    status, out, err = compared(command, table, others(**{name: OTHER}), ["A", "A is better"])
    assert status == expected[0]
    assert expected[1] in out + err


def test_an_instruction_is_compared_right_after_it_was_written(command, run, others, tmp_path):
    command.script(["Result: A", "Result: B"], "judge.jsonl")
    words = (run, "-o", "new.jsonl", "--judges=scripted:judge.jsonl")
    goals = others(mocha=OTHER)
    status, out, _ = command.run(*words, f"--compare-with={goals}", lines=replies())
    assert status == 0
    assert "wrote new.jsonl.draft" in out
    assert row(out, "won/tied/lost")[-1] == "1/0/0"
    assert (tmp_path / "new.jsonl.draft").exists()
