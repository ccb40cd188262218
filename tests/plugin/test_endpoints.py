"""Agents that ask models through an SDK, using the endpoint provided in their briefing."""

from __future__ import annotations

import importlib
import json
import os
import re
from fnmatch import fnmatch
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.llm.providers import PROVIDERS
from pytest_mobileagent.testing import ScriptedModel, ScriptedReply, When
from tests.llm.standin import FAULTS, error, standing_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.llm.scripted.model_server import ServedModel


@pytest.fixture(scope="module", autouse=True)
def sdks() -> None:
    """Load what each run in this process would otherwise load, and discard again."""
    for name in ("anthropic", "genai_prices", "openai", "trustme"):
        importlib.import_module(name)


CONFTEST = """
import pytest
from pytest_mobileagent.testing import FakeLease, FakePhone, make_screen

@pytest.fixture(scope="session")
def mobile_lease():
    with open("devices.txt", "a") as file:
        file.write("started ")
    return FakeLease(FakePhone([make_screen("0")]))
"""
AGENTS = """
import os
from pathlib import Path
from pytest_mobileagent import Agent, Finish, ModelCall, Reply, Tap

ASKED = [{"role": "user", "content": "What now?"}]

class Sdk(Agent):
    endpoints = ("openai",)
    def start(self, briefing):
        import openai
        at = briefing.endpoint("openai")
        keys = [name for name in os.environ if name.endswith("_KEY")]
        Path("found.txt").write_text(f"{at} {keys}")
        given = {"base_url": at.base_url, "api_key": at.token, "max_retries": 0}
        self.connect = lambda: openai.OpenAI(**given)
    def step(self, observation):
        with self.connect() as self.client:
            words = self.ask()
        return Finish(words[6:]) if words.startswith("done: ") else Reply(Tap(5, 5), said=words)
    def ask(self):
        done = self.client.chat.completions.create(model="own", messages=ASKED)
        return done.choices[0].message.content

class Streams(Sdk):
    endpoints = ()
    def ask(self):
        pieces = self.client.chat.completions.create(model="own", messages=ASKED, stream=True)
        return "".join(piece.choices[0].delta.content or "" for piece in pieces)

class Claude(Sdk):
    endpoints = ("anthropic",)
    def start(self, briefing):
        import anthropic
        at = briefing.endpoint("anthropic")
        given = {"base_url": at.base_url, "api_key": at.token, "max_retries": 0}
        self.connect = lambda: anthropic.Anthropic(**given)
    def ask(self):
        said = self.client.messages.create(model="own", max_tokens=9, messages=ASKED)
        return said.content[0].text

class Stubborn(Sdk):
    def ask(self):
        try:
            return super().ask()
        except Exception:
            return "I go on."

class Unknown(Agent):
    def step(self, observation): ...
    def start(self, briefing):
        briefing.endpoint("opanai")

class Quotes(Sdk):
    def ask(self):
        raise RuntimeError(f"{self.client.base_url} and {self.client.api_key} are at fault")

class Reports(Agent):
    def step(self, observation):
        call = ModelCall("gpt-4o", input_tokens=1000, output_tokens=100)
        return Reply(Finish("4711"), calls=[call])
"""
TASK = """
from pytest_mobileagent import task

@task("Tell me the code.")
def test_code(episode):
    assert episode.answers("4711")
"""
# $0.20 for 1000 input and 100 output tokens
PRICES = (
    '["openai:own"]\ninput = 100\noutput = 1000\n["anthropic:own"]\ninput = 100\noutput = 1000\n'
)
DONE = ScriptedReply("done: 4711", input_tokens=1000, output_tokens=100)
LOOK = ScriptedReply("Let me see.", input_tokens=1000, output_tokens=100)


