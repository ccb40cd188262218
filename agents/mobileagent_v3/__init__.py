"""Mobile-Agent-v3: a manager plans, an executor acts, a reflector checks, a notetaker remembers."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pytest_mobileagent import Finish
from pytest_mobileagent.agent import (
    NOT_SENT,
    TASKS_LIMIT,
    Agent,
    Image,
    Message,
    ModelOptions,
    PublishedSettings,
    Stated,
    ask,
    goal_at,
    instead,
)
from pytest_mobileagent.dialect import DialectError, Frame
from pytest_mobileagent.dialect import MobileAgentV3 as Dialect
from pytest_mobileagent.perception import encode, in_words, resized, smart_size

from . import prompts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent import Screen
    from pytest_mobileagent.agent import Briefing, Observation, Phone
    from pytest_mobileagent.dialect import Decision

PORT = "X-PLUG/MobileAgent@11cea57, Mobile-Agent-v3"
WORLD = f"{PORT}/android_world_v3/android_world"
LEAST_PIXELS, MOST_PIXELS = 3_136, 10_035_200
RECENT = 5
SUBGOALS = 3
NOTHING_COMPLETED = "Nothing is completed."
NO_PROGRESS = "None so far."
NO_NOTES = "None so far."
STUCK_AFTER = 2
INVALID = '{"action": "invalid"}'


@dataclass(frozen=True, slots=True)
class Attempt:
    """An action and the reflector's outcome: A, it worked; B, a wrong page; C, no change."""

    action: str
    description: str
    outcome: str
    error: str

    @property
    def line(self) -> str:
        """The attempt as a line of the executor's history."""
        done = f"Action: {self.action} | Description: {self.description} | Outcome: "
        return done + ("Successful" if self.outcome == "A" else f"Failed | Feedback: {self.error}")


@dataclass(slots=True)
class Memory:
    """The memory shared by the roles."""

    plan: str = ""
    completed: str = ""
    progress: str = ""
    notes: str = ""
    attempts: list[Attempt] = field(default_factory=list)

    @property
    def stuck(self) -> bool:
        """Whether all of the last attempts have failed."""
        last = self.attempts[-STUCK_AFTER:]
        return len(last) == STUCK_AFTER and all(each.outcome != "A" for each in last)

    @property
    def last_was_invalid(self) -> bool:
        """Whether the last attempt was not a valid action."""
        return bool(self.attempts) and self.attempts[-1].action == INVALID


