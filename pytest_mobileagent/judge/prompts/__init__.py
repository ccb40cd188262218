"""The wording of judges' prompts in several languages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.judge.prompts import en, zh

if TYPE_CHECKING:
    from pytest_mobileagent.judge.prompts.wording import Wording


def wording_of(language: str) -> Wording:
    """Return the wording for a task's language: Chinese for "zh" and "zh-…", else English."""
    return zh.WORDING if language.partition("-")[0].lower() == "zh" else en.WORDING
