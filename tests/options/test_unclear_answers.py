"""Tests of bodies whose answers are unclear: their result is that of both assumptions, or none."""

from __future__ import annotations

import pytest

from tests.options import judging

BODIES = """
from pytest_mobileagent import task

def unclear(episode):
    return episode.answers("4711 North")  # the agent says 4711

def also_unclear(episode):
    return episode.answers("4711 South")

@task("Tell me the code.")
def test_code(episode):
    BODY
"""


OUTCOMES = {
    "assert unclear(episode)": "review",
    "assert not unclear(episode)": "review",
    "assert unclear(episode) or episode.answers('4711')": "passed",
    "assert unclear(episode) and episode.answers('4712')": "failed",
    "assert any(ask(episode) for ask in (unclear, also_unclear))": "review",
    "assert unclear(episode) != also_unclear(episode)": "review",
    "assert unclear(episode) or not unclear(episode)": "passed",
    "assert sum([unclear(episode), also_unclear(episode)]) < 3": "passed",
    "assert episode.answers('4712') or unclear(episode) == 2": "failed",
    "if unclear(episode): assert also_unclear(episode)": "review",
    "assert episode.answers('4712'); assert unclear(episode)": "failed",
}


def test_result_is_undecided_only_if_it_depends_on_the_answer(asking):
    helpers, _, body = BODIES.partition("@task")
    tasks = [f"@task{body}".replace("BODY", each) for each in OUTCOMES]
    named = [task.replace("test_code", f"test_{n:02}") for n, task in enumerate(tasks)]
    asking.pytester.makepyfile(test_codes="".join([helpers, *named]))
    judging.run(asking, "-p", "no:randomly")
    found = sorted(asking.report()["tasks"], key=lambda task: task["nodeid"])
    assert dict(zip(OUTCOMES, (task["outcome"] for task in found), strict=True)) == OUTCOMES
    assert [task["unclear"] for task in found] == [each == "review" for each in OUTCOMES.values()]


SUBGOALS = """
with episode.subgoal("code"):
        assert unclear(episode)
    with episode.subgoal("free"):
        assert episode.answers(EXPECTED)
"""


@pytest.mark.parametrize(("expected", "outcome"), [("4711", "review"), ("4712", "failed")])
def test_sub_goals_are_evaluated_once_whatever_is_assumed(asking, expected, outcome):
    body = SUBGOALS.strip().replace("EXPECTED", repr(expected))
    asking.pytester.makepyfile(test_codes=BODIES.replace("BODY", body))
    judging.run(asking)
    task = judging.task(asking)
    assert task["outcome"] == outcome
    if outcome == "failed":
        assert [each["name"] for each in task["subgoals"]] == ["code", "free"]


def test_run_says_what_is_unclear_and_what_a_judge_would_cost(asking):
    asking.pytester.makepyfile(test_codes=BODIES.replace("BODY", "assert unclear(episode)"))
    result = judging.run(asking)
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "unclear answers (1): success rate 0.0% if all are wrong, 100.0% if all are right",
            "for review (1):",
            "*the answer says '4711 North' among other things: \"4711\"*",
            "decide it: *",
            "or let a judge decide the unclear answers (1; about 404 tokens): *PROVIDER:NAME",
        ]
    )
    summary = asking.report()["summary"]
    assert (summary["unclear"], summary["success_rate"]) == (1, None)
    assert (summary["success_rate_lower"], summary["success_rate_upper"]) == (0.0, 1.0)


def test_rescoring_lets_a_judge_decide(asking):
    asking.pytester.makepyfile(test_codes=BODIES.replace("BODY", "assert unclear(episode)"))
    judging.run(asking)
    judges = f"--mobile-judges={asking.script('Result: 1')}"
    judging.run(asking, "--llm-judge=single", judges, "--mobile-rescore=runs")
    task = judging.task(asking)
    assert (task["outcome"], task["unclear"]) == ("passed", False)


def test_collecting_says_how_expected_answers_are_read(asking):
    body = "assert episode.answers('$4.50') and episode.answers(['1.2 GB', 'Tidewater'])"
    asking.pytester.makepyfile(test_codes=BODIES.replace("BODY", body))
    result = judging.run(asking, "--collect-only", "-v")
    result.stdout.fnmatch_lines(
        [
            "*<Function test_code>",
            "*answers: the sum $4.50",
            "*answers: the quantity 1.2 GB, 'Tidewater'",
        ]
    )
