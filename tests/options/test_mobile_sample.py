"""--mobile-sample: a proportional sample of N selected tasks, determined by the seed."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

from pytest_mobileagent import Task
from pytest_mobileagent._task.case import Case
from pytest_mobileagent.plugin.preflight import select
from pytest_mobileagent.plugin.selection import in_proportion, sampled

TASKS = """
import pytest
from pytest_mobileagent import task

@pytest.mark.parametrize("number", range(24))
@task("Tell me the code.", level=1, app="com.example.shop")
def test_easy(episode, number):
    assert episode.answers("4711" if number % 2 else "4712")

@pytest.mark.parametrize("number", range(8))
@task("Tell me the code.", level=2)
def test_hard(episode, number):
    assert episode.answers("4711")

def test_no_task():
    pass
"""


@pytest.fixture
def many(asking):
    asking.pytester.makepyfile(test_codes=TASKS)
    return asking


def listed(project, *arguments):
    """Return the node ids of the selected tasks."""
    result = project.run("--collect-only", "-q", *arguments)
    return [line for line in result.outlines if "::" in line and "no_task" not in line]


def test_levels_have_their_share_and_other_tests_stay(many):
    result = many.run("--collect-only", "-q", "--mobile-sample=8")
    names = [line.split("::")[1].split("[")[0] for line in result.outlines if "::" in line]
    assert Counter(names) == {"test_easy": 6, "test_hard": 2, "test_no_task": 1}
    result.stdout.fnmatch_lines(["9/33 tests collected (24 deselected)*"])


def test_marked_functions_have_shares_in_proportion_to_their_marks(many):
    function = '@pytest.mark.parametrize("number", range('
    marked = TASKS.replace(function, f"@pytest.mark.mobile_share(50)\n{function}")
    many.pytester.makepyfile(test_codes=marked)
    names = [name.split("::")[1].split("[")[0] for name in listed(many, "--mobile-sample=8")]
    assert Counter(names) == {"test_easy": 4, "test_hard": 4}


def test_another_seed_gives_another_sample(many):
    first, other = (listed(many, "--mobile-sample=8", f"--mobile-seed={n}") for n in (0, 1))
    assert len(first) == len(other) == 8
    assert first != other


def test_variants_of_a_task_are_in_it_together(many):
    many.pytester.makepyfile(
        test_codes=TASKS.replace("level=2", "level=2, vague='Tell me.', user='No.'")
    )
    both, vague, full = (
        {name for name in listed(many, "--mobile-sample=3", *chosen) if "hard" in name}
        for chosen in (["-k", "hard"], ["-k", "hard and vague"], ["-k", "hard and full"])
    )
    assert (len(both), len(vague)) == (6, 3)
    assert both == vague | full, "the same tasks, whichever variants are selected"


def test_the_sample_is_of_the_last_failed_tests(many):
    many.pytester.makeini("[pytest]")  # enables pytest's cache
    many.run("-k", "easy and 2", agent="Silent")
    failed = listed(many, "--lf", "-k", "easy")
    assert len(failed) == 4
    sample = listed(many, "--lf", "-k", "easy", "--mobile-sample=3")
    assert len(sample) == 3
    assert {*sample} < {*failed}


def test_all_epochs_of_a_task_are_in_it(many):
    chosen = listed(many, "--mobile-sample=4", "--mobile-epochs=3")
    tasks = Counter(name.split("-epoch")[0] for name in chosen)
    assert len(tasks) == 4
    assert set(tasks.values()) == {3}


NEEDS = """
import pytest
from pytest_mobileagent import task

@pytest.mark.parametrize("number", range(8))
@task("Look up the code.", needs=["web"])
def test_web(episode, number):
    assert episode.answers("4711")

@pytest.mark.parametrize("number", range(4))
@task("Tell me the code.")
def test_local(episode, number):
    assert episode.answers("4711")
