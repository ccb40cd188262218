"""AppAgent: numbers on the screenshot, one call per step, documents about elements."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pytest_mobileagent.agent import Agent, Image, Message, ModelOptions, Reply, ask
from pytest_mobileagent.dialect import AppAgent as Dialect
from pytest_mobileagent.dialect import Frame
from pytest_mobileagent.errors import AgentError
from pytest_mobileagent.perception import (
    Mark,
    appagent_grid,
    appagent_marks,
    draw_appagent,
    draw_grid,
    encode,
    in_words,
)

from .documents import Documents, documented
from .exploration import Exploration
from .prompts import NOTHING_DONE, instruction_prompt, task_prompt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent import Element, Screen
    from pytest_mobileagent.agent import Briefing, Observation
    from pytest_mobileagent.dialect import Decision


class AppAgent(Agent):
    """AppAgent (Yang et al. 2023, arXiv 2312.13771), following its released code.

    Each step is one call of the model, with one picture and no history except its own summary of
    what was done so far. In the picture, clickable and focusable elements are numbered; if the
    model asks for the grid, which takes a step, the next picture has a grid instead of the numbers.

    Documents may describe what elements do. They are written by exploring: each tap, long press and
    swipe is then followed by a second call, which compares the pictures before and after it. An
    element without an effect is not offered again, and a gesture that led astray is undone with the
    back key, which is a separate step here. An exploring episode is run like any other::

        pytest tasks --agent=appagent --mobile-agent-option explore=true
            --mobile-agent-option documents=docs
        pytest tasks --agent=appagent --mobile-agent-option documents=docs

    The original waits 10 seconds after each step, and ends after 20 rounds. This agent differs from
    it in that a model which asks for the grid keeps its summary, and in the cases that its dialect
    lists.

    On a single path, its summary is of the golden actions; with the functions of Mobile-Bench-v2 it
    stays empty there, as in that benchmark's code.
    """

    asks = False
    roles: ClassVar[Sequence[str]] = ("actor",)
    sees: ClassVar[Sequence[str]] = ("screenshot", "hierarchy")

    class Options(ModelOptions):
        """The agent's options.

        - `documents`: a folder of documents to read, which may have a subfolder for each app's
          package; exploring writes them there, or into the episode's folder if this is not set.
        - `explore`: whether to explore, which writes documents and reads none.
        - `dark`: whether numbers are drawn for a dark screen.
        - `distance`: of elements whose centres are this close, in pixels, only one is numbered.
        - `functions`: the names of the functions and the labels ("c1", "s1"); "mobile-bench-v2" for
          that benchmark's adaptation, which also includes the current step's instruction.
        """

        documents: str = ""
        explore: bool = False
        dark: bool = False
        distance: int = 30
        functions: Literal["original", "mobile-bench-v2"] = "original"
        temperature: float = 0.0
        max_tokens: int = 300

        # SPA-Bench, appendix F.1: without previous exploration. MobileAgentBench, "Environment
        # Setup", and A3, section 4.2: with the documents from exploration. Mobile-Bench-v2:
        # appendix C.
        PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
            "spa-bench": {"explore": False, "documents": ""},
            "mobileagentbench": {"documents": "appagent-documents"},
            "mobileagentbench-explore": {"documents": "appagent-documents", "explore": True},
            "a3": {"documents": "appagent-documents"},
            "mobile-bench-v2": {"functions": "mobile-bench-v2"},
        }

    def start(self, briefing: Briefing) -> None:
        self.briefing = briefing
        self.options: AppAgent.Options = briefing.options
        self.model = briefing.model()
        self.documents = self._documents()
        self.exploration = Exploration(self.documents) if self.options.explore else None
        self.summary = NOTHING_DONE
        self.on_grid = False
        self.steps = 0
        self.golden: list[str] = []
        self.last: Screen | None = None

    def step(self, observation: Observation) -> Reply:
        screen = observation.screen
        if observation.done is not None and self.last is not None:
            self._take_golden(in_words(observation.done, self.last))
        self.last = screen
        if self.exploration and (undone := self._reflect(screen)):
            return undone
        marks = self._marks(screen)
        image = self._picture(screen, marks)
        messages = [Message("user", (self._prompt(marks, screen), image))]
        dialect = Dialect(self.on_grid, self.options.functions, not self.options.explore)
        decision = ask(self.model, messages, dialect, Frame.of(screen, marks), self.options)
        self._remember(decision, image, marks, screen)
        return Reply.of(decision)

    def _take_golden(self, words: str) -> None:
        """Remember the golden action that was performed in place of the last decision."""
        self.golden.append(words)
        self.on_grid = False
        self.summary = NOTHING_DONE
        if self.options.functions != "mobile-bench-v2":
            self.summary = "; ".join(self.golden)
        if self.exploration:
            self.exploration.pending = None  # it was not performed, so it has had no effect

    def _documents(self) -> Documents | None:
        """Return the documents to read or write, if the options ask for any.

        Raises:
            AgentError: if there is no folder of this name to read from.
        """
        given = self.options.documents
        if self.options.explore:
            return Documents(Path(given) if given else self.briefing.folder / "documents")
        if given and not Path(given).is_dir():
            msg = (
                f"appagent: there is no folder of documents {given!r}: explore first, with"
                f" --mobile-agent-option explore=true --mobile-agent-option documents={given}"
            )
            raise AgentError(msg)
        return Documents(Path(given)) if given else None

    def _reflect(self, screen: Screen) -> Reply | None:
        """Reflect on the explored gesture; return an action that undoes it, if it led astray."""
        assert self.exploration is not None
        if not self.exploration.pending:
            return None
        goal = self.briefing.goal
        decision = self.exploration.reflect(self.model, screen, goal, self.options)
        if decision.signal != "success":
            self.summary = NOTHING_DONE
        return Reply.of(decision) if decision.actions else None

    def _marks(self, screen: Screen) -> tuple[Mark, ...]:
        if self.on_grid:
            return appagent_grid(screen.size)
        if self.options.functions == "mobile-bench-v2":
            return (
                *_labelled("c", [e for e in screen.elements if _is_touchable(e)]),
                *_labelled("s", [e for e in screen.elements if e.scrollable]),
            )
        marks = appagent_marks(screen, self.options.distance)
        return self.exploration.left(marks, screen) if self.exploration else marks

    def _picture(self, screen: Screen, marks: Sequence[Mark]) -> Image:
        if self.on_grid:
            return Image(encode(draw_grid(screen.image, marks)))
        return Image(encode(draw_appagent(screen.image, marks, self.options.dark)))

    def _prompt(self, marks: Sequence[Mark], screen: Screen) -> str:
        known = None if self.on_grid or self.options.explore else self.documents
        words = [
            task_prompt(
                self.briefing.goal,
                self.summary,
                documented(known, marks, screen) if known else "",
                grid=self.on_grid,
                offers_grid=not self.options.explore,
                functions=self.options.functions,
            )
        ]
        if self.steps < len(self.briefing.instructions):
            words.append(instruction_prompt(self.briefing.instructions[self.steps]))
        return "\n\n".join(words)

    def _remember(
        self, decision: Decision, image: Image, marks: Sequence[Mark], screen: Screen
    ) -> None:
        self.summary = decision.said.get("summary") or self.summary
        self.on_grid = decision.signal == "grid"
        self.steps += 1
        if self.exploration:
            self.exploration.note(decision, image, marks, screen)


def _is_touchable(element: Element) -> bool:
    """Return whether Mobile-Bench-v2 labels an element: a leaf with words, or a button, in reach.

    An element is in reach if it, or one around it, can be clicked. Source: utils.py of its code.
    """
    kind = element.class_name.lower()
    has_words = bool(element.text or element.content_desc)
    if element.children or "edittext" in kind or not (has_words or "button" in kind):
        return False
    around: Element | None = element
    while around is not None and not around.clickable:
        around = around.parent
    return around is not None


def _labelled(letter: str, elements: Sequence[Any]) -> list[Mark]:
    return [Mark(f"{letter}{n}", element.bounds, element) for n, element in enumerate(elements, 1)]
