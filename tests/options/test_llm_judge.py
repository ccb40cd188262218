"""--llm-judge: which judges decide tasks that use the `judge` fixture."""

from __future__ import annotations

import pytest

from pytest_mobileagent.testing import ScriptedModel, ScriptedReply
from tests.options import judging

YES, NO = "Result: 1", "Result: 0"


def test_without_a_judge_such_a_task_is_left_for_review(asking):
    judging.write(asking)
    result = judging.run(asking)
    assert result.ret == 0
    task = judging.task(asking)
    assert (task["outcome"], task["success"], task["fault"]) == ("review", None, None)
    result.stdout.fnmatch_lines(
        [
            "test_codes.py R *",
            "for review (1):",
            "*no judge is set: --llm-judge=single or cross",
            "decide it: python -m pytest_mobileagent review",
        ]
    )


@pytest.mark.parametrize(("reply", "outcome"), [(YES, "passed"), (NO, "failed")])
def test_a_single_judge_decides(asking, reply, outcome):
    judging.write(asking)
    judges = f"--mobile-judges={asking.script(reply)}"
    result = judging.run(asking, "--llm-judge=single", judges)
    result.assert_outcomes(**{outcome: 1})
    result.stdout.no_fnmatch_line("*on the way*")  # the judge was not asked about that
    task = judging.task(asking)
    assert task["outcome"] == outcome
    assert task["verdict"]["scorer"] == "judge"
    (judge,) = task["verdict"]["evidence"]["judges"]
    assert (judge["model"], judge["passed"]) == ("scripted:replies.jsonl", outcome == "passed")
    assert task["calls"] == 0
    assert task["roles"]["judge"]["calls"] == 1


def test_a_judge_of_gemini_decides(asking, monkeypatch):
    monkeypatch.setenv("GEMINI_API_KEY", "AIza-not-a-real-key")
    judging.write(asking)
    with ScriptedModel([YES]).serve() as url:
        judges = f"--mobile-judges=gemini:gemini-2.5-flash@{url}/v1beta"
        judging.run(asking, "--llm-judge=single", judges).assert_outcomes(passed=1)
    (judge,) = judging.task(asking)["verdict"]["evidence"]["judges"]
    assert (judge["model"], judge["passed"]) == ("gemini:gemini-2.5-flash", True)


def test_two_judges_that_agree_decide(asking):
    judging.write(asking)
    judges = f"--mobile-judges={asking.script(YES)},{asking.script(YES, name='other')}"
    judging.run(asking, "--llm-judge=cross", judges).assert_outcomes(passed=1)
    assert judging.task(asking)["verdict"]["scorer"] == "judges"


def test_two_judges_that_disagree_leave_it_for_review(asking):
    judging.write(asking)
    judges = f"--mobile-judges={asking.script(YES)},{asking.script(NO, name='other')}"
    result = judging.run(asking, "--llm-judge=cross", judges)
    assert result.ret == 0
    assert judging.task(asking)["outcome"] == "review"
    result.stdout.fnmatch_lines(
        [
            "*for review (1):",
            "*replies.jsonl: done *other.jsonl: not done",
            "decide it: * review        (or name a third model in --mobile-judges, which then *)",
        ]
    )


def test_a_third_settles_a_dispute(asking):
    judging.write(asking)
    names = ("first", "second", "third")
    given = [
        asking.script(*said, name=n) for n, said in zip(names, ([YES], [NO], [NO]), strict=True)
    ]
    judges = f"--mobile-judges={','.join(given)}"
    judging.run(asking, "--llm-judge=cross", judges).assert_outcomes(failed=1)
    assert judging.task(asking)["roles"]["judge"]["calls"] == 3


def test_an_unreadable_judge_is_an_error_of_the_judge(asking):
    judging.write(asking)
    judges = f"--mobile-judges={asking.script(*['Well …'] * 4)}"
    result = judging.run(asking, "--llm-judge=single", judges)
    assert result.ret == 1
    task = judging.task(asking)
    assert (task["outcome"], task["success"], task["fault"]) == ("error", None, "judge")
    assert task["roles"]["judge"]["calls"] == 4
    result.stdout.fnmatch_lines(["*its reply cannot be read*"])


ONE = "asks a model: --mobile-judges=PROVIDER:NAME,…"
TWO = "asks two models, and a third to settle disputes: --mobile-judges=PROVIDER:NAME,…"