"""
DRAWN = "sample: drawn from the 4 of 12 tasks that can run here, as far as is known *"
FILLED = "sample: 5 of its 9 tasks cannot run here: only 4 of 12 selected tasks can, as far *"


@pytest.fixture
def needy(asking):
    """A project of which four tasks need nothing, and eight need the web."""
    asking.pytester.makepyfile(test_codes=NEEDS)
    return asking


def kinds(names):
    return Counter(name.partition("::test_")[2].partition("[")[0] for name in names)


def test_the_sample_is_drawn_from_tasks_that_can_run(needy):
    result = needy.run("--collect-only", "-q", "--mobile-sample=4")
    result.stdout.fnmatch_lines([DRAWN])
    assert kinds(line for line in result.outlines if "::" in line) == {"local": 4}
    with_web = ["--mobile-sample=3", "--mobile-device-has=web"]
    assert kinds(listed(needy, *with_web)) == {"web": 2, "local": 1}
    result = needy.run("--collect-only", *with_web)
    result.stdout.no_fnmatch_line("sample: *")


def test_tasks_that_cannot_run_fill_a_sample_which_says_so(needy):
    result = needy.run("--mobile-sample=9", "-k", "not number", agent="Silent")
    result.assert_outcomes(passed=4, skipped=5, deselected=3)
    doctor = "*python -m pytest_mobileagent doctor --tasks . '-k=not number'"
    lines = [FILLED, f"most tasks were skipped: 5 of 9; what the devices lack: {doctor}"]
    result.stdout.fnmatch_lines([lines[0], *lines, "report: *"])
    assert needy.report()["run"]["selection"]["sample"] == {
        "tasks": 9,
        "selected": 12,
        "can_run": 4,
        "will_be_skipped": 5,
    }


def test_workers_draw_the_same_from_tasks_that_can_run_and_the_summary_says_so(needy):
    whole = listed(needy, "--mobile-sample=3")
    result = needy.run("--mobile-sample=3", "-n2", "-v", "-p", "no:randomly", agent="Silent")
    result.assert_outcomes(passed=3)
    for name in whole:
        result.stdout.fnmatch_lines([f"*{name.replace('[', '[[]')}*"])
    result.stdout.fnmatch_lines([DRAWN, "report: *"])


def test_shards_are_of_a_sample_of_what_can_run(needy):
    whole = listed(needy, "--mobile-sample=4")
    parts = [listed(needy, "--mobile-sample=4", f"--mobile-shard={n}/2") for n in (1, 2)]
    assert sorted([*parts[0], *parts[1]]) == sorted(whole)
    assert kinds(whole) == {"local": 4}


def test_a_resumed_run_keeps_its_sample_when_more_tasks_can_run(needy):
    needy.run("--mobile-sample=3", agent="Silent")
    more = ["--mobile-sample=3", "--mobile-device-has=web", "--mobile-resume=runs"]
    result = needy.run(*more, agent="Silent")
    result.stdout.fnmatch_lines(["3 reused, 0 run"])
    assert len(needy.report()["tasks"]) == 3


def test_episodes_are_scored_again_wherever_they_could_run(needy):
    needy.run("--mobile-device-has=web", "--mobile-sample=3", agent="Silent")
    again = needy.run("--mobile-rescore=runs", "--mobile-sample=3", agent="Silent")
    again.assert_outcomes(passed=3, deselected=9)
    again.stdout.no_fnmatch_line("sample: *")


def test_apps_count_where_they_are_known_before_a_phone_starts(asking):
    asking.pytester.makeconftest("")
    asking.pytester.makepyfile(
        test_codes="""
        import pytest
        from pytest_mobileagent import task

        @pytest.mark.parametrize("number", range(3))
        @task("Do it.", app="com.example.absent")
        def test_absent(episode, number): ...

        @task("Do it.", app="com.android.systemui|com.example.absent")
        def test_present(episode): ...
        """
    )
    assert kinds(listed(asking, "--mobile-sample=1")) == {"present": 1}
    attached = listed(asking, "--mobile-sample=3", "--mobile-device=serial:R58M123ABC")
    assert kinds(attached)["absent"] >= 2, "nobody knows the apps of an attached phone"


def test_devices_that_cannot_be_asked_for_their_apps_are_an_error(needy):
    result = needy.run("--collect-only", "--mobile-sample=2", "--mobile-device=graph:nowhere")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["ERROR: --mobile-device=graph:nowhere: * does not contain a graph*"]
    )


def test_doctor_lists_all_tasks_of_a_project_that_samples(needy):
    needy.pytester.makeini("[pytest]\nmobile_sample = 2\nmobile_shard = 1/2")
    assert len(select([str(needy.pytester.path)]).tasks) == 12


def case(name, level, app, suite="bench"):
    return Case(Task("Do it.", app=app, level=level), name, suite)


@pytest.fixture(scope="module")
def cases():
    """The tasks of Mobile-Bench-v2, with their levels."""
    simple = [case(f"simple-{n}", 1, f"app{n % 49}") for n in range(9620)]
    return simple + [case(f"complex-{n}", 2, f"app{n % 49}") for n in range(3234)]


def test_the_sample_of_mobile_bench_v2_has_its_levels(cases):
    ids = sampled(cases, 800, 0)
    assert len({*ids}) == len(ids) == 800
    # The benchmark's own sample is rounded to hundreds: 600 and 200.
    assert Counter(name.partition("-")[0] for name in ids) == {"simple": 599, "complex": 201}
    apps = Counter(each.task.app for each in cases if each.id in set(ids))
    assert max(apps.values()) - min(apps.values()) <= 2


def test_shares_give_the_rounded_sample_of_mobile_bench_v2(cases):
    whole = len(cases)
    shares = {1: Fraction(600 * whole, 800 * 9620), 2: Fraction(200 * whole, 800 * 3234)}
    ids = sampled(cases, 800, 0, {each.id: shares[each.task.level] for each in cases})
    assert Counter(name.partition("-")[0] for name in ids) == {"simple": 600, "complex": 200}


def test_a_sample_does_not_depend_on_the_order():
    cases = [case(f"t{n}", 1 + n % 3, f"app{n % 5}", f"suite{n % 2}") for n in range(100)]
    for most in (1, 7, 50, 99, 100, 500):
        ids = sampled(cases, most, 3)
        assert len(ids) == min(most, 100)
        assert sorted(ids) == sorted(sampled(cases[::-1], most, 3))


def test_shares_are_rounded_by_the_largest_remainders():
    sizes = {"a": 5, "b": 3, "c": 2}
    assert in_proportion(sizes, 3, str.encode) == {"a": 1, "b": 1, "c": 1}
    assert in_proportion(sizes, 4, str.encode) == {"a": 2, "b": 1, "c": 1}
    assert in_proportion({"a": 1, "b": 1, "c": 1}, 2, str.encode) == {"a": 1, "b": 1, "c": 0}
