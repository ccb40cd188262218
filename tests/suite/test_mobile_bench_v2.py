"""Mobile-Bench-v2's suite on a miniature of the release, made of two apps of the virtual phone."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Bounds, Scroll, Swipe, Tap, Type
from pytest_mobileagent.dataset.formats.mobile_bench_v2 import listed
from pytest_mobileagent.dataset.formats.release import Problems, import_release
from pytest_mobileagent.dataset.graph import Graph, RecordedPath
from pytest_mobileagent.testing import ScriptedModel
from tests.suite.mobile_bench_copy import write_copy
from tests.suite.test_tasks_are_sound import part

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.action.matching import Golden
    from pytest_mobileagent.llm.model import Request
    from pytest_mobileagent.screen import Screen
    from pytest_mobileagent.screen.element import Element

pytestmark = pytest.mark.slow  # plays a whole suite, with every kind of agent

ROOT = Path(__file__).parents[2]
SUITE = ROOT / "tasks" / "mobile_bench_v2"
CONFTEST = "def pytest_mobileagent_agents(config):\n    return config.rootpath\n"
ASKING = """
from pytest_mobileagent import Agent, Ask, Tap

class Asking(Agent):
    '''Asks what to do on the first page, and taps from then on.'''

    def start(self, briefing):
        self.has_asked = False

    def step(self, observation):
        if self.has_asked:
            return Tap(1, 1)
        self.has_asked = True
        return Ask("这一步要做什么？")
"""


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the miniature as `copy` and its graph as `graph`."""
    folder = tmp_path_factory.mktemp("mobile-bench-v2")
    write_copy(folder / "copy")
    release, count = import_release(folder / "copy", folder / "graph")
    assert (count, release.problems.left_out) == (80, {})
    return folder


@pytest.fixture
def project(pytester: pytest.Pytester) -> Path:
    """Return a project that has the suite, but names no graph."""
    shutil.copytree(SUITE, pytester.path / "tasks" / "mobile_bench_v2")
    pytester.makeini("[pytest]\naddopts = --import-mode=importlib -p no:cacheprovider")
    return pytester.path


@pytest.fixture
def run(project: Path, pytester: pytest.Pytester, made: Path) -> Callable[..., Any]:
    """Runs the suite on the miniature's graph; returns the result."""
    (project / "releases.toml").write_text(f'mobile_bench_v2 = "{made}/graph"\n', "utf-8")

    def run(*words: str, agent: str = "oracle", path: str = "single") -> Any:
        given = [f"--agent={agent}", f"--mobile-path={path}", f"--mobile-device=graph:{made}/graph"]
        return pytester.runpytest("tasks", "-rs", *given, *words)

    return run


def report(project: Path) -> dict[str, Any]:
    (file,) = project.glob("runs/*/report.json")
    read: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return read


def test_golden_paths_prove_the_data(run, project):
    run().assert_outcomes(passed=100)
    summary, entries = report(project)["summary"], report(project)["tasks"]
    assert (summary["step_accuracy"], summary["scorers"]) == (1, ["mobile_bench:paper"])
    beside = summary["matched_beside"]["mobile_bench:code"]
    assert beside["step_accuracy"] < beside["type_accuracy"] == 1
    tags = summary["tags"]
    assert [tags[name]["tasks"] for name in ("simple", "complex", "noisy")] == [20, 20, 20]
    assert tags["wuba"]["tasks"] == tags["living"]["tasks"]
    leveled = Counter(
        (each["level"], each["golden_steps"] > 6) for each in entries if each["level"]
    )
    assert leveled == {(1, False): 20, (2, True): 20}


def test_golden_paths_lead_to_the_gold_page_on_many_paths(run):
    """A quarter of the tasks is played, another one for each commit (see `part`)."""
    chosen = part(4)
    played = 100 // int(chosen.partition("/")[2])
    result = run(f"--mobile-shard={chosen}", path="multi")
    result.assert_outcomes(passed=played, deselected=100 - played)


@pytest.mark.parametrize("path", ["single", "multi"])
@pytest.mark.parametrize("agent", ["noop", "truncated_oracle"])
def test_agents_that_do_less_pass_no_task(run, agent, path):
    result = run("-k", "noisy", "--mobile-sample=4", agent=agent, path=path)
    result.assert_outcomes(failed=4, deselected=96)


