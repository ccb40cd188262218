"""Model providers in a program's environment: routes, errors, and substitutes for API keys.

Programs get substitute keys in place of the real ones, and the real keys go only to the providers.
"""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any

import openai
import pytest

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.llm.metered import EpisodeModels
from pytest_mobileagent.llm.prices import Price, Prices
from pytest_mobileagent.llm.reference import parse_reference
from pytest_mobileagent.program.model_routes import LentKeys, provider_at
from pytest_mobileagent.program.models.requests import api_of, model_of
from pytest_mobileagent.testing import ScriptedModel

from .conftest import ASKED, REPLY, complete

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.llm.scripted.model_server import ServedModel


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("api.openai.com", "openai"),
        ("API.OpenAI.com", "openai"),
        ("me.openai.azure.com", "azure"),
        ("api.anthropic.com", "anthropic"),
        ("generativelanguage.googleapis.com", "gemini"),
        ("europe-west1-aiplatform.googleapis.com", "google-vertex"),
        ("storage.googleapis.com", ""),
        ("dashscope-intl.aliyuncs.com", "dashscope"),
        ("oss.aliyuncs.com", ""),
        ("ark.cn-beijing.volces.com", "volcengine"),
        ("api.moonshot.cn", "moonshotai"),
        ("api.siliconflow.cn", "siliconflow"),
        ("notapi.openai.com.example.com", ""),
        ("us.posthog.com", ""),
        ("localhost", ""),
        ("", ""),
    ],
)
def test_providers_are_recognised_by_host(host, name):
    assert provider_at(host) == name


@pytest.mark.parametrize(
    ("path", "api", "model"),
    [
        ("/v1/chat/completions", "chat", ""),
        ("/openai/deployments/four-o/chat/completions", "chat", "four-o"),
        ("/chat/completions", "chat", ""),
        ("/v1/responses", "responses", ""),
        ("/v1/messages", "anthropic", ""),
        ("/v1/messages/count_tokens", None, ""),
        ("/v1beta/models/gemini-2.5-pro:generateContent", "gemini", "gemini-2.5-pro"),
        ("/v1beta/models/gemini-2.5-pro:countTokens", None, "gemini-2.5-pro"),
        ("/v1beta/models/e:embedContent", "gemini embeddings", "e"),
        ("/v1/embeddings", "embeddings", ""),
        ("/v1/completions", "completions", ""),
        ("/api/chat", "ollama", ""),
        ("/api/v1/services/aigc/multimodal-generation/generation", "dashscope", ""),
        ("/v1/responses/r1/cancel", None, ""),
        ("/v1/models", None, ""),
    ],
)
def test_apis_are_recognised_by_path(path, api, model):
    found = api_of("POST", path)
    assert (found and found.name) == api
    assert api_of("GET", path) is None
    assert model_of(path, {}) == model


@pytest.fixture
def own() -> Iterator[str]:
    with ScriptedModel([REPLY, REPLY]).serve() as url:
        yield url


def test_own_model_of_the_user_answers_its_api(make, own, monkeypatch, unused_port):
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{unused_port}/v1")
    prices = Prices({"vllm:gpt-4o": Price(1_000, 10_000)})
    recorder = make(EpisodeModels(prices=prices), model=parse_reference(f"vllm:qwen@{own}/v1"))
    complete(recorder, "gpt-4o")
    assert recorder.lines[0]["call"]["model"] == "vllm:gpt-4o"
    assert recorder.lines[0]["call"]["price_usd"] == pytest.approx(0.2)


def test_other_configured_providers_have_routes(make, own, monkeypatch):
    monkeypatch.setenv("DEEPSEEK_BASE_URL", f"{own}/v1")
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", own)
    recorder = make()
    deepseek = recorder.environment["DEEPSEEK_BASE_URL"]
    complete(recorder, "deepseek-chat", base_url=deepseek)
    with openai.AzureOpenAI(
        api_key="x",
        api_version="2024-10-21",
        azure_endpoint=recorder.environment["AZURE_OPENAI_ENDPOINT"],
    ) as azure:
        azure.chat.completions.create(model="gpt-4o", messages=ASKED)
    first, second = recorder.lines
    assert first["call"]["model"] == "deepseek:deepseek-chat"
    assert second["call"]["model"] == "azure:gpt-4o"
    assert second["call"]["price_usd"] > 0


