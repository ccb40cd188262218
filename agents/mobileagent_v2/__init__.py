"""Mobile-Agent-v2: agents that decide, remember, reflect and plan, from OCR and icons."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar

from pytest_mobileagent import Key, Tap
from pytest_mobileagent.agent import Agent, Message, ModelOptions, Reply, ask, instead
from pytest_mobileagent.dialect import DialectError, Frame, section
from pytest_mobileagent.dialect import MobileAgentV2 as Dialect
from pytest_mobileagent.perception import in_words, say_exactly

from .perception import Perception, perceive
from .prompts import (
    DECIDER,
    HELPER,
    HINT,
    Progress,
    decision_prompt,
    memory_prompt,
    planning_prompt,
    reflection_prompt,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent import Screen
    from pytest_mobileagent.agent import Briefing, Image, Observation
    from pytest_mobileagent.dialect import Decision


class MobileAgentV2(Agent):
    """Mobile-Agent-v2 (Wang et al. 2024, arXiv 2406.01014), in the order of its released code.

    A decision is requested, with one picture and a list of texts and icons (role "decision"); in
    the same chat, the model is asked what on the screen is worth remembering. Before the next
    decision, the pictures before and after the action are compared (role "reflection"). If the
    action had its intended effect, it is added to the history, and the progress is summarised,
    without pictures (role "planning"). If it led to a wrong page, the back key is pressed, which is
    a step here. In that case, and also if the action changed nothing, the next decision is informed
    of it.

    Original: gpt-4o decides and reflects, gpt-4-turbo plans; it waits 5 seconds after each action,
    and has no step limit. This agent differs from it in four ways. Icons are found by their
    outlines (`screen.icons`) rather than by GroundingDINO; the role "captioner" describes them only
    if the option is set, whereas the original uses Qwen-VL. The keyboard also counts as open if a
    field has the focus, not only if "ADB Keyboard" is shown at the bottom. After the back key, the
    next decision sees the resulting page; the original still shows the wrong one. The last action
    of an episode that reaches its limit is not reflected upon.

    On a single path, each golden action is added to the history and followed by planning, without
    reflection, as in Mobile-Bench-v2's code (whose history contains the agent's own actions there).
    """

    asks = False
    roles: ClassVar[Sequence[str]] = ("decision", "reflection", "planning", "captioner")
    sees: ClassVar[Sequence[str]] = ("screenshot",)
    extras: ClassVar[Sequence[str]] = ("vision",)

    class Options(ModelOptions):
        """The agent's options.

        - `reflection`, `memory`: whether to reflect and to remember; the original can disable both,
          too. Without reflection, each action counts as having its intended effect.
        - `captions`: whether each icon is described by a separate call.
        - `hint`: advice to the model on operating phones.
        """

        reflection: bool = True
        memory: bool = True
        captions: bool = False
        hint: str = HINT
        temperature: float = 0.0
        max_tokens: int = 2048
        seed: int = 1234

        # SPA-Bench, appendix F.1: gpt-4o, and gpt-4o-mini for icons. Mobile-Bench-v2, section 5.1.
        PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
            "spa-bench": {"captions": True},
            "mobile-bench-v2": {"captions": True},
        }

    def start(self, briefing: Briefing) -> None:
        self.briefing = briefing
        self.options: MobileAgentV2.Options = briefing.options
        self.models = {role: briefing.model(role) for role in self.roles}
        self.progress = Progress(briefing.goal, self.options.hint)
        self.before: Perception | None = None  # before the action to be reflected upon
        self.steps = 0
        self.golden = 0
        self.last: Screen | None = None

    def step(self, observation: Observation) -> Reply:
        if observation.done is not None and self.last is not None:
            self._take_golden(observation, self.last)
        self.last = observation.screen
        seen = self._perceived(observation)
        if self.before is not None:
            before, self.before = self.before, None
            if (words := self._reflect(before, seen)) is not None:
                return Reply(Key("back"), said=words)
        decision, prompt = self._decide(seen)
        if decision.error:
            return Reply.of(decision)
        if self.options.memory:
            self._remember(prompt, seen.image, decision.words)
        self.before = seen
        self.steps += 1
        if decision.signal == "open app":
            return self._open(decision, seen)
        return Reply.of(decision)

    def _take_golden(self, observation: Observation, screen: Screen) -> None:
        """Put the golden action into the history, in place of the decision on a screen."""
        frame = Frame.of(screen)
        reply = instead(Dialect(), observation, screen, frame).words
        # An action that the dialect cannot express stays in plain words.
        with suppress(DialectError):
            reply = Dialect().parse(reply, frame).said["action"]
        assert observation.done is not None
        progress = self.progress
        progress.thought, progress.action, progress.failed = "", reply, False
        progress.operation = in_words(observation.done, screen)
        self.before = None
        self.golden += 1
        self.steps = self.golden
        self._plan()

    def _perceived(self, observation: Observation) -> Perception:
        captioner = self.models["captioner"] if self.options.captions else None
        return perceive(observation.screen, self.briefing.ocr, captioner)

    def _decide(self, seen: Perception) -> tuple[Decision, str]:
        instruction = self.briefing.instructions[self.steps : self.steps + 1]
        prompt = decision_prompt(self.progress, seen, "".join(instruction))
        messages = [Message("system", (DECIDER,)), Message("user", (prompt, seen.image))]
        model, frame = self.models["decision"], Frame(seen.size)
        decision = ask(model, messages, Dialect(), frame, self.options)
        self.progress.thought = decision.said.get("thought", "")
        self.progress.operation = decision.said.get("operation", "")
        self.progress.action = decision.said.get("action", "")
        return decision, prompt

    def _remember(self, prompt: str, image: Image, decision: str) -> None:
        """Ask, in the chat of the decision, what on the screen is worth remembering."""
        chat = [
            Message("system", (DECIDER,)),
            Message("user", (prompt, image)),
            Message("assistant", (decision,)),
            Message("user", (memory_prompt(),)),
        ]
        words = self.models["decision"].complete(chat, **self.options.settings).text
        content = section(words, "Important content").split("\n\n")[0].strip() + "\n"
        if "None" not in content and content not in self.progress.memory:
            self.progress.memory += content

    def _open(self, decision: Decision, seen: Perception) -> Reply:
        """Tap above an app's name, at a distance equal to the name's height."""
        found = say_exactly(seen.lines, decision.said["name"])
        if not found:
            return Reply([], said=decision.words)
        x, y = found[0].center
        return Reply(Tap(x, max(0, y - found[0].height)), said=decision.words)

    def _reflect(self, before: Perception, after: Perception) -> str | None:
        """Judge the last action, then plan; return the reflection if the page is wrong."""
        if not self.options.reflection:
            self._plan()
            return None
        prompt = reflection_prompt(self.progress, before, after)
        images, settings = (before.image, after.image), self.options.settings
        words = self.models["reflection"].complete(prompt, images, system=HELPER, **settings).text
        match Dialect.outcome(words):
            case "A":
                self.progress.failed = False
                self._plan()
            case "B":
                self.progress.failed = True
                return words
            case "C":
                self.progress.failed = True
        return None

    def _plan(self) -> None:
        """Add the last action to the history, and ask what is complete."""
        self.progress.add()
        prompt, settings = planning_prompt(self.progress), self.options.settings
        words = self.models["planning"].complete(prompt, system=HELPER, **settings).text
        self.progress.completed = " ".join(section(words, "Completed contents").split())
