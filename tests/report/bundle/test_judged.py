"""Tasks that judges decide: their verdicts follow from their replies, recorded or given again."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.report.bundle.records import FAILED, OPEN, UNPROVEN
from pytest_mobileagent.report.bundle.verify import Verification, verify
from tests.report.bundle.conftest import Forger, Recorded, record

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.slow

TASKS = """
import pytest
from pytest_mobileagent import task

@pytest.mark.parametrize("name", ["Ann", "Eve"])
@task("Say the name {name}", kind="open-ended")
def test_name(episode, judge, name):
    assert judge(episode)
"""
# About Ann, the first judge's reply is unreadable at first.
REPLIES = """
{"when": "name Ann", "reply": ["?", "It was said.\\nResult: 1"]}
{"when": "name Eve", "reply": "It was not.\\nResult: 0"}
"""


@pytest.fixture(scope="session")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """A run of two tasks that two judges decide: one passed, one failed."""
    folder = tmp_path_factory.mktemp("judged")
    judges = "--mobile-judges=scripted:one.jsonl,scripted:two.jsonl"
    found = record(folder, TASKS, "--llm-judge=cross", judges, one=REPLIES, two=REPLIES)
    for script in ("one", "two"):
        (folder / f"{script}.jsonl").unlink()
    return found


@pytest.fixture
def forger(judged: Recorded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Forger:
    """The unpacked bundle; the current folder is the project's."""
    monkeypatch.chdir(judged.project)
    found = Forger(tmp_path / "unpacked", judged)
    found.unpack()
    return found


def said(found: Verification, *states: str) -> list[str]:
    return [each.words for each in found.findings if each.state in states]


def test_verdicts_follow_from_recorded_replies(
    judged: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(judged.project)
    found = verify(judged.bundle, digests={judged.digest})
    assert not said(found, FAILED, OPEN)
    assert "that judges replied so about 2 tasks: ask with --judges" in said(found, UNPROVEN)


def _reply(forger: Forger) -> None:
    forger.edit(forger.episode("Eve") / "judges.jsonl", r"not.\nResult: 0", r"not.\nResult: 1")


def _verdict(forger: Forger) -> None:
    forger.edit(forger.episode("Eve") / "verdicts.jsonl", '"passed":false', '"passed":true')
    forger.edit(forger.run / "index.jsonl", '"failed"', '"passed"')
    forger.change_task(success=True, outcome="passed", fault=None)


def _reason(forger: Forger) -> None:
    def how(report: dict[str, Any]) -> None:
        (task,) = (each for each in report["tasks"] if each["parameters"]["name"] == "Eve")
        task["verdict"]["reason"] = "a wall"

    forger.change("report.json", how)


def _prompt(forger: Forger) -> None:
    forger.edit(forger.episode("Eve") / "judges.jsonl", "Say the name Eve", "Say any name")


def _no_replies(forger: Forger) -> None:
    (forger.episode("Eve") / "judges.jsonl").unlink()


def _other_judge(forger: Forger) -> None:
    forger.edit(forger.episode("Eve") / "judges.jsonl", "scripted:two.jsonl", "openai:gpt-9")


FORGED: dict[str, tuple[Callable[[Forger], None], str]] = {
    "a reply": (_reply, r"Eve\]: the report says outcome 'failed', here 'passed'"),
    "a verdict": (_verdict, r"Eve\]: the report says outcome 'passed', here 'failed'"),
    "a reason": (_reason, r"Eve\]: the report says judges' verdict \['judges', 'a wall'\], here"),
    "a prompt": (
        _prompt,
        r"here \(.*no reply of scripted:one.jsonl to this prompt: .*Say any name",
    ),
    "no replies": (_no_replies, r"failed in the report, error here \(.* no reply of it is left"),
    "another judge": (
        _other_judge,
        r"no reply of scripted:two.jsonl to this prompt: no reply of it",
    ),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_judgement_is_found_although_the_chain_fits(forger: Forger, name: str) -> None:
    forge, expected = FORGED[name]
    forge(forger)
    forger.compute_chain_again()
    found = said(verify(forger.pack()), FAILED, OPEN)
    assert any(re.search(expected, each) for each in found), found
