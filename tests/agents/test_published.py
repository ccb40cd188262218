"""The settings of published scores: presets apply them, and docs/agents.md lists them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.agent import NOT_SENT
from tests.agents.playing import player, shipped

if TYPE_CHECKING:
    from pytest_mobileagent.agent import PublishedSettings

DOCS = Path(__file__).parents[2] / "docs" / "agents.md"
NAMES = ("m3a", "t3a", "seeact", "mobileagent_v3", "qwen_vl", "ui_tars", "ui_venus", "mai_ui")


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


@pytest.mark.parametrize("name", NAMES)
def test_presets_apply_the_documented_settings_of_published_scores(name: str) -> None:
    agent = shipped(name)
    for preset, settings in agent.published.items():
        expected = documented(name, preset, settings)
        assert expected in DOCS.read_text("utf-8"), f"docs/agents.md should have:\n{expected}"
        episode, model = player(name)(["No."] * 3, options={"preset": preset}, step_limit=1)
        assert model.requests, episode.error
        for request in model.requests:
            for setting in ("temperature", "max_tokens"):
                stated, given = getattr(settings, setting), getattr(request, setting)
                wanted = stated and (None if stated.value == NOT_SENT else stated.value)
                assert stated is None or given == wanted, (preset, setting)
        retries = settings.retries and settings.retries.value
        assert agent.Options.PRESETS[preset].get("retries") == retries, preset
