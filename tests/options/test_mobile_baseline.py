"""--mobile-baseline: the differences between a run and an earlier one, task by task."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pytest_mobileagent.report.bundle.writing import write_bundle

VERSION_1 = Path(__file__).parents[1] / "episode" / "data" / "version1"


def test_a_baseline_alone_is_compared_with_and_changes_no_status(gated):
    result = gated.run(
        "--mobile-baseline=base", "--mobile-agent-option", "fails=easy1", "-k", "easy"
    )
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        ["against * (base): -12.5 points (95 %: *", "*lost (1)*", "*easy*1*"]
    )
    report = gated.report()
    assert "gate" not in report
    comparison = report["comparison"]
    assert comparison["baseline"]["id"] == "base"
    assert [task["id"] for task in comparison["lost"]] == ["all/easy[1]"]
    assert len(comparison["missing"]) == 8
    assert comparison["difference"] == pytest.approx(-0.125)


@pytest.mark.slow
def test_a_folder_of_runs_stands_for_the_newest_of_them_which_may_have_been_killed(gated):
    gated.run("-k", "easy")
    (gated.newest() / "report.json").unlink()
    killed = gated.newest().name
    result = gated.run("--mobile-baseline=runs", "-k", "easy")
    result.stdout.fnmatch_lines([f"against skilled ({killed}): +0.0 points *"])
    assert gated.report()["comparison"]["baseline"]["has_ended"] is False


def test_a_bundle_is_a_baseline_for_a_gate(gated):
    write_bundle([gated.path / "base"], gated.path / "it.mobilerun.zip")
    shutil.rmtree(gated.path / "base")
    command = ["--mobile-baseline=it.mobilerun.zip", "--mobile-gate=gate.toml"]
    result = gated.run(*command, "--mobile-epochs=1..2")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["against before (base): +0.0 points*", "gate PASS: success_rate*"])
    assert gated.report()["comparison"]["baseline"]["id"] == "base"


@pytest.mark.parametrize(
    ("baseline", "error"),
    [
        ("nowhere", "--mobile-baseline=nowhere: * is not a folder: name a run's folder, *"),
        ("damaged", "--mobile-baseline=damaged: * is damaged: *"),
        ("empty", "--mobile-baseline=empty: * has no task to compare with"),
        ("others", "--mobile-baseline=others: *: no task is in both *"),
    ],
)
def test_an_incomparable_baseline_is_reported_before_a_device_starts(
    gated, fnmatch, baseline, error
):
    gated.baseline({}, "empty")
    gated.baseline({"other[0]": [True]}, "others")
    (gated.baseline({}, "damaged") / "report.json").write_text("{", "utf-8")
    fnmatch(gated.refused(f"--mobile-baseline={baseline}"), error)


def test_runs_of_the_first_version_can_be_compared_with(gated):
    shutil.copytree(VERSION_1, gated.path / "old")
    error = gated.refused("--mobile-baseline=old")
    assert "no task is in both" in error  # the run could be read, but has other tasks
