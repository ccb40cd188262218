"""What an agent answered, compared as a person would: by words and numbers, not by notation."""

from __future__ import annotations

from pytest_mobileagent.check.answers.compare import answers, explain
from pytest_mobileagent.check.answers.reading import tokens

__all__ = ["answers", "explain", "tokens"]
