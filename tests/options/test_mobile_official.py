"""--mobile-official: a benchmark's own evaluation, beside the verdicts or in place of them."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_mobileagent.verdict import effective, verdicts
from tests.options import judging

TASKS = """
from pathlib import Path
import pytest
from pytest_mobileagent import task
from pytest_mobileagent.judge.official import Evaluation

@pytest.mark.parametrize("name", NAMES)
@task("Tell me the code.")
def test_code(episode, judge, name):
    copy = Path(__file__).with_name("copy")
    given = Evaluation(
        "shop-official", f"shop.csv ({name})", copy, f"shop.{name}", "eval", (episode.answer,),
        stand_ins=("openai",),
    )
    passed = judge.official(episode, given)
    if passed is not None:
        assert passed
        return
    assert episode.answers("4711")
"""
ASKS = """
from openai import OpenAI
def eval(answer):
    asked = [{"role": "user", "content": f"Is {answer} right?"}]
    reply = OpenAI().chat.completions.create(model="m", messages=asked)
    return reply.choices[0].message.content == "Yes"
"""
EVALUATIONS = {
    "same": "def eval(answer):\n    return answer == '4711'\n",
    "other": "def eval(answer):\n    return answer == '0815'\n",
    "broken": "def eval(answer):\n    return {}[answer]\n",
    "asks": ASKS,
}


@pytest.fixture
def shop(asking: Any) -> Any:
    folder = asking.pytester.path / "copy" / "shop"
    folder.mkdir(parents=True)
    for name, source in EVALUATIONS.items():
        (folder / f"{name}.py").write_text(source)
    return asking


def run(shop: Any, names: list[str], *arguments: str) -> pytest.RunResult:
    shop.pytester.makepyfile(test_codes=TASKS.replace("NAMES", repr(names)))
    return judging.run(shop, *arguments)


def tasks_of(shop: Any) -> dict[str, Any]:
    """Return the tasks of the most recent report, keyed by the name of their evaluation."""
    return {task["id"].partition("[")[2][:-1]: task for task in shop.report()["tasks"]}


def test_by_default_it_is_beside_and_decides_nothing(shop: Any) -> None:
    judges = ["--llm-judge=single", f"--mobile-judges={shop.script('No')}"]
    result = run(shop, ["same", "other", "broken", "asks"], *judges)
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(
        [
            "shop-official agrees on 1 of 3, and differs on:",
            "  *asks*   ours: done   shop/asks.py: not done",
            "  *other*   ours: done   shop/other.py: not done",
            "shop-official broke (1):",
            "  *broken*   KeyError: '4711', in shop/broken.py, line 2, on shop.csv (broken)",
        ]
    )
    tasks = tasks_of(shop)
    assert {name: task["official"]["passed"] for name, task in tasks.items()} == {
        "same": True, "other": False, "broken": None, "asks": False
    }  # fmt: skip
    assert {task["verdict"]["scorer"] for task in tasks.values()} == {"check"}
    assert tasks["asks"]["roles"]["judge"]["calls"] == 1
    (folder,) = shop.pytester.path.glob("runs/*/episodes/*other*")
    kept = verdicts(folder)
    assert [(each.scorer, each.passed) for each in kept] == [
        ("shop-official", False), ("check", True)
    ]  # fmt: skip
    stands = effective(kept)
    assert stands is not None
    assert stands.scorer == "check"


def test_the_official_evaluation_decides_on_request_and_for_recorded_episodes(shop: Any) -> None:
    names = ["same", "other", "broken"]
    run(shop, names, "--mobile-official=off").assert_outcomes(passed=3)
    assert {task["official"] for task in tasks_of(shop).values()} == {None}
    result = shop.pytester.runpytest_inprocess("--mobile-rescore=runs", "--mobile-official=decides")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    tasks = tasks_of(shop)
    assert {name: task["success"] for name, task in tasks.items()} == {
        "same": True, "other": False, "broken": None
    }  # fmt: skip
    assert tasks["other"]["verdict"]["scorer"] == "shop-official"
    assert tasks["other"]["reason"] == "shop/other.py: not done"
    assert (tasks["broken"]["outcome"], tasks["broken"]["fault"]) == ("error", "judge")
    folder = next(shop.pytester.path.glob("runs/*/episodes/*other*"))
    stands = effective(verdicts(folder))
    assert stands is not None
    assert (stands.scorer, stands.passed) == ("shop-official", False)
