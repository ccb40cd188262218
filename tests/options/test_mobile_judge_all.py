"""--mobile-judge-all: tasks that have a check are judged as well."""

from __future__ import annotations

from pytest_mobileagent.testing import ScriptedReply
from tests.options import judging


def test_the_check_decides_and_verdicts_of_judges_are_beside_it(asking):
    judging.write_checked(asking)
    judges = ["--llm-judge=single", f"--mobile-judges={asking.script('Result: 0')}"]
    result = judging.run(asking, *judges, "--mobile-judge-all")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        ["check and judge differ (1 of 1):", "*check: done   replies.jsonl: not done"]
    )
    task = judging.task(asking)
    assert task["verdict"]["scorer"] == "check"
    assert task["judged"]["passed"] is False
    assert task["roles"]["judge"]["calls"] == 1


def test_nothing_is_listed_if_check_and_judges_agree(asking):
    judging.write_checked(asking, "4712")
    judges = ["--llm-judge=single", f"--mobile-judges={asking.script('Result: 0')}"]
    result = judging.run(asking, *judges, "--mobile-judge-all")
    result.assert_outcomes(failed=1)
    result.stdout.no_fnmatch_line("*differ*")


def test_a_judge_that_fails_decides_nothing(asking):
    judging.write_checked(asking)
    judges = ["--llm-judge=single", f"--mobile-judges={asking.script(*['?'] * 4)}"]
    result = judging.run(asking, *judges, "--mobile-judge-all")
    result.assert_outcomes(passed=1)
    task = judging.task(asking)
    assert task["judged"]["passed"] is None
    assert task["roles"]["judge"]["calls"] == 4
    result.stdout.fnmatch_lines(
        ["not decided by judges (1):", "  *   *its reply cannot be read, *"], consecutive=True
    )
    result.stdout.no_fnmatch_line("*differ*")


def test_a_spent_budget_leaves_the_check_its_verdict(asking, served):
    judging.write_checked(asking)
    dear = ScriptedReply("unreadable", input_tokens=9000, output_tokens=1)
    judges = ["--llm-judge=single", f"--mobile-judges={served(dear)}", "--mobile-judge-all"]
    limits = ["-omobile_prices=prices.toml", "--mobile-max-cost=0.5"]
    asking.run(*judges, *limits, agent="Silent").assert_outcomes(passed=1)
    assert judging.task(asking)["judged"]["passed"] is None


def test_without_it_only_tasks_that_ask_are_judged(asking):
    judging.write_checked(asking)
    judges = ["--llm-judge=single", f"--mobile-judges={asking.script('Result: 0')}"]
    judging.run(asking, *judges).assert_outcomes(passed=1)
    assert judging.task(asking)["judged"] is None


def test_a_body_may_ask_judges_beside_itself(asking):
    code = judging.CHECKED.replace("ANSWER", "4711").replace("(episode):", "(episode, judge):")
    code = code.replace("    assert", "    judge.beside(episode, reason=True)\n    assert")
    asking.pytester.makepyfile(test_codes=code)
    no = asking.script("No.\nResult: 0")
    judges = ["--llm-judge=single", f"--mobile-judges={no}"]
    result = judging.run(asking, *judges)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["check and judge differ (1 of 1):"])
    task = judging.task(asking)
    assert (task["verdict"]["scorer"], task["judged"]["passed"]) == ("check", False)
    judging.run(asking).assert_outcomes(passed=1)  # without --llm-judge, no judge is asked


def test_judging_all_needs_judges(asking):
    error = asking.refused("--mobile-judge-all", agent="Silent")
    assert error == ("--mobile-judge-all=true: there is no judge: add --llm-judge=single or cross")


def test_a_project_that_judges_all_by_default_may_judge_nothing(asking):
    judging.write_checked(asking)
    asking.pytester.makeini("[pytest]\nmobile_judge_all = true")
    judging.run(asking, "--llm-judge=off").assert_outcomes(passed=1)


def test_the_value_may_come_from_other_sources(header, monkeypatch, refused):
    monkeypatch.setenv("MOBILE_JUDGE_ALL", "maybe")
    assert "must be true or false" in refused()
    monkeypatch.setenv("MOBILE_JUDGE_ALL", "false")
    assert "--mobile-judge-all=false (environment variable MOBILE_JUDGE_ALL)" in header()