@pytest.mark.parametrize(
    ("mode", "judges", "why"),
    [("single", [], ONE), ("cross", [], TWO), ("cross", ["--mobile-judges=SCRIPT"], TWO)],
)
def test_too_few_judges_are_refused(asking, mode, judges, why):
    given = [argument.replace("SCRIPT", asking.script(YES)) for argument in judges]
    refused = asking.refused(f"--llm-judge={mode}", *given, agent="Silent")
    assert refused == f"--llm-judge={mode} {why}"


def test_the_value_may_come_from_other_sources(header, monkeypatch):
    monkeypatch.setenv("MOBILE_LLM_JUDGE", "off")
    assert "--llm-judge=off (environment variable MOBILE_LLM_JUDGE)" in header()


UNCLEAR = """
from pytest_mobileagent import task

@task("Tell me the code.", kind="single-frame query")
def test_code(episode):
    assert episode.answers("4711 North")
"""


@pytest.mark.parametrize(("reply", "outcome"), [(YES, "passed"), (NO, "failed")])
def test_a_judge_compares_answers_that_are_unclear(asking, reply, outcome):
    asking.pytester.makepyfile(test_codes=UNCLEAR)
    judges = f"--mobile-judges={asking.script(reply)}"
    judging.run(asking, "--llm-judge=single", judges).assert_outcomes(**{outcome: 1})
    task = judging.task(asking)
    assert (task["verdict"]["scorer"], task["unclear"]) == ("check", False)
    (unclear,) = task["verdict"]["evidence"]["unclear"]
    assert unclear == {
        "goal": "Tell me the code.",
        "expected": "'4711 North'",
        "answer": "4711",
        "said": [],  # nothing in it is the name that is expected
        "right": outcome == "passed",
    }
    assert task["roles"]["judge"]["calls"] == 1
    (log,) = (asking.pytester.path / "runs").glob("*/episodes/*/judges.jsonl")
    assert "4711 North" in log.read_text("utf-8")


def test_a_spent_budget_of_the_run_stops_judging(asking, served):
    judging.write(asking)
    dear = ScriptedReply("unreadable", input_tokens=9000, output_tokens=1)
    judge = f"--mobile-judges={served(dear, YES)}"
    limits = ["-omobile_prices=prices.toml", "--mobile-max-cost=0.5"]
    result = asking.run("--llm-judge=single", judge, *limits, agent="Silent")
    assert result.ret == 2
    task = judging.task(asking)
    assert (task["outcome"], task["success"], task["fault"]) == ("error", None, "budget")
    result.stdout.fnmatch_lines(["budget: --mobile-max-cost=0.5 is spent: *"])


def test_a_body_may_overrule_a_judge(asking):
    asking.pytester.makepyfile(
        test_codes=judging.TASKS.replace("COUNT", "1").replace(
            "assert judge(episode)", "assert judge(episode) and episode.answers('4712')"
        )
    )
    judges = f"--mobile-judges={asking.script(YES)}"
    judging.run(asking, "--llm-judge=single", judges).assert_outcomes(failed=1)
    verdict = judging.task(asking)["verdict"]
    assert verdict["scorer"] == "check"
    assert verdict["evidence"]["judges"][0]["passed"] is True


def test_a_wrong_argument_is_the_tasks_fault(asking):
    body = "assert judge(episode, key_componets=['a'])"
    asking.pytester.makepyfile(
        test_codes=judging.TASKS.replace("COUNT", "1").replace("assert judge(episode)", body)
    )
    judging.run(asking, "--llm-judge=single", f"--mobile-judges={asking.script(YES)}")
    task = judging.task(asking)
    assert (task["outcome"], task["fault"]) == ("error", "task")
    assert "judge() has no argument 'key_componets'" in task["reason"]


def test_the_same_question_twice_is_one_question(asking):
    body = "assert judge(episode)"
    twice = judging.TASKS.replace("COUNT", "1").replace(body, f"{body}\n    {body}")
    asking.pytester.makepyfile(test_codes=twice)
    judging.run(asking, "--llm-judge=single", f"--mobile-judges={asking.script(YES)}")
    task = judging.task(asking)
    assert len(task["verdict"]["evidence"]["judges"]) == 1
    assert task["roles"]["judge"]["calls"] == 1


def test_long_reasons_are_cut_where_they_are_shown(asking):
    judging.write(asking)
    long = asking.script(f"{'very ' * 9000}\n{NO}")
    judging.run(asking, "--llm-judge=single", f"--mobile-judges={long}")
    verdict = judging.task(asking)["verdict"]
    assert len(verdict["reason"]) < 500
    assert len(verdict["evidence"]["judges"][0]["reason"]) > 40_000
