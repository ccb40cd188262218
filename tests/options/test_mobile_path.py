"""--mobile-path: the agent's own path, or the golden path regardless of its decisions."""

from __future__ import annotations

import json
from typing import Any

import pytest

CONFTEST = """
import pytest
from pytest_mobileagent.testing import FakeLease, MemoryPhone, make_screen

@pytest.fixture(scope="session")
def mobile_lease():
    with open("leased.txt", "a") as file:
        file.write("leased ")
    pages = {name: make_screen(name, "Next") for name in ("home", "list", "mug")}
    return FakeLease(MemoryPhone(pages, {}))
"""
AGENTS = """
from pytest_mobileagent import Agent, Finish, Tap

class Right(Agent):
    def step(self, observation):
        return Tap(540, 180) if observation.screen.texts[0] != "mug" else Finish("12")

class Half(Agent):
    def step(self, observation):
        return {"home": Tap(540, 180), "list": Tap(540, 60)}.get(
            observation.screen.texts[0], Finish("12"))

class Early(Agent):
    def step(self, observation):
        return Finish("12")

class Stillborn(Agent):
    def step(self, observation):
        raise RuntimeError("no idea")

class Broken(Agent):
    def step(self, observation):
        if observation.done is not None:
            raise RuntimeError("out of ideas")
        return Tap(540, 180)
"""
TASKS = """
from pytest_mobileagent import Bounds, Finish, Tap, check, open_app, rows, tap, task, tasks
from pytest_mobileagent.action.matching import Golden

NEXT = Bounds(0, 120, 1080, 240)
GOLDEN = [
    Golden(Tap(540, 180), (1080, 2400), (NEXT,), "home"),
    Golden(Tap(540, 180), (1080, 2400), (NEXT,), "list"),
    Golden(Finish("12"), (1080, 2400), page="mug"),
]

@task("What does the mug cost?", golden=GOLDEN, level=1, tags=["simple"])
def test_price(episode):
    assert episode.answers("12")
"""


