"""--llm-judge: who decides tasks that ask for `judge`."""

from __future__ import annotations

import pytest

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
    judging.run(asking, "--llm-judge=single", judges).assert_outcomes(**{outcome: 1})
    task = judging.task(asking)
    assert task["outcome"] == outcome
    assert task["verdict"]["scorer"] == "judge"
    (judge,) = task["verdict"]["evidence"]["judges"]
    assert (judge["model"], judge["passed"]) == ("scripted:replies.jsonl", outcome == "passed")
    assert task["calls"] == 0
    assert task["roles"]["judge"]["calls"] == 1


def test_two_that_agree_decide(asking):
    judging.write(asking)
    judges = f"--mobile-judges={asking.script(YES)},{asking.script(YES, name='other')}"
    judging.run(asking, "--llm-judge=cross", judges).assert_outcomes(passed=1)
    assert judging.task(asking)["verdict"]["scorer"] == "judges"


def test_two_that_differ_leave_it_for_review(asking):
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


def test_a_judge_that_says_nothing_readable_is_an_error_of_the_judge(asking):
    judging.write(asking)
    judges = f"--mobile-judges={asking.script(*['Well …'] * 4)}"
    result = judging.run(asking, "--llm-judge=single", judges)
    assert result.ret == 1
    task = judging.task(asking)
    assert (task["outcome"], task["success"], task["fault"]) == ("error", None, "judge")
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


def test_another_word_is_refused(refused):
    assert "has to be one of off, single, cross" in refused("--llm-judge=both")


def test_it_may_come_from_elsewhere(header, monkeypatch):
    monkeypatch.setenv("MOBILE_LLM_JUDGE", "off")
    assert "--llm-judge=off (environment variable MOBILE_LLM_JUDGE)" in header()
