"""Test functions that are tasks: their decorators, drawn values, and task-specific features."""

from __future__ import annotations

import pytest

from tests.plugin.projects import REPEATS, ids


@pytest.mark.parametrize(
    ("decorator", "message"),
    [
        (
            "@task('Go.', kind='operatoin')",
            "kind='operatoin' is not one of *did you mean 'operation'?",
        ),
        ("@task('Go.', level=4)", "level=4 is not one of 1, 2, 3"),
        ("@task('  ')", "a task needs a goal in words, not '  '"),
        ("@task('Go.', needs=['wifi'])", "needs=*'wifi' is not one of events, pages, web, *"),
        ("@pytest.mark.mobile_task('Go.', lvel=1)", "*lvel*"),
    ],
)
def test_an_invalid_field_is_reported_with_the_tasks_location(shop, decorator, message):
    result = shop.run(f"{decorator}\ndef test_go(episode): pass")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines([message])


def test_unknown_keyword_raises_pythons_own_error(shop):
    result = shop.run("@task('Go.', lvel=1)\ndef test_go(episode): pass")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*TypeError: task() got an unexpected keyword argument 'lvel'*"])


DRAWS = """
def any_time(random):
    return {"hour": random.randrange(24), "minute": random.choice([0, 15, 30, 45])}

@task("Set an alarm for {hour}:{minute:02}.", parameters=any_time)
def test_alarm(episode, hour, minute):
    assert episode.answer == f"Set an alarm for {hour}:{minute:02}."
"""


def test_drawn_values_fill_the_goal_but_not_the_id(shop):
    shop.run(DRAWS).assert_outcomes(passed=1)
    (task,) = shop.recorded()
    assert task["nodeid"] == "tasks/shop/test_shop.py::test_alarm"
    assert set(task["parameters"]) == {"hour", "minute"}


def test_values_are_drawn_for_each_epoch(shop):
    shop.run(DRAWS, "--mobile-epochs=4").assert_outcomes(passed=4)
    tasks = shop.recorded()
    assert [task["nodeid"].rpartition("::")[2] for task in tasks] == [
        f"test_alarm[epoch{number}]" for number in range(4)
    ]
    assert len({str(task["parameters"]) for task in tasks}) > 1


def test_drawn_values_combine_with_fixed_ones(shop):
    body = "@pytest.mark.parametrize('day', ['Monday', 'Sunday'])" + DRAWS.partition("}\n")[2]
    body = DRAWS.partition("}\n")[0] + "}\n" + body.replace("minute)", "minute, day)", 1)
    result = shop.run(body, "--collect-only", "-q", "--mobile-epochs=2")
    assert ids(result) == [
        f"test_alarm[{day}-epoch{epoch}]" for day in ("Monday", "Sunday") for epoch in (0, 1)
    ]


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        ("lambda random: 1 / 0", "its parameters= raised ZeroDivisionError: division by zero"),
        ("lambda random: {str(random.random()): 1}", "its parameters= returns other names in *"),
    ],
)
def test_undrawable_values_are_a_broken_task(shop, draw, message):
    result = shop.run(
        f"@task('Go.', parameters={draw})\ndef test_go(episode): pass", "--mobile-epochs=2"
    )
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines([message])


def test_task_prepares_the_device_and_cleans_up(shop):
    body = """
done = []

@task("Go.", prepare=lambda device: device.perform(Key("home")),
      clean_up=lambda device: done.append(len(device.actions)))
def test_go(episode):
    assert episode.steps == () or episode.step_count == 0

def test_after():
    assert done == [1]
"""
    shop.run(body).assert_outcomes(passed=2)


def test_user_of_a_task_answers_questions(shop):
    replies = {
        "'Large.'": "Large.",
        "{'size': 'Small.'}": "Small.",
        "None": "The user does not answer.",
    }
    each = "@task('Buy shoes.', user={})\ndef test_{}(episode): assert episode.answer == {!r}\n"
    bodies = (each.format(user, n, reply) for n, (user, reply) in enumerate(replies.items()))
    shop.run("".join(bodies), agent="asks").assert_outcomes(passed=3)


def test_task_that_needs_events_is_skipped_without_a_listener(shop):
    body = """
@task("Go.", needs=["events"])
def test_go(episode):
    assert False
"""
    conftest = REPEATS.replace(
        'FakePhone([make_screen("home")])', 'FakePhone([make_screen("home")], info=DEAF)'
    )
    deaf = """
from pytest_mobileagent import DeviceInfo
DEAF = DeviceInfo("fake", "Fake", "15", 35, (1080, 2400), 420, listener=False)
"""
    shop.pytester.makepyfile(deaf_conftest=conftest)
    (shop.path / "tasks").mkdir()
    (shop.path / "tasks" / "conftest.py").write_text(deaf + conftest)
    shop.run(body).assert_outcomes(skipped=1)
    assert "events" in shop.report()[0]["reason"]
    assert shop.report()[0]["skipped_for"] == "listener"


def test_suite_is_the_folder_unless_the_task_names_one(shop):
    body = """
@task("Go.")
def test_one(episode): pass

@task("Go.", suite="errands")
def test_two(episode): pass
"""
    shop.run(body).assert_outcomes(passed=2)
    assert [task["suite"] for task in shop.report()] == ["shop", "errands"]
