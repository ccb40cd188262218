"""Names of models: PROVIDER:NAME[@URL], one for all roles or one for each role."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.llm.reference import (
    ModelChoice,
    ModelReference,
    parse_choice,
    parse_reference,
)

if TYPE_CHECKING:
    from pathlib import Path

GPT = ModelReference("openai", "gpt-4o")
CLAUDE = ModelReference("anthropic", "claude-sonnet-4-5")


@pytest.mark.parametrize(
    ("text", "provider", "name", "url"),
    [
        ("openai:gpt-4o", "openai", "gpt-4o", ""),
        (" openai:gpt-4o ", "openai", "gpt-4o", ""),
        ("openai: gpt-4o", "openai", "gpt-4o", ""),
        ("openai-responses:gpt-5", "openai-responses", "gpt-5", ""),
        ("ollama:llama3.2-vision:11b", "ollama", "llama3.2-vision:11b", ""),
        ("openrouter:qwen/qwen2.5-vl:free", "openrouter", "qwen/qwen2.5-vl:free", ""),
        ("openai:q@http://gpu1:8000/v1", "openai", "q", "http://gpu1:8000/v1"),
        ("openai:q@http://me:pa@ss@gpu1/v1", "openai", "q", "http://me:pa@ss@gpu1/v1"),
        ("vllm:team@home/model@https://gpu1/v1", "vllm", "team@home/model", "https://gpu1/v1"),
        ("predict:auto_ui@http://h/p?a=1,2", "predict", "auto_ui", "http://h/p?a=1,2"),
        ("scripted:my replies/a@b.jsonl", "scripted", "my replies/a@b.jsonl", ""),
        ("zhipu:模型-4v", "zhipu", "模型-4v", ""),
        ("anthropic:sonnet@20240620", "anthropic", "sonnet@20240620", ""),
    ],
)
def test_model_reference_is_parsed(text: str, provider: str, name: str, url: str) -> None:
    assert parse_reference(text) == ModelReference(provider, name, url)


@pytest.mark.parametrize(
    "text",
    ["", "gpt-4o", ":gpt-4o", "openai:", "openai: ", "open ai:x", "@http://h", "http://h/v1"],
)
def test_an_invalid_model_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"must be PROVIDER:NAME, as in openai:gpt-4o"):
        parse_reference(text)


@pytest.mark.parametrize("place", ["localhost:8000/v1", "gpu1:8000", "10.0.0.7:8000/v1"])
def test_an_endpoint_that_lacks_its_scheme_is_reported(place: str) -> None:
    with pytest.raises(ValueError, match=f"an endpoint is a URL, as in vllm:NAME@http://{place}"):
        parse_reference(f"vllm:qwen@{place}")


def test_passwords_in_urls_are_hidden() -> None:
    reference = parse_reference("openai:q@http://me:secret@gpu1/v1?key=secret")
    assert str(reference) == "openai:q@http://gpu1/v1?key=…"
    with pytest.raises(ValueError, match="PROVIDER:NAME") as caught:
        parse_reference("gpt@http://me:secret@gpu1/v1")
    assert "secret" not in str(caught.value)


def test_script_is_shown_as_the_user_wrote_it() -> None:
    assert str(ModelReference("scripted", "a.jsonl", "/home/me/a.jsonl")) == "scripted:a.jsonl"


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("openai:gpt-4o", ModelChoice(GPT)),
        ("actor=openai:gpt-4o", ModelChoice(None, {"actor": GPT})),
        (
            "planner=openai:gpt-4o,actor=anthropic:claude-sonnet-4-5",
            ModelChoice(None, {"planner": GPT, "actor": CLAUDE}),
        ),
        (
            " planner = openai:gpt-4o , actor = anthropic:claude-sonnet-4-5 ",
            ModelChoice(None, {"planner": GPT, "actor": CLAUDE}),
        ),
        (
            "openai:gpt-4o,planner=anthropic:claude-sonnet-4-5",
            ModelChoice(GPT, {"planner": CLAUDE}),
        ),
        ("openai:gpt=4", ModelChoice(ModelReference("openai", "gpt=4"))),
        (
            "a=predict:m@http://h/p?x=1,y=2,b=openai:gpt-4o",
            ModelChoice(
                None, {"a": ModelReference("predict", "m", "http://h/p?x=1,y=2"), "b": GPT}
            ),
        ),
    ],
)
def test_choice_is_one_model_or_one_per_role(text: str, choice: ModelChoice) -> None:
    assert parse_choice(text) == choice


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "'' must be PROVIDER:NAME"),
        ("actor=gpt-4o", "'actor=gpt-4o' must be PROVIDER:NAME"),
        ("actor=openai:a,actor=openai:b", "names the role 'actor' twice"),
        ("actor=openai:", "'openai:' must be PROVIDER:NAME"),
        ("actor=", "PROVIDER:NAME"),
        (",", "PROVIDER:NAME"),
    ],
)
def test_an_invalid_choice_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        parse_choice(text)


@given(st.text())
def test_any_text_is_a_choice_or_refused(text: str) -> None:
    try:
        choice = parse_choice(text)
    except ValueError:
        return
    assert choice.references


def test_role_has_its_own_model_or_the_default() -> None:
    choice = ModelChoice(GPT, {"planner": CLAUDE, "critic": GPT})
    assert (choice.of("planner"), choice.of("actor")) == (CLAUDE, GPT)
    assert choice.references == (GPT, CLAUDE)
    assert ModelChoice(None, {"planner": CLAUDE}).of("actor") is None


@pytest.mark.parametrize(
    ("choice", "complaint"),
    [
        (
            ModelChoice(GPT, {"planer": GPT}),
            r"calls no model as 'planer'; did you mean 'planner'\?",
        ),
        (ModelChoice(GPT, {"x": GPT}), r"calls no model as 'x' \(its roles: planner, actor\)"),
        (ModelChoice(None, {"planner": GPT}), r"no model is given for actor: add actor=PROVIDER"),
        (ModelChoice(), "no model is given for planner, actor: add planner=PROVIDER:NAME"),
    ],
)
def test_choice_that_does_not_match_the_roles_is_refused(
    choice: ModelChoice, complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        choice.check_roles("mobileagent", ["planner", "actor"])


def test_agent_without_roles_accepts_any_choice() -> None:
    ModelChoice(None, {"whatever": GPT}).check_roles("mine", ())
    ModelChoice(GPT).check_roles("mine", ["planner", "actor"])


def test_script_path_is_relative_or_in_the_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    named = [parse_reference(f"scripted:{name}").named_in(tmp_path) for name in ("a", "~/a")]
    assert [each.url for each in named] == [str(tmp_path / "a"), str(tmp_path / "home" / "a")]
    with pytest.raises(ValueError, match="scripted:~nobody-of-this-name/a: "):
        parse_reference("scripted:~nobody-of-this-name/a").named_in(tmp_path)
    paid = parse_reference("openai:gpt-4o")
    assert paid.named_in(tmp_path) is paid
