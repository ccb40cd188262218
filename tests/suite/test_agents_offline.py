"""Published agents play recorded pages, with a scripted model over HTTP and no phone.

A third of them does, another for each commit; all do with SUITES_PART=1/1 (`make suites`).
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.action.matching import Golden
from pytest_mobileagent.check.episode import load
from pytest_mobileagent.dataset import trajectory_of
from pytest_mobileagent.dataset.graph import GraphWriter
from pytest_mobileagent.testing import ScriptedModel
from tests.suite.test_agents import KEY, MODELS, REPLIES, ROOT, SOLVED
from tests.suite.test_tasks_are_sound import drawn

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

TASK = "show_saved"


WORDS = ("-q", "-k", TASK, "-o", "mobile_pack_screens=false", "--mobile-unpriced=allow")


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph of the pages that the task's solution visits on the virtual phone.

    Agents that cannot open apps tap the icon on the first page, which leads to the same page as
    opening the app.
    """
    folder = tmp_path_factory.mktemp("recorded")
    words = [f"--mobile-runs={folder / 'runs'}", "--agent=oracle", "-p", "no:cacheprovider"]
    finished = subprocess.run(
        [sys.executable, "-m", "pytest", "tasks/coursera", *WORDS, *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")},
    )
    (episode,) = [load(path.parent) for path in folder.glob("runs/*/episodes/*/episode.jsonl")]
    assert episode.reset is not None, finished.stdout + finished.stderr
    steps = trajectory_of(episode, True, {}).steps
    with GraphWriter(folder / "graph") as writer:
        for number, step in enumerate(steps):
            seen = step.screen
            writer.page(
                f"saved-{number}",
                png=seen.png,
                xml=seen.xml,
                package=seen.package,
                activity=seen.activity,
                time=seen.time,
            )
        for number, step in enumerate(steps[:-1]):
            golden = Golden(step.action, step.screen.size)
            writer.edge(f"saved-{number}", golden, f"saved-{number + 1}")
        first = episode.screens[0]
        icon = Golden.tap(first.get(text="Coursera", clickable=True), first.size)
        writer.edge("saved-0", icon, "saved-1")
        writer.head(snapshots={str(episode.reset.snapshot): "saved-0"})
    return folder / "graph"


@pytest.mark.parametrize("agent", drawn([*SOLVED], 3))
def test_an_agent_goes_the_same_way_offline_as_on_a_phone(
    agent: str, recorded: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, KEY)
    model = ScriptedModel.load(REPLIES / f"{agent}.jsonl")
    with model.serve() as url:
        given = MODELS.get(agent, "openai:gpt-4o@{url}/v1").format(url=url)
        ours = [f"{ROOT}/tasks/coursera", "-c", f"{ROOT}/pyproject.toml", f"--rootdir={ROOT}"]
        options = [f"--agent={agent}", f"--mobile-model={given}", f"--mobile-runs={pytester.path}"]
        device = f"--mobile-device=graph:{recorded}"
        result = pytester.runpytest_inprocess(*ours, *WORDS, *options, device)
    result.assert_outcomes(passed=1, deselected=20)
    (episode,) = [load(path.parent) for path in pytester.path.glob("*/episodes/*/episode.jsonl")]
    assert [*dict.fromkeys(episode.pages)] == [f"saved-{number}" for number in range(4)]
