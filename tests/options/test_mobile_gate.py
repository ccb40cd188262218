"""--mobile-gate: the conditions that decide the exit status of a run."""

from __future__ import annotations

import pytest

FAILS_ONE = ["--mobile-agent-option", "fails=easy1", "-k", "easy"]


def test_failed_tasks_do_not_decide_the_status_but_the_gate_does(gated):
    most = gated.run("--mobile-gate=success_rate >= 0.7", *FAILS_ONE)
    most.assert_outcomes(passed=7, failed=1, deselected=8)
    assert most.ret == 0
    most.stdout.fnmatch_lines(["gate PASS: success_rate 0.875 *"])
    report = gated.report()["gate"]
    assert (report["status"], report["verdict"]) == (0, "PASS")
    nearly_all = gated.run("--mobile-gate=success_rate >= 0.9", *FAILS_ONE)
    assert nearly_all.ret == 1
    nearly_all.stdout.fnmatch_lines(["gate FAIL: success_rate 0.875 *"])
    (summary,) = gated.newest().glob("summary.md")
    assert "Gate: FAIL" in summary.read_text("utf-8")


@pytest.mark.slow
def test_a_test_that_is_not_a_task_fails_the_run_anyway(gated):
    (gated.path / "test_other.py").write_text("def test_other():\n    assert False\n")
    result = gated.run("--mobile-gate=success_rate >= 0.5", "-k", "easy or other")
    result.assert_outcomes(passed=8, failed=1, deselected=8)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["gate PASS: *"])


def test_an_error_in_the_tear_down_of_a_task_fails_the_run_all_the_same(gated):
    conftest = gated.path / "conftest.py"
    conftest.write_text(conftest.read_text("utf-8") + BREAKS_LATE, "utf-8")
    result = gated.run("--mobile-gate=success_rate >= 0.5", "-k", "easy and 0")
    result.assert_outcomes(passed=1, errors=1, deselected=15)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["gate PASS: *"])


BREAKS_LATE = """
@pytest.fixture(autouse=True)
def puts_back():
    yield
    raise OSError("the server is gone")
"""


@pytest.mark.slow
def test_a_difference_that_is_not_certain_is_inconclusive(gated):
    gated.baseline({"easy[0]": [True], "easy[1]": [False]}, "few")
    gate = ["--mobile-baseline=few", "--mobile-gate=success_rate >= baseline"]
    result = gated.run(*gate, "-k", "test_easy")
    assert result.ret == 8
    result.stdout.fnmatch_lines(["gate INCONCLUSIVE: success_rate *"])


def test_tasks_of_the_baseline_that_were_not_selected_are_missed(gated):
    (gated.path / "test_more.py").write_text(SKIPS_ITSELF, "utf-8")
    gated.run("test_all.py", "test_more.py", "-k", "0")
    gate = [f"--mobile-baseline={gated.newest()}", "--mobile-gate=success_rate >= baseline"]
    result = gated.run("test_all.py", "test_more.py", *gate, "-k", "easy and 0")
    result.stdout.fnmatch_lines(["gate INCONCLUSIVE: 1 of the baseline's 2 tasks * missing (1 *"])
    assert result.ret == 8
    assert gated.about()["selection"] == {
        "paths": ["test_all.py", "test_more.py"],
        "-k": "easy and 0",
        "skipped": ["test_more.py"],
    }


SKIPS_ITSELF = 'import pytest\npytest.skip("not here", allow_module_level=True)\n'


def test_tasks_that_were_taken_out_of_the_project_are_not_missed(gated):
    gated.run("-k", "easy")
    gate = [f"--mobile-baseline={gated.newest()}", "--mobile-gate=success_rate >= baseline"]
    tests = gated.path / "test_all.py"
    tests.write_text(tests.read_text("utf-8").replace("range(8)", "range(7)", 1), "utf-8")
    result = gated.run(str(gated.path), *gate, "-k", "easy")
    assert "missing" not in result.stdout.str().partition("gate ")[2].partition("\n")[0]


@pytest.mark.slow
def test_too_much_broken_infrastructure_is_a_status_of_its_own(gated):
    (gated.path / "conftest.py").write_text(BREAKS, "utf-8")
    result = gated.run("--mobile-gate=success_rate >= 0.5", "--mobile-retries=0", "-k", "easy")
    assert result.ret == 9
    result.stdout.fnmatch_lines(["gate INCONCLUSIVE: 100 % of the episodes are missing: *"])


BREAKS = """
import pytest
from pytest_mobileagent.errors import DeviceError
from pytest_mobileagent.testing import FakeLease, FakePhone, make_screen

class Broken(FakeLease):
    def get(self):
        raise DeviceError("the cable is out")

@pytest.fixture(scope="session")
def mobile_lease():
    return Broken(FakePhone([make_screen("0")]))
"""


@pytest.mark.parametrize(
    ("gate", "error"),
    [
        ("none.toml", "--mobile-gate=none.toml: none.toml cannot be read (No such file or *"),
        ("speed >= 1", "--mobile-gate=speed >= 1: there is no number 'speed' in a summary: *"),
        (
            "success_rate >= baseline",
            "*: it has a bound against the baseline; name that run by --mobile-baseline=RUN",
        ),
    ],
)
def test_an_invalid_gate_is_reported_before_a_device_starts(gated, fnmatch, gate, error):
    fnmatch(gated.refused(f"--mobile-gate={gate}"), error)


SUITE = '[[bound]]\nmetric = "success_rate"\nmin = 0.5\nsuite = "x"\n'


@pytest.mark.parametrize(
    ("gate", "error"),
    [
        (SUITE, "*: there is no suite 'x': *"),
        ('must_pass = ["all/easy[9]"]', "*: there is no task 'all/easy[9]': did you mean *"),
    ],
)
def test_unknown_names_are_reported_once_the_tests_are_collected(gated, fnmatch, gate, error):
    (gated.path / "gate.toml").write_text(gate, "utf-8")
    fnmatch(gated.refused("--mobile-gate=gate.toml"), error)


@pytest.mark.slow  # starts worker processes
def test_unknown_names_end_a_run_with_workers(gated):
    (gated.path / "gate.toml").write_text('must_pass = ["all/easy"]', "utf-8")
    result = gated.run("--mobile-gate=gate.toml", workers=2)
    assert result.ret == 4
    assert "ERROR: --mobile-gate=gate.toml: must_pass: " in result.stderr.str()
    assert not list((gated.path / "runs").glob("*"))
    assert not (gated.path / "devices.txt").exists()