class MobileAgentV3(Agent):
    """Plans, acts, reflects and takes notes, with a model for each.

    Source: X-PLUG/MobileAgent, Mobile-Agent-v3/mobile_v3 (arXiv:2508.15144), whose code we follow;
    the wording of the prompts is our own. In each step, in this order:

    1. The manager sees the screenshot and updates the plan, unless the last action was invalid
       (then the executor just tries again) and the agent is not stuck. A plan that is hardly more
       than "Finished" ends the episode. After two failures in a row both are reported to the
       manager.
    2. The executor sees the screenshot and chooses an action; its last five attempts are listed.
       `answer` ends the episode. A reply that cannot be parsed or performed is an invalid attempt,
       outcome C, and ends the step.
    3. The reflector sees the screens before and after: the outcome is A, B or C, the first of these
       letters in its answer. An answer without any of them counts as C (in the original it is a
       crash).
    4. The notetaker, if there is one, sees the new screen, after successes only.

    Pictures are PNG in the size at which Qwen's models see them. The original waits 2 seconds after
    an action, 10 after the first, and stops after 25 steps. On a single path, each golden action is
    an attempt with outcome A, without reflection, and a finished plan is just a decision.
    """

    asks = False
    roles: ClassVar[Sequence[str]] = ("manager", "executor", "reflector", "notetaker")
    sees: ClassVar[Sequence[str]] = ("screenshot",)
    published: ClassVar[Mapping[str, PublishedSettings]] = {
        "android-world": PublishedSettings(
            android=Stated("13", f"{PORT}/README.md (Evaluation on AndroidWorld)"),
            screen=Stated("1080x2400", f"{PORT}/README.md (Evaluation on AndroidWorld)"),
            steps=Stated(TASKS_LIMIT, f"{WORLD}/suite_utils.py (_allocate_step_budget)"),
            pause=Stated(3.0, f"{WORLD}/agents/mobile_agent_v3.py"),
            temperature=Stated(NOT_SENT, f"{WORLD}/agents/infer_ma3.py"),
            max_tokens=Stated(NOT_SENT, f"{WORLD}/agents/infer_ma3.py"),
            retries=Stated(9, f"{WORLD}/agents/infer_ma3.py (ten attempts)"),
            history=Stated(
                "the plan, notes, and the last attempts", f"{WORLD}/agents/mobile_agent_v3_agent.py"
            ),
            seed=Stated(30, f"{PORT}/android_world_v3/run_ma3.py"),
            runs=Stated(1, f"{PORT}/android_world_v3/run_ma3.sh"),
        )
    }

    class Options(ModelOptions):
        """The options of the original's command line, and of its port to AndroidWorld.

        - `coordinates`: the unit of the model's coordinates: pixels ("abs", GUI-Owl) or "0-1000"
          (Qwen3-VL).
        - `notetaker`: whether there is a notetaker.
        - `open_app`: whether the executor may open apps by name.
        - `knowledge`: background knowledge about the task for the manager.
        """

        coordinates: Literal["abs", "0-1000"] = "abs"
        notetaker: bool = False
        open_app: bool = False
        knowledge: str = ""

        PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
            # The port skips notes for goals without certain words.
            "android-world": {"open_app": True, "notetaker": True, "retries": 9},
        }

    def run(self, briefing: Briefing, phone: Phone) -> None:
        """Plan, act and reflect until the manager, an answer or a limit ends the episode."""
        self.briefing, self.options = briefing, briefing.options
        self.models = {role: briefing.model(role) for role in self.roles}
        self.dialect = Dialect(self.options.coordinates)
        self.memory = memory = Memory()
        self._sent: tuple[Screen, Image, tuple[int, int]] | None = None
        observation = phone.observe()
        while True:
            image, picture_size = self._picture(observation.screen)
            if memory.stuck or not memory.last_was_invalid:
                planned = self._ask("manager", self._manager_prompt(), image)
                self._take_plan(planned)
                if "Finished" in memory.plan and len(memory.plan) < 15:
                    seen = phone.act(Finish(), said=planned)
                    self._take_golden(seen, observation.screen, picture_size)
                    observation = seen
                    continue
            frame = Frame.of(observation.screen, shown=picture_size)
            decision = self._decide(image, frame)
            seen = phone.act(decision.actions, said=decision.words)
            if seen.done is not None:
                self._take_golden(seen, observation.screen, picture_size)
            elif decision.error or seen.failure:
                self._note_invalid(decision, seen.failure)
            else:
                self._reflect(decision, image, seen)
            observation = seen

    def _picture(self, screen: Screen) -> tuple[Image, tuple[int, int]]:
        """Return the screenshot as it is sent, and its size.

        The screen after an action is also the one before the next, so it is encoded once.
        """
        if self._sent is None or self._sent[0] is not screen:
            size = smart_size(*screen.size, least=LEAST_PIXELS, most=MOST_PIXELS)
            self._sent = screen, Image(encode(resized(screen.image, size))), size
        return self._sent[1:]

    def _ask(self, role: str, prompt: str, *images: Image) -> str:
        messages = [Message("user", (prompt, *images))]
        return self.models[role].complete(messages, **self.options.settings).text

    def _decide(self, image: Image, frame: Frame) -> Decision:
        messages = [Message("user", (self._executor_prompt(), image))]
        model, apps = self.models["executor"], self.briefing.installed
        return ask(model, messages, self.dialect, frame, self.options, apps=apps)

    def _take_plan(self, words: str) -> None:
        """Store the manager's plan, and what is completed according to it."""
        memory = self.memory
        memory.completed = NOTHING_COMPLETED
        if "### Historical Operations" in words:
            memory.completed = Dialect.section(words, "Historical Operations", "Plan")
        memory.plan = Dialect.section(words, "Plan")

    def _note_invalid(self, decision: Decision, notice: str) -> None:
        description = Dialect.section(decision.words, "Description")
        error = decision.error or f"could not be done: {notice}"
        self.memory.attempts.append(Attempt(INVALID, description, "C", error))

    def _take_golden(
        self, seen: Observation, screen: Screen, picture_size: tuple[int, int]
    ) -> None:
        """Record the golden action performed on a screen, in place of the decision."""
        assert seen.done is not None
        done = instead(self.dialect, seen, screen, Frame.of(screen, shown=picture_size))
        action = done.words
        with suppress(DialectError):  # else it stays in plain words
            action = Dialect.action_json(done.words)
        memory = self.memory
        memory.attempts.append(Attempt(action, in_words(seen.done, screen), "A", ""))
        memory.progress = memory.completed
        if self.options.notetaker:
            self._take_notes(self._picture(seen.screen)[0])

    def _take_notes(self, after: Image) -> None:
        """Ask what is worth remembering from the screen after a successful action."""
        noted = self._ask("notetaker", self._notetaker_prompt(), after)
        self.memory.notes = Dialect.section(noted, "Important Notes")

    def _reflect(self, decision: Decision, before: Image, seen: Observation) -> None:
        """Ask for a check of the action, and for notes on its result."""
        memory = self.memory
        action = Dialect.action_json(decision.words)
        description = decision.said["description"]
        after, _ = self._picture(seen.screen)
        checked = self._ask("reflector", self._reflector_prompt(action, description), before, after)
        found = Dialect.section(checked, "Outcome", "Error Description")
        outcome = next((letter for letter in "ABC" if letter in found), "C")
        error = Dialect.section(checked, "Error Description")
        memory.attempts.append(Attempt(action, description, outcome, error))
        memory.progress = memory.completed
        if outcome == "A" and self.options.notetaker:
            self._take_notes(after)

    def _request(self, role: str) -> str:
        goal = goal_at(self.briefing, len(self.memory.attempts))
        return f"{role}\n\n### User Request ###\n{goal}\n\n"

    def _manager_prompt(self) -> str:
        memory = self.memory
        given = {
            "apps": prompts.PREFER_OPEN_APP if self.options.open_app else "",
            "knowledge": self.options.knowledge,
        }
        if not memory.plan:
            return self._request(prompts.MANAGER) + prompts.FIRST_PLAN.format(**given)
        last = memory.attempts[-1]
        parts = [
            ("Plan", memory.plan),
            ("Last Action", last.action),
            ("Last Action Description", last.description),
            ("Important Notes", memory.notes or NO_NOTES),
        ]
        if memory.completed != NOTHING_COMPLETED:
            parts.insert(0, ("Historical Operations", memory.completed))
        if memory.stuck:
            failed = [f"- Attempt: {each.line}" for each in memory.attempts[-STUCK_AFTER:]]
            failures = "Several attempts have failed:\n" + "\n".join(failed)
            parts.append(("Potentially Stuck!", failures))
        return self._request(prompts.MANAGER) + _sections(parts) + prompts.NEXT_PLAN.format(**given)

    def _executor_prompt(self) -> str:
        memory = self.memory
        recent = "\n".join(each.line for each in memory.attempts[-RECENT:])
        before = _sections(
            [
                ("Overall Plan", memory.plan),
                ("Current Subgoal", first_subgoals(memory.plan)),
                ("Progress Status", memory.progress or NO_PROGRESS),
                ("Guidelines", prompts.TYPING),
            ]
        )
        actions = prompts.ACTIONS + (prompts.OPEN_APP if self.options.open_app else "")
        history = _sections([("Latest Action History", recent or "None so far.")])
        asked = f"{prompts.DECIDE}{actions}\n\n{history}{prompts.ANSWER}"
        return self._request(prompts.EXECUTOR) + before + asked

    def _reflector_prompt(self, action: str, description: str) -> str:
        return (
            self._request(prompts.REFLECTOR)
            + _sections([("Progress Status", self.memory.completed or NO_PROGRESS)])
            + _sections([("Latest Action", f"Action: {action}\nExpectation: {description}")])
            + prompts.CHECK
        )

    def _notetaker_prompt(self) -> str:
        memory = self.memory
        known = [
            ("Progress Status", memory.progress),
            ("Existing Important Notes", memory.notes or NO_NOTES),
        ]
        return self._request(prompts.NOTETAKER) + _sections(known) + prompts.NOTE


def first_subgoals(plan: str) -> str:
    """Return the first three subgoals of a numbered plan on one line."""
    parts = re.split(r"(?<=\d)\. ", plan)
    if len(parts) <= SUBGOALS + 1:
        return plan
    return re.sub(r"\s*\d+\Z", "", ". ".join(parts[: SUBGOALS + 1]))


def _sections(parts: Sequence[tuple[str, str]]) -> str:
    return "".join(f"### {name} ###\n{text}\n\n" for name, text in parts)