def test_unrecordable_call_is_the_last(make, own, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", f"{own}/v1")
    recorder = make()
    (recorder.folder / "calls.jsonl").mkdir()
    with pytest.raises(openai.APIConnectionError):
        complete(recorder, "gpt-4o")
    with pytest.raises(openai.PermissionDeniedError, match="cannot write"):
        complete(recorder, "gpt-4o")
    assert "cannot write" in str(recorder.models.failure)
    assert recorder.watcher.told == ["begins", "ended: "]
    (recorder.folder / "calls.jsonl").rmdir()


def test_an_unusable_provider_is_reported_at_once(make, tmp_path, monkeypatch):
    with pytest.raises(HostError, match=r"--mobile-model=scripted:.*none\.jsonl: .*No such file"):
        make(model=parse_reference(f"scripted:{tmp_path / 'none.jsonl'}"))
    with pytest.raises(HostError, match="vllm has no default endpoint"):
        make(model=parse_reference("vllm:qwen"))
    monkeypatch.setenv("OPENAI_BASE_URL", "here")
    with pytest.raises(HostError, match="OPENAI_BASE_URL"):
        make()


def test_unknown_apis_are_recorded(make, monkeypatch):
    """A function of the port stands in for Ollama's own API."""
    recorder = make()
    asked: list[Any] = []

    async def ollama(given: dict[str, Any]) -> dict[str, Any]:
        asked.append(given)
        said = {"message": {"role": "assistant", "content": "Tap it."}, "done": True}
        return {**said, "model": "qwen3", "prompt_eval_count": 100, "eval_count": 10}

    recorder.port.answer("stand-in", ollama)
    monkeypatch.setenv(
        "OLLAMA_HOST", recorder.port.url("stand-in").replace("127.0.0.1", "localhost")
    )
    second = make()
    body = {"model": "qwen3", "stream": False, "messages": ASKED}
    url = f"{second.environment['OLLAMA_HOST']}/api/chat"
    with urllib.request.urlopen(url, json.dumps(body).encode(), timeout=10) as response:
        assert b"Tap it." in response.read()
    assert asked == [body]
    (line,) = second.lines
    assert line["reply"]["text"] == "Tap it."
    assert line["prompt"] == [{"role": "user", "content": ["What now?"]}]
    assert (line["call"]["input_tokens"], line["call"]["output_tokens"]) == (100, 10)


def test_closing_leaves_no_certificates_behind(make):
    recorder = make()
    bundle = recorder.environment["SSL_CERT_FILE"]
    assert os.path.exists(bundle)  # noqa: PTH110
    recorder.run(recorder.port.close())
    assert not os.path.exists(bundle)  # noqa: PTH110


@pytest.fixture
def locked(monkeypatch: pytest.MonkeyPatch) -> Iterator[ServedModel]:
    """A provider that answers only requests with its key."""
    with ScriptedModel(["one", "two", "three"]).serve() as served:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{served.address}/v1")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", served.address)
        monkeypatch.setenv("OPENAI_API_KEY", served.key)
        monkeypatch.setenv("ANTHROPIC_API_KEY", served.key)
        yield served


def test_program_never_has_the_real_key_but_the_provider_gets_it(make, locked, tmp_path):
    import anthropic

    recorder = make()
    lent = recorder.environment
    assert locked.key not in "".join(lent.values())
    word = lent["OPENAI_API_KEY"]
    done = complete(recorder, api_key=word, base_url=lent["OPENAI_BASE_URL"])
    assert done.choices[0].message.content == "one"
    with anthropic.Anthropic(
        api_key=lent["ANTHROPIC_API_KEY"], base_url=lent["ANTHROPIC_BASE_URL"]
    ) as other:
        said = other.messages.create(model="own", max_tokens=9, messages=ASKED)
        assert said.content[0].text == "two"  # type: ignore[union-attr]
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert locked.key.encode() not in kept
    assert word.encode() not in kept
    assert {word, locked.key} <= recorder.models.secrets


def test_keys_are_not_sent_over_unencrypted_connections(make, locked):
    """Keys are sent over plain HTTP only to a base URL or model host that the user has named."""
    from pytest_mobileagent.program.connections import Origin

    models = make(hosts=["gpu1"]).models
    assert not models._may_have_keys(Origin.of("http://api.openai.com"))
    assert models._may_have_keys(Origin.of("https://api.openai.com"))
    assert models._may_have_keys(Origin.of("http://gpu1:8000"))
    assert models._may_have_keys(Origin.of(locked.address))


def test_a_replacement_model_gets_its_own_key(make, locked, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-somebody-else")
    monkeypatch.setenv("VLLM_API_KEY", locked.key)
    recorder = make(model=parse_reference(f"vllm:own@{locked.address}/v1"))
    lent = recorder.environment
    done = complete(recorder, api_key=lent["OPENAI_API_KEY"], base_url=lent["OPENAI_BASE_URL"])
    assert done.choices[0].message.content == "one"


def test_only_a_programs_own_variables_hold_keys():
    environment = {
        "OPENAI_API_KEY": "sk-or-v1-0123456789",
        "THEIR_MODEL": "openrouter sk-or-v1-0123456789",
        "GEMINI_API_KEY": "AIza0123456789",
        "MISTRAL_API_KEY": "x",
        "EDITOR": "xed",
    }
    lent = LentKeys(environment, own=["GEMINI_API_KEY"]).environment(environment)
    word = lent["OPENAI_API_KEY"]
    assert word.startswith("sk-or-v1-mobileagent-")  # it identifies the provider
    assert lent == {
        "OPENAI_API_KEY": word,
        "THEIR_MODEL": f"openrouter {word}",
        "GEMINI_API_KEY": "AIza0123456789",
        "MISTRAL_API_KEY": lent["MISTRAL_API_KEY"],
        "EDITOR": "xed",
    }
    assert lent["MISTRAL_API_KEY"] != "x"
    assert "ANTHROPIC_API_KEY" not in lent  # so programs still see that it is missing


def test_programs_get_substitute_keys_for_a_replacement_model():
    lent = LentKeys({}, always=True).environment({})
    assert set(lent) == {
        "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY",
    }  # fmt: skip
