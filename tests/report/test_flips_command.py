"""Tests of `mobileagent flips`, for verdicts that flip with the judge, the phone or the agent."""

from __future__ import annotations

import contextlib
import json
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.llm.providers import PROVIDERS
from pytest_mobileagent.llm.scripted.entries import When
from pytest_mobileagent.report.flips_command import main
from pytest_mobileagent.report.recorded_run import find_run
from pytest_mobileagent.testing import ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CONFTEST = """
from pathlib import Path
import pytest
from pytest_mobileagent.testing import FakeLease, FakePhone, make_screen

class Phone(FakePhone):
    \"\"\"Shows "morning" to the first task that needs the clock, and then never again.\"\"\"

    def reset(self, snapshot, apps):
        is_morning = "clock" in apps and not Path("noon").exists()
        if is_morning:
            Path("noon").touch()
        self.screens = [make_screen("morning" if is_morning else "evening")]
        return super().reset(snapshot, apps)

@pytest.fixture(scope="session")
def mobile_lease():
    return FakeLease(Phone([make_screen("0")]))
"""
TASKS = """
from pytest_mobileagent import Agent, Finish, task

class Asks(Agent):
    roles = ("actor",)
    def start(self, briefing):
        self.model, self.goal = briefing.model("actor"), briefing.goal
    def step(self, observation):
        return Finish(self.model.complete(self.goal).text)

class Random(Agent):
    calls = 0
    def step(self, observation):
        Random.calls += 1
        return Finish("4711" if Random.calls % 2 else "0")

@task("agent: say the code.")
def test_agent(episode):
    assert episode.answers("4711")
"""
MORE = """
@task("phone: look.", app="clock")
def test_phone(episode):
    assert episode.screen.find(text="morning")

@task("judge: please.", kind="open-ended")
def test_judged(episode, judge):
    assert judge(episode)
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    for provider in PROVIDERS.values():
        for name in (*provider.key, *provider.url_variables):
            monkeypatch.delenv(name, raising=False)
    pytester.makeini("[pytest]\naddopts = -p no:cacheprovider")
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_three=TASKS)
    return pytester


@pytest.fixture
def models() -> Iterator[list[str]]:
    """Yield options for the agent's model and for a judge that says yes, no, then always yes."""
    said = count()
    agent = ScriptedModel(
        [When("agent:", ["4711", "0"]), When("phone:", "done"), When("judge:", "done")]
    )
    judge = ScriptedModel([When("", lambda _: f"Result: {int(next(said) != 1)}")])
    with contextlib.ExitStack() as stack:
        urls = [stack.enter_context(each.serve()) for each in (agent, judge)]
        agents, judges = (f"openai:own@{url}/v1" for url in urls)
        yield [
            f"--mobile-model={agents}",
            *("--llm-judge=single", f"--mobile-judges={judges}"),
            "--mobile-unpriced=allow",
        ]


def run(project: pytest.Pytester, agent: str, *arguments: str, epochs: int = 2) -> Path:
    options = (f"--agent=test_three.py:{agent}", "--mobile-agent-process=off")
    project.runpytest_inprocess(*options, f"--mobile-epochs={epochs}", *arguments)
    return find_run(project.path / "runs")


def recorded(folder: Path) -> dict[Path, bytes]:
    """Return the contents of a run's files, except its report, which records the findings.

    The chain of the run gets the digest of that report.
    """
    own = {"report.json", "report.html", "chain.jsonl"}
    files = (path for path in folder.rglob("*") if path.is_file() and path.name not in own)
    return {path: path.read_bytes() for path in files}


def refused(capsys: pytest.CaptureFixture[str], *arguments: Any) -> str:
    capsys.readouterr()
    assert main([*map(str, arguments)]) == 4
    error = capsys.readouterr().err
    assert error.startswith("ERROR: ")
    assert error.count("\n") == 1
    return error


@pytest.mark.slow
def test_each_flip_has_a_cause(project, models, capsys):
    project.makepyfile(test_three=TASKS + MORE)
    folder = run(project, "Asks", *models)
    before = recorded(folder)
    capsys.readouterr()
    assert main(["runs", "--times=1", "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert "tasks whose verdict flips: 3, with 6 episodes" in said
    assert "costs: about 4 judge calls, 4 unpriced calls" in said
    assert list(folder.parent.iterdir()) == [folder]
    nowhere = refused(capsys, "runs", "--device=graph:nowhere", f"-o{project.path / 'refused'}")
    assert "--mobile-device=graph:nowhere" in nowhere

    assert main(["runs", "--times=1"]) == 0, capsys.readouterr().err
    said = capsys.readouterr().out
    own = folder.with_name(f"{folder.name}-flips")
    found = json.loads((own / "flips.json").read_text("utf-8"))
    causes = {task["id"].rpartition("/")[2]: task["cause"] for task in found["tasks"]}
    assert causes == {"agent": "agent", "phone": "environment", "judged": "judge"}
    assert "flips of verdicts: 33.3% the judge, 33.3% the environment, 33.3% the agent (K=1" in said
    assert found["causes"]["judge"]["interval"] == pytest.approx([0.0615, 0.7923], abs=1e-4)
    assert recorded(folder) == before
    assert json.loads((folder / "report.json").read_text("utf-8"))["flips"] == found
    assert main(["runs"]) == 4
    assert "already exists: name another folder with -o DIR" in capsys.readouterr().err


def test_agents_without_recorded_replies_have_no_known_cause(project, capsys):
    run(project, "Random")
    capsys.readouterr()
    assert main(["runs"]) == 0
    said = capsys.readouterr().out
    assert "cannot be played again (2), no model reply to its agent is recorded" in said
    assert "0 tasks; 1 cannot be told" in said


def test_runs_without_flips_are_refused_or_reported(project, capsys):
    folder = run(project, "Random", epochs=1)
    assert "no task was decided twice: repeat tasks with --mobile-epochs" in refused(capsys, folder)
    assert "is named twice" in refused(capsys, folder, folder)
    assert "is not a folder" in refused(capsys, "nowhere")
    (folder / "report.json").unlink()
    assert "has not ended, or was cut off" in refused(capsys, folder)
    with pytest.raises(SystemExit):
        main(["runs", "--times=0"])
    assert "'0' is not a whole number of at least 1" in capsys.readouterr().err