def test_a_sample_has_the_levels_and_limits_of_the_paper(run, project):
    run("-k", "simple or complex", "--mobile-sample=8", path="multi", agent="noop")
    lines = [
        json.loads(file.read_text("utf-8").partition("\n")[0])
        for file in project.glob("runs/*/episodes/*/episode.jsonl")
    ]
    limits = Counter((each["case"]["task"]["level"], each["step_limit"]) for each in lines)
    assert limits == {(1, 20): 6, (2, 25): 2}


def test_tasks_whose_pages_are_missing_are_skipped_and_named(run, pytester, made, tmp_path):
    shutil.copytree(made / "copy", tmp_path / "copy")
    (folder,) = (tmp_path / "copy").glob("wuba_graph_*")
    page = min((each.name for each in folder.iterdir() if each.name.count("_") == 3), key=len)
    shutil.rmtree(folder / page)
    release, count = import_release(tmp_path / "copy", tmp_path / "graph")
    assert release.problems.left_out["tasks without all pages and actions of their golden path"]
    (pytester.path / "releases.toml").write_text(f'mobile_bench_v2 = "{tmp_path}/graph"', "utf-8")
    result = run(f"--mobile-device=graph:{tmp_path}/graph", "-k", "not vague", agent="noop")
    assert result.parseoutcomes() == {"failed": count, "skipped": 80 - count, "deselected": 20}
    result.stdout.fnmatch_lines([f"SKIPPED [[]*[]]*there is no page {page} (--mobile-device=*"])
    command = [sys.executable, "-m", "pytest_mobileagent", "doctor", "--tasks", "tasks"]
    command += ["--device", f"graph:{tmp_path}/graph"]
    listed = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    assert f"there is no page {page}" in listed


@pytest.mark.parametrize(
    ("named", "why"),
    [
        (None, "*names no graph as `mobile_bench_v2`*docs/data-sets.md*"),
        ("moved", "*there is no copy of the release at *copy*docs/suites.md*"),
        ("copy", "*copy is not a graph: make one with `mobileagent graph *"),
    ],
)
def test_without_the_copy_the_suite_says_what_is_missing(named, why, run, made, tmp_path):
    shutil.copytree(made / "graph", tmp_path / "moved")
    head = json.loads((tmp_path / "moved" / "graph.json").read_text("utf-8"))
    (tmp_path / "moved" / "graph.json").write_text(json.dumps({**head, "files": "copy"}), "utf-8")
    place = {None: None, "moved": tmp_path / "moved", "copy": made / "copy"}[named]
    words = "" if place is None else f'mobile_bench_v2 = "{place}"\n'
    Path("releases.toml").write_text(words, "utf-8")
    result = run()
    assert not result.parseoutcomes().keys() & {"passed", "failed"}
    result.stdout.fnmatch_lines([why])


@pytest.mark.parametrize(
    ("how", "answered", "told"), [("asked", 1, 0), ("told", 1, 1), ("silent", 0, 0)]
)
def test_the_user_of_a_vague_goal_says_what_to_do_on_each_page(run, project, how, answered, told):
    (project / "asking.py").write_text(ASKING, "utf-8")
    words = ("-k", "ambiguous and vague and wuba", "--mobile-sample=3", f"--mobile-user={how}")
    run(*words, agent="asking.py:Asking")
    entries = report(project)["tasks"]
    assert len(entries) == 3
    assert {each["questions"] for each in entries} == {1}
    assert {each["answered"] for each in entries} == {answered}
    for file in project.glob("runs/*/episodes/*/episode.jsonl"):
        seen = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        said = [each.get("told") for each in seen if each["record"] == "observation"]
        assert all(said[:-1]) if told else not any(said)


def test_records_refer_to_the_pictures_of_the_copy_unless_told_to_copy(run, project, made):
    for words, is_copied in (([], False), (["-o", "mobile_copy_pages=true"], True)):
        run("-k", "simple and wuba", "--mobile-sample=2", *words)
        (screens,) = project.glob("runs/*/screens")
        pictures = list(screens.glob("*.png"))
        assert pictures
        for each in pictures:
            assert each.is_symlink() != is_copied
            assert each.resolve().is_relative_to(made / "copy") != is_copied
        shutil.rmtree(project / "runs")


# Scripted models: the n-th decision for a goal is the n-th golden action.


def golden_by_goal(made: Path) -> tuple[Graph, dict[str, list[Golden]]]:
    graph = Graph.open(made / "graph")
    tasks = listed(made / "copy", Problems())
    return graph, {task.goal: list(RecordedPath(graph, task.pages)) for task in tasks}


