"""Tests of damaged or malicious runs, as read by the commands that accept runs."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from itertools import cycle
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.__main__ import main
from pytest_mobileagent.episode import EpisodeRecord, runs
from pytest_mobileagent.episode.reader import read
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.report.recorded_run import read_report

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

VALUES: list[Any] = [None, True, 7, -1.5, "x", [], {}, [1], {"a": 1}, 10**300]


def places(value: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of every value in plain data; of a list, only the first item is visited."""
    yield at
    if isinstance(value, dict):
        for name, item in value.items():
            yield from places(item, (*at, name))
    elif value and isinstance(value, list):
        yield from places(value[0], (*at, 0))


def changed(value: Any, at: tuple[str | int, ...], new: Any) -> Any:
    """Return a copy of the value with the value at a path replaced."""
    if not at:
        return new
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    copy[at[0]] = changed(value[at[0]], at[1:], new)
    return copy


def told(*argv: str) -> None:
    """Run a command, which may only succeed or exit with an error of its own."""
    with suppress(SystemExit):
        main(list(argv))


def test_report_fields_may_have_any_value(recorded, tmp_path, capsys):
    path = recorded / "report.json"
    whole = json.loads(path.read_text())
    refused, commands = 0, cycle([["report"], ["compare", str(recorded)], ["review", "--list"]])
    own = [at for at in places(whole) if at[:1] != ("summary",)]
    for number, at in enumerate(own):
        for new in VALUES[number % 3 :: 3]:
            path.write_text(json.dumps(changed(whole, at, new)))
            try:
                read_report(path)
            except RecordError:
                refused += 1
                continue
            told(*next(commands), str(recorded))
    assert "damaged" not in capsys.readouterr().err
    assert refused > 100
    path.write_text(json.dumps(changed(whole, ("tasks", 0, "steps"), "many")))
    for command in (["report"], ["compare", str(recorded)], ["merge", "-o", str(tmp_path / "new")]):
        told(*command, str(recorded))
        assert "tasks[0].steps cannot be of type str" in capsys.readouterr().err


def test_any_field_of_an_interrupted_runs_files_may_be_anything(recorded, tmp_path):
    (recorded / "report.json").unlink()
    path = recorded / "run.json"
    whole = json.loads(path.read_text())
    for number, at in enumerate(places(whole)):
        path.write_text(json.dumps(changed(whole, at, VALUES[number % len(VALUES)])))
        told("report", str(recorded))
        told("merge", str(recorded), "-o", str(tmp_path / f"merged-{number}"))


RECORDS = ("verdicts.jsonl", "episode.jsonl", "calls.jsonl", "judges.jsonl")


def _endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _link(path: Path) -> None:
    path.symlink_to(path.parents[4] / "theirs")


@pytest.mark.parametrize("make", [_endless, _pipe, _link])
def test_special_files_count_as_missing(recorded, tmp_path, make):
    (tmp_path / "theirs").write_text('{"passed": true}\n')
    episode = recorded / "episodes" / "second.0"
    screens = [path for path in (recorded / "screens").iterdir() if path.suffix == ".xml"]
    for file in (*(episode / name for name in RECORDS), recorded / "index.jsonl", *screens):
        file.unlink(missing_ok=True)
        make(file)
    told("report", str(recorded))
    told("report", str(recorded), "--format=html", "-o", str(tmp_path / "page.html"))
    told("compare", str(recorded), str(recorded))
    told("merge", str(recorded), "-o", str(tmp_path / "merged"))
    told("review", str(recorded), "--list")
    told("review", str(recorded), "--decide", "second=fail", "--who", "me")
    assert (tmp_path / "theirs").read_text() == '{"passed": true}\n'


@pytest.mark.parametrize("name", ["run.json", "report.json"])
@pytest.mark.parametrize("make", [_endless, _pipe])
def test_a_head_that_is_not_a_plain_file_is_refused(recorded, name, make, capsys):
    for each in ("run.json", "report.json"):
        if name in {"run.json", each}:
            (recorded / each).unlink()
    make(recorded / name)
    told("report", str(recorded))
    told("review", str(recorded), "--list")
    assert "Traceback" not in capsys.readouterr().err


def test_a_link_is_not_an_episode(recorded, tmp_path, capsys):
    theirs = tmp_path / "theirs"
    (recorded / "episodes" / "second.0").rename(theirs)
    (recorded / "episodes" / "second.0").symlink_to(theirs)
    before = sorted((path.name, path.stat().st_size) for path in theirs.iterdir())
    assert runs.inside(recorded, "episodes/second.0") is None
    with pytest.raises(SystemExit):
        main(["review", str(recorded), "--all", "--decide", "second=fail", "--who", "me"])
    assert "no episode to decide is called 'second'" in capsys.readouterr().err
    assert sorted((path.name, path.stat().st_size) for path in theirs.iterdir()) == before


@pytest.mark.parametrize("strange", ["NaN", '"\\ud800"', "9" * 4000, "[" * 96 + "]" * 96])
def test_rebuilding_reports_is_idempotent_for_any_verdict(recorded, strange):
    verdict = {"passed": True, "scorer": "person", "reason": "", "evidence": {"who": "they"}}
    line = json.dumps(verdict).replace('"they"', f'"they", "note": {strange}')
    with (recorded / "episodes" / "first.1" / "verdicts.jsonl").open("a") as file:
        file.write(line + "\n")
    told("review", str(recorded), "--all", "--decide", "second=fail", "--who", "me")
    report = read_report(recorded / "report.json")
    outcomes = {task.id: task.outcome for task in report["tasks"]}
    assert (outcomes["first"], outcomes["second"]) == ("passed", "failed")


def test_record_cannot_refer_to_screens_outside_the_store(recorded, tmp_path):
    (tmp_path / "runs" / "theirs.xml").write_text("secret")
    path = recorded / "episodes" / "second.0" / "episode.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        if line["record"] == "observation":
            line["xml"] = "../../theirs"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    told("report", str(recorded), "--format=html", "-o", str(tmp_path / "page.html"))
    told("merge", str(recorded), "-o", str(tmp_path / "merged"))
    with pytest.raises(RecordError, match="is not the name of a screen"):
        read(path.parent, EpisodeRecord)


def test_oversized_record_is_not_merged(recorded, tmp_path):
    os.truncate(recorded / "episodes" / "second.0" / "verdicts.jsonl", 1 << 29)
    told("merge", str(recorded), "-o", str(tmp_path / "merged"))
    assert read_report(tmp_path / "merged" / "report.json")["tasks"]
    assert max(p.stat().st_size for p in (tmp_path / "merged").rglob("*")) < 1 << 28
    for folder in (recorded, tmp_path / "merged"):
        assert folder.stat().st_mode & 0o777 == 0o700, "it is private to its owner"
