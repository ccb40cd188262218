"""--mobile-model: the agent's model, or a model for each of its roles."""

from __future__ import annotations

import sys

import pytest

from pytest_mobileagent.testing import Fault, ScriptedReply
from tests.llm.standin import FAULTS, error, reply, standing_in

DONE = ScriptedReply("done: 4711", input_tokens=1000, output_tokens=100, cached_tokens=10)
KEY = "sk-not-a-real-key"


def test_the_agent_asks_the_model(asking):
    model = asking.script("Let me see.", "done: 4711")
    asking.run(f"--mobile-model={model}").assert_outcomes(passed=1)
    report = asking.report()
    (task,) = report["tasks"]
    assert (task["answer"], task["steps"], task["calls"]) == ("4711", 1, 2)
    assert (task["cost_usd"], task["estimated"]) == (0, True)
    assert report["run"]["models"] == {"default": "scripted:replies.jsonl"}
    assert report["run"]["price_table"].startswith("genai-prices ")
    assert [call["reply"]["text"] for call in asking.calls()] == ["Let me see.", "done: 4711"]


def test_a_process_of_the_agents_own_asks_it_too(asking):
    model = asking.script("Let me see.", "done: 4711")
    asking.run(f"--mobile-model={model}", off=False).assert_outcomes(passed=1)
    assert asking.report()["tasks"][0]["calls"] == 2


def test_each_role_may_have_a_model(asking):
    planner = asking.script({"reply": "plan", "input_tokens": 7, "output_tokens": 1}, name="plan")
    actor = asking.script("done: 4711")
    result = asking.run(f"--mobile-model=planner={planner},actor={actor}", agent="Two")
    result.assert_outcomes(passed=1)
    report = asking.report()
    assert report["run"]["models"] == {
        "planner": "scripted:plan.jsonl",
        "actor": "scripted:replies.jsonl",
    }
    assert report["tasks"][0]["roles"]["planner"]["input_tokens"] == 7
    assert set(report["tasks"][0]["roles"]) == {"planner", "actor"}
    assert report["summary"]["roles"].keys() == {"planner", "actor"}


