"""Keys that programs get in the place of real ones, and where those go."""

from __future__ import annotations

import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any

import anthropic
import openai
import pytest

from pytest_mobileagent.llm.reference import parse_reference
from pytest_mobileagent.program.models.environment import LentKeys
from pytest_mobileagent.testing import ScriptedModel
from tests.refusals import refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytest_mobileagent.llm.scripted.server import ServedModel

    from .conftest import Recorder

ASKED: Any = [{"role": "user", "content": "What now?"}]


@pytest.fixture
def locked(monkeypatch: pytest.MonkeyPatch) -> Iterator[ServedModel]:
    """A provider that answers only those who show its key."""
    with ScriptedModel(["one", "two", "three"]).serve() as served:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{served.address}/v1")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", served.address)
        monkeypatch.setenv("OPENAI_API_KEY", served.key)
        monkeypatch.setenv("ANTHROPIC_API_KEY", served.key)
        yield served


def test_a_program_asks_without_the_key_and_the_provider_gets_it(
    make: Callable[..., Recorder], locked: ServedModel, tmp_path: Path
) -> None:
    recorder = make()
    lent = recorder.environment
    assert locked.key not in "".join(lent.values())
    word = lent["OPENAI_API_KEY"]
    with openai.OpenAI(api_key=word, base_url=lent["OPENAI_BASE_URL"]) as client:
        done = client.chat.completions.create(model="own", messages=ASKED)
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


def test_the_word_is_worth_nothing_elsewhere(
    make: Callable[..., Recorder], locked: ServedModel
) -> None:
    recorder = make()
    request = urllib.request.Request(
        f"{locked.address}/v1/models",
        headers={"Authorization": f"Bearer {recorder.environment['OPENAI_API_KEY']}"},
    )
    with refused(401):
        urllib.request.urlopen(request, timeout=20)


def test_no_key_goes_to_a_provider_over_a_line_that_others_can_read(
    make: Callable[..., Recorder], locked: ServedModel
) -> None:
    """Only where the user has named that server, as a base URL or a host of models."""
    from pytest_mobileagent.program.http.upstream import Origin

    models = make(hosts=["gpu1"]).models
    assert not models._may_have_keys(Origin.of("http://api.openai.com"))
    assert models._may_have_keys(Origin.of("https://api.openai.com"))
    assert models._may_have_keys(Origin.of("http://gpu1:8000"))
    assert models._may_have_keys(Origin.of(locked.address))


def test_whoever_answers_instead_gets_its_own_key(
    make: Callable[..., Recorder], locked: ServedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-somebody-else")
    monkeypatch.setenv("VLLM_API_KEY", locked.key)
    recorder = make(model=parse_reference(f"vllm:own@{locked.address}/v1"))
    lent = recorder.environment
    with openai.OpenAI(
        api_key=lent["OPENAI_API_KEY"], base_url=lent["OPENAI_BASE_URL"], max_retries=0
    ) as client:
        done = client.chat.completions.create(model="own", messages=ASKED)
    assert done.choices[0].message.content == "one"


def test_no_variable_of_a_program_holds_a_key_but_those_that_are_its_own() -> None:
    environment = {
        "OPENAI_API_KEY": "sk-or-v1-0123456789",
        "THEIR_MODEL": "openrouter sk-or-v1-0123456789",
        "GEMINI_API_KEY": "AIza0123456789",
        "MISTRAL_API_KEY": "x",
        "EDITOR": "xed",
    }
    lent = LentKeys(environment, own=["GEMINI_API_KEY"]).environment(environment)
    word = lent["OPENAI_API_KEY"]
    assert word.startswith("sk-or-v1-mobileagent-")  # some tell a provider by that
    assert lent == {
        "OPENAI_API_KEY": word,
        "THEIR_MODEL": f"openrouter {word}",
        "GEMINI_API_KEY": "AIza0123456789",
        "MISTRAL_API_KEY": lent["MISTRAL_API_KEY"],
        "EDITOR": "xed",
    }
    assert lent["MISTRAL_API_KEY"] != "x"
    assert "ANTHROPIC_API_KEY" not in lent  # it says itself that it has none


def test_programs_that_want_any_key_have_one_where_another_model_answers() -> None:
    lent = LentKeys({}, always=True).environment({})
    assert set(lent) == {
        "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY",
    }  # fmt: skip