class Project:
    """The project above, with a model provider that answers only requests with its key."""

    def __init__(self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
        self._pytester, self._monkeypatch = pytester, monkeypatch
        self._served: list[ServedModel] = []
        for name in {n for each in PROVIDERS.values() for n in (*each.key, *each.url_variables)}:
            monkeypatch.delenv(name, raising=False)
        pytester.makeconftest(CONFTEST)
        pytester.makepyfile(sdk=AGENTS, test_code=TASK)
        pytester.makefile(".toml", prices=PRICES)

    def serve(self, *replies: Any) -> ScriptedModel:
        model = ScriptedModel(replies)
        served = model.serve()
        self._served.append(served)
        for name, url in (("OPENAI", f"{served.address}/v1"), ("ANTHROPIC", served.address)):
            self._monkeypatch.setenv(f"{name}_BASE_URL", url)
            self._monkeypatch.setenv(f"{name}_API_KEY", served.key)
        return model

    def close(self) -> None:
        for served in self._served:
            served.close()

    @property
    def keys(self) -> list[str]:
        return [served.key for served in self._served]

    def run(self, agent: str, *options: str, process: str = "off") -> pytest.RunResult:
        return self._pytester.runpytest_inprocess(
            f"--agent=sdk.py:{agent}",
            "-omobile_prices=prices.toml",
            f"--mobile-agent-process={process}",
            *options,
        )

    def refused(self, agent: str, *options: str) -> str:
        result = self.run(agent, *options)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        assert not (self._pytester.path / "devices.txt").exists()
        (line,) = (line for line in result.errlines if line.startswith("ERROR: "))
        return line.removeprefix("ERROR: ")

    @property
    def _newest(self) -> Any:
        paths = (self._pytester.path / "runs").glob("*/report.json")
        return max(paths, key=lambda path: path.stat().st_mtime_ns)

    def task(self) -> dict[str, Any]:
        (task,) = json.loads(self._newest.read_text("utf-8"))["tasks"]
        return dict(task)

    def calls(self) -> list[dict[str, Any]]:
        (path,) = self._newest.parent.glob("episodes/*/calls.jsonl")
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()]

    def files(self) -> bytes:
        paths = (self._pytester.path / "runs").rglob("*")
        return b"".join(path.read_bytes() for path in paths if path.is_file())


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    project = Project(pytester, monkeypatch)
    yield project
    project.close()


@pytest.mark.parametrize(
    ("agent", "process"), [("Sdk", "on"), ("Streams", "on"), ("Claude", "off")]
)
def test_sdk_used_by_an_agent_is_metered(
    project: Project, pytester: pytest.Pytester, agent: str, process: str
) -> None:
    model = project.serve(LOOK, DONE)
    result = project.run(agent, process=process)
    result.assert_outcomes(passed=1)
    task = project.task()
    assert (task["input_tokens"], task["output_tokens"]) == (2000, 200)
    assert task["cost_usd"] == pytest.approx(0.4)
    assert task["steps"] == 1
    first, last = project.calls()
    assert first["prompt"] == [{"role": "user", "content": ["What now?"]}]
    assert first["reply"]["text"] == "Let me see."
    assert last["call"]["model"] == f"{'anthropic' if agent == 'Claude' else 'openai'}:own"
    assert len(model.requests) == 2
    (key,) = project.keys
    assert key.encode() not in project.files()
    assert key not in result.stdout.str()
    if process == "on":  # a process gets no key if its agent declares an endpoint
        found = (pytester.path / "found.txt").read_text()
        assert re.match(r"Endpoint\(http://127.0.0.1:\d+\) \[", found)
        assert ("OPENAI_API_KEY" in found) is (agent == "Streams")


