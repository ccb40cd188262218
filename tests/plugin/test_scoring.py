"""From a test body to a verdict: the outcome is pytest's own, and checking prefixes is harmless."""

from __future__ import annotations

import importlib
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.plugin.projects import TAPS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

HEAD = """
import pytest, warnings
from pytest_mobileagent import task

def note(text):
    with open("asked.txt", "a") as file:
        file.write(text)

"""
OFF = "--mobile-agent-process=off"


@pytest.fixture
def run(pytester: pytest.Pytester) -> Callable[..., tuple[pytest.RunResult, list[dict[str, Any]]]]:
    """Runs a test file on a phone in memory with an agent that taps three times.

    Returns the result and the reported tasks.
    """

    def run(body: str, *arguments: str) -> tuple[pytest.RunResult, list[dict[str, Any]]]:
        pytester.makeconftest(TAPS)
        pytester.makepyfile(HEAD + body)
        result = pytester.runpytest_inprocess(
            "-p", "no:cacheprovider", "--agent=taps.py:Taps", OFF, *arguments
        )
        reports = sorted(pytester.path.glob("runs/*/report.json"))
        return result, json.loads(reports[-1].read_text())["tasks"] if reports else []

    pytester.makepyfile(taps="from conftest import Taps\nclass Taps(Taps): pass\n")
    return run


def test_a_verdict_has_the_step_at_which_the_goal_was_first_met(run):
    _, (task,) = run("@task('Go.')\ndef test_go(episode): assert episode.screen.texts >= ('2',)")
    assert (task["outcome"], task["success"], task["first_success_step"]) == ("passed", True, 2)
    assert task["verdict"]["scorer"] == "check"


def bodies(lines: Iterable[str]) -> str:
    """Return a task for each body of one line."""
    each = (f"@task('Go.')\ndef test_{n}(episode):\n    {line}\n" for n, line in enumerate(lines))
    return "".join(each)


def test_a_failed_comparison_has_an_expected_and_an_actual_value(run):
    compared = {
        "episode.screen.texts == ('1',)": ("('1',)", "('3',)"),
        "('1',) == episode.screen.texts": ("('1',)", "('3',)"),
        "'9' in episode.screen.texts": ("contains '9'", "('3',)"),
        "episode.answer in ('9 items', '')": ("in ('9 items', '')", "'12 items'"),
        "3 < len(episode.screen.texts)": ("> 3", "1"),
        "episode.screen.find(text='9')": (None, None),
        "episode.answer == '9', 'not nine'": (None, None),
    }
    _, tasks = run(bodies(f"assert {each}" for each in compared))
    found = [task["verdict"]["evidence"] for task in tasks]
    assert [(each.get("expected"), each.get("actual")) for each in found] == [*compared.values()]


def test_a_goal_met_on_the_way_is_reported(run):
    result, (task,) = run(
        "@task('Go.')\ndef test_go(episode): assert episode.screen.texts == ('1',)"
    )
    assert (task["success"], task["first_success_step"]) == (False, 1)
    result.stdout.fnmatch_lines(["ended *; the goal was met after step 1"])


def test_failure_has_at_most_ten_lines_and_no_source(run):
    result, _ = run("@task('Go.')\ndef test_go(episode):\n    assert episode.answers('13 items')")
    lines = result.outlines
    first = next(number for number, line in enumerate(lines) if line.startswith("goal "))
    last = next(number for number, line in enumerate(lines) if line.startswith("screen "))
    assert last - first < 10
    result.stdout.fnmatch_lines(["sought *episode.answers('13 items')*", "closest *12 items*"])
    result.stdout.no_fnmatch_line("*def test_go*")


def test_body_runs_once_per_prefix_without_side_effects(run, pytester):
    _, (task,) = run(
        """
asked = []
@task('Go.')
def test_go(episode):
    asked.append(len(episode.steps))
    note(f"{len(episode.steps)} ")
    assert episode.answer

def test_after():
    assert asked == [4]
"""
    )
    assert sorted((pytester.path / "asked.txt").read_text().split()) == ["0", "1", "2", "3", "4"]
    assert task["first_success_step"] == 3


def test_body_with_other_fixtures_runs_once(run, pytester):
    fixtures = ("tmp_path", "record_property", "subtests", "request")
    body = (
        "@task('Go.')\ndef test_{0}(episode, {0}):\n    note('{0} ')\n    assert episode.answer\n"
    )
    _, tasks = run("".join(body.format(fixture) for fixture in fixtures))
    assert (pytester.path / "asked.txt").read_text().split() == [*fixtures]
    assert [(task["success"], task["first_success_step"]) for task in tasks] == [(True, None)] * 4


def test_failed_subtest_is_a_failure(run):
    result, (task,) = run(
        """
@task('Go.')
def test_go(episode, subtests):
    with subtests.test("one"):
        assert not episode.answer
"""
    )
    assert task["success"] is False
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


def test_warnings_on_prefixes_are_not_repeated(run):
    result, _ = run(
        "@task('Go.')\ndef test_go(episode): warnings.warn('once', UserWarning)", "-W", "default"
    )
    result.assert_outcomes(passed=1, warnings=1)


