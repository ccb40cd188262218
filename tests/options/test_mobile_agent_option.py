"""--mobile-agent-option: the agent's own options, given on the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.options.asking import Asking

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
def patient(asking: Asking) -> Asking:
    asking.pytester.makepyfile(asking=AGENT)
    return asking


def answer_of(project: Asking, *arguments: str, off: bool = True) -> str:
    project.run(*arguments, agent="Patient", off=off)
    (path,) = project.pytester.path.glob("runs/*/episodes/*/episode.jsonl")
    head = json.loads(path.read_text().splitlines()[0])
    return f"{project.report()['tasks'][0]['answer']} {head['options']}"


@pytest.mark.parametrize("off", [True, False])
def test_options_reach_the_agent_and_the_record(patient, off):
    given = ["--mobile-agent-option", "history=5", "--mobile-agent-option", "word=two words"]
    answer = answer_of(patient, *given, off=off)
    assert answer == "5 two words {'history': 5, 'word': 'two words'}"


@pytest.mark.parametrize(
    ("given", "message", "off"),
    [
        (
            "hystory=5",
            "*hystory=5: Patient has no option 'hystory'; did you mean history (int, 3)?",
            True,
        ),
        ("history=many", "*history=many: history of Patient is *int*", False),
        ("history", "*history: must be KEY=VALUE", True),
    ],
)
def test_an_invalid_option_is_reported_before_anything_starts(
    patient, fnmatch, given, message, off
):
    option = f"--mobile-agent-option={given}"
    fnmatch(patient.refused(option, agent="Patient", off=off), message)


PUBLISHED = AGENT.replace(
    "class Patient(Agent):",
    """from pytest_mobileagent.agent import PublishedSettings, Stated

class Patient(Agent):
    published = {"paper": PublishedSettings(seed=Stated(30, "section 4"), steps=Stated(9, "5"))}
""",
).replace("history: int", 'PRESETS = {"paper": {"history": 5}}\n        history: int')


@pytest.mark.parametrize("off", [True, False])
def test_a_run_records_what_its_preset_stands_for(asking: Asking, off: bool) -> None:
    asking.pytester.makepyfile(asking=PUBLISHED)
    assert answer_of(asking, "--mobile-agent-option=preset=paper", off=off).startswith("5 none")
    about = asking.report()["run"]
    assert about["published"]["preset"] == "paper"
    assert about["published"]["settings"]["seed"] == {"value": 30, "source": "section 4"}
    assert about["published"]["options"] == {"history": 5, "word": "none"}
    assert about["fingerprints"]["published"] is not None


def test_without_it_the_defaults_hold_and_are_recorded_and_no_preset_is(patient: Asking) -> None:
    assert answer_of(patient) == "3 none {'history': 3, 'word': 'none'}"
    (run,) = (patient.pytester.path / "runs").iterdir()
    about = json.loads((run / "run.json").read_text())["run"]
    assert "published" not in about
    assert about["fingerprints"]["published"] is None