def test_a_served_model_is_asked_and_priced(asking, served, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    model = served(Fault(429, retry_after=0), DONE)
    result = asking.run(f"--mobile-model={model}", "-omobile_prices=prices.toml")
    result.assert_outcomes(passed=1)
    (task,) = asking.report()["tasks"]
    assert task["cost_usd"] == pytest.approx(0.2)
    assert (task["input_tokens"], task["output_tokens"], task["cached_tokens"]) == (1000, 100, 10)
    assert task["estimated"] is False
    assert asking.calls()[-1]["call"]["retries"] == 1
    result.stdout.fnmatch_lines(["*tokens in/out*price*", "*1k/100*$0.20*"])
    files = (path for path in asking.pytester.path.rglob("*") if path.is_file())
    assert not [path for path in files if KEY.encode() in path.read_bytes()]


@pytest.mark.parametrize(
    ("model", "error"),
    [
        ("openai:a", "the environment variable OPENAI_API_KEY is not set. No device was started."),
        ("gemini:a", "the environment variable GEMINI_API_KEY or GOOGLE_API_KEY is not set. *"),
        ("opnai:gpt-4o", "no provider is called 'opnai'; did you mean 'openai'? (available: *"),
        ("vllm:m", "vllm has no default endpoint: name one, as in vllm:m@http://HOST:PORT/v1"),
        ("scripted:none.jsonl", "cannot read none.jsonl: No such file or directory"),
        ("x=scripted:a", "asking.py:Asks calls no model as 'x' (its roles: actor)"),
        ("acter=scripted:a", "asking.py:Asks calls no model as 'acter'; did you mean 'actor'? *"),
    ],
)  # fmt: skip
def test_an_invalid_model_is_reported_before_a_device_starts(asking, fnmatch, model, error):
    option = f"--mobile-model={model}"
    fnmatch(asking.refused(option), f"{option}: {error}")


@pytest.mark.parametrize(
    ("agent", "model", "error", "off"),
    [
        ("anthropic_computer_use", "anthropic:claude-9", "anthropic_computer_use does not know",
         False),  # in a process of the agent's own
        ("anthropic_computer_use", "anthropic:claude-9", "anthropic_computer_use does not know",
         True),
        ("openai_computer_use", "openai-responses:gpt-4o", "openai_computer_use does not know",
         True),
        ("gemini_computer_use", "openai:gemini-3.8-flash",
         "gemini_computer_use needs another API: --mobile-model=gemini:gemini-3.8-flash", True),
        ("anthropic_computer_use", "openai:gpt-5.6-sol",
         "anthropic_computer_use needs another API: --mobile-model=anthropic:NAME", True),
    ],
)  # fmt: skip
def test_a_model_that_an_agent_cannot_use_is_reported_first(asking, agent, model, error, off):
    option = f"--mobile-model={model}"
    assert asking.refused(option, agent=agent, off=off).startswith(f"{option}: {error}")


def test_a_model_of_an_extra_that_is_not_installed_is_reported(asking, monkeypatch):
    monkeypatch.setitem(sys.modules, "google.genai", None)
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    error = asking.refused("--mobile-model=gemini:gemini-3.8-flash")
    assert "asking models of Gemini needs packages that are not installed (google.genai)" in error
    assert error.endswith('pip install ".[gemini]" in a checkout of pytest-mobileagent. '
                          "No device was started.")  # fmt: skip


def test_an_agent_that_asks_a_model_needs_one(asking):
    assert asking.refused() == (
        "asking.py:Asks asks a model: --mobile-model=PROVIDER:NAME. "
        "Without a key: --mobile-model=scripted:FILE"
    )


def test_an_unknown_model_is_reported(asking, fnmatch):
    error = "'gpt-4o' must be PROVIDER:NAME, as in openai:gpt-4o"
    fnmatch(asking.refused("--mobile-model=gpt-4o"), f"--mobile-model=gpt-4o (from *) {error}")
    fnmatch(asking.refused("--mobile-model="), "--mobile-model (from --mobile-model) is empty: *")


def test_a_role_without_a_model_is_reported(asking, fnmatch):
    error = asking.refused("--mobile-model=planner=scripted:a", agent="Two")
    fnmatch(error, "*: no model is given for actor: add actor=PROVIDER:NAME")


def test_a_script_for_the_agent_is_named_if_there_is_one(asking):
    replies = asking.pytester.path / "fixtures" / "replies"
    replies.mkdir(parents=True)
    (replies / "asking.jsonl").touch()
    (asking.pytester.path / "agents").mkdir()
    error = asking.refused()
    assert error.endswith("Without a key: --mobile-model=scripted:fixtures/replies/asking.jsonl")


def test_an_endpoint_that_does_not_answer_is_reported(asking, unused_port):
    url = f"http://127.0.0.1:{unused_port}/v1"
    error = asking.refused(f"--mobile-model=openai:gpt-4o@{url}")
    assert error.startswith(f"--mobile-model=openai:gpt-4o@{url}: {url}/models does not answer: ")


def test_a_password_of_an_endpoint_is_shown_nowhere(asking, unused_port):
    url = f"http://me:secret@127.0.0.1:{unused_port}/v1"
    result = asking.run(f"--mobile-model=openai:gpt-4o@{url}")
    assert "does not answer" in result.stderr.str()
    assert "secret" not in result.stdout.str() + result.stderr.str()


def test_a_broken_script_is_reported_by_its_line(asking, fnmatch):
    (asking.pytester.path / "bad.jsonl").write_text('"one"\nnothing\n')
    error = asking.refused("--mobile-model=scripted:bad.jsonl")
    fnmatch(error, "--mobile-model=scripted:bad.jsonl: *bad.jsonl, line 2: *")


def test_the_invalid_one_of_several_models_is_reported(asking, fnmatch):
    good = asking.script("plan")
    error = asking.refused(f"--mobile-model=planner={good},actor=openai:gpt-4o", agent="Two")
    fnmatch(error, "--mobile-model=planner=*,actor=openai:gpt-4o: openai:gpt-4o: the environment*")


def test_collecting_asks_no_endpoint(asking, unused_port):
    model = f"openai:gpt-4o@http://127.0.0.1:{unused_port}/v1"
    result = asking.run("--collect-only", f"--mobile-model={model}")
    assert result.ret == 0
    assert f"--mobile-model={model} (--mobile-model)" in result.stdout.str()


def test_the_value_may_come_from_other_sources(asking, monkeypatch):
    model = asking.script("done: 4711")
    monkeypatch.setenv("MOBILE_MODEL", model)
    asking.run().assert_outcomes(passed=1)
    monkeypatch.delenv("MOBILE_MODEL")
    asking.pytester.makeini(f"[pytest]\naddopts = -p no:cacheprovider\nmobile_model = {model}")
    asking.run().assert_outcomes(passed=1)


def test_a_script_of_the_ini_file_lies_beside_it(asking, monkeypatch):
    model = asking.script("done: 4711")
    asking.pytester.makeini(f"[pytest]\naddopts = -p no:cacheprovider\nmobile_model = {model}")
    (asking.pytester.path / "below").mkdir()
    monkeypatch.chdir(asking.pytester.path / "below")
    result = asking.pytester.runpytest_inprocess(
        "..", "--agent=../asking.py:Asks", "--mobile-agent-process=off"
    )
    result.assert_outcomes(passed=1)


@pytest.mark.parametrize("model", ["openai:gpt-4o", "vllm:m", "opnai:gpt-4o"])
def test_a_model_of_the_project_stops_no_agent_that_asks_none(asking, model):
    asking.pytester.makeini(f"[pytest]\naddopts = -p no:cacheprovider\nmobile_model = {model}")
    asking.run(agent="Silent").assert_outcomes(passed=1)
    assert asking.run().ret == pytest.ExitCode.USAGE_ERROR


def test_the_source_of_an_invalid_model_is_reported(asking, monkeypatch, fnmatch):
    monkeypatch.setenv("MOBILE_MODEL", "opnai:gpt-4o")
    fnmatch(asking.refused(), "--mobile-model=opnai:gpt-4o (environment variable MOBILE_MODEL): *")


def test_an_agent_that_asks_no_model_may_be_given_one(asking):
    model = asking.script("done: 4711")
    asking.run(f"--mobile-model={model}", agent="Silent").assert_outcomes(passed=1)
    assert asking.report()["run"]["models"] == {"default": model}


def test_a_provider_that_stays_down_is_infrastructure(asking, served):
    model = served(*[Fault(401)] * 4)
    result = asking.run(f"--mobile-model={model}", "-omobile_prices=prices.toml", "-rf")
    result.assert_outcomes(errors=1)
    (task,) = asking.report()["tasks"]
    assert (task["outcome"], task["fault"], task["success"]) == ("error", "infrastructure", None)
    assert task["infrastructure"][0].startswith(f"model {model}: ")
    assert len(task["infrastructure"]) == 2, "it is tried again once, on the same phone"
    result.stdout.fnmatch_lines(["infrastructure: model *: the key is refused (2 times)"])


@pytest.mark.parametrize(("roles", "is_loaded"), [(("actor",), "True"), ((), "False")])
def test_a_library_is_loaded_before_the_time_of_an_agent_counts(asking, served, roles, is_loaded):
    asking.pytester.makepyfile(
        ready=f"""
        import sys
        from pytest_mobileagent import Agent, Finish

        class Ready(Agent):
            roles = {roles}
            def step(self, observation):
                return Finish(str("openai" in sys.modules))
        """
    )
    model = f"--mobile-model={served()}"
    asking.run(model, "-omobile_prices=prices.toml", "--agent=ready.py:Ready", off=False)
    assert asking.report()["tasks"][0]["answer"] == is_loaded


@pytest.mark.parametrize(("status", "body", "fault"), [FAULTS[0], FAULTS[-1]])  # of each kind
def test_the_fault_is_the_providers_or_the_agents(asking, status, body, fault):
    with standing_in((status, body)) as server:
        model = f"--mobile-model=openai:own@{server.url}/v1"
        asking.run(model, "-omobile_prices=prices.toml", "--mobile-retries=0")
    (task,) = asking.report()["tasks"]
    assert (task["fault"], task["outcome"] == "error") == (fault, fault == "infrastructure")
    assert fault == "agent" or server.asked == 1, "it is not asked again"


@pytest.mark.parametrize("body", [reply("network_error"), reply("error", error={"code": 502})])
def test_a_failed_reply_is_asked_for_again(asking, monkeypatch, body):
    monkeypatch.setattr("stamina._core._compute_backoff", lambda *_: 0.0)
    done = reply("stop", message={"content": "done: 4711"})
    with standing_in((200, body), (200, error(502)), (200, done)) as server:
        model = f"--mobile-model=openai:own@{server.url}/v1"
        asking.run(model, "-omobile_prices=prices.toml").assert_outcomes(passed=1)
    assert asking.report()["tasks"][0]["calls"] == 1


def test_a_request_that_is_refused_is_the_agents_failure(asking, served):
    model = served(Fault(400))
    asking.run(f"--mobile-model={model}", "-omobile_prices=prices.toml").assert_outcomes(failed=1)
    (task,) = asking.report()["tasks"]
    assert (task["termination"], task["fault"]) == ("agent error", "agent")
    assert "it raised RequestRefusedError: " in task["reason"]


@pytest.mark.parametrize(
    ("last", "ending"),
    [("os.kill(os.getpid(), 9)", "agent error"), ("time.sleep(99)", "time limit")],
)
def test_calls_before_an_agent_dies_or_hangs_are_counted(asking, last, ending):
    asking.pytester.makepyfile(
        dies=f"""
import os, time
from asking import Asks
class Dies(Asks):
    def step(self, observation):
        self.model.complete("once")
        {last}
"""
    )
    model = asking.script({"reply": "?", "input_tokens": 1000})
    asking.pytester.runpytest_inprocess(
        "--agent=dies.py:Dies", f"--mobile-model={model}", "--mobile-time-limit=1.5"
    )
    (task,) = asking.report()["tasks"]
    assert (task["termination"], task["calls"], task["input_tokens"]) == (ending, 1, 1000)
