"""Agents in real processes: whatever they do to their process, other agents are unharmed."""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import nullcontext
from typing import Any

import pytest

from pytest_mobileagent import Finish, ModelCall, Tap, Termination
from pytest_mobileagent.agent.process import AgentProcess
from pytest_mobileagent.episode.output import DISPLAY_LIMIT
from pytest_mobileagent.errors import AgentError


@pytest.mark.parametrize(
    ("goal", "notice"),
    [("tap", ""), ("whole_number", ""), ("several", ""), ("huge_number", "whole pixels")],
)
def test_a_decision_is_performed_or_its_flaw_is_reported(played, goal, notice):
    episode = played(goal)
    assert episode.termination is Termination.SELF_REPORTED
    assert episode.step_count == 1
    assert notice in episode.answer
    assert bool(episode.answer) is bool(notice)


def test_texts_and_questions_of_an_agent_reach_the_worker(played):
    episode = played("own_reply")
    assert episode.steps[0].said == "own"
    assert episode.calls == (ModelCall("gpt", price_usd=0.5),)
    said = played("huge_text").steps[0].said
    assert said.startswith("x" * 50_000)
    assert "… 4900000 characters are left out …" in said
    assert played("surrogates").steps[0].said == "half ? of it"


@pytest.mark.parametrize(
    ("goal", "error"),
    [
        ("unsendable_reply", "<mobileagent_agents_"),
        ("raises", "it raised ValueError: no idea"),
        ("exits", "its process ended with status 3"),
        ("killed", "its process was killed by signal 35"),
        ("closes_everything", "its process "),
        ("closes_stdout", "it raised ValueError: I/O operation on closed file"),
    ],
)
def test_an_agent_that_breaks_fails_without_affecting_others(played, goal, error):
    episode = played(goal)
    assert episode.termination is Termination.AGENT_ERROR
    assert f"the agent failed at step 1: {error}" in episode.error
    assert played("tap").termination is Termination.SELF_REPORTED


def test_object_in_place_of_a_string_is_converted(played):
    assert played("unsendable").termination is Termination.SELF_REPORTED


@pytest.mark.parametrize("goal", ["holds_the_gil", "ignores_signals"])
def test_time_limit_ends_any_agent(played, goal):
    played("tap")  # starts the process
    started = time.monotonic()
    episode = played(goal, seconds=0.3)
    assert episode.termination is Termination.TIME_LIMIT
    assert time.monotonic() - started < 10
    assert played("tap").termination is Termination.SELF_REPORTED


def test_agent_that_stops_reading_is_ended(played, monkeypatch):
    # The observation is larger than the system's buffer for a process that does not read.
    monkeypatch.setattr("pytest_mobileagent.agent.process._STUCK", 1)
    played("exits")  # the next process starts with this setting
    episode = played("holds_the_gil_elsewhere", seconds=0.5, size=3_000_000)
    assert episode.termination in {Termination.TIME_LIMIT, Termination.AGENT_ERROR}


def test_messages_from_a_fork_of_the_agent_are_ignored(played):
    assert [step.action for step in played("fork_that_plays_on").steps] == [Tap(1, 1), Finish()]


def test_each_agent_starts_in_the_original_folder(played):
    here = played("where").answer
    assert played("changes_folder").answer == "/"
    assert played("where").answer == here


def test_output_of_an_agent_is_captured_with_its_test(played, process, capfd):
    process.load()
    played("prints")
    assert capfd.readouterr().out == "I see\n"
    played("tap")
    played("prints")
    assert capfd.readouterr().out == "I see\n"


def test_endless_output_is_truncated(played, process, capfd):
    process.load()
    folder = played("prints_much").folder
    shown = capfd.readouterr().out
    assert shown.startswith("0000 ")
    path = folder / "agent-stdout.txt"
    left = 3_000_000 - DISPLAY_LIMIT
    told = f"… {left} bytes of the agent's standard output are left out; they are in {path}\n"
    assert shown[DISPLAY_LIMIT:] == "\n" + told
    assert path.read_text() == "".join(f"{number:04}".ljust(999) + "\n" for number in range(3000))

    folder = played("prints_without_end").folder
    shown = capfd.readouterr().err
    assert shown.startswith("y" * DISPLAY_LIMIT + "\n…")
    assert len(shown) < 2 * DISPLAY_LIMIT
    kept = (folder / "agent-stderr.txt").read_bytes()
    assert len(kept) < 9_000_000
    assert b" bytes are left out " in kept

    folder = played("prints").folder
    assert not list(folder.glob("agent-*"))


