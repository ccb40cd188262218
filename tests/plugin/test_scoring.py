"""From a test body to a verdict: the outcome is pytest's own, and checking prefixes is harmless."""

from __future__ import annotations

import importlib
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.plugin.body_source import COMPARED, expected_and_actual
from tests.plugin.projects import TAPS, Ran, run_taps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


@pytest.fixture
def run(pytester: pytest.Pytester) -> Callable[..., Ran]:
    """Runs a test file on a phone in memory with an agent that taps three times."""
    return partial(run_taps, pytester)


def bodies(lines: Iterable[str]) -> str:
    """Return a task for each body of one line."""
    each = (f"@task('Go.')\ndef test_{n}(episode):\n    {line}\n" for n, line in enumerate(lines))
    return "".join(each)


def test_failures_are_shown_in_few_lines_and_verdicts_have_the_step_of_success(run, pytester):
    lines = (
        "assert episode.screen.texts >= ('2',)",
        "assert episode.screen.texts == ('1',)",
        "assert episode.answers('13 items')",
    )
    evil = "@task('Go \\x1b[31m.')\ndef test_evil(episode):\n    assert 0, 'no\\x1b]0;x\\x07'\n"
    result, tasks = run(bodies(lines) + evil)
    ends = [(task["outcome"], task["success"], task["first_success_step"]) for task in tasks]
    assert ends == [
        ("passed", True, 2),
        ("failed", False, 1),
        ("failed", False, None),
        ("failed", False, None),
    ]
    assert {task["verdict"]["scorer"] for task in tasks} == {"check"}
    (folder,) = pytester.path.glob("runs/*")
    page = (folder / "report.html").as_uri()
    starts = [n for n, line in enumerate(result.outlines) if line.startswith("goal ")]
    for start, task in zip(starts, tasks[1:], strict=True):
        shown = result.outlines[start : start + 10]
        assert f"screen   runs/{folder.name}/{task['episode']}/screens/003-tap.png" in shown
        step = 3 if task["first_success_step"] is None else 2  # the first after the goal was met
        assert f"page     {page}#e={task['episode'].removeprefix('episodes/')}&s={step}" in shown
    result.stdout.fnmatch_lines(["ended *; the goal was met after step 1"])
    result.stdout.fnmatch_lines(["sought *episode.answers('13 items')*", "closest *12 items*"])
    result.stdout.fnmatch_lines([f"report: {page}   (open it: python -m pytest_mobileagent show)"])
    for absent in ("def test_", "\x1b[31m", "\x1b]0"):
        assert absent not in result.stdout.str()


@pytest.mark.parametrize(
    ("condition", "compared", "expected", "actual"),
    [
        ("episode.texts == ('1',)", ("==", ("3",), ("1",)), "('1',)", "('3',)"),
        ("('1',) == episode.texts", ("==", ("1",), ("3",)), "('1',)", "('3',)"),
        ("'9' in episode.texts", ("in", "9", ("3",)), "contains '9'", "('3',)"),
        ("episode.answer in ('9', '')", ("in", "12", ("9", "")), "in ('9', '')", "'12'"),
        ("3 < len(episode.texts)", ("<", 3, 1), "> 3", "1"),
        ("episode.screen.find(text='9')", ("==", 1, 2), None, None),
    ],
)
def test_a_failed_comparison_has_an_expected_and_an_actual_value(
    condition, compared, expected, actual
):
    config: Any = SimpleNamespace(stash={COMPARED: compared})
    found = expected_and_actual(config, condition)
    assert (found.get("expected"), found.get("actual")) == (expected, actual)


def test_comparisons_are_evidence_unless_the_author_explains_them(run):
    compared = ("episode.answer == '9'", "episode.answer == '9', 'not nine'")
    _, tasks = run(bodies(f"assert {each}" for each in compared))
    found = [task["verdict"]["evidence"] for task in tasks]
    values = [(each.get("expected"), each.get("actual")) for each in found]
    assert values == [("'9'", "'12 items'"), (None, None)]


def test_body_runs_once_per_prefix_without_side_effects(run, pytester):
    source = """
import warnings
asked = []
@task('Go.')
def test_go(episode):
    warnings.warn('once', UserWarning)
    asked.append(len(episode.steps))
    with open("asked.txt", "a") as file:
        file.write(f"{len(episode.steps)} ")
    assert episode.answer

def test_after():
    assert asked == [4]
"""
    result, (task,) = run(source, "-W", "default")
    result.assert_outcomes(passed=2, warnings=1)
    assert sorted((pytester.path / "asked.txt").read_text().split()) == ["0", "1", "2", "3", "4"]
    assert task["first_success_step"] == 3


def test_body_with_other_fixtures_runs_once_and_its_subtests_count(run, pytester):
    result, tasks = run("""
@task('Go.')
def test_request(episode, request):
    with open("asked.txt", "a") as file:
        file.write("once ")
    assert episode.answer

@task('Go.')
def test_subtests(episode, subtests):
    with subtests.test("one"):
        assert not episode.answer
""")
    assert (pytester.path / "asked.txt").read_text() == "once "
    ends = [(task["success"], task["first_success_step"]) for task in tasks]
    assert ends == [(True, None), (False, None)]
    assert tasks[0]["verdict"]["evidence"]["held"] == []
    assert result.ret == 1


