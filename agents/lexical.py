"""A baseline without a model: it follows the words of the goal across the screen."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_mobileagent import Action, Agent, Element, Finish, Reply, Screen, Scroll, Tap, Type

if TYPE_CHECKING:
    from pytest_mobileagent import Briefing, Observation

FILLERS = frozenset(
    [
        "a",
        "an",
        "and",
        "app",
        "are",
        "at",
        "be",
        "by",
        "do",
        "for",
        "from",
        "give",
        "go",
        "how",
        "i",
        "in",
        "into",
        "is",
        "it",
        "its",
        "me",
        "my",
        "of",
        "on",
        "or",
        "our",
        "please",
        "so",
        "tell",
        "that",
        "the",
        "their",
        "then",
        "there",
        "this",
        "to",
        "up",
        "what",
        "when",
        "which",
        "who",
        "with",
        "you",
        "your",
    ]
)
QUOTED = re.compile("[\"\u201c\u2018']([^\"\u201c\u201d\u2018\u2019']+)[\"\u201d\u2019']")


class Lexical(Agent):
    """Taps the element whose words overlap most with the remaining words of the goal.

    Tapped words are removed from the goal. It types quoted words into the first text field that it
    finds, and stops when no words are left, or when no new element on the screen matches any and
    scrolling reveals nothing new.
    """

    sees = ("hierarchy",)
    asks = False

    def start(self, briefing: Briefing) -> None:
        self._quoted = QUOTED.findall(briefing.goal)
        self._left = set(words(briefing.goal))
        self._seen: list[str] = []
        self._done: set[tuple[str, str]] = set()

    def step(self, observation: Observation) -> Action | Reply:
        screen = observation.screen
        field = next((e for e in screen.elements if e.class_name.endswith("EditText")), None)
        if self._quoted and field is not None:
            text = self._quoted.pop(0)
            self._left -= set(words(text))
            return Reply(Type(text, at=field.bounds.center, enter=True), f"types {text!r}")
        best = max(self._candidates(screen), key=lambda c: c[0], default=None)
        if best is None:
            return self._look_further(screen)
        _, element, matched = best
        self._left -= matched
        self._done.add((screen.package, element.label))
        return Reply(Tap(*element.bounds.center), f"taps {element.label!r}")

    def _candidates(self, screen: Screen) -> list[tuple[float, Element, set[str]]]:
        """Return the elements to tap, each with its score and the words that it matches."""
        found = []
        for order, element in enumerate(screen.elements):
            label = set(words(element.label))
            matched = label & self._left
            tappable = element.clickable and element.enabled
            if matched and tappable and (screen.package, element.label) not in self._done:
                fit = len(matched) + len(matched) / len(label) - order / 10_000
                found.append((fit, element, matched))
        return found

    def _look_further(self, screen: Screen) -> Action:
        texts = "\n".join(screen.texts)
        if (
            not self._left
            or texts in self._seen
            or not any(each.scrollable for each in screen.elements)
        ):
            return Finish(self._answer(screen))
        self._seen.append(texts)
        return Scroll("up")

    def _answer(self, screen: Screen) -> str:
        """Return the first three texts on the screen that contain a digit, joined by spaces."""
        numbers = [text for text in screen.texts if re.search(r"\d", text)]
        return " ".join(numbers[:3])


def words(text: str) -> list[str]:
    """Return the content words, in lower case."""
    return [w for w in re.findall(r"[^\W_]+", text.lower()) if w not in FILLERS]
