"""The agent of AndroidArena: reasons and acts in one call, on a page compressed to text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from pytest_mobileagent import Key, LongPress, Open, Scroll, Tap, Type
from pytest_mobileagent.agent import Agent, Message, ModelOptions, Reply, ask, text_tokens
from pytest_mobileagent.dialect import AndroidArena as Dialect
from pytest_mobileagent.dialect import Frame
from pytest_mobileagent.perception import name_of

from .page import Page, compress
from .prompts import EXAMPLES, SYSTEM, act_prompt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent import Action, Screen
    from pytest_mobileagent.agent import Briefing, Observation


@dataclass(frozen=True, slots=True)
class Done:
    """A past step: the page as in the prompt, and a description of the action on it."""

    page: str
    action: str


class AndroidArena(Agent):
    """AndroidArena's agent (Xing et al. 2024, arXiv 2402.06596), of the kind "react".

    Each step is one call, without pictures: the page as an outline of elements that have text or
    can be used, descriptions of the last few actions, and two examples. The reply reasons, and ends
    with an action. If an action could not be performed, the next prompt says so before the page;
    the original says so in place of the page, so that the model does not see the screen. The
    original waits 3 seconds after each action, and uses gpt-3.5 or gpt-4; MobileAgentBench used
    GPT-4V.

    The kind "react_reflection" is not implemented: it retries a task, with a model that says
    whether the previous attempt failed, which takes more than one episode. If the history takes too
    many tokens (4 characters count as one), its longest pages are dropped first, then the examples.
    On a single path, the golden actions form the history.
    """

    asks = False
    roles: ClassVar[Sequence[str]] = ("actor",)
    sees: ClassVar[Sequence[str]] = ("hierarchy",)

    class Options(ModelOptions):
        """The agent's options.

        - `history`: the number of steps shown to the model, including the current one.
        - `observations`: whether the pages of earlier steps are also shown.
        - `tokens`: the maximum number of tokens for the steps and the current page.
        """

        history: int = 5
        observations: bool = False
        tokens: int = 2000
        temperature: float = 0.1

        PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {"mobileagentbench": {"history": 5}}

    def start(self, briefing: Briefing) -> None:
        self.briefing = briefing
        self.options: AndroidArena.Options = briefing.options
        self.model = briefing.model()
        self.past: list[Done] = []
        self.error = ""
        self.last: tuple[Page, Frame, str] | None = None
        self.steps = 0

    def step(self, observation: Observation) -> Reply:
        screen = observation.screen
        if observation.done is not None and self.last is not None:
            page, frame, hint = self.last
            self.past[self.steps :] = [Done(hint, in_words(observation.done, page, frame))]
            self.error = ""
        page = compress(screen)
        problem = self.error or observation.notice
        hint = f"{problem}\n{page.text}" if problem else page.text
        frame = Frame.of(screen, page.marks)
        messages, apps = self._messages(hint, screen), self.briefing.installed
        decision = ask(self.model, messages, Dialect(), frame, self.options, apps=apps)
        self.last, self.steps = (page, frame, hint), len(self.past)
        self.error = decision.error
        for action in decision.actions[:1]:
            self.past.append(Done(hint, in_words(action, page, frame)))
        if decision.error:
            self.past.append(Done(hint, "invalid action"))
        return Reply.of(decision)

    def _messages(self, page: str, screen: Screen) -> list[Message]:
        installed = sorted(self.briefing.installed)
        apps = [*self.briefing.apps, *(n for p in installed if (n := name_of(p)) != p)]
        today = screen.time.strftime("%b %d %Y %A") if screen.time else "unknown"
        steps = self._steps(page)
        examples = EXAMPLES if text_tokens(steps) <= self.options.tokens else ()
        hint = self.briefing.instructions[len(self.past) : len(self.past) + 1]
        return [
            Message("system", (SYSTEM.format(apps="\n".join(apps), today=today),)),
            *examples,
            Message("user", (act_prompt(self.briefing.goal, steps, "".join(hint)),)),
        ]

    def _steps(self, page: str) -> str:
        """Return the current step and as many of the last ones as the token limit allows."""
        first = max(0, len(self.past) - self.options.history + 1)
        recent = self.past[first:]
        pages = [done.page if self.options.observations else "" for done in recent]
        while True:
            steps = [
                _past_step(number, words, done.action)
                for number, (words, done) in enumerate(zip(pages, recent, strict=True), first + 1)
            ]
            steps.append(f"Step {len(self.past) + 1}:\nObservation: {page}\nThink:")
            text = "\n\n".join(steps)
            longest = max(pages, key=len, default="")
            if text_tokens(text) <= self.options.tokens or len(longest) <= len(_LEFT_OUT):
                return text
            pages[pages.index(longest)] = _LEFT_OUT


_LEFT_OUT = "[left out]"


def _past_step(number: int, page: str, action: str) -> str:
    observed = f"\nPrevious Observation: {page}" if page else ""
    return f"Step {number}:{observed}\nPrevious Action: {action}"


def in_words(action: Action, page: Page, frame: Frame) -> str:
    """Return a description of an action, as a line of the history."""
    match action:
        case Tap(x, y):
            words = f"click {page.name_at(x, y, frame)} on the app {page.app}"
        case LongPress(x, y):
            words = f"long click {page.name_at(x, y, frame)} on the app {page.app}"
        case Type(text=text, at=(x, y)):
            words = f"type {text} in {page.name_at(x, y, frame)} of the app {page.app}"
        case Scroll(direction=direction):
            words = f"swipe {direction} on the app {page.app}"
        case Open(app):
            words = f"launch the app {app}"
        case Key(name):
            words = f"press the {name} key"
        case _:
            words = "finish"
    return words
