"""Tests of what a task's simulated user knows, and of the two variants of such a task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import ask_user, open_app, person, questions, tap
from pytest_mobileagent._task import Task
from pytest_mobileagent._task.case import Case
from pytest_mobileagent._task.user import question_similarity, says, words_of
from pytest_mobileagent.errors import TaskError

if TYPE_CHECKING:
    from pathlib import Path

MUG = questions([("Which colour?", "Green"), ("How many?", "2")])
TASK = Task(
    "Buy two green mugs.",
    vague="Buy mugs.",
    user=MUG,
    solution=[open_app("com.shop"), ask_user("Which colour?", colour="Red"), tap(text="{colour}")],
)


@pytest.mark.parametrize(
    ("pairs", "why"),
    [
        ("Green", "must be a list of pairs"),
        ({"Which colour?": "Green"}, "must be a list of pairs"),
        ([("Which colour?", "")], "pair 1 has no answer to 'Which colour?'"),
        ([("a", "b"), ("Which colour?",)], "pair 2 has no answer to 'Which colour?'"),
        ([("", "Green")], "pair 1 has no question"),
        ([("a", "b", "c")], "pair 1 is ('a', 'b', 'c'); a pair is (question, answer)"),
        ([7], "pair 1 is 7"),
        ([{"question": "a", "answer": "b", "stp": 1}], "pair 1 has 'stp'"),
        ([{"question": "a", "answer": "b", "step": "1"}], "step='1' must be a whole number"),
        ([{"question": "a", "answer": "b", "page": 7}], "page=7 must be a string, or criteria"),
        ([{"question": "a", "answer": "b", "page": {"txt": "c"}}], "'txt'"),
    ],
)
def test_pairs_that_are_invalid_are_reported_by_their_number(pairs: Any, why: str) -> None:
    with pytest.raises(TaskError) as caught:
        questions(pairs)
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("threshold", [0, 101, "60", None])
def test_a_threshold_is_a_share_of_100(threshold: Any) -> None:
    with pytest.raises(TaskError, match="must be above 0, and at most 100"):
        questions([("a", "b")], threshold=threshold)


@pytest.mark.parametrize(
    ("full", "may_say"), [("", []), (None, []), ("a", "b"), ("a", ["b", ""]), ("a", [7]), ("a", 7)]
)
def test_a_person_has_a_goal_and_a_list_of_facts(full: Any, may_say: Any) -> None:
    with pytest.raises(TaskError, match=r"person\("):
        person(full, may_say)


def test_a_file_holds_pairs_that_have_no_placeholders(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text('\n{"question": "Which?", "answer": "{this}", "who": "ann"}\n', "utf-8")
    (pair,) = questions(file=file).pairs
    assert pair.filled({}).answer == "{this}"
    with pytest.raises(TaskError, match=r"there is no file .*nowhere.jsonl of answers"):
        questions(file=tmp_path / "nowhere.jsonl")
    file.write_text("{", "utf-8")
    with pytest.raises(TaskError, match=r"answers.jsonl, line 1 is not JSON"):
        questions(file=file)


def test_a_task_with_a_vague_goal_has_two_variants() -> None:
    full, vague = TASK.as_variant("full"), TASK.as_variant("vague")
    assert (full.goal, full.answering, full.shortest) == ("Buy two green mugs.", None, 2)
    assert (vague.goal, vague.answering, vague.shortest) == ("Buy mugs.", MUG, 3)
    assert (full.full, vague.full) == ("", "Buy two green mugs.")
    case = Case(vague, "mug[vague]")
    assert Case.from_json(case.to_json()).task.variant == "vague"
    assert "variant" not in Case(Task("Buy."), "mug").to_json()["task"], "as runs of before had it"


@pytest.mark.parametrize("vague", ["", " ", 7, "Buy two  green mugs.", "buy two GREEN mugs."])
def test_a_vague_goal_says_something_else(vague: Any) -> None:
    with pytest.raises(TaskError, match="vague="):
        Task("Buy two green mugs.", vague=vague)


def test_a_question_of_a_solution_has_one_name() -> None:
    for guesses in ({}, {"a": "b", "c": "d"}, {"a": 7}):
        with pytest.raises(TaskError, match="needs one name with a guess"):
            ask_user("Which?", **guesses)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Which colour would you like?", ["colour"]),
        ("请问您要什么颜色的杯子？", ["颜色", "杯子"]),
        ("What do you want?", ["what", "do", "you", "want"]),
        ("要什么？", ["要什么"]),
        ("送到 Main Street 吗", ["送到", "main", "street"]),
        ("", []),
    ],
)
def test_words_are_those_that_tell_what_a_text_is_about(text: str, words: list[str]) -> None:
    assert words_of(text) == words


def test_questions_are_alike_in_any_order_of_their_words() -> None:
    assert question_similarity("The colour of the mug?", "Mug: which colour?") == 100
    assert question_similarity("Which colour?", "Which size?") < 60
    assert question_similarity("什么颜色？", "颜色是什么？") == 100
    assert question_similarity("", "Which colour?") == question_similarity("？", "!") == 0


@pytest.mark.parametrize(
    ("known", "text", "is_said"),
    [
        ("Buy a green mug.", "Green", True),
        ("Buy a greenish mug.", "Green", False),
        ("Buy a mug.", "Green", False),
        ("买一个绿色的杯子", "绿色", True),
        ("买一个杯子", "绿色", False),
        ("Open Wish.", "Use Wish.", True),
    ],
)
def test_a_known_fact_covers_a_text_with_all_of_its_words(
    known: str, text: str, is_said: bool
) -> None:
    assert says(known, text) is is_said
