"""mobile_screenshots: no screenshots are taken if nothing uses them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Episode, load
from pytest_mobileagent.errors import NoScreenshotError

if TYPE_CHECKING:
    from tests.options.asking import Asking

AGENTS = """
from pytest_mobileagent import Agent, Finish, Tap

class Reads(Agent):
    sees = ("hierarchy",)
    def start(self, briefing):
        self.seen = []
    def step(self, observation):
        screen = observation.screen
        self.seen.append((screen.png, screen.size, screen.texts))
        return Tap(5, 5) if len(self.seen) < 2 else Finish(repr(self.seen[-1]))

class Looks(Reads):
    sees = ("hierarchy", "screenshot")
"""
TASKS = """
from pytest_mobileagent import task

@task("Read.")
def test_read(episode):
    assert episode.screen.find(text="0")

@task("Look.")
def test_look(episode):
    assert episode.screen.find(text="0")
    assert episode.screen.image.size

@task("Judge.", kind="open-ended")
def test_judge(episode, judge):
    assert judge(episode)
"""


@pytest.fixture
def run(asking: Asking) -> Any:
    """Runs the tasks; returns their results and their episodes, keyed by test name."""
    asking.pytester.makepyfile(asking=AGENTS, test_codes=TASKS)

    def run(*arguments: str, agent: str = "Reads") -> tuple[dict[str, Any], dict[str, Episode]]:
        asking.run(*arguments, agent=agent)
        (folder,) = asking.pytester.path.glob("runs/*")
        tasks = json.loads((folder / "report.json").read_text())["tasks"]
        results = {each["id"].rpartition("/")[2]: each for each in tasks}
        episodes = {name: load(folder / each["episode"]) for name, each in results.items()}
        return results, episodes

    return run


def test_screenshots_are_taken_only_for_judges_if_nothing_else_needs_them(run):
    results, episodes = run("-omobile_screenshots=needed")
    episode = episodes["read"]
    assert results["read"]["outcome"] == "passed"
    assert {screen.png for screen in episode.screens} == {b""}
    assert episode.answer == "(b'', (1080, 2400), ('0',))", "what the agent saw"
    with pytest.raises(NoScreenshotError, match=r"was taken at step 2: .*: run this task"):
        _ = episode.screen.image
    assert results["look"]["outcome"] == "error", "a check that needs one neither passes nor fails"
    assert "no screenshot was taken" in results["look"]["reason"]
    assert "run this task without mobile_screenshots=needed" in results["look"]["reason"]
    assert all(screen.png for screen in episodes["judge"].screens)


@pytest.mark.parametrize(
    ("given", "agent"),
    [((), "Reads"), (("-omobile_screenshots=needed",), "Looks")],
    ids=["all", "an agent that looks"],
)
def test_otherwise_all_are_taken(run, given, agent):
    results, episodes = run(*given, agent=agent)
    assert results["look"]["outcome"] == "passed"
    assert all(screen.png for screen in episodes["read"].screens)
