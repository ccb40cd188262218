"""The suite of recorded pages, on small copies of data sets."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.dataset.formats.release import import_release
from tests.dataset.formats import copies

if TYPE_CHECKING:
    from collections.abc import Callable

SUITE = Path(__file__).parents[2] / "tasks" / "recorded"


@pytest.fixture
def run(pytester: pytest.Pytester) -> Callable[..., Any]:
    """Runs the suite in a project that names a graph; returns the result."""
    copies.walks(pytester.path / "data")
    import_release(pytester.path / "data", pytester.path / "graph")
    shutil.copytree(SUITE, pytester.path / "tasks" / "recorded")
    pytester.makeini("[pytest]")
    (pytester.path / "releases.toml").write_text('recorded = "graph"\n', "utf-8")

    def run(*words: str, agent: str = "oracle", device: str = "graph:graph") -> Any:
        return pytester.runpytest(
            "tasks", f"--agent={agent}", f"--mobile-device={device}", "-rs", *words
        )

    return run


def report(pytester: pytest.Pytester, runs: str = "runs") -> dict[str, Any]:
    (file,) = pytester.path.glob(f"{runs}/*/report.json")
    read: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return read


@pytest.mark.parametrize("path", ["multi", "single"])
def test_golden_actions_prove_that_each_task_can_be_done(run, pytester, path):
    run(f"--mobile-path={path}").assert_outcomes(passed=3)
    summary = report(pytester)["summary"]
    assert summary["mean_step_ratio"] == 1
    if path == "single":
        assert summary["step_accuracy"] == summary["type_accuracy"] == 1


@pytest.mark.parametrize(("agent", "path"), [("noop", "multi"), ("truncated_oracle", "single")])
def test_agents_that_do_less_pass_no_task(run, agent, path):
    run(f"--mobile-path={path}", agent=agent).assert_outcomes(failed=3)


@pytest.mark.parametrize(
    ("agent", "outcomes"),
    [("oracle", {"passed": 4}), ("noop", {"failed": 4}), ("truncated_oracle", {"failed": 4})],
)
def test_an_action_after_which_no_page_was_recorded_has_to_be_done(run, pytester, agent, outcomes):
    shutil.rmtree(pytester.path / "graph")
    tap = {"action": "Tap", "x": 50, "y": 50}
    lines: list[Any] = [{"page": name, "size": [100, 200]} for name in ("home", "cart")]
    lines += [
        {
            "task": "buy",
            "goal": "Buy it.",
            "golden": [{"page": "home", "action": tap}, {"page": "cart", "action": tap}],
            "page": "cart",
        },
        {
            "task": "mail",
            "goal": "Open the mail.",
            "golden": [{"page": "home", "action": {"action": "Open", "app": "org.mail"}}],
            "page": "home",
        },
    ]
    reports = [{"action": "Finish", "answer": "12"}, {"action": "Impossible", "reason": ""}]
    lines += [
        {"task": f"r{n}", "goal": "Say it.", "golden": [{"page": "home", "action": each}]}
        | {"page": "home"}
        for n, each in enumerate(reports)
    ]
    (pytester.path / "own.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    import_release(pytester.path / "own.jsonl", pytester.path / "graph")
    for path in ("multi", "single"):
        run(f"--mobile-path={path}", f"--mobile-runs={path}", agent=agent).assert_outcomes(
            **outcomes
        )
        summary = report(pytester, path)["summary"]
        assert (summary["step_accuracy"] == 1) is (agent == "oracle")


def test_a_task_without_golden_actions_is_done_on_its_page(run, pytester):
    tasks = pytester.path / "graph" / "tasks.jsonl"
    row = json.loads(tasks.read_text("utf-8").splitlines()[0])
    tasks.write_text(json.dumps(row | {"golden": [], "snapshot": row["page"]}), "utf-8")
    run(agent="noop").assert_outcomes(passed=1)


def test_phones_have_no_recorded_pages(run):
    result = run(device="virtual")
    result.assert_outcomes(skipped=3)
    result.stdout.fnmatch_lines(["*the task is done on recorded pages, and --mobile-device=*"])


def test_without_a_graph_the_suite_says_what_is_missing(run, pytester):
    (pytester.path / "releases.toml").unlink()
    result = run()
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*releases.toml names no graph of recorded pages*"])


SHOPPER = """
from pytest_mobileagent import Agent, Finish, Open, Tap, Type