SOFT = """
import pytest

problems = []

def soft(condition):
    if not condition:
        problems.append("soft")

@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if call.when == "call" and problems:
        problems.clear()
        report.outcome, report.longrepr = "failed", "a soft check failed"
    return report
"""


def test_reports_changed_by_another_plugin_count(run, pytester):
    pytester.makepyfile(softly=SOFT)
    pytester.syspathinsert()
    _, (never, late) = run(
        """
from softly import soft
@task('Go.')
def test_a_never(episode): soft(False)
@task('Go.')
def test_b_late(episode): soft(episode.screen.texts >= ('2',))
""",
        "-p",
        "softly",
    )
    assert (never["success"], never["first_success_step"]) == (False, None)
    assert (late["success"], late["first_success_step"]) == (True, 2)


def test_fault_is_attributed(run):
    blamed = {
        "assert False": ("failed", False, "agent", None),
        "pytest.fail('no')": ("failed", False, "agent", None),
        "episode.scren": ("error", None, "task", None),
        "return True": ("error", None, "task", None),
        "pytest.skip('not here')": ("skipped", None, None, "test"),
        "episode.event(type='clicked')": ("passed", True, None, None),
    }
    _, tasks = run(bodies(blamed))
    fields = ("outcome", "success", "fault", "skipped_for")
    assert [tuple(task[each] for each in fields) for task in tasks] == [*blamed.values()]


def test_agent_error_ends_the_episode_without_deciding_it(run):
    conftest = TAPS.replace("self.left -= 1", "raise ValueError('ouch')")
    body = """
@task('Go.')
def test_go(episode): pass
@task('Go.', success_after_error=True)
def test_yet(episode): pass
"""
    _, tasks = run(body, conftest=conftest)
    assert [task["success"] for task in tasks] == [False, True]
    assert [task["termination"] for task in tasks] == ["agent error", "agent error"]
    assert tasks[0]["verdict"]["evidence"]["check_held"] is True
    assert "ValueError: ouch" in tasks[0]["reason"]


def test_invalid_mark_is_an_error_of_one_task_even_if_it_was_added_later(run, pytester):
    pytester.syspathinsert()
    pytester.makepyfile(
        later="import pytest\ndef pytest_collection_modifyitems(items):\n"
        "    items[-1].add_marker(pytest.mark.mobile_task('Go.', level=9))\n"
    )
    source = """
MARKS = [
    pytest.mark.mobile_task('Go.', level=9), pytest.mark.mobile_task(3),
    pytest.mark.mobile_task('Go.', 'more'), task('Go.'),
]

@pytest.mark.parametrize("n", [pytest.param(n, marks=mark) for n, mark in enumerate(MARKS)])
def test_go(episode, n): pass

def test_later(episode): pass
"""
    result, tasks = run(source, "-p", "later")
    assert [t["outcome"] for t in tasks] == ["error", "error", "error", "passed", "error"]
    result.assert_outcomes(errors=4, passed=1)
    result.stdout.no_fnmatch_line("*INTERNALERROR*")


def test_uncomputable_result_is_an_error_of_one_task(run, monkeypatch):
    scoring = importlib.import_module("pytest_mobileagent.plugin.scoring")

    def explode(*arguments: Any, **more: Any) -> None:
        raise OverflowError("too large")

    monkeypatch.setattr(scoring, "_result", explode)
    result, tasks = run("@task('Go.')\ndef test_a(episode): pass\ndef test_b(): pass")
    assert [t["outcome"] for t in tasks] == ["error"]
    result.stdout.no_fnmatch_line("*INTERNALERROR*")
    assert result.ret == 1


TIMED = """
import time

@pytest.mark.timeout(0.6)
@task("Go.")
def test_in_set_up(hangs, episode):
    pass

@pytest.mark.timeout(0.6)
@task("Go.")
def test_in_the_body(episode):
    while True:
        time.sleep(0.01)

@pytest.mark.timeout(0.6)
@task("Go.")
def test_on_a_prefix(episode):
    while episode.step_count < 3:
        time.sleep(0.01)

@task("Go.")
def test_after(episode):
    assert episode.step_count == 3

@pytest.fixture
def hangs():
    while True:
        time.sleep(0.01)
"""


def test_a_timeout_of_pytest_timeout_is_an_error_of_one_task_wherever_it_fires(run):
    pytest.importorskip("pytest_timeout")
    result, tasks = run(TIMED, "--timeout-method=signal")
    assert "INTERNALERROR" not in result.stdout.str() + result.stderr.str()
    ends = {task["id"].rpartition("/")[2]: (task["outcome"], task["reason"]) for task in tasks}
    assert ends.pop("after") == ("passed", "")
    assert {outcome for outcome, _ in ends.values()} == {"error"}
    assert all("Timeout" in reason for _, reason in ends.values())
    assert "cannot be computed: Failed: Timeout" in ends["on_a_prefix"][1]
