"""Tests of `python -m pytest_mobileagent review`: the run, lists, decisions, and how it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import replace
from typing import Any
from urllib.request import urlopen

import pytest

from pytest_mobileagent.__main__ import main as command
from pytest_mobileagent.review import main
from pytest_mobileagent.verdict import effective, verdicts


@pytest.fixture
def ended(run: Any) -> Any:
    for name, outcome in {"a": "review", "b": "failed", "c": "review"}.items():
        run.add(name, outcome)
    run.end()
    return run


def runs_of(run: Any) -> Any:
    return lambda: run.folder.parent


def test_the_newest_run_is_listed(ended, capsys, tmp_path):
    assert main(["--list"], runs_of(ended)) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"2 of 2 left for review in {ended.folder}",
        "  a   review: as the check says",
        "  c   review: as the check says",
    ]
    for name in (ended.folder.name, str(ended.folder)):
        assert main(["--list", "--all", name], runs_of(ended)) == 0
        assert "  b   failed: as the check says" in capsys.readouterr().out
    main([str(ended.folder.parent), "--list"], lambda: tmp_path / "elsewhere")
    assert capsys.readouterr().out.splitlines()[0].endswith(f"review in {ended.folder}")
    with pytest.raises(SystemExit, match="2"):
        main([], lambda: tmp_path)
    assert f"there is no run: none in {tmp_path}" in capsys.readouterr().err


def test_decisions_are_made_without_a_page(ended, capsys):
    decisions = ["--decide", "a=pass", "--decide", "b.0=fail", "--who", "ann", "--note", "looked"]
    assert main([*decisions, "--list"], runs_of(ended)) == 0
    told = capsys.readouterr().out
    assert told.startswith("passed: a\nfailed: b\n1 of 3 left")
    assert "  a   passed by ann: looked\n" in told
    report = json.loads((ended.folder / "report.json").read_text())
    assert [task["outcome"] for task in report["tasks"]] == ["passed", "failed", "review"]
    stands = effective(verdicts(ended.folder / "episodes" / "b.0"))
    assert stands is not None
    assert stands.evidence["who"] == "ann"


def test_invalid_decisions_are_reported_and_decide_nothing(ended, capsys):
    for arguments, told in (
        (["nowhere"], "there is no run: nowhere is not a run, nor is .*nowhere"),
        (["--port", "70000"], "from 0 to 65535"),
        (["--decide", "a"], "must be EPISODE=pass or EPISODE=fail"),
        (["--decide", "a=pass", "--decide", "z=pass"], "no episode to decide is called 'z'"),
    ):
        with pytest.raises(SystemExit, match="2"):
            main(arguments, runs_of(ended))
        assert re.search(told, capsys.readouterr().err)
    path = ended.folder / "episodes" / "a.0" / "verdicts.jsonl"
    assert len(verdicts(path.parent)) == 1
    path.unlink()
    path.mkdir()
    assert main(["--decide", "a=pass"], runs_of(ended)) == 1
    assert "error: cannot write to" in capsys.readouterr().err


def test_names_cannot_control_the_terminal(run, capsys):
    run.add("a")
    ((name, task),) = run.results.items()
    run.results[name] = replace(task, id="a\x1b[2J", reason="b\x1b]0;c\nd")
    run.end()
    assert main(["--list", str(run.folder)], runs_of(run)) == 0
    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.slow  # It configures pytest for each run.
def test_the_runs_are_where_the_project_has_them(ended, monkeypatch, capsys):
    project = ended.folder.parent.parent
    monkeypatch.chdir(project)
    (project / "pytest.ini").write_text("[pytest]\n")
    assert command(["review", "--list"]) == 0
    ended.folder.parent.rename(project / "elsewhere")
    (project / "pytest.ini").write_text("[pytest]\nmobile_runs = elsewhere\n")
    assert command(["review", "--list"]) == 0
    monkeypatch.setenv("MOBILE_RUNS", "nowhere")
    with pytest.raises(SystemExit, match="2"):
        command(["review", "--list"])
    assert capsys.readouterr().out.count("2 of 2 left") == 2


@pytest.mark.slow  # It starts processes.
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_review_ends_cleanly_and_says_what_was_decided(ended, end):
    arguments = ["review", str(ended.folder), "--no-browser", "--who", "ann"]
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest_mobileagent", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONWARNINGS": "error"},
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == f"2 left for review in {ended.folder}\n"
        url = process.stdout.readline().strip()
        with urlopen(url) as page:
            assert page.status == 200
        assert main(["--decide", "a=pass"], runs_of(ended)) == 0  # by another person
        process.send_signal(end)
        told, errors = process.communicate(timeout=300)
    assert (process.returncode, errors) == (0, "")
    assert told.splitlines()[-1] == f"0 decided, 1 left; report: {ended.folder / 'report.json'}"


UNDECIDED = """
from pytest_mobileagent import open_app, task
from pytest_mobileagent.errors import UndecidedError

@task("Look around.", app="com.example.counter", solution=[open_app()])
def test_look(episode):
    raise UndecidedError("one says yes, one says no")
"""


@pytest.mark.slow  # It starts a phone.
def test_tasks_left_for_review_are_decided_and_the_report_says_so(project, capsys):
    project.write(tasks__counter__test_counter=UNDECIDED)
    project.run("tasks", "--agent=oracle").stdout.fnmatch_lines(["*1 review in*"])
    runs = project.pytester.path / "runs"
    capsys.readouterr()
    assert main(["--decide", "tasks/counter/counter/look=pass", "--list"], lambda: runs) == 0
    assert "0 of 1 left" in capsys.readouterr().out
    (path,) = runs.glob("*/report.json")
    report = json.loads(path.read_text())
    assert (report["summary"]["success_rate"], report["summary"]["review"]) == (1.0, 0)
    assert report["tasks"][0]["as_run"]["outcome"] == "review"
