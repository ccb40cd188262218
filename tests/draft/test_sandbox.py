"""Tests of running a draft on prefixes of an episode, and of telling success from failure by it."""

import json
import subprocess
from pathlib import Path

import pytest

from pytest_mobileagent import isolation as kernel
from pytest_mobileagent.draft import sandbox
from pytest_mobileagent.draft.sandbox import (
    PrefixAnswer,
    SandboxLimits,
    Separation,
    ask_prefixes,
    check_sandbox,
)
from pytest_mobileagent.errors import HostError
from pytest_mobileagent.isolation import UnavailableError
from pytest_mobileagent.verdict import Verdict

needs_linux = pytest.mark.skipif(bool(kernel.unsupported()), reason=kernel.unsupported())
STEPS = 3  # decisions in the episode, including its report


def body(*lines):
    return "\n".join(["def test_it(episode):", *(f"    {line}" for line in lines), ""])


@needs_linux
def test_each_prefix_is_asked_where_no_key_is_to_be_read(done, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    source = "import os, re\n" + body(
        "assert set(os.environ) <= {'LC_CTYPE'}, os.environ",  # set by Python itself
        "assert episode.screen.get(resource_id='used', text=re.compile('GB'))",
    )
    answers = ask_prefixes(done, STEPS, source, "test_it")
    assert [answer.holds for answer in answers] == [False, False, True, True]
    assert answers[0].reason.startswith("assert episode.screen.get(")


@needs_linux
def test_the_whole_says_what_came_closest(done):
    answers = ask_prefixes(
        done, STEPS, body("assert episode.screen.find(text='1.3 GB')"), "test_it"
    )
    assert answers[-1].reason.splitlines()[1:3] == [
        "nothing on the screen of com.example.shop has text='1.3 GB'",
        "  closest: <TextView text='1.2 GB' resource_id='used' at [0,120][1080,240]>",
    ]
    assert len(answers[-1].reason.splitlines()) <= 7


@needs_linux
def test_after_a_limit_of_time_the_rest_is_not_asked(done):
    answers = ask_prefixes(done, STEPS, body("while True: pass"), "test_it", SandboxLimits(0.1))
    assert answers == (PrefixAnswer(holds=False, reason="it takes too long", broke=True),) * 4


@needs_linux
def test_a_draft_that_is_hostile_where_it_is_loaded_is_contained_too(done):
    source = "import os\nos._exit(0)\n" + body("pass")
    assert {a.holds for a in ask_prefixes(done, STEPS, source, "test_it")} == {False}


@needs_linux
def test_this_system_has_a_sandbox():
    check_sandbox()


@needs_linux
def test_an_episode_that_does_not_exist_is_an_error(tmp_path):
    with pytest.raises(HostError, match=r"sandbox's process ended: .*RecordError"):
        ask_prefixes(tmp_path, 1, body("pass"), "test_it")


@pytest.mark.parametrize(
    "reply",
    [
        b"",
        b"no JSON",
        b"[]",
        b"{}",
        b'{"answers": [1]}',
        b'{"answers": [{"holds": 1, "reason": "", "broke": false}]}',
        b'{"answers": [{"holds": true, "reason": null, "broke": false}]}',
        b'{"answers": []}',
        b"[" * 100_000,
    ],
)
def test_the_output_of_the_process_is_validated(monkeypatch, tmp_path, reply):
    done = subprocess.CompletedProcess([], 0, reply, b"")
    monkeypatch.setattr(sandbox, "unsupported", lambda: "")
    monkeypatch.setattr(sandbox.subprocess, "run", lambda *_, **__: done)
    with pytest.raises(HostError, match="sandbox's process"):
        ask_prefixes(tmp_path, 1, body("pass"), "test_it")


def test_long_reasons_are_cut(monkeypatch, tmp_path):
    answer = {"holds": False, "reason": "x" * 10**6, "broke": False}
    reply = json.dumps({"answers": [answer]}).encode()
    done = subprocess.CompletedProcess([], 0, reply, b"")
    monkeypatch.setattr(sandbox, "unsupported", lambda: "")
    monkeypatch.setattr(sandbox.subprocess, "run", lambda *_, **__: done)
    assert len(ask_prefixes(tmp_path, 0, body("pass"), "test_it")[0].reason) == 2000


def test_nothing_runs_on_a_system_without_isolation(monkeypatch, tmp_path):
    monkeypatch.setattr(sandbox, "unsupported", lambda: "a sandbox needs Linux's seccomp")
    monkeypatch.setattr(sandbox.subprocess, "run", None)
    for ask in (check_sandbox, lambda: ask_prefixes(tmp_path, 1, body("pass"), "test_it")):
        with pytest.raises(UnavailableError, match="seccomp"):
            ask()


def separation(holds, passed=None, first_step=None, broke=False):
    """Return a function's answers at each prefix but the first: "+" if it holds, "-" if not."""
    answers = tuple(PrefixAnswer(mark == "+", "" if mark == "+" else "assert x") for mark in holds)
    if broke:
        answers = (*answers[:-1], PrefixAnswer(holds=False, reason="TypeError: y", broke=True))
    verdict = None if passed is None else Verdict(passed, first_step=first_step)
    return Separation(Path("run/x.0"), tuple(range(len(holds))), answers, verdict)


@pytest.mark.parametrize(
    ("holds", "passed", "right", "told"),
    [
        ("--++", True, True, "right: holds after step 2-3 of 3 (goal met)"),
        ("--++", None, True, "separates: holds after step 2-3 of 3 (nobody has decided)"),
        ("-+-+", True, True, "right: holds after step 1, 3 of 3 (goal met)"),
        ("++++", True, False, "WRONG: holds after step 0-3 of 3: even before anything was done"),
        ("++++", None, False, "USELESS: holds after step 0-3 of 3: even before anything was done"),
        ("+", True, False, "WRONG: holds after step 0 of 0: even before anything was done"),
        ("----", True, False, "WRONG: holds at no step of 3: it does not recognise success"),
        ("-++-", True, False, "WRONG: holds after step 1-2 of 3, but not at the end"),
        ("----", False, True, "right: holds at no step of 3 (goal not met)"),
        ("-++-", False, True, "right: holds after step 1-2 of 3, but not at the end"),
        ("---+", False, False, "WRONG: holds after step 3 of 3: it does not recognise failure"),
        ("++++", False, False, "WRONG: holds after step 0-3 of 3: it accepts any state"),
    ],
)
def test_a_draft_is_judged_by_known_episodes(holds, passed, right, told):
    found = separation(holds, passed)
    assert found.is_right is right
    assert next(found.lines()).startswith(told)


@pytest.mark.parametrize("passed", [True, False, None])
def test_a_draft_that_breaks_at_the_end_is_right_about_nothing(passed):
    found = separation("---", passed, broke=True)
    assert not found.is_right
    first, second = found.lines()
    assert "at the end it breaks" in first
    assert second == "  TypeError: y"


def test_the_reason_stands_below_what_is_wrong():
    assert list(separation("--", True).lines())[1:] == ["  assert x"]
    assert list(separation("-+", True).lines())[1:] == []


def test_a_recorded_check_that_held_at_another_step_is_pointed_out():
    (_, remark) = separation("-+++", True, first_step=3).lines()
    assert remark == "  the recorded check first held after step 3"
    assert len(list(separation("-+++", True, first_step=1).lines())) == 1


def test_the_report_of_being_done_counts_as_no_step():
    answers = tuple(PrefixAnswer(mark == "+") for mark in "--+")
    assert Separation(Path(), (0, 1, 1), answers).held == "1"