@pytest.mark.parametrize(
    ("content", "options", "complaint"),
    [
        ("raise RuntimeError('no licence')", [], "cannot be loaded: RuntimeError: no licence"),
        ("import os; os._exit(3)", [], "cannot be loaded: its process ended with status 3"),
        ("class Mine:\n    def step(self, o): ...", ["a=1"], "Mine declares no options"),
    ],
)
def test_load_error_is_reported_each_time(tmp_path, content, options, complaint):
    path = tmp_path / "mine.py"
    path.write_text(f"{content}\nMine = globals().get('Mine')")
    process = AgentProcess(f"{path}:Mine", [], options, "a-run")
    try:
        for _ in range(2):
            with pytest.raises(AgentError) as caught:
                process.load()
            assert complaint in str(caught.value)
    finally:
        process.kill()


def test_library_in_a_test_folder_is_not_imported(tmp_path, monkeypatch):
    for name in ("calendar", "json", "random", "socket"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('not the library')")
    path = tmp_path / "mine.py"
    path.write_text("class Mine:\n    def step(self, observation): ...")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), tmp_path, *sys.path])
    process = AgentProcess(f"{path}:Mine", [], [], "a-run")
    try:
        assert process.load()["options"] == {}
    finally:
        process.kill()


def test_options_are_created_in_the_process(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        "class Mine:\n    class Options:\n        history: int = 3\n    def step(self, o): ..."
    )
    process = AgentProcess(f"{path}:Mine", [], ["history=5"], "a-run")
    try:
        about: dict[str, Any] = process.load()
        assert about["options"] == {"history": 5}
        assert about["knows_task"] is False
    finally:
        process.kill()


def test_process_that_ended_between_episodes_is_replaced(played, process):
    first = int(played("started").answer)
    os.kill(first, signal.SIGKILL)
    process._process.wait(5)
    episode = played("started")
    assert episode.termination is Termination.SELF_REPORTED
    assert int(episode.answer) != first


def test_a_process_that_was_stopped_between_episodes_continues(played):
    first = played("started").answer
    os.kill(int(first), signal.SIGSTOP)
    assert played("started").answer == first


def test_process_that_hangs_between_episodes_is_replaced(played, monkeypatch):
    monkeypatch.setattr("pytest_mobileagent.agent.process._PROBE_SECONDS", 0.1)
    first = int(played("hangs_when_told").answer)
    os.kill(first, signal.SIGUSR1)
    assert played("tap").termination is Termination.SELF_REPORTED
    with pytest.raises(ProcessLookupError):
        os.kill(first, 0)


def test_a_process_that_was_stopped_while_it_loads_continues(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)\n"
        "class Mine:\n    def step(self, o): ..."
    )
    process = AgentProcess(f"{path}:Mine", [], [], "a-run")
    try:
        assert process._process is not None
        os.waitid(os.P_PID, process._process.pid, os.WSTOPPED | os.WNOWAIT)
        assert process.load()["options"] == {}
    finally:
        process.kill()


KILLED_ONCE = """
import os, signal
from pathlib import Path

if not (marker := Path({marker!r})).exists():
    {mark}
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize(
    ("mark", "error"), [("marker.touch()", ""), ("pass", "its process was killed by SIGKILL")]
)
def test_a_process_that_is_killed_while_it_loads_is_started_once_more(file, tmp_path, mark, error):
    path = tmp_path / "mine.py"
    kill = KILLED_ONCE.format(marker=str(tmp_path / "marker"), mark=mark)
    path.write_text(kill + "class Mine:\n    def step(self, observation): ...")
    process = AgentProcess(f"{path}:Mine", [], [], "a-run")
    try:
        with pytest.raises(AgentError, match=error) if error else nullcontext():
            assert process.load()["kind"] == "ready"
    finally:
        process.kill()
