"""A scripted judge for the suite's tasks, which decides from the contents of the prompt."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_mobileagent.testing import ScriptedModel

if TYPE_CHECKING:
    from pytest_mobileagent.llm.model import Request

# For each judged task: words of its goal, and the number of screenshots in a successful episode.
_SCREENSHOTS = {
    "learning something new": 8,
    "keeps me awake": 4,
    "loves to write by hand": 7,
    "one of my own pictures": 5,
    "有意思的东西": 6,
    "Open the Trash": 4,
    'Open the page of the course "Chinese for Beginners".': 5,
}
_WORDS = {
    "Screen timeout of 10 minutes": '#summary "10 minutes"',
    'Create a note called "Learners"': 'type "872,316"',
}


def decide(request: Request) -> str:
    """Return the judge's reply to a request, in the requested format."""
    text = request.text
    if "To be noted:" in text:
        return "872,316 people are enrolled."
    passed = any(goal in text and words in text for goal, words in _WORDS.items()) or any(
        goal in text and len(request.images) >= count for goal, count in _SCREENSHOTS.items()
    )
    if statements := re.findall(r"^\| (\d): ", text, re.MULTILINE):
        # The last statement must be false.
        return "\n".join(f"{n}: {int(passed and n != statements[-1])}" for n in statements)
    return f"Reason: so the record says\nResult: {int(passed)}"


def suite_judge() -> ScriptedModel:
    """Return a scripted model that judges the suite's tasks."""
    return ScriptedModel([decide] * 200)
