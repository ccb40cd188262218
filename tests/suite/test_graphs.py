"""Graphs of our own runs: the fixture, and replays of episodes that were not merged into them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent import load
from pytest_mobileagent.action import ends_episode
from pytest_mobileagent.dataset.equality import same_page, sight
from pytest_mobileagent.dataset.graph import Graph, GraphWriter, check_graph
from pytest_mobileagent.dataset.merging import Merger
from pytest_mobileagent.device.drivers.graph import GraphDevice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent import Episode

ROOT = Path(__file__).parent.parent.parent
COURSERA = ROOT / "fixtures" / "graphs" / "coursera"
LARGEST = 3_000_000  # bytes
RECORDED = {
    "downloads/storage_used", "learning/show_saved", "search/search", "search/filter_level",
    "search/open_first_in_spanish", "settings/dark_mode", "settings/time_of_reminder",
}  # fmt: skip


def run(agent: str, runs: Path, *words: str) -> Path:
    """Run an agent on tasks/coursera; return the run's folder."""
    command = [sys.executable, "-m", "pytest", "tasks/coursera", f"--agent={agent}", "-q", "-n0"]
    command += ["-o", "mobile_pack_screens=false"]
    finished = subprocess.run(
        [*command, f"--mobile-runs={runs}", *words, "-p", "no:cacheprovider"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")},
    )
    assert finished.returncode in {0, 1}, finished.stdout + finished.stderr
    (made,) = runs.iterdir()
    return made


def outcomes(made: Path) -> dict[str, str]:
    """Return the outcome of each task of a run."""
    tasks = json.loads((made / "report.json").read_text("utf-8"))["tasks"]
    return {each["id"].removeprefix("tasks/coursera/"): each["outcome"] for each in tasks}


def test_the_fixture_is_whole_and_small():
    with Graph.open(COURSERA) as graph:
        check_graph(graph)
        assert graph.name == "Coursera"
    size = sum(path.stat().st_size for path in COURSERA.rglob("*") if path.is_file())
    assert size < LARGEST
    lines = (COURSERA / "tasks.jsonl").read_text("utf-8").splitlines()
    names = {json.loads(line)["id"].removeprefix("tasks/coursera/") for line in lines}
    assert names == RECORDED


def test_make_graph_records_the_tasks_of_the_fixture():
    recipe = (ROOT / "Makefile").read_text("utf-8").partition("RECORDED = ")[2].partition("\n\n")[0]
    words = recipe.replace("\\\n", " ").split()
    named = {word.replace(".py::test_", "/") for word in words}
    assert named == RECORDED


@pytest.mark.slow
@pytest.mark.parametrize(
    ("agent", "outcome"),
    [("oracle", "passed"), ("noop", "failed"), ("truncated_oracle", "failed")],
)
def test_on_the_fixture_tasks_come_out_as_on_the_phone(agent, outcome, tmp_path):
    found = outcomes(run(agent, tmp_path, f"--mobile-device=graph:{COURSERA}"))
    assert {name for name, each in found.items() if each == outcome} == RECORDED
    # The other tasks have probes, which recorded pages cannot answer.
    assert {each for name, each in found.items() if name not in RECORDED} == {"skipped"}


def replay(graph: Graph, episode: Episode) -> list[str]:
    """Replay an episode's actions on a graph; return the places where the pages differ."""
    device = GraphDevice(graph)
    device.reset(episode.case.task.snapshot, ())
    wrong = []
    for number, step in enumerate([*episode.steps, None]):
        screen = episode.screen if step is None else step.screen
        if not same_page(sight(screen), sight(device.observe().screen)):
            wrong.append(f"{episode.case.id}, screen {number}")
        for action in () if step is None else step.done:
            if not ends_episode(action):
                device.perform(action)
    return wrong


def merge(folder: Path, episodes: Sequence[Episode]) -> None:
    with GraphWriter(folder) as writer:
        merger = Merger(writer)
        for each in episodes:
            merger.add(each, succeeded=True)
        assert merger.finish().contradictions == []


@pytest.mark.slow
def test_episodes_that_were_not_merged_replay_step_for_step(tmp_path):
    """The graph is made from tasks played at 9:00; those played at 17:42 replay on it."""
    times = {"merged": "2026-11-22T09:00", "held out": "2026-11-22T17:42"}
    found = {}
    for name, time in times.items():
        made = run("oracle", tmp_path / name, f"--mobile-device-time={time}")
        found[name] = [load(folder) for folder in sorted((made / "episodes").iterdir())]
    assert len(found["held out"]) == 21
    merge(tmp_path / "g", found["merged"])
    with Graph.open(tmp_path / "g") as graph:
        assert [flaw for each in found["held out"] for flaw in replay(graph, each)] == []
    steps = sum(len(each.steps) for each in found["held out"])
    assert steps > 100
