"""The wording of judges' prompts, in the language of the task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.judge.prompts import en, zh

if TYPE_CHECKING:
    from pytest_mobileagent.judge.prompts.wording import Wording


def wording_of(language: str) -> Wording:
    """Return the words for a task's language: Chinese for "zh" and "zh-…", English for others."""
    return zh.WORDING if language.partition("-")[0].lower() == "zh" else en.WORDING