def test_fault_is_attributed(run):
    blamed = {
        "assert False": ("failed", False, "agent", None),
        "pytest.fail('no')": ("failed", False, "agent", None),
        "episode.scren": ("error", None, "task", None),
        "{}['a']": ("error", None, "task", None),
        "episode.screen.find_all(xpath='[')": ("error", None, "task", None),
        "return True": ("error", None, "task", None),
        "pytest.skip('not here')": ("skipped", None, None, "test"),
        "episode.event(type='clicked')": ("passed", True, None, None),
    }
    _, tasks = run(bodies(blamed))
    fields = ("outcome", "success", "fault", "skipped_for")
    assert [tuple(task[each] for each in fields) for task in tasks] == [*blamed.values()]


def test_expected_failures_have_pytests_outcomes(run):
    _, (fails, holds, strict) = run(
        """
@pytest.mark.xfail
@task('Go.')
def test_a(episode): assert False
@pytest.mark.xfail(strict=False)
@task('Go.')
def test_b(episode): pass
@pytest.mark.xfail(strict=True)
@task('Go.')
def test_c(episode): pass
"""
    )
    assert [t["outcome"] for t in (fails, holds, strict)] == ["xfailed", "xpassed", "failed"]
    assert [t["success"] for t in (fails, holds, strict)] == [False, True, True]


def test_a_case_for_review_neither_passes_nor_fails(run):
    result, (task,) = run(
        """
from pytest_mobileagent.errors import UndecidedError
@task('Go.')
def test_go(episode): raise UndecidedError("one says yes, one says no")
"""
    )
    assert (task["outcome"], task["success"], task["fault"]) == ("review", None, None)
    assert result.ret == 0
    assert "1 passed" not in result.stdout.str()
    assert "1 failed" not in result.stdout.str()


def test_agent_error_ends_the_episode_without_deciding_it(run, pytester):
    conftest = TAPS.replace("self.left -= 1", "raise ValueError('ouch')")
    body = "@task('Go.'{})\ndef test_go(episode): pass"
    pytester.makepyfile(taps="from conftest import Taps\nclass Taps(Taps): pass\n")
    results = []
    for flag in ("", ", success_after_error=True"):
        pytester.makeconftest(conftest)
        pytester.makepyfile("from pytest_mobileagent import task\n" + body.format(flag))
        pytester.runpytest_inprocess("-p", "no:cacheprovider", "--agent=taps.py:Taps", OFF)
        reports = pytester.path.glob("runs/*/report.json")
        report = max(reports, key=lambda path: path.stat().st_mtime_ns)
        results += json.loads(report.read_text())["tasks"]
    assert [task["success"] for task in results] == [False, True]
    assert [task["termination"] for task in results] == ["agent error", "agent error"]
    assert results[0]["verdict"]["evidence"]["check_held"] is True
    assert "ValueError: ouch" in results[0]["reason"]


def test_invalid_mark_is_an_error_of_one_task(run):
    result, tasks = run(
        """
MARKS = [
    pytest.mark.mobile_task('Go.', level=9), pytest.mark.mobile_task(3),
    pytest.mark.mobile_task('Go.', 'more'), task('Go.'),
]

@pytest.mark.parametrize("n", [pytest.param(n, marks=mark) for n, mark in enumerate(MARKS)])
def test_go(episode, n): pass
"""
    )
    assert [t["outcome"] for t in tasks] == ["error", "error", "error", "passed"]
    result.assert_outcomes(errors=3, passed=1)
    result.stdout.no_fnmatch_line("*INTERNALERROR*")


def test_mark_added_later_is_also_checked(run, pytester):
    pytester.syspathinsert()
    pytester.makepyfile(
        later="import pytest\ndef pytest_collection_modifyitems(items):\n"
        "    items[0].add_marker(pytest.mark.mobile_task('Go.', level=9))\n"
    )
    result, tasks = run("def test_go(episode): pass", "-p", "later")
    assert [t["outcome"] for t in tasks] == ["error"]
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


def test_escape_sequences_do_not_reach_the_terminal(run):
    result, _ = run(
        "@task('Go \\x1b[31m there.')\ndef test_go(episode): assert 0, 'no\\x1b]0;x\\x07'"
    )
    assert "\x1b[31m" not in result.stdout.str()
    assert "\x1b]0" not in result.stdout.str()


def test_failure_shows_paths_relative_to_the_start_folder(run, pytester):
    body = '@task("Count.", app="a")\ndef test_count(episode): assert episode.answers("13")\n'
    result, (told,) = run(body)
    (folder,) = pytester.path.glob("runs/*")
    name = told["episode"].removeprefix("episodes/")
    lines = [line for line in result.outlines if line.startswith(("screen ", "page "))]
    assert lines == [
        f"screen   runs/{folder.name}/{told['episode']}/screens/003-tap.png",
        f"page     {(folder / 'report.html').as_uri()}#e={name}&s=3",
    ]
    page = (folder / "report.html").as_uri()
    result.stdout.fnmatch_lines([f"report: {page}   (open it: python -m pytest_mobileagent show)"])


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
