"""The settings of published scores: presets apply them, and docs/agents.md lists them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.agent import NOT_SENT
from pytest_mobileagent.agent.registry import find_agent, shipped_agents
from pytest_mobileagent.testing import ScriptedModel, play
from tests.agents.playing import notes_phone

if TYPE_CHECKING:
    from pytest_mobileagent.agent import PublishedSettings

DOCS = Path(__file__).parents[2] / "docs" / "agents.md"
NAMES = ("m3a", "t3a", "seeact", "mobileagent_v3", "qwen_vl", "ui_tars", "ui_venus", "mai_ui")
AGENTS = {name: find_agent(name, (shipped_agents(),)).load() for name in NAMES}
PRESETS = [(name, preset) for name, agent in AGENTS.items() for preset in agent.published]


def documented(name: str, preset: str, settings: PublishedSettings) -> str:
    """Return what docs/agents.md says of the settings of a preset."""
    each = settings.to_json()
    rows = [
        f"| {setting.replace('_', ' ')} | {stated['value']:g} | {stated['source']} |"
        if isinstance(stated["value"], float)
        else f"| {setting.replace('_', ' ')} | {stated['value']} | {stated['source']} |"
        for setting, stated in each.items()
        if stated is not None
    ]
    unknown = ", ".join(n.replace("_", " ") for n, stated in each.items() if stated is None)
    head = ["| setting | value | source |", "|---|---|---|"]
    listed = [*head, *rows, ""] if rows else []
    told = [f"Unknown: {unknown}."] if unknown else []
    return "\n".join([f"**`{name}`, `preset={preset}`**", "", *listed, *told])


@pytest.mark.parametrize(("name", "preset"), PRESETS)
def test_settings_of_published_scores_are_documented(name: str, preset: str) -> None:
    expected = documented(name, preset, AGENTS[name].published[preset])
    assert expected in DOCS.read_text("utf-8"), f"docs/agents.md should have:\n{expected}"


@pytest.mark.parametrize(("name", "preset"), PRESETS)
def test_presets_apply_the_settings_of_the_model(name: str, preset: str) -> None:
    agent, settings = AGENTS[name], AGENTS[name].published[preset]
    model = ScriptedModel(["No action."] * 3)
    episode = play(
        agent, "Do it.", model=model, options={"preset": preset}, step_limit=1, phone=notes_phone()
    )
    assert model.requests, episode.error
    for request in model.requests:
        for setting in ("temperature", "max_tokens"):
            stated = getattr(settings, setting)
            if stated is not None:
                given: Any = getattr(request, setting)
                assert given == (None if stated.value == NOT_SENT else stated.value), setting


@pytest.mark.parametrize(("name", "preset"), PRESETS)
def test_presets_apply_the_number_of_retries(name: str, preset: str) -> None:
    retries = AGENTS[name].published[preset].retries
    options: Any = AGENTS[name].Options
    given = options.PRESETS[preset].get("retries")
    assert given == (None if retries is None else retries.value)
