"""Tests of questions that a simulated user could not answer, and of people's answers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_mobileagent._task.user import questions
from pytest_mobileagent.errors import HostError
from pytest_mobileagent.review import main
from pytest_mobileagent.review.queue import Unanswered

ASKED = {"task": "suite/mug[vague]", "question": "Which colour?", "step": 2, "page": "p7"}


@pytest.fixture
def asked(run: Any) -> Any:
    """Return a run with an episode in which two questions had no answer, one of them twice."""
    folder = run.add("mug")
    run.end()
    first = {**ASKED, "episode": folder.name, "screen": 1}
    second = {"task": "suite/mug[vague]", "question": "Which <b>size</b>?", "step": 3}
    lines = [first, {**first, "screen": 0}, second, {"task": 7}, ["no question"]]
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    (run.folder / "questions.jsonl").write_text(f"{text}torn", "utf-8")
    return run


def test_each_question_of_a_task_is_listed_once_and_later_ones_are_added(asked):
    found = Unanswered(asked.folder)
    assert [(each.question, each.step, each.page) for each in found.items()] == [
        ("Which colour?", 2, "p7"),
        ("Which <b>size</b>?", 3, ""),
    ]
    assert found.left() == 2
    with (asked.folder / "questions.jsonl").open("a", encoding="utf-8") as file:
        file.write("\n" + json.dumps({**ASKED, "question": "Where to?"}) + "\n")
    assert [each.question for each in found.items()][2:] == ["Where to?"]


@pytest.mark.parametrize("episode", ["../../..", "/etc", "a/../../..", None, 7, "mug\0"])
def test_no_episode_outside_of_the_run_is_read(run, episode):
    line = json.dumps({**ASKED, "episode": episode})
    run.folder.mkdir(parents=True, exist_ok=True)
    (run.folder / "questions.jsonl").write_text(f"{line}\n", "utf-8")
    for each in Unanswered(run.folder).items():
        assert each.folder is None or each.folder.is_relative_to(run.folder / "episodes")


def test_answers_are_added_to_a_file_that_questions_reads(asked, tmp_path):
    file = tmp_path / "answers.jsonl"
    found = Unanswered(asked.folder, file)
    colour, size = found.items()
    found.answer(colour, " Green {or} blue ", "ann")
    found.answer(colour, "Green", "bob")
    assert found.left() == 1
    assert [line["answer"] for line in found.lines()] == ["Green", None]
    assert [line["who"] for line in found.lines()] == ["bob", None]
    first, second = questions(file=file).pairs
    assert (first.question, first.answer, first.page) == ("Which colour?", "Green {or} blue", "p7")
    assert (second.task, second.is_literal) == ("suite/mug[vague]", True)
    for text in ("", " ", "a" * 2001):
        with pytest.raises(ValueError, match="an answer must have 1 to 2000 characters"):
            found.answer(size, text, "ann")
    with pytest.raises(HostError, match="cannot write"):
        Unanswered(asked.folder, tmp_path).answer(size, "Large", "ann")


def test_the_page_answers_questions(asked, serve):
    page = serve(asked.folder)
    told = json.loads(page.ask("/queue")[2])["questions"]
    assert [(each["question"], each["has_screen"]) for each in told] == [
        ("Which colour?", True),
        ("Which <b>size</b>?", False),
    ]
    status, headers, png = page.ask("/question/0")
    assert (status, headers["Content-Type"], png[:4]) == (200, "image/png", b"\x89PNG")
    assert page.ask("/question/1")[0] == page.ask("/question/9")[0] == 404
    said = {"question": 0, "answer": "Green", "who": "ann"}
    status, _, body = page.ask("/answer", json.dumps(said).encode())
    assert (status, json.loads(body)["questions"][0]["answer"]) == (200, "Green")
    for wrong in ({"answer": ""}, {"question": 9}, {"question": None}):
        assert page.ask("/answer", json.dumps({**said, **wrong}).encode())[0] == 400
    assert page.ask("/answer", json.dumps(said).encode(), Origin="http://evil")[0] == 403
    line = json.loads((asked.folder / "answers.jsonl").read_text("utf-8"))
    assert (line["task"], line["question"], line["answer"], line["who"]) == (
        "suite/mug[vague]", "Which colour?", "Green", "ann",
    )  # fmt: skip


def test_the_list_names_questions_and_answers(asked, tmp_path, capsys):
    file = tmp_path / "answers.jsonl"
    Unanswered(asked.folder, file).answer(Unanswered(asked.folder).items()[0], "Green", "ann")
    words = [str(asked.folder), "--list", f"--answers={file}"]
    assert main(words, lambda: asked.folder.parent) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "1 of 2 questions have no answer" in lines
    assert "  suite/mug[vague]   Which colour? Green" in lines
    assert "  suite/mug[vague]   Which <b>size</b>? ?" in lines
