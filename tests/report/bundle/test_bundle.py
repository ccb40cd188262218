"""Tests of `bundle` and `verify` as commands, and of commands that take a bundle for a run."""

from __future__ import annotations

import json
import re
import shutil
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.__main__ import main
from pytest_mobileagent.report.bundle import verify as verification
from pytest_mobileagent.report.bundle.verify import without_verdicts
from pytest_mobileagent.verdict import Verdict, of_person, verdicts
from pytest_mobileagent.verdict import append as add_verdict

if TYPE_CHECKING:
    from tests.report.bundle.conftest import Recorded

VERSION_1, VERSION_2 = (
    Path(__file__).parents[2] / "episode" / "data" / f"version{number}" for number in (1, 2)
)


@pytest.fixture
def here(recorded: Recorded, monkeypatch: pytest.MonkeyPatch) -> Recorded:
    """The recorded run; the current folder is its project."""
    monkeypatch.chdir(recorded.project)
    return recorded


def test_a_bundle_holds_the_run_without_paths_of_the_machine(here: Recorded) -> None:
    with zipfile.ZipFile(here.bundle) as archive:
        names = archive.namelist()
        texts = [archive.read(name) for name in names]
    run = here.run.name
    for name in ("run.json", "report.json", "index.jsonl", "chain.jsonl", "report.html"):
        assert f"{run}/{name}" in names
    assert sum(name.endswith("/calls.jsonl") for name in names) == 6
    assert not any(str(here.project).encode() in text for text in texts)


