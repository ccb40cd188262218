"""Which computer-use tool a model has, by its name, or by the option of each agent."""

from __future__ import annotations

from typing import Any

import pytest

from tests.agents.playing import shipped

ANTHROPIC, GEMINI, OPENAI = (f"{each}_computer_use" for each in ("anthropic", "gemini", "openai"))
# For each agent and variant of its tool, names of models that have it.
MODELS = {
    (ANTHROPIC, "20241022"): "claude-3-5-sonnet-20241022",
    (ANTHROPIC, "20250124"): "claude-3-7-sonnet-latest claude-sonnet-4-20250514 claude-sonnet-4-5 "
    "claude-haiku-4-5-20251001 claude-opus-4-1",
    (ANTHROPIC, "20251124"): "claude-opus-4-5-20251101 claude-opus-4-7 claude-sonnet-4-6 "
    "anthropic.claude-opus-4-5-20251101-v1:0 claude-sonnet-4.6",
    (ANTHROPIC, "20260801"): "claude-opus-4-8 claude-sonnet-5 claude-opus-5-5 "
    "claude-fable-5-2@20261001",
    (GEMINI, "mobile"): "gemini-3.8-flash gemini-3.5-flash-lite gemini-3.6-flash-001 "
    "models/gemini-3.5-flash-latest",
    (GEMINI, "browser"): "gemini-2.5-computer-use-preview-10-2025 gemini-3-flash-preview "
    "gemini-3.1-pro-preview",
    (OPENAI, "computer"): "gpt-5.4 gpt-5.4-mini-2026-03-17 gpt-6.2-astra",
    (OPENAI, "computer_use_preview"): "computer-use-preview-2025-03-11",
}
UNKNOWN = {
    (ANTHROPIC, "version", "20250124"): "claude-opus-6 claude-opus-5-9 claude-4 gpt-4o",
    (GEMINI, "environment", "mobile"): "gemini-2.5-flash gemini-4-argon gemini-3.8-flashy x",
    (OPENAI, "tool", "computer"): "gpt-4o gpt-5.2 gpt-7 our-tuned",
}


@pytest.mark.parametrize(("agent", "variant"), MODELS)
def test_the_models_name_says_the_variant_of_the_tool(agent: str, variant: str) -> None:
    kind = shipped(agent)
    for name in MODELS[agent, variant].split():
        model, options = f"{kind.provider}:{name}", kind.Options()
        kind.check_model(model, options)
        assert kind.variant_of(model, options) == variant, name


@pytest.mark.parametrize(("agent", "option", "variant"), UNKNOWN)
def test_an_unknown_model_says_which_option_to_give(agent: str, option: str, variant: str) -> None:
    kind = shipped(agent)
    for name in UNKNOWN[agent, option, variant].split():
        model, options = f"{kind.provider}:{name}", kind.Options()
        with pytest.raises(ValueError, match=f"--mobile-agent-option {option}="):
            kind.check_model(model, options)
        setattr(options, option, variant)
        kind.check_model(model, options)
        assert kind.variant_of(model, options) == variant, name


@pytest.mark.parametrize(
    ("name", "version", "has"),
    [
        ("claude-opus-5-5", "20251124", False),  # the API answers with status 400
        ("claude-fable-5-2", "20251124", False),
        ("claude-sonnet-4-5", "20260801", False),
        ("claude-fable-5-1", "20251124", True),
        ("claude-opus-5", "20251124", True),
        ("anthropic.claude-opus-5-5-v1:0", "20251124", True),
    ],
)
def test_a_version_that_the_model_does_not_have_is_an_error(
    name: str, version: str, has: bool
) -> None:
    kind = shipped(ANTHROPIC)
    options: Any = kind.Options()
    options.version = version
    if has:
        kind.check_model(f"anthropic:{name}", options)
    else:
        with pytest.raises(ValueError, match=f"does not have version={version}.*the newest"):
            kind.check_model(f"anthropic:{name}", options)