class Shopper(Agent):
    class Options:
        steps: int = 3

    def run(self, briefing, phone):
        for act in [Open("小店"), Type("red shoes"), Tap(100, 120)][: briefing.options.steps]:
            phone.observe()
            phone.act(act)
        return "done"
"""


@pytest.mark.parametrize(("steps", "success", "credit"), [(3, True, 1), (2, False, 0.5)])
def test_tasks_with_milestones_are_done_when_all_were_reached(pytester, steps, success, credit):
    copies.colorbench(pytester.path / "data")
    import_release(pytester.path / "data", pytester.path / "graph")
    shutil.copytree(SUITE, pytester.path / "tasks" / "recorded")
    pytester.makeini("[pytest]")
    pytester.makepyfile(shopper=SHOPPER)
    (pytester.path / "releases.toml").write_text('recorded = "graph"\n', "utf-8")
    option = f"--mobile-agent-option=steps={steps}"
    pytester.runpytest("tasks", "--agent=shopper.py", "--mobile-device=graph:graph", option)
    tasks = report(pytester)["tasks"]
    assert [task["success"] for task in tasks] == [success, success]
    assert [task["partial_credit"] for task in tasks] == [credit, credit]


def test_a_data_set_without_tasks_is_skipped_with_the_reason(run, pytester):
    (pytester.path / "graph" / "tasks.jsonl").unlink()
    result = run()
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*the data set of */graph has no tasks"])


CHOOSER = """
from pytest_mobileagent import Agent, Finish, LongPress, Open, Scroll, Tap, Type

class Chooser(Agent):
    class Options:
        second: str = "other"

    def start(self, briefing):
        second = Tap(50, 125) if briefing.options.second == "other" else Tap(300, 600)
        self.way = [Open("Elsewhere"), second, Scroll("left"), Type("red shoe"), LongPress(9, 9)]

    def step(self, observation):
        return self.way.pop(0) if self.way else Finish()
"""


@pytest.mark.parametrize(("second", "missed"), [("other", []), ("wrong", [2])])
def test_any_right_answer_counts_on_a_single_path(pytester, second, missed):
    copies.mobibench(pytester.path / "data")
    import_release(pytester.path / "data", pytester.path / "graph")
    shutil.copytree(SUITE, pytester.path / "tasks" / "recorded")
    pytester.makeini("[pytest]")
    pytester.makepyfile(chooser=CHOOSER)
    (pytester.path / "releases.toml").write_text('recorded = "graph"\n', "utf-8")
    words = ["-k", "Shop", "--mobile-path=single", f"--mobile-agent-option=second={second}"]
    pytester.runpytest("tasks", "--agent=chooser.py", "--mobile-device=graph:graph", *words)
    (task,) = report(pytester)["tasks"]
    steps = task["verdict"]["evidence"]["matches"]["steps"]
    assert [each["step"] for each in steps if not each["exact"]] == missed
    assert task["success"] is (not missed)


@pytest.mark.slow
def test_androidcontrol_as_released_is_solved_by_its_golden_actions(run, pytester, recordings):
    shutil.rmtree(pytester.path / "graph")
    import_release(recordings / "androidcontrol-uis1", pytester.path / "graph")
    for path in ("multi", "single"):
        words = (f"--mobile-path={path}", "--mobile-sample=100", f"--mobile-runs={path}")
        run(*words).assert_outcomes(passed=100, deselected=1475)
        assert report(pytester, path)["summary"]["step_accuracy"] == 1