class Decides:
    """The replies of a model that knows the golden paths; `words` says how it expresses them."""

    def __init__(self, made: Path, words: Callable[[Golden, Screen], str]) -> None:
        self.graph, self.golden = golden_by_goal(made)
        self.words = words
        self.asked: Counter[str] = Counter()

    def __call__(self, request: Request) -> str:
        last = request.messages[-1]
        for mark, reply in OTHERS.items():
            if any(isinstance(part, str) and mark in part for part in last.content):
                return reply
        goal = max((goal for goal in self.golden if goal in request.text), key=len)
        golden = self.golden[goal][self.asked[goal] % len(self.golden[goal])]
        self.asked[goal] += 1
        return self.words(golden, self.graph.screen(golden.page))


OTHERS = {
    "This is an icon of": "A grey shape.",
    "### Important content ###\nWhat it is": "### Important content ###\nNone",
    "### Completed contents ###\nThe summary": "### Completed contents ###\nSome steps.",
    "### Answer ###": "### Thought ###\nt\n### Answer ###\nA",
}


def as_appagent(golden: Golden, screen: Screen) -> str:
    match golden.action:
        case Type(text):
            call = f'input("{text}")'
        case Tap():
            call = f"click({_label('c', screen, _clickable(screen), golden)})"
        case Swipe() | Scroll():
            scrolling = [each for each in screen.elements if each.scrollable]
            call = f'scroll({_label("s", screen, scrolling, golden)}, "up")'
        case other:
            raise AssertionError(other)
    return f"Observation: o\nThought: t\nAction: {call}\nSummary: s"


def _clickable(screen: Screen) -> list[Element]:
    """Return the elements to which the released code gives a label."""
    found = []
    for each in screen.elements:
        kind, around = each.class_name.lower(), each
        while not around.clickable and around.parent is not None:
            around = around.parent
        is_visible = each.text or each.content_desc or "button" in kind
        if is_visible and not each.children and around.clickable and "edittext" not in kind:
            found.append(each)
    return found


def _label(letter: str, screen: Screen, choices: list[Element], golden: Golden) -> str:
    boxes: list[Bounds] = [each.bounds for each in choices]
    return f"{letter}{1 + next(n for n, box in enumerate(boxes) if box in golden.boxes)}"


def as_mobileagent(golden: Golden, screen: Screen) -> str:
    match golden.action:
        case Type(text):
            act = f"Type ({text})"
        case Tap(x, y):
            act = f"Tap ({x}, {y})"
        case Swipe(x1, y1, x2, y2):
            act = f"Swipe ({x1}, {y1}), ({x2}, {y2})"
        case other:
            raise AssertionError(other)
    return f"### Thought ###\nt\n### Action ###\n{act}\n### Operation ###\no"


PRESET = ("--mobile-agent-option", "preset=mobile-bench-v2", "--mobile-unpriced=allow")


AGENTS = {
    "appagent": ("appagent/__init__.py:AppAgent", as_appagent),
    "mobileagent_v2": ("mobileagent_v2/__init__.py:MobileAgentV2", as_mobileagent),
}


def play(run: Any, made: Path, name: str, tasks: tuple[str, ...], path: str) -> Any:
    agent, words = AGENTS[name]
    replies: Any = [Decides(made, words)] * 2000
    with ScriptedModel(replies).serve() as url:
        given = [f"--mobile-model=openai:gpt-4o@{url}/v1", *PRESET, *tasks]
        return run(*given, agent=str(ROOT / "agents" / agent), path=path)


PLAYED = {"single": 5, "multi": 2}  # the number of tasks on each path


@pytest.mark.parametrize("path", PLAYED)
def test_appagent_does_simple_tasks(path, run, project, made, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    count = PLAYED[path]
    tasks = ("-k", "simple", f"--mobile-sample={count}")
    play(run, made, "appagent", tasks, path).assert_outcomes(passed=count, deselected=100 - count)
    assert report(project)["summary"]["mean_calls"] == report(project)["summary"]["mean_steps"]


def test_mobileagent_v2_does_simple_tasks(run, made, monkeypatch):
    tasks = ("-k", "simple and wuba0_3_16_32_36")
    result = play(run, made, "mobileagent_v2", tasks, "single")
    result.assert_outcomes(passed=1, deselected=99)