@pytest.fixture
def shop(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makeini("[pytest]\naddopts = -p no:cacheprovider")
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(agents=AGENTS, test_shop=TASKS)
    return pytester


def run(shop: pytest.Pytester, agent: str, *arguments: str) -> pytest.RunResult:
    name = agent if agent == "oracle" else f"agents.py:{agent}"
    given = [f"--agent={name}", "--mobile-agent-process=off", "--mobile-path=single"]
    return shop.runpytest_inprocess(*given, *arguments)


def report(shop: pytest.Pytester, runs: str = "runs") -> dict[str, Any]:
    path = max((shop.path / runs).glob("*/report.json"))
    return dict(json.loads(path.read_text()))


def test_an_agent_that_decides_as_the_path_does_passes(shop):
    result = run(shop, "Right")
    result.assert_outcomes(passed=1)
    (task,) = report(shop)["tasks"]
    assert task["matches"] == [
        {"step": n, "type": True, "exact": True, "counts": True} for n in (1, 2, 3)
    ]
    assert (task["matched_by"], task["step_accuracy"], task["type_accuracy"]) == ("graph", 1, 1)
    assert (task["termination"], task["steps"], task["golden_steps"]) == ("end of path", 2, 2)
    assert (task["first_success_step"], task["no_effect_steps"]) == (None, None)


VAGUE = """
from pytest_mobileagent import ask_user, questions, tap, task, type_text

@task("Buy a mug.", vague="Buy it.", user=questions([("Which one?", "the mug")]),
      solution=[ask_user("Which one?", what="a cup"), tap(text="Next"), type_text("{what}")])
def test_mug(episode):
    assert [type(step.golden.action).__name__ for step in episode.steps] == %r
    assert episode.steps[-1].golden.action.text == "the mug"
"""


@pytest.mark.parametrize(
    ("variant", "actions"), [("vague", ["Ask", "Tap", "Type"]), ("full", ["Tap", "Type"])]
)
def test_the_golden_path_of_a_solution_that_asks_has_the_users_answer(shop, variant, actions):
    shop.makepyfile(test_shop=VAGUE % actions)
    run(shop, "oracle", "-k", variant).assert_outcomes(passed=1)


def test_free_paths_are_compared_with_golden_actions_if_the_body_compares_nothing(shop):
    free = "--agent=agents.py:Early", "--mobile-agent-process=off", "--mobile-path=multi"
    shop.runpytest_inprocess(*free).assert_outcomes(passed=1)
    (task,) = report(shop)["tasks"]
    assert [(each["type"], each["exact"]) for each in task["matches"]] == [(False, False)] * 3
    assert (task["step_accuracy"], task["success"]) == (0, True)
    half = "--agent=agents.py:Half", *free[1:], "--mobile-runs=more", "--mobile-max-steps=2"
    shop.runpytest_inprocess(*half).assert_outcomes(failed=1)
    (task,) = report(shop, "more")["tasks"]
    assert [each["exact"] for each in task["matches"]] == [True, True, False]


def test_golden_actions_that_close_noise_are_counted_apart(shop):
    noisy = '(NEXT,), "list", noisy=True)'
    shop.makepyfile(test_shop=TASKS.replace('(NEXT,), "list")', noisy))
    for agent, right in {"Half": 0, "Right": 1}.items():
        run(shop, agent, f"--mobile-runs={agent}")
        whole = report(shop, agent)
        (task,) = whole["tasks"]
        assert [each.get("noisy") for each in task["matches"]] == [None, True, None]
        assert (task["noisy_steps_asking"], task["noisy_steps_right"]) == (1, right)
        assert whole["summary"]["noisy_step_accuracy"] == right


def test_a_wrong_step_fails_although_the_golden_page_is_reached(shop, fnmatch):
    result = run(shop, "Half")
    result.assert_outcomes(failed=1)
    out = result.stdout
    out.fnmatch_lines(["*1 of 3 steps are not the golden one, by graph: step 2*"])
    out.fnmatch_lines(["suite * step acc.  type acc.", "* 66.7% *100.0%", "*matched by graph"])
    whole = report(shop)
    (task,) = whole["tasks"]
    assert [each["exact"] for each in task["matches"]] == [True, False, True]
    for summary in (
        whole["summary"],
        whole["summary"]["levels"]["1"],
        whole["summary"]["tags"]["simple"],
        whole["summary"]["languages"]["en"],
    ):
        assert summary["step_accuracy"] == pytest.approx(2 / 3)
        assert (summary["type_accuracy"], summary["path_success_rate"]) == (1, 0)
        assert (summary["matched"], summary["matched_steps"], summary["exact_steps"]) == (1, 3, 2)
        assert summary["scorers"] == ["graph"]


def test_a_premature_report_is_a_wrong_decision_and_the_path_continues(shop):
    run(shop, "Early").assert_outcomes(failed=1)
    (task,) = report(shop)["tasks"]
    assert [each["type"] for each in task["matches"]] == [False, False, True]
    assert task["premature"] is False


def test_an_agent_that_fails_at_its_first_decision_has_matched_nothing(shop):
    run(shop, "Stillborn").assert_outcomes(failed=1)
    (task,) = report(shop)["tasks"]
    assert (task["termination"], task["answer"]) == ("agent error", "")
    assert [each["exact"] for each in task["matches"]] == [False] * 3


def test_steps_that_an_agent_does_not_reach_are_wrong(shop):
    run(shop, "Broken").assert_outcomes(failed=1)
    (task,) = report(shop)["tasks"]
    assert task["termination"] == "agent error"
    assert [each["exact"] for each in task["matches"]] == [True, False, False]


BODIES = """
@task("What does the mug cost?", golden=GOLDEN)
def test_own_rule(episode):
    matches = check.compare(check.mobile_bench, episode, GOLDEN, scorer="code")
    assert sum(map(bool, matches)) >= 0

@task("What does the mug cost?", golden=GOLDEN)
def test_fails_before_it_compares(episode):
    assert episode.answers("13")
"""


def test_a_body_may_compare_by_a_rule_of_its_own(shop):
    shop.makepyfile(test_shop=TASKS + BODIES)
    run(shop, "Half", "-k", "own_rule").assert_outcomes(passed=1)
    (task,) = report(shop)["tasks"]
    assert task["matched_by"] == "mobile_bench:code"
    assert [each["exact"] for each in task["matches"]] == [False, False, False]
    run(shop, "Right", "-k", "fails_before", "--mobile-runs=more").assert_outcomes(failed=1)
    (task,) = report(shop, "more")["tasks"]
    assert (task["matched_by"], task["step_accuracy"]) == ("graph", 1)


def test_steps_are_compared_off_the_path_too(shop):
    shop.makepyfile(test_shop=TASKS + BODIES)
    result = shop.runpytest_inprocess(
        "--agent=agents.py:Half", "--mobile-agent-process=off", "-k", "own_rule"
    )
    result.assert_outcomes(passed=1)
    (task,) = report(shop)["tasks"]
    assert len(task["matches"]) == 3


def test_a_task_without_golden_actions_is_skipped_before_a_device_is_leased(shop):
    shop.makepyfile(
        test_shop="from pytest_mobileagent import task\n"
        '@task("Do it.")\ndef test_it(episode): pass\n'
    )
    result = run(shop, "Right", "-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["SKIPPED*the task has no golden actions*golden=*"])
    assert report(shop)["tasks"][0]["skipped_for"] == "golden"
    assert not (shop.path / "leased.txt").exists()


@pytest.mark.parametrize("agent", ["cmd:true", "cmd:true {mcp_url}"])
def test_a_program_drives_the_phone_itself(shop, agent):
    result = shop.runpytest_inprocess(f"--agent={agent}", "--mobile-path=single")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --mobile-path=single*a program acts by itself*"])


def test_scoring_again_gives_the_same(shop):
    run(shop, "Half")
    before = report(shop)["tasks"][0]
    (shop.path / "leased.txt").unlink()
    shop.runpytest_inprocess("--mobile-rescore=runs", "--mobile-runs=again").assert_outcomes(
        failed=1
    )
    after = report(shop, "again")["tasks"][0]
    for name in ("matches", "matched_by", "step_accuracy", "outcome", "reason"):
        assert after[name] == before[name]
    assert not (shop.path / "leased.txt").exists()


TABLE = [
    {"id": "one", "goal": "Find it.", "golden": [
        {"action": {"action": "Tap", "x": 540, "y": 180}, "size": [1080, 2400],
         "boxes": [[0, 120, 1080, 240]], "page": "list"}]},
    {"id": "two", "goal": "Find it.", "golden": [
        {"action": {"action": "Key", "name": "back"}, "size": [1080, 2400], "page": "mug"}]},
]  # fmt: skip


def test_a_table_may_hold_golden_actions(shop):
    (shop.path / "shop.jsonl").write_text("\n".join(map(json.dumps, TABLE)))
    shop.makepyfile(
        test_shop="from pytest_mobileagent import rows, tasks\n"
        '@tasks(rows("shop.jsonl"))\ndef test_it(episode, row): pass\n'
    )
    result = run(shop, "Right")
    result.assert_outcomes(passed=1, failed=1)
    whole = report(shop)
    assert whole["summary"]["path_success_rate"] == 0.5
    assert "golden" not in whole["tasks"][0]["parameters"]
