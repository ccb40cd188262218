"""Tests of instructions on the review page: kept, edited and dropped, in words and a browser."""

from __future__ import annotations

import json

import pytest

from pytest_mobileagent import Bounds, Key, Tap, rows
from pytest_mobileagent.action.matching import Golden
from pytest_mobileagent.dataset.graph import Graph, GraphWriter
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.instruct.drafts import write_new
from pytest_mobileagent.instruct.gias import Verification, WrittenInstruction
from pytest_mobileagent.instruct.routes import Wanted, graph_routes
from pytest_mobileagent.review import main
from pytest_mobileagent.review.instructions import InstructionService
from pytest_mobileagent.review.server import ReviewServer
from pytest_mobileagent.testing import make_screen
from tests.review.test_page import User

SIZE = (1080, 2400)
BUTTON = Bounds(0, 0, 1080, 120)
HOSTILE = "<script>document.title='taken'</script> \u202e txt"


@pytest.fixture
def table(tmp_path):
    """Return a new table with two drafts: one passed, and one repeats a text on a page."""
    with GraphWriter(tmp_path / "g") as writer:
        for name in "ABC":
            screen = make_screen(f"Page {name}", size=SIZE)
            writer.page(name, png=screen.png, xml=screen.xml, package="org.example")
        writer.edge("A", Golden(Tap(500, 60), SIZE, (BUTTON,)), "B")
        writer.edge("B", Golden(Key("back"), SIZE), "C")
        writer.head(name="g", start="A")
    with Graph.open(tmp_path / "g") as graph:
        routes = sorted(graph_routes(graph, Wanted(1, 2, 1, most=5), 0), key=lambda r: r.page)
    good, bad = Verification(True, (), "It fits."), Verification(True, repeats="send all of it")
    written = [
        WrittenInstruction(routes[0], "Open page B {so}.", ("Tap B.",), ("Tap B.",), good),
        WrittenInstruction(
            routes[1], f"Send all of it. {HOSTILE}", ("Tap B.", "Go back."), ("Go.",), bad
        ),
    ]
    write_new(tmp_path / "new.jsonl", written, unreviewed=False)
    return tmp_path / "new.jsonl"


@pytest.fixture
def service(table):
    return InstructionService(table, "ann")


def test_a_kept_instruction_is_a_task_in_the_edited_words_and_its_draft_stays(service, table):
    queue, before = service.queue(), table.with_name("new.jsonl.draft").read_text()
    assert (queue["left"], queue["words"]["pass"]) == (2, "Keep")
    assert [item[2:] for item in queue["items"]] == [["review", None, None]] * 2
    assert rows(table) == []
    told = service.decide(0, "pass", "", "  better so ", "Open  page B\n{now}.")
    assert told["opinions"][0]["passed"] is True
    assert told["opinions"][0]["reason"] == "edited. better so"
    (row,) = rows(table)
    assert row.goal == "Open page B {{now}}."
    assert row.reviewed == {"who": "ann", "edited": True}
    assert service.queue()["left"] == 1
    assert service.queue()["items"][0][1] == "Open page B {now}."
    after = table.with_name("new.jsonl.draft").read_text()
    assert after.startswith(before)
    assert json.loads(after[len(before) :])["instruction"] == "Open page B {now}."


def test_a_dropped_or_withdrawn_instruction_is_not_a_task(service, table):
    service.decide(0, "pass", "bea", "", "")
    assert rows(table)[0].reviewed == {"who": "bea", "edited": False}
    service.decide(0, "fail", "bea", "", "")
    assert rows(table) == []
    service.decide(0, "pass", "bea", "", "Open B.")
    service.decide(0, "undo", "bea", "", "")
    assert rows(table) == []
    assert service.left() == 2
    assert service.queue()["items"][0][1] == "Open page B {so}."


def test_a_trajectory_is_shown_with_marks_and_with_what_is_doubtful(service):
    shown = service.episode(1)
    assert [frame["title"] for frame in shown["frames"]] == ["Step 1", "Step 2", "At the end"]
    assert shown["frames"][0]["marks"][0]["done"] is True
    assert shown["frames"][1]["instruction"] == "Go back."
    assert "\u201csend all of it\u201d" in shown["alert"]
    assert ("verified", "no") in shown["facts"]
    assert service.screen(1, 2).startswith(b"\x89PNG")
    assert service.screen(1, 3) is None


def test_an_invalid_decision_decides_nothing_and_a_graph_that_is_gone_is_reported(
    service, table, tmp_path
):
    for number, decision in ((0, "note"), (2, "pass"), (True, "pass"), ("0", "pass")):
        with pytest.raises(LookupError):
            service.decide(number, decision, "", "", "")
    assert rows(table) == []
    (tmp_path / "g").rename(tmp_path / "elsewhere")
    assert "does not contain a graph" in service.episode(0)["damaged"]


def test_instructions_are_listed_and_decided_without_a_page(table, capsys):
    def run(*words: str) -> tuple[int, str]:
        status = main([str(table), *words], lambda: table)
        return status, capsys.readouterr().out

    status, out = run("--list")
    assert (status, out.splitlines()[0]) == (0, f"2 of 2 left for review in {table}")
    first = out.splitlines()[1].split()[0]
    assert "\u202e" not in out
    assert run(f"--decide={first}=keep", "--who=bea") == (0, f"{first}: keep\n")
    assert "kept: Open page B {so}." in run("--list")[1]
    assert [row.id for row in rows(table)] == [first]
    for decision, problem in (("nothing=keep", "called 'nothing'"), ("x=pass", "kept or dropped")):
        with pytest.raises(SystemExit):
            run(f"--decide={decision}")
        assert problem in capsys.readouterr().err


@pytest.mark.parametrize("line", ["{", '{"id": "x"}', '{"decision": "keep", "id": "none"}'])
def test_damaged_drafts_are_reported_with_their_line(table, line):
    with table.with_name("new.jsonl.draft").open("a") as file:
        file.write(f"{line}\n")
    with pytest.raises(RecordError, match="line 3 is damaged"):
        InstructionService(table, "ann")


class _Page:
    def __init__(self, server: ReviewServer) -> None:
        self.server = server


@pytest.fixture
def user(chrome, service):
    with ReviewServer(service, 0) as server:
        user = User(chrome, _Page(server))
        user.sees("#goal", "Open page B")
        yield user


@pytest.mark.slow  # It starts a browser.
def test_instructions_are_edited_kept_and_dropped_by_keyboard(user, table):
    user.sees("#pass", "Keep")
    assert user.ask("document.getElementById('alert').hidden") is True
    user.press("e", " Now p f u.")
    user.chord("\ue009", "\ue007")  # Ctrl, Enter
    user.sees("#status", "Kept: Open page B {so}. Now p f u.")
    user.sees("#goal", "Send all of it.")
    user.sees("#alert", "\u201csend all of it\u201d")
    assert user.ask("document.title") != "taken"
    assert user.ask("document.getElementById('text').value").startswith("Send all of it.")
    user.press("f")
    user.sees("#left", "0 left \u00b7 2 decided")
    user.sees("#opinions", "dropped")
    assert [row.goal for row in rows(table)] == ["Open page B {{so}}. Now p f u."]
    user.press("u")
    user.sees("#left", "1 left")
    assert user.ask("document.getElementById('keep-note').hidden") is True
