"""Comparison of an agent's answer as a person would do it: by words and numbers, not notation."""

from __future__ import annotations

from pytest_mobileagent.check.answers.compare import answers, explain
from pytest_mobileagent.check.answers.reading import tokens

__all__ = ["answers", "explain", "tokens"]
