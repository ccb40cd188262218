"""A Python program that itself reports where its steps begin and end."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from fractions import Fraction
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import EpisodeOver, Recorder
from pytest_mobileagent.errors import AgentError
from pytest_mobileagent.program.port import LocalPort

if TYPE_CHECKING:
    from collections.abc import Iterator


class Harness:
    """The other end of a recorder; `over` maps a request to the reason why the episode is over."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.told: list[dict[str, Any]] = []
        self.over: dict[str, str] = {}


@pytest.fixture
def harness() -> Iterator[Harness]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            spoken_to.told.append(told)
            reply = json.dumps({"over": spoken_to.over.get(told["do"], "")}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, *_: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        spoken_to = Harness(f"http://127.0.0.1:{server.server_port}/token/record")
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield spoken_to
        server.shutdown()
        thread.join()


@pytest.fixture
def recorder(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> Recorder:
    monkeypatch.setenv("MOBILEAGENT_RECORDER_URL", harness.url)
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")  # the proxy that records models
    return Recorder()


def words(harness: Harness) -> list[str]:
    return [told["do"] for told in harness.told]


def test_step_reports_its_beginning_and_end(harness, recorder):
    for _ in range(2):
        with recorder.step(), recorder.step():  # nested, as in a function called within a step
            pass
    assert words(harness) == ["begin", "end"] * 2


def test_every_kind_of_report_can_be_sent(harness, recorder):
    recorder.call("local:qwen", input_tokens=5, output_tokens=7)
    recorder.finish("42")
    recorder.impossible("no such app")
    call, finish, impossible = harness.told
    assert (call["model"], call["input_tokens"], call["output_tokens"]) == ("local:qwen", 5, 7)
    assert finish == {"do": "finish", "answer": "42"}
    assert impossible == {"do": "impossible", "reason": "no such app"}


@pytest.mark.parametrize("when", ["begin", "end"])
def test_end_of_the_episode_ends_a_program_that_catches_exceptions(harness, recorder, when):
    harness.over = {when: "step limit"}
    done = []

    def loop() -> None:
        try:
            with recorder.step():
                done.append("act")
        except Exception:  # noqa: BLE001 - as many loops do
            done.append("next")

    with pytest.raises(EpisodeOver, match="the episode is over: step limit") as over:
        loop()
    assert isinstance(over.value, SystemExit)
    assert done == (["act"] if when == "end" else [])


def test_exception_in_a_step_ends_it_and_is_raised(harness, recorder):
    harness.over = {"end": "step limit"}
    with pytest.raises(ValueError, match="mine"), recorder.step():
        raise ValueError("mine")
    assert words(harness) == ["begin", "end"]


def test_a_lost_harness_ends_the_episode(recorder):
    gone = Recorder("http://127.0.0.1:9/token/record")
    with pytest.raises(EpisodeOver, match="the recorder does not answer"), gone.step():
        pytest.fail("it went on")
    gone.finish("42")


def test_numbers_of_any_type_are_sent_as_numbers(harness, recorder):
    recorder.call("x", input_tokens=Fraction(5), seconds=Fraction(1, 2))  # type: ignore[arg-type]
    assert (harness.told[0]["input_tokens"], harness.told[0]["seconds"]) == (5, 0.5)
    with pytest.raises(ValueError, match="many"):
        recorder.call("x", output_tokens="many")  # type: ignore[arg-type]


def test_the_reason_why_a_call_is_not_recorded_is_reported():
    async def refused() -> str:
        async def take(said: dict[str, Any]) -> dict[str, Any]:
            msg = f"no call of a model was told: {said['model']}"
            raise AgentError(msg)

        async with LocalPort() as port:
            port.answer("recorder", take)
            recorder = Recorder(port.url("recorder"))
            with pytest.raises(EpisodeOver) as over:
                await asyncio.to_thread(recorder.call, "x")
        return str(over.value)

    assert "the recorder rejected the message: no call of a model was told: x" in asyncio.run(
        refused()
    )


def test_program_runs_normally_outside_an_episode(monkeypatch):
    monkeypatch.delenv("MOBILEAGENT_RECORDER_URL", raising=False)
    monkeypatch.delenv("MOBILEAGENT_GOAL", raising=False)
    recorder = Recorder()
    with recorder.step():
        recorder.call("x")
    recorder.finish()
    recorder.impossible()
    assert (recorder.is_recording, recorder.goal) == (False, "")


def test_long_goal_is_read_from_a_file(monkeypatch, tmp_path):
    (tmp_path / "goal").write_text("long", "utf-8")
    monkeypatch.setenv("MOBILEAGENT_GOAL", "short")
    assert Recorder().goal == "short"
    monkeypatch.setenv("MOBILEAGENT_GOAL_FILE", str(tmp_path / "goal"))
    assert Recorder().goal == "long"


def test_recorder_needs_only_python_and_ends_quietly(harness):
    harness.over = {"begin": "step limit"}
    code = "from pytest_mobileagent import Recorder\nwith Recorder().step(): print('no')"
    command = [sys.executable, "-S", "-c", f"import sys; sys.path.append('.')\n{code}"]
    environment = {"MOBILEAGENT_RECORDER_URL": harness.url}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stderr == "the episode is over: step limit\n"
    assert (done.stdout, done.returncode) == ("", 1)
