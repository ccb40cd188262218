"""Tests of comparing two recorded episodes of one task."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Case, DeviceInfo, Finish, ModelCall, Reset, Tap, Task, Termination
from pytest_mobileagent.episode.exchanges import ExchangeLog
from pytest_mobileagent.episode.store import Recorder
from pytest_mobileagent.jsonable import to_text
from pytest_mobileagent.report.comparison.compare import compare
from pytest_mobileagent.report.comparison.compare_command import main
from pytest_mobileagent.report.comparison.episode_pairs import (
    differences_in_words,
    divergence_in_words,
    episode_differences,
    page_fragment,
    with_episode_pairs,
)
from pytest_mobileagent.report.html.run_page import page_of_two, write_packed_pair
from pytest_mobileagent.report.recorded_run import document, recorded_run
from pytest_mobileagent.report.text.comparison import comparison_details, comparison_markdown
from pytest_mobileagent.run.folder import RunFolder
from pytest_mobileagent.testing import make_screen
from tests.report.gate.entries import entry
from tests.report.html.test_run_page import blocks

if TYPE_CHECKING:
    from pathlib import Path

    Capture = pytest.CaptureFixture[str]

SIZE = (1080, 2400)
HOME = make_screen("Alarm", "Timer", size=SIZE, package="clock")
ALARM = make_screen("Add", "Back", size=SIZE, package="clock", activity="clock.Alarm")
TIMER = make_screen("Start", size=SIZE, package="clock", activity="clock.Timer")
DEVICE = DeviceInfo("emulator-5554", "Pixel", "15", 35, SIZE, 420)
TASKS = ("clock/alarm", "clock/timer")


def run_of(
    runs: Path, agent: str, passed: tuple[bool, ...], tap: str = "Alarm", **about: Any
) -> Path:
    """Return the folder of a run whose agent taps `tap`; `about` has the model, prompt etc."""
    folder = RunFolder.plan(runs, agent)
    cases = [Case(Task("Set an alarm."), name, "clock", f"test.py::{name}") for name in TASKS]
    folder.begin(lambda: {"agent": agent}, cases)
    tasks = {}
    for case, success in zip(cases, passed, strict=True):
        path, _ = folder.attempt(case)
        recorder = Recorder(path, folder.screens)
        head: dict[str, Any] = {"goal": "Set an alarm.", "agent": agent, "recorded": folder.started}
        head["apps"] = {"clock": about.get("app", "41")}
        recorder.start(case, about.get("device", DEVICE), Reset("snapshot", "boot"), head)
        recorder.observation(HOME, {})
        call = ModelCall("openai:gpt-4o", response_model=about.get("model", "gpt-4o-05"), line=1)
        words = f"You use a phone.\n{about.get('prompt', 'Think first.')}\nGoal: Set an alarm."
        prompt = [{"role": "user", "content": [words, {"picture": "9b6f.png"}]}]
        ExchangeLog(path).add({"call": call.to_json(), "prompt": prompt, "reply": {"text": ""}})
        recorder.step([Tap(*HOME.get(text=tap).bounds.center)], "", [call], 0.5)
        recorder.observation(ALARM if tap == "Alarm" else TIMER, {}, 0.1)
        recorder.step([Finish()], "", [], 0.5)
        recorder.end(Termination.SELF_REPORTED, "", 2.0)
        own = entry(case.id, 0, "P" if success else "F")
        tasks[case.nodeid] = replace(own, nodeid=case.nodeid, episode=folder.relative(path))
    whole = document({**folder.about(), "ended": folder.started}, tasks)
    (folder.path / "report.json").write_text(to_text(whole))
    return folder.path


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return run_of(tmp_path / "runs", "before", (True, True))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    more = {"model": "gpt-4o-08", "prompt": "Think twice.", "app": "42"}
    return run_of(tmp_path / "runs", "after", (True, False), "Timer", **more)


def compared(base: Path, run: Path) -> dict[str, Any]:
    both = recorded_run(base), recorded_run(run)
    return with_episode_pairs(compare(*both), *both)


def test_a_lost_task_shows_where_its_episodes_diverge_and_what_differs(base, run):
    (lost,) = compared(base, run)["lost"]
    assert lost["parting"] == {
        "step": 1, "why": "action", "did": ['tap "Alarm"', 'tap "Timer"'], "before": [],
        "after": [],
    }  # fmt: skip
    assert lost["beside"] == [
        {"what": "prompt", "before": "Think first.", "after": "Think twice."},
        {"what": "model actor", "before": "gpt-4o-05", "after": "gpt-4o-08"},
        {"what": "app clock", "before": "41", "after": "42"},
    ]
    (folder,) = (run / "episodes").glob("clock-timer*")
    assert lost["episodes"]["run"] == folder.name
    lines = comparison_details(compared(base, run))
    at = lines.index("  clock/timer  1/1 → 0/1")
    assert lines[at + 1 : at + 5] == [
        '    diverge at step 1: tap "Alarm", now tap "Timer"',
        "    prompt: Think first. → Think twice.",
        "    model actor: gpt-4o-05 → gpt-4o-08",
        "    app clock: 41 → 42",
    ]


def test_summary_links_to_the_step_of_the_divergence(base, run):
    comparison = compared(base, run)
    (lost,) = comparison["lost"]
    place = page_fragment(lost)
    assert place == f"#e={lost['episodes']['run']}&with=~{lost['episodes']['baseline']}&s=1"
    text = "\n".join(comparison_markdown(comparison, page="https://ci/x(1).html"))
    assert "<details open>\n<summary>lost (1)" in text
    link = '- clock/timer 1/1 → 0/1: [diverge at step 1\\: tap "Alarm", now tap "Timer"]'
    assert f"{link.replace(chr(92), '')}(https://ci/x%281%29.html{place}); prompt:" in text
    assert "](" not in "\n".join(comparison_markdown(comparison))


def test_pair_page_has_a_block_for_each_pair(base, run):
    page = page_of_two(base, run)
    data = blocks(page)
    (lost,) = compared(base, run)["lost"]
    names = lost["episodes"]
    block = data[f"d:{names['run']}~{names['baseline']}"]
    assert block == {"parting": lost["parting"], "beside": lost["beside"]}
    assert sum(name.startswith("d:") for name in data) == 2
    assert page_of_two(base, run).read_bytes() == page.read_bytes()


@pytest.mark.parametrize("is_same", [True, False])
def test_pair_page_shows_this_comparison_and_no_gate_of_another(base, run, *, is_same):
    path = run / "report.json"
    report = json.loads(path.read_text())
    tested = json.loads((base / "report.json").read_text())["run"]["id"] if is_same else "another"
    report["run"] |= {"agent": "/home/ann/after.py:Mine", "command": ["--agent=/home/ann/after.py"]}
    report |= {"gate": {"verdict": "PASS"}, "comparison": {"baseline": {"id": tested}}}
    path.write_text(json.dumps(report))
    data = blocks(page_of_two(base, run))
    assert [each["id"] for each in data["index"]["comparison"]["lost"]] == ["clock/timer"]
    assert data["index"]["gate"] == ({"verdict": "PASS"} if is_same else None)
    assert [data[name]["run"]["name"] for name in ("index2", "index")] == ["before", "after"]
    assert "/home/ann" not in str(data["index"]["run"])


def test_packed_pair_contains_changed_episodes_with_pictures(base, run, tmp_path):
    page = tmp_path / "elsewhere" / "compare.html"
    page.parent.mkdir()
    assert write_packed_pair(base, run, compared(base, run), page) == ""
    data = blocks_of_names(page)
    (lost,) = compared(base, run)["lost"]
    now, before = lost["episodes"]["run"], lost["episodes"]["baseline"]
    assert {f"e:{now}", f"e:~{before}", f"d:{now}~{before}"} <= data
    assert sum(name.startswith("e:") for name in data) == 2
    pictures = {f"p:{path.stem}" for each in (base, run) for path in each.glob("screens/*.png")}
    assert {name for name in data if name.startswith("p:")} == pictures
    rows = {row["id"]: row["e"] for row in blocks(page)["index"]["tasks"]}
    assert rows == {"clock/alarm": None, "clock/timer": now}


def blocks_of_names(page: Path) -> set[str]:
    marks = page.read_text("utf-8", "replace").split('base64" id="')[1:]
    return {each.partition('"')[0] for each in marks}


def test_command_writes_one_file_or_links_to_it(base, run, tmp_path, capsys):
    page = tmp_path / "two.html"
    assert main([str(base), str(run), "--format=html", "-o", str(page)], lambda _: None) == 0
    assert capsys.readouterr().out == f"{page}\n"
    given = [str(base), str(run), "--format=markdown", "--page=https://ci/two.html"]
    assert main(given, lambda _: None) == 0
    assert "](https://ci/two.html#e=clock-timer" in capsys.readouterr().out
    assert main([str(base), str(run)], lambda _: None) == 0
    hint = capsys.readouterr().out.splitlines()[-1]
    assert hint.endswith(f"show {base} {run} TASK")
    assert main([str(base), str(run), str(run), "--format=html"], lambda _: None) == 4
    assert "one run beside the first" in capsys.readouterr().err


def test_baseline_with_only_a_report_can_be_compared(base, run):
    for folder in (base / "episodes").iterdir():
        (folder / "episode.jsonl").unlink()
    (lost,) = compared(base, run)["lost"]
    assert "episodes" not in lost
    assert "    part" not in "\n".join(comparison_details(compared(base, run)))
    (now,) = (run / "episodes").glob("clock-timer*")
    assert episode_differences(base / "nowhere", now) is None


def test_another_phone_is_reported(base, tmp_path):
    other = replace(DEVICE, android="16")
    run = run_of(tmp_path / "runs", "after", (True, False), device=other)
    (lost,) = compared(base, run)["lost"]
    assert lost["parting"] is None
    assert divergence_in_words(None) == "the same steps on the same screens"
    assert differences_in_words(lost["beside"]) == [
        "phone: Pixel, Android 15, 1080x2400, en-US → Pixel, Android 16, 1080x2400, en-US"
    ]


SCREENS = "diverge at step 3, after the same actions, by what the phone showed"


@pytest.mark.parametrize(
    ("why", "did", "words"),
    [
        ("action", ["tap", "wait"], "diverge at step 3: tap, now wait"),
        ("length", [None, "tap"], "diverge at step 3: it had ended, now tap"),
        ("screen", ["tap", "tap"], f'{SCREENS}: nothing else, now "Ad"'),
        ("start", ["tap", "tap"], 'begin on different screens: nothing else, now "Ad"'),
    ],
)  # fmt: skip
def test_each_divergence_has_a_description(why, did, words):
    found = {"step": 3, "why": why, "did": did, "before": [], "after": ["Ad"]}
    assert divergence_in_words(found) == words