def test_no_proxy_is_between_an_agent_and_its_endpoint(
    project: Project, monkeypatch: pytest.MonkeyPatch, unused_port: int
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{unused_port}")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.setenv("NO_PROXY", "example.com")
    project.serve(LOOK, DONE)
    project.run("Sdk").assert_outcomes(passed=1)
    assert os.environ["NO_PROXY"] == "example.com"
    assert "no_proxy" not in os.environ


def test_script_replaces_the_model_behind_an_endpoint(project: Project, pytester) -> None:
    (pytester.path / "replies.jsonl").write_text('"Let me see."\n"done: 4711"\n')
    project.run("Sdk", "--mobile-model=scripted:replies.jsonl").assert_outcomes(passed=1)
    assert [line["call"]["model"] for line in project.calls()] == ["scripted:replies.jsonl"] * 2
    assert project.task()["cost_usd"] == 0.0


ANSWERS = [*FAULTS, (503, error("server_error"), "infrastructure")]
ONE_OF_EACH = {answer[2]: answer for answer in ANSWERS}.values()


@pytest.mark.parametrize("agent", ["Sdk", "Stubborn"])
@pytest.mark.parametrize("answer", ONE_OF_EACH, ids=lambda answer: answer[2])
def test_the_fault_is_the_providers_or_the_agents(
    project: Project, monkeypatch: pytest.MonkeyPatch, agent: str, answer: Any
) -> None:
    status, body, fault = answer
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-real-key")
    with standing_in((status, body)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        project.run(agent, "--mobile-retries=0")
    assert project.task()["fault"] == fault


@pytest.mark.parametrize("agent", ["Sdk", "Stubborn"])
def test_budget_ends_the_episode(project: Project, agent: str) -> None:
    model = project.serve(When("", LOOK))
    project.run(agent, "--mobile-max-cost=task=0.40")
    assert (project.task()["termination"], project.task()["fault"]) == ("budget", "budget")
    assert len(model.requests) == 2


def test_cached_reply_is_not_requested_again(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = project.serve(LOOK, DONE)
    for usd in (0.4, 0.0):
        project.run("Sdk", "--mobile-cache=all").assert_outcomes(passed=1)
        assert project.task()["cost_usd"] == pytest.approx(usd)
        assert project.task()["input_tokens"] == 2000
    assert {line["call"]["from_cache"] for line in project.calls()} == {True}
    assert len(model.requests) == 2
    project.close()
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name)
    project.run("Sdk", "--mobile-cache=replay").assert_outcomes(passed=1)


@pytest.mark.parametrize("agent", ["Streams", "Claude"])
def test_recorded_replies_need_neither_key_nor_server(
    project: Project, agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = project.serve(LOOK, DONE)
    project.run(agent).assert_outcomes(passed=1)
    project.close()
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name)
    project.run(agent, "--mobile-replies=runs").assert_outcomes(passed=1)
    assert (project.task()["calls"], project.task()["input_tokens"]) == (2, 2000)
    assert len(model.requests) == 2


def test_an_unrecorded_call_is_not_replayed(project: Project) -> None:
    model = project.serve(When("", DONE))
    result = project.run("Sdk", "--mobile-cache=replay", "--mobile-retries=0")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*--mobile-cache=replay: no reply is cached for this request*"])
    assert model.requests == []


def test_token_quoted_by_an_agent_is_not_recorded(project: Project) -> None:
    project.serve(DONE)
    result = project.run("Quotes")
    result.assert_outcomes(failed=1)
    result.stdout.re_match_lines(
        [r"error .*RuntimeError: http://127.0.0.1:\d+/…/openai/v1.* and … are"]
    )


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (
            [],
            "sdk.py:Sdk asks openai through its own SDK: * OPENAI_API_KEY is not set. No device *",
        ),
        (["--mobile-model=openai:own"], "--mobile-model=openai:own: a program chooses its models*"),
        (["--mobile-model=scripted:lacking"], "--mobile-model=scripted:lacking: cannot read *"),
    ],
)
def test_missing_requirement_is_reported_before_a_device_starts(
    project: Project, options: list[str], why: str
) -> None:
    assert fnmatch(project.refused("Sdk", *options), why)


def test_an_unknown_provider_is_the_agents_error(project: Project) -> None:
    result = project.run("Unknown")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["error*'opanai'*no provider with an endpoint*; did you mean 'openai'? (the providers *"]
    )


def test_calls_reported_by_an_agent_are_priced_by_model_name(project: Project) -> None:
    project.run("Reports").assert_outcomes(passed=1)
    usd = project.task()["cost_usd"]
    assert usd is not None
    assert 0 < usd < 0.1