@pytest.mark.slow
def test_a_bundle_is_verified_without_differences(
    here: Recorded, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(here.bundle), f"--digest={here.digest}", "--format=json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["status"] == 0
    assert {each["state"] for each in found["findings"]} == {"holds", "unproven"}
    assert found["verified"].startswith("yes: this machine, 20")


def test_without_a_digest_it_is_said_that_the_chain_could_have_been_computed_again(
    here: Recorded, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verification, "truth", lambda *_: ())
    assert main(["verify", str(here.bundle)]) == 0
    said = capsys.readouterr().out
    assert "unproven      integrity     the chain could have been computed again" in said
    assert "that the model was the one that is named" in said
    assert said.endswith("VERIFIED: 0 differences, 0 open\n")


def test_without_screens_it_is_said_what_cannot_be_proved(
    here: Recorded, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    target = tmp_path / "small.mobilerun.zip"
    assert main(["bundle", str(here.run), "-o", str(target), "--without-screens"]) == 0
    assert "nobody can run its checks again" in capsys.readouterr().err
    with zipfile.ZipFile(target) as archive:
        assert not [name for name in archive.namelist() if "/screens/" in name]
    monkeypatch.setattr(verification, "truth", lambda *_: ())
    assert main(["verify", str(target)]) == 8
    assert "not verified  integrity     the screens are left out" in capsys.readouterr().out


@pytest.mark.parametrize("key", ["sk-abcdefghijklmnopqrstuvwx", "the-own-key-of-a-test"])
def test_nothing_is_written_if_a_file_holds_a_key(
    here: Recorded, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch, key: str,
) -> None:  # fmt: skip
    monkeypatch.setenv("OTHER_API_KEY", "the-own-key-of-a-test")
    run = tmp_path / "run"
    shutil.copytree(here.run, run, symlinks=True)
    (next((run / "episodes").iterdir()) / "own.txt").write_text(f"{key}\n")
    target = tmp_path / "x.mobilerun.zip"
    assert main(["bundle", str(run), "-o", str(target)]) == 1
    assert re.search(r"own\.txt holds a key, .* nothing is written", capsys.readouterr().err)
    assert not list(tmp_path.glob("*x.mobilerun*"))


@pytest.mark.parametrize("version", [VERSION_1, VERSION_2], ids=["version1", "version2"])
def test_a_run_of_an_older_version_is_bundled_with_what_it_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    version: Path,
) -> None:  # fmt: skip
    run = tmp_path / "run"
    shutil.copytree(version, run, symlinks=True)
    target = tmp_path / "old.mobilerun.zip"
    assert main(["bundle", str(run), "-o", str(target)]) == 0
    assert "no chain of digests: recorded by an older version" in capsys.readouterr().out
    monkeypatch.chdir(tmp_path)
    assert main(["verify", str(target)]) == 8
    said = capsys.readouterr().out
    assert "there is no chain.jsonl" in said
    assert "the checks could not be run again: none of its test files is in" in said
    assert main(["report", str(run)]) == 0


def test_a_bundle_is_compared_like_its_run(
    here: Recorded, capsys: pytest.CaptureFixture[str]
) -> None:
    gate = "--gate=success_rate >= 0.6"
    assert main(["compare", str(here.bundle), str(here.run), gate]) in {0, 8}
    said = capsys.readouterr().out
    assert "note: this is the same run twice" in said
    assert main(["compare", str(here.run), str(here.bundle), "--gate=success_rate >= 0.9"]) == 1


def test_recorded_verdicts_do_not_count_when_the_checks_are_run_again(
    here: Recorded, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    shutil.copytree(here.run, run, symlinks=True)
    episode = next((run / "episodes").iterdir())
    add_verdict(episode, Verdict(True, "judges", "said so"))
    add_verdict(episode, of_person(True, "Ann"))
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    with without_verdicts(run):
        assert [each.scorer for each in verdicts(episode)] == ["person"]
        add_verdict(episode, Verdict(False))
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before


def test_a_bundle_is_merged_like_its_runs(here: Recorded, tmp_path: Path) -> None:
    assert main(["merge", str(here.bundle), "-o", str(tmp_path / "whole")]) == 0
    assert len([*(tmp_path / "whole" / "episodes").iterdir()]) == 6


def test_a_bundle_cannot_be_resumed(recorded: Recorded, pytester: pytest.Pytester) -> None:
    done = pytester.runpytest_inprocess(f"--mobile-resume={recorded.bundle}")
    done.stderr.fnmatch_lines("*a bundle cannot be gone on with: name the run's own folder*")
    assert done.ret == 4


@pytest.mark.slow
@pytest.mark.parametrize("form", ["markdown", "json"])
def test_a_report_says_whether_a_bundle_is_verified(
    here: Recorded, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    assert main(["report", str(here.bundle), str(here.run), f"--format={form}"]) == 0
    said = capsys.readouterr().out
    assert "yes: this machine, 20" in said
    assert ("not a bundle" in said) is (form == "markdown")


def test_no_trajectory_is_written_if_one_holds_a_key(
    here: Recorded, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, target = tmp_path / "run", tmp_path / "published"
    shutil.copytree(here.run, run, symlinks=True)
    last = max((run / "episodes").glob("*/episode.jsonl"))
    last.write_text(last.read_text().replace('"answer":"', '"answer":"sk-abcdefghijklmnopqrstuvwx'))
    assert main(["bundle", str(run), "--trajectories", "-o", str(target)]) == 1
    assert "trajectory.json holds a key" in capsys.readouterr().err
    assert [*tmp_path.iterdir()] == [run]


def test_trajectories_are_plain_json_and_pictures(here: Recorded, tmp_path: Path) -> None:
    target = tmp_path / "published"
    assert main(["bundle", str(here.run), "--trajectories", "-o", str(target)]) == 0
    folders = sorted(path for path in target.iterdir() if path.is_dir())
    assert len(folders) == 6
    for folder in folders:
        whole = json.loads((folder / "trajectory.json").read_text())
        assert whole["goal"].startswith("Say the name ")
        assert [len(step["actions"]) for step in whole["steps"]] == [1, 1, 1]
        for step in [*whole["steps"], whole["final"]]:
            assert (folder / step["picture"]).is_file()
            assert (folder / step["hierarchy"]).read_text().startswith("<")
    assert "## Licence" in (target / "README.md").read_text()
    assert main(["bundle", str(here.run), "--trajectories", "-o", str(target)]) == 1


@pytest.mark.parametrize(
    ("words", "status", "why"),
    [
        (["bundle", "RUN", "-o", "x.zip"], 1, "the name of a bundle ends in .mobilerun.zip"),
        (["bundle", "BUNDLE", "-o", "x.mobilerun.zip"], 1, "is a bundle already"),
        (["bundle", "RUN", "RUN", "-o", "x.mobilerun.zip"], 1, "name each run once"),
        (["bundle", "nowhere", "-o", "x.mobilerun.zip"], 1, "nowhere is not a folder"),
        (["verify", "RUN"], 4, "is not a bundle, i.e. a file NAME.mobilerun.zip"),
        (["verify", "nowhere.mobilerun.zip"], 4, "is not a bundle"),
    ],
)
def test_wrong_arguments_are_errors(
    here: Recorded, capsys: pytest.CaptureFixture[str], words: list[str], status: int, why: str
) -> None:
    names = {"RUN": str(here.run), "BUNDLE": str(here.bundle)}
    assert main([names.get(word, word) for word in words]) == status
    assert why in capsys.readouterr().err
