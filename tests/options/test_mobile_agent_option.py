"""--mobile-agent-option: the agent's own options, given on the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.project import Project

AGENT = """
from pytest_mobileagent import Agent, Finish

class Patient(Agent):
    class Options:
        history: int = 3
        word: str = "none"

    def start(self, briefing):
        self.options = briefing.options

    def step(self, observation):
        return Finish(f"{self.options.history} {self.options.word}")
"""


@pytest.fixture
def patient(project: Project) -> Project:
    project.write(agents__patient=AGENT)
    return project


def answer_of(project, *arguments: str) -> str:
    project.run("tasks", "--agent=patient", "-k", "code", *arguments)
    (run,) = (project.pytester.path / "runs").iterdir()
    (task,) = json.loads((run / "report.json").read_text())["tasks"]
    head = json.loads((run / task["episode"] / "episode.jsonl").read_text().splitlines()[0])
    return f"{task['answer']} {head['options']}"


@pytest.mark.parametrize("process", ["on", "off"])
def test_options_reach_the_agent_and_the_record(patient, process):
    given = ["--mobile-agent-option", "history=5", "--mobile-agent-option", "word=two words"]
    answer = answer_of(patient, *given, f"--mobile-agent-process={process}")
    assert answer == "5 two words {'history': 5, 'word': 'two words'}"


def test_without_it_the_defaults_hold_and_are_recorded(patient):
    assert answer_of(patient) == "3 none {'history': 3, 'word': 'none'}"


@pytest.mark.parametrize("process", ["on", "off"])
@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            "hystory=5",
            "*hystory=5: Patient has no option 'hystory'; did you mean history (int, 3)?",
        ),
        ("history=many", "*history=many: history of Patient is *int*"),
        ("history", "*history: must be KEY=VALUE"),
    ],
)
def test_an_invalid_option_is_reported_before_anything_starts(patient, given, message, process):
    chosen = ["--mobile-agent-option", given, f"--mobile-agent-process={process}"]
    result = patient.run("tasks", "--agent=patient", *chosen)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])


PUBLISHED = AGENT.replace(
    "class Patient(Agent):",
    """from pytest_mobileagent.agent import PublishedSettings, Stated

class Patient(Agent):
    published = {"paper": PublishedSettings(seed=Stated(30, "section 4"), steps=Stated(9, "5"))}
""",
).replace("history: int", 'PRESETS = {"paper": {"history": 5}}\n        history: int')


@pytest.mark.parametrize("process", ["on", "off"])
def test_a_run_records_what_its_preset_stands_for(project: Project, process: str) -> None:
    project.write(agents__patient=PUBLISHED)
    chosen = "--mobile-agent-option=preset=paper", f"--mobile-agent-process={process}"
    assert answer_of(project, *chosen).startswith("5 none")
    (run,) = (project.pytester.path / "runs").iterdir()
    about = json.loads((run / "report.json").read_text())["run"]
    assert about["published"]["preset"] == "paper"
    assert about["published"]["settings"]["seed"] == {"value": 30, "source": "section 4"}
    assert about["published"]["options"] == {"history": 5, "word": "none"}
    assert about["fingerprints"]["published"] is not None


def test_a_run_without_a_preset_records_none(patient: Project) -> None:
    answer_of(patient)
    (run,) = (patient.pytester.path / "runs").iterdir()
    about = json.loads((run / "run.json").read_text())["run"]
    assert "published" not in about
    assert about["fingerprints"]["published"] is None
