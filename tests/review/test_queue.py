"""Tests of the queue for people, of their decisions, and of the report that follows them."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.review import queue
from pytest_mobileagent.review.queue import Queue, Rewriter, VerdictFiles, rewrite
from pytest_mobileagent.verdict import VERDICTS, append, of_person

if TYPE_CHECKING:
    from pytest_mobileagent.verdict import Verdict


def names(queue: Queue) -> list[str]:
    return [item.name for item in queue.items()]


def tasks(run: Any) -> dict[str, dict[str, Any]]:
    report = json.loads((run.folder / "report.json").read_text())
    return {task["id"]: task for task in report["tasks"]}


@pytest.fixture
def mixed(run: Any) -> Any:
    """Return a run that has ended, in which a person must decide `a` and `c`."""
    for name, outcome in {"a": "review", "b": "failed", "c": "review", "d": "passed"}.items():
        run.add(name, outcome)
    run.end()
    return run


def test_the_queue_is_what_the_run_left_to_people_also_when_they_have_decided(mixed):
    queue, every = Queue(mixed.folder), Queue(mixed.folder, everything=True)
    assert (names(queue), names(every), every.left()) == (["a", "c"], ["a", "b", "c", "d"], 2)
    queue.decide(queue.items()[0], True, "ann")
    rewrite(mixed.folder, queue.files)
    again = Queue(mixed.folder)
    assert (names(again), again.left()) == (["a", "c"], 1)
    decision = again.decision(again.items()[0])
    assert decision is not None
    assert decision.passed is True


def test_a_verdict_is_taken_back_by_a_further_line(mixed):
    queue = Queue(mixed.folder)
    item = queue.items()[0]
    before = (item.folder / VERDICTS).read_bytes()
    queue.decide(item, True, "ann")
    assert not queue.withdraw(item, "bob")
    assert queue.withdraw(item, "ann")
    assert not queue.withdraw(item, "ann")
    assert queue.left() == 2
    after = (item.folder / VERDICTS).read_bytes()
    assert after.startswith(before)
    assert len(after.splitlines()) == len(before.splitlines()) + 2


def test_the_report_follows_and_comes_back(mixed):
    path, queue = mixed.folder / "report.json", Queue(mixed.folder)
    written = path.stat().st_mtime_ns, path.stat().st_ino
    rewrite(mixed.folder, VerdictFiles())
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == written  # It says so already.
    before = json.loads(path.read_text())
    a, c = queue.items()
    queue.decide(a, True, "ann", "a novel")
    queue.decide(c, False, "ann")
    rewrite(mixed.folder, queue.files)
    assert (tasks(mixed)["a"]["outcome"], tasks(mixed)["c"]["outcome"]) == ("passed", "failed")
    assert tasks(mixed)["a"]["reason"] == "passed by ann: a novel"
    assert json.loads(path.read_text())["summary"]["success_rate"] == 0.5
    for item in (a, c):
        queue.withdraw(item, "ann")
    rewrite(mixed.folder, queue.files)
    assert json.loads(path.read_text()) == before
    left = {"episodes", "index.jsonl", "report.html", "report.json", "run.json", "screens"}
    assert {each.name for each in mixed.folder.iterdir()} == left


def test_the_last_writer_includes_all_verdicts(mixed, monkeypatch):
    write, late = queue.write_json, [mixed.folder / "episodes" / "c.0"]

    def write_while_another_decides(path: Path, value: Any) -> None:
        write(path, value)
        while late:
            append(late.pop(), of_person(False, "bob"))

    monkeypatch.setattr(queue, "write_json", write_while_another_decides)
    append(mixed.folder / "episodes" / "a.0", of_person(True, "ann"))
    rewrite(mixed.folder, VerdictFiles())
    assert (tasks(mixed)["a"]["success"], tasks(mixed)["c"]["success"]) == (True, False)


def test_a_report_that_the_run_writes_meanwhile_is_not_lost(mixed, monkeypatch):
    write, late = queue.write_json, ["e"]

    def write_while_the_run_does(path: Path, value: Any) -> None:
        write(path, value)
        while late:
            mixed.add(late.pop())
            mixed.end()

    monkeypatch.setattr(queue, "write_json", write_while_the_run_does)
    append(mixed.folder / "episodes" / "a.0", of_person(True, "ann"))
    rewrite(mixed.folder, VerdictFiles())
    assert tasks(mixed)["a"]["success"] is True
    assert "e" in tasks(mixed)


@pytest.mark.parametrize("named", ["../../elsewhere", "episodes/../../../elsewhere", "ABSOLUTE"])
def test_a_report_leads_to_no_folder_outside_of_its_run(run, named):
    run.add("a")
    path = run.end()
    elsewhere = run.folder.parent.parent / "elsewhere"
    shutil.copytree(run.folder / "episodes" / "a.0", elsewhere)
    path.write_text(
        path.read_text().replace("episodes/a.0", named.replace("ABSOLUTE", f"{elsewhere}"))
    )
    queue = Queue(run.folder, everything=True)
    assert (queue.items(), queue.problem, queue.has_ended) == ([], "", True)
    rewrite(run.folder, queue.files)  # It reads no verdicts there, either.
    assert queue.files._known == {}


def test_a_run_that_goes_on_is_shown_from_its_index(run):
    queue = Queue(run.folder)
    assert (queue.items(), queue.has_ended) == ([], False)
    run.add("a")
    run.add("b", "passed")
    assert names(queue) == ["a"]
    number = queue.items()[0].number
    queue.decide(queue.items()[0], True, "ann")
    rewrite(run.folder, queue.files)
    assert not (run.folder / "report.json").exists()
    run.add("0")
    run.end()
    assert (names(queue), queue.has_ended, queue.left()) == (["0", "a"], True, 1)
    assert queue.items()[1].number == number
    rewrite(run.folder, queue.files)
    assert tasks(run)["a"]["success"] is True


@pytest.mark.parametrize("report", ["{", '{"schema_version": 3, "run": {}, "summary": {}}', "[]"])
def test_a_report_that_cannot_be_used_is_left_as_it_is(run, report):
    run.add("a")
    (run.folder / "report.json").write_text(report)
    queue, rewriter = Queue(run.folder), Rewriter(run.folder)
    assert names(queue) == ["a"]
    assert "report.json" in queue.problem
    queue.decide(queue.items()[0], True, "ann")
    rewriter.close()
    assert "the verdicts are kept" in rewriter.problem
    assert (run.folder / "report.json").read_text() == report
    assert queue.left() == 0


def test_a_run_of_version_1_is_reviewed(tmp_path, serve):
    version_1 = Path(__file__).parents[1] / "episode" / "data" / "version1"
    run = shutil.copytree(version_1, tmp_path / "run", symlinks=True)
    before = json.loads((run / "report.json").read_text())
    page = serve(run, everything=True)
    assert page.get("/queue")["left"] == 0
    for number, task in enumerate(before["tasks"]):
        told = page.get(f"/episode/{number}")
        assert told["frames"]
        assert page.ask(f"/screen/{number}/0")[2].startswith(b"\x89PNG")
        page.decide(number, "fail" if task["success"] else "pass")
    page.rewriter.close()
    assert page.rewriter.problem == ""
    after = json.loads((run / "report.json").read_text())
    assert after["schema_version"] == 2
    assert [t["success"] for t in after["tasks"]] == [not t["success"] for t in before["tasks"]]
    assert after["summary"]["decided"] == len(before["tasks"])


def test_episodes_that_are_gone_are_listed_and_decide_nothing(mixed):
    shutil.rmtree(mixed.folder / "episodes" / "a.0")
    (mixed.folder / "episodes" / "c.0" / VERDICTS).write_bytes(b"\xff{")
    queue = Queue(mixed.folder)
    assert (names(queue), queue.left()) == (["a", "c"], 2)
    rewrite(mixed.folder, queue.files)
    assert tasks(mixed)["a"]["outcome"] == "review"


def test_judges_who_were_down_leave_a_task_to_people_and_epochs_are_distinguished(run):
    for nodeid in ("a", "b"):
        run.add(nodeid)
    (first, one), (second, other) = run.results.items()
    run.results[first] = replace(one, outcome="error", fault="judge", verdict=None)
    run.results[second] = replace(other, id=one.id, environment="105", epoch=2)
    run.end()
    queue = Queue(run.folder)
    assert names(queue) == ["a", "a@env105@2"]
    assert (queue.left(), queue.left("error")) == (1, 1)  # The run counts one review.
    queue.decide(queue.items()[0], False, "ann")
    rewrite(run.folder, queue.files)
    report = json.loads((run.folder / "report.json").read_text())
    assert [task["outcome"] for task in report["tasks"]] == ["failed", "review"]


def test_verdicts_are_read_again_only_when_there_are_more(mixed, monkeypatch):
    queue = Queue(mixed.folder)
    assert queue.left() == 2

    def fail(folder: Path) -> list[Verdict]:
        raise AssertionError(folder)

    monkeypatch.setattr("pytest_mobileagent.review.queue.verdicts", fail)
    assert queue.left() == 2
    append(mixed.folder / "episodes" / "a.0", of_person(True, "bob"))
    with pytest.raises(AssertionError, match=r"a\.0"):
        queue.left()


def test_a_page_sees_what_others_decide(mixed, serve):
    ann, bob = serve(mixed.folder, who="ann"), serve(mixed.folder, who="bob")
    ann.decide(0, "pass")
    assert bob.get("/queue")["items"][0][3:] == [True, "ann"]
    told = bob.decide(0, "fail", "only a preview")
    assert [each["stands"] for each in told["opinions"]] == [False, False, True]
    assert ann.get("/queue")["items"][0][3:] == [False, "bob"]
    ann.rewriter.close()
    bob.rewriter.close()
    assert tasks(mixed)["a"]["reason"] == "failed by bob: only a preview"


def test_files_that_cannot_be_written_or_read_are_reported_and_lose_nothing(mixed, serve):
    page, folder = serve(mixed.folder), mixed.folder / "episodes" / "a.0"
    kept = (folder / VERDICTS).read_bytes()
    (folder / VERDICTS).unlink()
    (folder / VERDICTS).mkdir()  # A directory fails even for users to whom no folder is read-only.
    assert "cannot write to" in page.decide(0, "pass")["error"]
    assert page.get("/queue")["left"] == 2
    assert page.decide(1, "pass")["opinions"]
    assert page.get("/queue")["left"] == 1
    (folder / VERDICTS).rmdir()
    (folder / VERDICTS).write_bytes(kept)
    (folder / "episode.jsonl").write_text("{")
    told = page.get("/episode/0")
    assert "frames" not in told
    assert "episode.jsonl" in told["damaged"]
    assert "episode.jsonl" in page.decide(0, "pass")["error"]
    assert page.get("/queue")["left"] == 1


def test_the_report_of_a_run_that_ends_meanwhile_gets_its_verdicts(run, serve):
    run.add("a")
    page = serve(run.folder)
    page.decide(0, "pass")
    run.end()
    assert page.get("/queue")["goes_on"] is False
    page.rewriter.close()
    assert tasks(run)["a"]["outcome"] == "passed"
