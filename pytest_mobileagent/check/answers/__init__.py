"""Whether an agent's answer states what is expected: stated, absent or unclear."""

from __future__ import annotations

from pytest_mobileagent.check.answers.outcome import Outcome, Reading, kinds_of, read_answer

__all__ = ["Outcome", "Reading", "kinds_of", "read_answer"]
