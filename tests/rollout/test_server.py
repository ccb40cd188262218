"""Tests of phones that are served to clients, raw ones and OpenEnv's."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from typing import Any

import pytest

pytest.importorskip("gymnasium")
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from pytest_mobileagent import Finish, Open
from pytest_mobileagent.__main__ import main
from pytest_mobileagent.action import to_json
from pytest_mobileagent.dialect import dialects
from pytest_mobileagent.rollout import Reward
from pytest_mobileagent.rollout.server import RolloutServer

TOKEN = "a-token"
COUNTER = "com.example.counter"
OPENENV = """
import sys
from openenv.core import GenericEnvClient
with GenericEnvClient(base_url=sys.argv[1]).sync() as env:
    print(env.reset(task=sys.argv[2], seed=1).observation["goal"])
    result = env.step({"action": "Finish", "answer": "It is 4711."})
    print(result.reward, result.done, env.state()["step_count"])
    try:
        env.step({"action": "Finish"})
    except RuntimeError as error:
        print("reset first" if "reset first" in str(error) else error)
"""


@pytest.fixture(scope="module")
def address(fleet, suite):
    """Serve two phones, and return the address without the token."""
    listener = socket.create_server(("127.0.0.1", 0))
    tasks = [task for task in suite if not task.needs]
    dialect = dialects()["androidworld"]()
    server = RolloutServer(tasks, fleet[:2], TOKEN, dialect=dialect, reward=Reward(progress=1))
    web = server.web()
    thread = threading.Thread(target=lambda: asyncio.run(web.serve([listener])))
    thread.start()
    yield f"127.0.0.1:{listener.getsockname()[1]}"
    web.should_exit = True
    thread.join()
    server.close()


@pytest.fixture
def client(address):
    with connected(f"ws://{address}/{TOKEN}/ws") as socket:
        yield socket


def ask(client, kind, **data):
    client.send(json.dumps({"type": kind, "data": data}))
    answer = json.loads(client.recv())
    return answer["type"], answer["data"]


def ask_http(address, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(f"http://{address}/{TOKEN}{path}", data) as reply:
        return json.load(reply)


def test_a_client_plays_an_episode(client, named):
    kind, first = ask(client, "reset", task=named["count"].id, seed=3, episode_id="mine")
    assert kind == "observation"
    assert (first["reward"], first["done"]) == (None, False)
    assert base64.b64decode(first["observation"]["screenshot"]).startswith(b"\x89PNG")
    number = first["observation"]["parameters"]["number"]
    assert first["observation"]["goal"] == f"Count to {number}."
    assert ask(client, "step", **to_json(Open(COUNTER)))[1]["reward"] == 0.0
    assert ask(client, "state")[1] == {
        "episode_id": "mine", "step_count": 1, "done": False, "task": named["count"].id,
        "goal": f"Count to {number}.",
    }  # fmt: skip
    last = ask(client, "step", **to_json(Finish()))[1]
    assert (last["reward"], last["done"]) == (0.0, True)
    assert last["metadata"] == last["observation"]["metadata"]
    assert (last["metadata"]["terminated"], last["metadata"]["success"]) == (True, False)
    assert ask(client, "step", **to_json(Finish()))[0] == "error"
    assert ask(client, "reset")[0] == "observation"


def test_a_models_words_are_a_step(client, named):
    ask(client, "reset", task=named["code"].id)
    words = 'Reason: read\nAction: {"action_type": "answer", "text": "4711"}'
    assert ask(client, "step", text="Well.")[1]["observation"]["notice"]
    assert ask(client, "step", text=words)[1]["metadata"]["success"]


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("{", "INVALID_JSON"),
        ("[" * 100_000, "INVALID_JSON"),
        (b"\xff", "INVALID_JSON"),
        ("7", "INVALID_JSON"),
        ('{"type": "dance"}', "UNKNOWN_TYPE"),
        ('{"type": ["reset"]}', "UNKNOWN_TYPE"),
        ('{"type": "reset", "data": [1]}', "VALIDATION_ERROR"),
        ('{"type": "reset", "data": {"seed": "1"}}', "VALIDATION_ERROR"),
        ('{"type": "reset", "data": {"seed": -1}}', "EXECUTION_ERROR"),
        ('{"type": "reset", "data": {"split": "dev"}}', "VALIDATION_ERROR"),
        ('{"type": "reset", "data": {"split": "train", "index": 99}}', "VALIDATION_ERROR"),
        ('{"type": "reset", "data": {"task": "x"}}', "EXECUTION_ERROR"),
        ('{"type": "reset", "data": {"sead": 1}}', "VALIDATION_ERROR"),
        ('{"type": "step", "data": {"action": "Wait"}}', "EXECUTION_ERROR"),
    ],
)
def test_a_bad_message_gets_an_error_and_the_session_goes_on(client, message, code):
    client.send(message)
    answer = json.loads(client.recv())
    assert (answer["type"], answer["data"].get("code")) == ("error", code)
    assert ask(client, "state") == ("state", {"episode_id": None, "step_count": 0, "done": True})


def test_invalid_actions_are_refused_but_a_wrong_one_is_a_step(client):
    ask(client, "reset", seed=1)
    for data in ({}, {"action": "Dance"}, {"action": "Tap", "z": 1}, {"action": ["Tap"]}):
        assert ask(client, "step", **data)[1]["code"] == "VALIDATION_ERROR"
    outside = ask(client, "step", action="Tap", x=9999, y=1)[1]
    assert "outside" in outside["observation"]["notice"]


@contextlib.contextmanager
def connected(url):
    """A client that has a phone, as soon as one is free."""
    end, kind = time.monotonic() + 60, ""
    while time.monotonic() < end:
        with connect(url) as client:
            with contextlib.suppress(ConnectionClosed):  # it is refused
                kind, _ = ask(client, "state")
            if kind == "state":
                yield client
                return
    pytest.fail("no phone has become free")


def test_a_phone_is_free_as_soon_as_its_client_has_gone(address):
    url = f"ws://{address}/{TOKEN}/ws"
    with connected(url) as first, connected(url) as second:
        assert ask(first, "reset", seed=1)[0] == ask(second, "reset", seed=1)[0] == "observation"
        with connect(url) as third:
            refused = json.loads(third.recv())["data"]
        assert refused["code"] == "CAPACITY_REACHED"
        assert "all 2 phones are in use" in refused["message"]
        second.send('{"type": "close"}')
        with pytest.raises(ConnectionClosed, match="1000"):
            second.recv()
        first.socket.close()  # as if its process had been killed
    with connected(url), connected(url):
        pass


def test_nothing_is_served_without_the_token(address):
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(f"http://{address}/health")
    with pytest.raises(InvalidStatus, match="403"):
        connect(f"ws://{address}/wrong/ws")
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    with connect(f"ws://{address}/ws", additional_headers=bearer) as client:
        assert ask(client, "state")[0] == "state"


def test_tasks_are_listed_by_split(address, client, named):
    assert ask_http(address, "/health") == {"status": "healthy"}
    assert ask_http(address, "/list_environments") == ["mobileagent"]
    splits = ask_http(address, "/mobileagent/splits")
    assert [each["name"] for each in splits] == ["train", "test"]
    tasks = ask_http(address, "/mobileagent/tasks", {"split": "test"})["tasks"]
    count = ask_http(address, "/mobileagent/num_tasks", {"split": "test"})
    assert count == {"num_tasks": len(tasks)}
    assert named["count"].id in {task["id"] for task in tasks}
    one = ask_http(address, "/mobileagent/task", {"split": "test", "index": 0})["task"]
    assert one == tasks[0]
    seen = ask(client, "reset", split="test", index=0)[1]["observation"]
    assert seen["task"] == one["id"]
    bodies: list[Any] = [{"split": "dev"}, {"split": "test", "index": 99}, {"split": []}, []]
    for body in bodies:
        with pytest.raises(urllib.error.HTTPError, match="400"):
            ask_http(address, "/mobileagent/task", body)


def test_openenvs_own_client_plays(address, named):
    # OpenEnv may need an environment of its own: its dependencies exclude some of ours.
    python = os.environ.get("OPENENV_PYTHON", sys.executable)
    if subprocess.run([python, "-c", "import openenv.core"], check=False).returncode:
        pytest.skip("OpenEnv is not installed; OPENENV_PYTHON may name a Python that has it")
    told = subprocess.run(
        [python, "-c", OPENENV, f"http://{address}/{TOKEN}", named["code"].id],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert told.splitlines() == ["Which code is on the second page?", "1.0 True 1", "reset first"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nowhere"], "no tasks at nowhere"),
        (["tasks", "--port", "70000"], "'70000' is not a port"),
        (["tasks", "--reward", "joy=1"], "'joy=1' is not a weight"),
        (["tasks", "--device", "what:"], "--device=what: --phones=1: names no kind of device"),
    ],
)
def test_wrong_options_are_named(project, monkeypatch, capsys, words, told):
    monkeypatch.chdir(project)
    with contextlib.suppress(SystemExit):
        assert main(["rollouts", *words]) != 0
    assert told in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("asked", [signal.SIGTERM, signal.SIGHUP])
def test_the_command_serves_until_it_is_asked_to_end(project, tmp_path, asked):
    command = [sys.executable, "-m", "pytest_mobileagent", "rollouts", "tasks/counter",
               "--record", str(tmp_path), "--sees=hierarchy", "--", "-k", "code"]  # fmt: skip
    pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=project, **pipes) as process:
        try:
            assert process.stdout
            lines = iter(process.stdout.readline, "")
            assert next(lines).startswith("1 task on 1 phone")
            url = next(line.strip() for line in lines if "http" in line)
            with connect(url.replace("http", "ws") + "/ws") as client:
                assert "screenshot" not in ask(client, "reset")[1]["observation"]
                assert ask(client, "step", **to_json(Finish("4711")))[1]["reward"] == 1.0
                process.send_signal(asked)
                with pytest.raises(ConnectionClosed, match="1012"):
                    client.recv()
        finally:
            process.terminate()
        assert process.stderr
        assert process.stderr.read() == ""
    assert process.returncode == 0
    (report,) = tmp_path.glob("*/report.json")
    assert json.loads(report.read_text())["tasks"][0]["outcome"] == "passed"
