"""--mobile-epochs: several epochs of each task, as separate tests."""

import pytest


def test_each_epoch_is_a_test_with_an_id_of_its_own_but_other_tests_run_once(asking):
    asking.write(count=1)
    asking.pytester.makepyfile(test_other="def test_other(): pass")
    result = asking.run("--mobile-epochs=3", "-v", agent="Silent")
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines([f"*test_code[[]0-epoch{n}[]] PASSED*" for n in range(3)])
    tasks = asking.report()["tasks"]
    assert [task["epoch"] for task in tasks] == [0, 1, 2]
    assert len({task["episode"] for task in tasks}) == 3


def test_every_row_of_a_table_has_epochs(asking):
    rows = "id,goal\none,Count to 1.\ntwo,Count to 2.\n"
    (asking.pytester.path / "table.csv").write_text(rows)
    asking.pytester.makepyfile(test_codes=ROWS)
    result = asking.run("--mobile-epochs=2", "--collect-only", "-q", agent="Silent")
    result.stdout.fnmatch_lines(
        [f"*::test_table[[]{row}-epoch{n}[]]" for row in ("one", "two") for n in (0, 1)]
    )


ROWS = """
from pytest_mobileagent import rows, tasks

@tasks(rows("table.csv"))
def test_table(episode, row):
    assert episode.answers(row.id)
"""


def everything(*epochs: int) -> dict[str, list[int]]:
    return {f"{tag}[{n}]": list(epochs) for tag in ("easy", "hard") for n in range(8)}


HARD_ONES_VARY = ["--mobile-agent-option", "fails=hard0"]


def test_a_range_ends_with_the_first_analysis_that_decides(gated):
    result = gated.gated()
    assert result.ret == 0
    result.assert_outcomes(passed=16, deselected=16)
    assert gated.epochs() == everything(0)
    gate = gated.report()["gate"]
    assert (gate["verdict"], gate["look"], gate["epochs"]) == ("PASS", 1, 1)


def test_only_tasks_that_an_open_bound_covers_continue_and_no_others_are_rescored(gated):
    result = gated.gated(*HARD_ONES_VARY, "--tb=no", "-v")
    result.assert_outcomes(passed=22, failed=2, deselected=8)
    assert gated.epochs() == {
        **{f"easy[{n}]": [0] for n in range(8)},
        **{f"hard[{n}]": [0, 1] for n in range(8)},
    }
    lines = [line for line in result.outlines if "::test_" in line and "%" in line]
    assert ["epoch0" in line for line in lines] == [True] * 16 + [False] * 8
    assert lines[-1].endswith("[100%]")
    # Dropped epochs are not expected when the run is rescored.
    run = gated.newest()
    result = gated.pytester.runpytest_inprocess(f"--mobile-rescore={run}", "--mobile-runs=again")
    result.assert_outcomes(passed=22, failed=2, deselected=8)
    refused = gated.run(f"--mobile-resume={run}")
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    begun_with = "give the --mobile-gate and --mobile-baseline that the run was begun with"
    refused.stderr.fnmatch_lines([f"ERROR: --mobile-epochs=1..2 runs epochs until *: {begun_with}"])


@pytest.mark.slow  # starts worker processes
def test_workers_pause_for_an_analysis_even_if_one_dies_before_it(gated):
    dies = ["--mobile-agent-option", "dies=hard4"]
    result = gated.gated(*HARD_ONES_VARY, *dies, "-v", workers=2)
    assert "Traceback" not in result.stderr.str()  # plugins expect deselected items to be objects
    result.assert_outcomes(passed=22, failed=2, deselected=8)
    assert gated.epochs() == everything(0) | {f"hard[{n}]": [0, 1] for n in range(8)}
    done = [line for line in result.outlines if " PASSED test" in line or " FAILED test" in line]
    assert ["epoch0" in line for line in done] == [True] * 16 + [False] * 8
    # Each worker, including the one that replaced the dead worker, has leased at most one device.
    assert len((gated.path / "devices.txt").read_text().split()) <= 3


def test_a_run_that_stops_at_a_failure_makes_no_analysis(gated):
    result = gated.gated("--mobile-agent-option", "fails=easy1", "-x")
    assert "deselected" not in result.outlines[-1]
    assert [task["outcome"] for task in gated.report()["tasks"]].count("not run") == 30


@pytest.mark.slow
def test_epochs_that_are_deselected_beforehand_are_not_waited_for(gated):
    result = gated.gated(*HARD_ONES_VARY, "-k", "epoch1 and hard")
    result.assert_outcomes(passed=7, failed=1, deselected=24)
    assert gated.epochs() == {f"hard[{n}]": [1] for n in range(8)}


NEEDS_A_BOUND = (
    "--mobile-epochs=2..3 runs epochs until a bound against the baseline is decided, and there is "
    'none: give --mobile-gate="success_rate >= baseline" and --mobile-baseline=RUN, or a number'
)


@pytest.mark.parametrize("gate", [[], ["--mobile-gate=success_rate >= 0.5"]])
def test_a_range_needs_a_bound_against_the_baseline(gated, gate):
    assert gated.refused("--mobile-epochs=2..3", *gate) == NEEDS_A_BOUND


AGAINST = ["--mobile-baseline=base", "--mobile-gate=success_rate >= baseline"]


@pytest.mark.parametrize(
    ("more", "error"),
    [
        (["--mobile-shard=1/2"], "--mobile-epochs=2..3 cannot be combined with --mobile-shard, *"),
        (["-n2", "--dist=loadscope"], "--mobile-epochs=2..3 decides between *: leave out --dist*"),
    ],
)
def test_a_range_excludes_other_schedulers(gated, fnmatch, more, error):
    fnmatch(gated.refused("--mobile-epochs=2..3", *AGAINST, *more), error)
