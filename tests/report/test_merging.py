"""Tests of merging runs, including runs that were killed or whose disk was full."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from pytest_mobileagent import Case, DeviceInfo, Finish, Reset, Tap, Task, Termination
from pytest_mobileagent.__main__ import main
from pytest_mobileagent.check.episode import load
from pytest_mobileagent.episode.runs import End, IndexLine, begin, end, entries
from pytest_mobileagent.episode.runs import append as add_to_index
from pytest_mobileagent.episode.store import Recorder
from pytest_mobileagent.fileio import write_json
from pytest_mobileagent.report.recorded_run import (
    document,
    missing_results,
    newest_run,
    recorded_run,
    with_attempts,
)
from pytest_mobileagent.run.folder import RunFolder
from pytest_mobileagent.verdict import Verdict, of_person
from pytest_mobileagent.verdict import append as add_verdict

VERSION_1 = Path(__file__).parents[1] / "episode" / "data" / "version1"
DEVICE = DeviceInfo("emulator-5554", "Pixel", "15", 35, (100, 200), 160)
HEAD = {"agent": "mine", "virtual": False, "fingerprints": {"agent": "aa", "apps": "bb"}}
WORDS = {True: "passed", False: "failed", None: "review"}


@pytest.fixture
def make_run(tmp_path, make_screen):
    """Return a function that records a run of decided, broken and unstarted cases."""

    def make(
        name: str,
        decided: dict[str, bool | None],
        *,
        broken: tuple[str, ...] = (),
        never: tuple[str, ...] = (),
        killed: bool = False,
        noted: bool = False,
        **head: Any,
    ) -> Path:
        folder = RunFolder(tmp_path / name, name, f"2026-11-22T09:30:0{len(decided)}+00:00")
        cases = {each: _case(each) for each in (*decided, *broken, *never)}
        folder.begin(lambda: HEAD | head, cases.values())
        for each in (*decided, *broken):
            path, number = folder.attempt(cases[each])
            recorder = Recorder(path, folder.screens)
            about = {"goal": "Do it.", "agent": "mine", "attempt": number}
            recorder.start(cases[each], DEVICE, Reset("snapshot", "default_boot"), about)
            recorder.observation(make_screen("home"), {})
            recorder.step([Tap(1, 1)], "", [], 0.5)
            recorder.observation(make_screen(f"{name} {each}"), {})
            if each in decided:
                recorder.step([Finish("")], "", [], 0.5)
                recorder.end(Termination.SELF_REPORTED, "", 1.0)
                add_verdict(path, Verdict(decided[each], "check", f"as seen in {name}"))
                word = WORDS[decided[each]]
                line = IndexLine(cases[each].key, number, folder.relative(path), word)
                add_to_index(folder.path, line)
            recorder.close()
            if noted:
                attempt = begin(path, "virtual", "main", alone=True)
                end(path, attempt, End.PLAYED if each in decided else End.DEVICE)
        if not killed:
            missing = missing_results(folder.path, (), "stopped")
            results = [with_attempts(folder.path, each.entry()) for each in missing]
            ended = folder.about() | {"ended": "2026-11-22T10:00:00+00:00"}
            whole = document(ended, {each.nodeid: each for each in results})
            write_json(folder.path / "report.json", whole)
        return folder.path

    return make


def _case(name: str) -> Case:
    identity, _, epoch = name.partition("@")
    return Case(Task("Do it."), identity, "suite", f"test_it.py::{name}", epoch=int(epoch or 0))


def merged(tmp_path: Path, *runs: Path) -> dict[str, Any]:
    """Merge runs into tmp_path / "whole", and return the tasks of the merged report by id."""
    assert main(["merge", *map(str, runs), "-o", str(tmp_path / "whole")]) == 0
    return {f"{t['id']}@{t['epoch']}": t for t in report(tmp_path / "whole")["tasks"]}


def report(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "report.json").read_text("utf-8"))  # type: ignore[no-any-return]


def refused(capsys: pytest.CaptureFixture[str], target: Path, *runs: Path, status: int = 1) -> str:
    assert main(["merge", *map(str, runs), "-o", str(target)]) == status
    return capsys.readouterr().err


@pytest.mark.parametrize(("killed", "how"), [(False, "error"), (True, "fail")])
def test_suspects_are_determined_from_all_attempts(make_run, tmp_path, capsys, killed, how):
    well = {"a": True, "b": True}
    one = make_run("one", well, broken=("bad",), noted=True, killed=killed, suspects=how)
    two = make_run("two", {"c": True}, broken=("bad",), noted=True, suspects=how)
    for run in (one, two):
        assert [task.id for task in recorded_run(run).tasks if task.suspect] == ["bad"]
    tasks = merged(tmp_path, one, two)
    assert [task["id"] for task in tasks.values() if task["suspect"]] == ["bad"]
    assert len(tasks["bad@0"]["attempts"]) == 2
    assert tasks["bad@0"]["success"] is (False if how == "fail" else None)
    assert "broke its phone in 2 of 2 attempts: the agent?" in capsys.readouterr().out


def test_shards_become_a_self_contained_run(make_run, tmp_path, capsys):
    one = make_run("one", {"a": True, "a@1": False, "b": None}, shard="1/2")
    two = make_run("two", {"c": True}, shard="2/2")
    tasks = merged(tmp_path, one, two)
    for run in (one, two):
        shutil.rmtree(run)
    outcomes = {key: task["outcome"] for key, task in tasks.items()}
    assert outcomes == {"a@0": "passed", "a@1": "failed", "b@0": "review", "c@0": "passed"}
    for task in tasks.values():
        episode = load(tmp_path / "whole" / task["episode"])
        assert episode.case.id == task["id"]
        assert episode.screen.texts[0].endswith(task["nodeid"].partition("::")[2])
    told = capsys.readouterr()
    assert told.err == ""
    assert "66.7% (2/3)" in told.out
    page = tmp_path / "whole" / "report.html"
    assert told.out.splitlines()[-1] == (
        f"report: {page}   (open it: python -m pytest_mobileagent show {page.parent})"
    )
    assert "<title>whole" in page.read_text("utf-8")
    assert "66.7% (2/3)" in (page.parent / "summary.md").read_text("utf-8")


def test_run_json_and_the_report_describe_the_whole(make_run, tmp_path):
    command = ["pytest", "tasks", "--mobile-shard=1/2", "--mobile-runs", "one", "-n8"]
    options = {name: {"value": "1/2"} for name in ("mobile-shard", "mobile-seed")}
    one = make_run("one", {"a": True}, shard="1/2", command=command, options=options)
    two = make_run("two", {"b": True, "c": False}, shard="2/2", options=options)
    merged(tmp_path, one, two)
    whole = recorded_run(tmp_path / "whole")
    about = {name: whole.about[name] for name in ("id", "merged_from", "shard", "started")}
    assert about == {
        "id": "whole", "merged_from": ["one", "two"], "shard": None,
        "started": "2026-11-22T09:30:01+00:00",
    }  # fmt: skip
    assert whole.about["command"] == ["pytest", "tasks", "-n8"]
    assert set(whole.about["options"]) == {"mobile-seed"}
    assert whole.about["fingerprints"] == HEAD["fingerprints"]
    planned = json.loads((tmp_path / "whole" / "run.json").read_text())
    assert [task["key"] for task in planned["tasks"]] == ["a", "b", "c"]
    assert "ended" not in planned["run"]
    outcomes = {line.case: line.outcome for line in entries(tmp_path / "whole")}
    assert outcomes == {"a": "passed", "b": "passed", "c": "failed"}


def test_finished_results_of_a_killed_shard_are_merged(make_run, tmp_path, capsys):
    one = make_run("one", {"a": True}, broken=("b",), never=("c",), killed=True)
    tasks = merged(tmp_path, one, make_run("two", {"d": False}))
    assert [task["outcome"] for task in tasks.values()] == ["passed", "error", "not run", "failed"]
    assert report(tmp_path / "whole")["run"]["ended"] is None
    assert f"{one} was cut off, or goes on" in capsys.readouterr().err


def test_deciding_run_provides_the_result_of_a_case(make_run, tmp_path):
    one = make_run("one", {"a": True}, broken=("b",), never=("c",))
    two = make_run("two", {"b": False, "c": True})
    for order in ((one, two), (two, one)):
        tasks = merged(tmp_path, *order)
        assert [task["success"] for task in tasks.values()] == [True, False, True]
        assert tasks["b@0"]["episode"].endswith(".1")
        broken = tmp_path / "whole" / tasks["b@0"]["episode"].replace(".1", ".0")
        assert load(broken).termination is Termination.INTERRUPTED
        shutil.rmtree(tmp_path / "whole")


def test_case_decided_by_two_runs_or_runs_of_two_agents_are_an_error(make_run, tmp_path, capsys):
    one, two = make_run("one", {"a": True, "b": True}), make_run("two", {"a": True, "b": None})
    assert refused(capsys, tmp_path / "whole", one, two) == (
        f"error: {one} and {two} have both decided 2 tasks, so they are not parts of one run: "
        "a, b; leave one of them out, or compare them\n"
    )
    assert not (tmp_path / "whole").exists()
    error = refused(capsys, tmp_path / "whole", one, make_run("three", {"c": True}, agent="other"))
    assert "runs of different agents; compare them instead of merging: mine in" in error


def test_decisions_of_people_stay(make_run, tmp_path):
    one = make_run("one", {"a": None, "b": True})
    (task,) = (task for task in report(one)["tasks"] if task["id"] == "a")
    add_verdict(one / task["episode"], of_person(True, "ada", "seen"))
    tasks = merged(tmp_path, one, make_run("two", {"c": True}))
    assert (tasks["a@0"]["outcome"], tasks["a@0"]["reason"]) == ("passed", "passed by ada: seen")
    (again,) = (task for task in recorded_run(tmp_path / "whole").tasks if task.id == "a")
    assert again.to_json() == tasks["a@0"]


def test_differing_parts_are_warned_about(make_run, tmp_path, capsys):
    one = make_run("one", {"a": True}, shard="1/4", options={"mobile-seed": {"value": "1"}})
    more = {"agent": "cc", "apps": "bb"}
    seed = {"mobile-seed": {"value": "2"}}
    two = make_run("two", {"b": True}, shard="3/4", fingerprints=more, options=seed)
    merged(tmp_path, one, two)
    assert capsys.readouterr().err.splitlines() == [
        "warning: two differs from one in: agent, --mobile-seed",
        "warning: shards 2, 4 of 4 are missing",
    ]
    prints = report(tmp_path / "whole")["run"]["fingerprints"]
    assert prints["apps"] == "bb"
    assert prints["agent"] not in {"aa", "cc", None}


def test_a_merged_run_knows_which_shards_it_lacks(make_run, tmp_path, capsys):
    one, three = (make_run(f"s{n}", {f"t{n}": True}, shard=f"{n}/3") for n in (1, 3))
    merged(tmp_path, one, three)
    assert recorded_run(tmp_path / "whole").about["missing_shards"] == ["2/3"]
    assert newest_run(tmp_path) == tmp_path / "whole"
    two = make_run("s2", {"t2": True}, shard="2/3")
    assert main(["merge", str(tmp_path / "whole"), str(two), "-o", str(tmp_path / "all")]) == 0
    assert recorded_run(tmp_path / "all").about["missing_shards"] == []
    assert capsys.readouterr().err.count("missing") == 1
    other = make_run("half", {"h": True}, shard="1/2")
    assert main(["merge", str(two), str(other), "-o", str(tmp_path / "odd")]) == 0
    assert "shard 2 of 2 is missing\nwarning: shards 1, 3 of 3 are" in capsys.readouterr().err


@pytest.mark.parametrize(("keyword", "kept"), [("easy", True), ("hard", False)])
def test_common_options_of_the_parts_are_those_of_the_whole(make_run, tmp_path, keyword, kept):
    first = make_run("one", {"a": True}, selection={"paths": ["tasks"], "-k": "easy"})
    second = make_run("two", {"b": True}, selection={"paths": ["tasks"], "-k": keyword})
    assert main(["merge", str(first), str(second), "-o", str(tmp_path / "whole")]) == 0
    about = recorded_run(tmp_path / "whole").about
    assert (about["selection"] is not None) is kept


def test_existing_folder_is_not_overwritten(make_run, tmp_path, capsys):
    one = make_run("one", {"a": True})
    before = report(one)
    error = refused(capsys, one, one)
    assert error == f"error: {one} already exists: name a folder that is new or empty\n"
    assert report(one) == before
    (tmp_path / "empty").mkdir()
    assert main(["merge", str(one), "-o", str(tmp_path / "empty")]) == 0


def test_runs_of_version_1_can_be_merged(tmp_path):
    tasks = merged(tmp_path, VERSION_1)
    before = report(VERSION_1)["tasks"]
    assert [t["outcome"] for t in tasks.values()] == [t["outcome"] for t in before]
    for task in tasks.values():
        assert task["episode"] is None or load(tmp_path / "whole" / task["episode"])
    assert any(task["episode"] for task in tasks.values())


def test_report_cannot_refer_to_other_folders(make_run, tmp_path):
    one, two = make_run("one", {"a": True}), make_run("two", {"b": True})
    whole = report(one)
    whole["tasks"][0]["episode"] = f"../two/{report(two)['tasks'][0]['episode']}"
    write_json(one / "report.json", whole)
    tasks = merged(tmp_path, one)
    assert tasks["a@0"]["episode"] is None


def test_full_disk_leaves_nothing_behind(make_run, tmp_path, capsys, monkeypatch):
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    one = make_run("one", {"a": True})
    monkeypatch.setattr("pytest_mobileagent.report.merging.write_json", full)
    error = refused(capsys, tmp_path / "whole", one)
    assert "No space left on device" in error
    assert [path.name for path in tmp_path.iterdir()] == ["one"]


@pytest.mark.parametrize("given", ["nowhere", "."])
def test_a_path_without_a_run_is_an_error(tmp_path, given, capsys):
    error = refused(capsys, tmp_path / "whole", tmp_path / given)
    assert "name a run's folder, which holds run.json, or a folder of runs" in error
