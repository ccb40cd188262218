"""SeeAct, as AndroidWorld ported it to Android."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pytest_mobileagent.agent import (
    UNTIL_IT_RESTS,
    Agent,
    Image,
    Message,
    PublishedSettings,
    Reply,
    Stated,
    ask,
    goal_at,
    instead,
)
from pytest_mobileagent.dialect import DialectError, Frame
from pytest_mobileagent.dialect import SeeAct as Dialect
from pytest_mobileagent.perception import encode, seeact_choices, seeact_description, seeact_marks

from ._androidworld import HARNESS, RELEASE, STEPS, AndroidWorldAgent, answered_last

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent import Screen
    from pytest_mobileagent.agent import Briefing, Observation
    from pytest_mobileagent.dialect import Decision
    from pytest_mobileagent.perception import Mark

JPEG_QUALITY = 75
REQUEST = f"{RELEASE}, agents/seeact_utils.py (execute_openai_request)"
ERROR = "No Operation with error: {error}"

SYSTEM = """Act as a person who works on an Android phone, step by step, to get a task done. You see
the phone's screen, and a record of your own earlier actions. Decide on the one action that comes
next: tap an element, long-press it, swipe, type text, open an app, or press enter, home or back. To
fill a field, type right away: no tap is needed before. Create no accounts, do not log in, and send
nothing off for good. Terminate when the task is done, or when it would take something harmful."""

THINKING = """You have this task: {goal}

Previous Actions:
{history}

The screenshot shows the phone as it is now. Think in this order before you name the next action:

(Where you are) What is this screen?

(What you did) Go through the previous actions and what each was for, above all the last one. If it
typed text, does that have to be confirmed, as by pressing enter? Typing alone often has no effect.

(What you see) Look closely at every part of the screen: what can be operated, what is set or done
already. The record does not tell everything that your actions have caused.

(What comes next) Decide on the next action, as people use phones and apps are made. Say which
element it is for, exactly where that is, and what is done with it.

Rules: the action has to be possible on this screen; it is one action only; where something is to be
selected from a list, you need not know the exact entries yet."""

CHOOSING = """(Once more) Say again which element comes next, exactly where it is, and what is done
with it.

(Choice) These are elements on the screen, each with a letter. Find them in the screenshot by their
words and details, one by one, and choose the one that you mean; if several fit, the likeliest. To
swipe, you may choose the element to swipe on.

{choices}

(Answer) End with these three lines, without any explanation in them:

ELEMENT: the letter of your choice, in upper case. (Not needed for KEYBOARD ENTER, NAVIGATE HOME,
NAVIGATE BACK, TERMINATE, ANSWER, OPEN APP and WAIT, and optional for SWIPE.)

ACTION: one of CLICK, LONG PRESS, INPUT TEXT, SWIPE, OPEN APP, ANSWER, KEYBOARD ENTER,
NAVIGATE HOME, NAVIGATE BACK, WAIT, TERMINATE.

VALUE: for INPUT TEXT, the text; for SWIPE, one of up, down, left, right; for OPEN APP, the app's
name; for ANSWER, what you reply to the question. For all others: None"""


class SeeAct(Agent):
    """Describes the next action freely, and is then asked which of the listed elements it means.

    Source: SeeAct (arXiv:2401.01614) in the variant with textual choices, as ported to Android in
    google-research/android_world, agents/seeact.py, whose code we follow; the wording of the
    prompts is our own. Two calls per step: the second continues the first one's conversation. The
    picture is the screenshot as JPEG, in detail "high". The history has a line for each action,
    also for those that could not be parsed. An answer is kept until TERMINATE (in the original it
    is lost). On a single path the history contains the golden actions, and an answer is performed
    at once.
    """

    asks = False
    roles: ClassVar[Sequence[str]] = ("planner", "actor")
    sees: ClassVar[Sequence[str]] = ("screenshot", "hierarchy")
    dialect: ClassVar[Dialect] = Dialect()
    published: ClassVar[Mapping[str, PublishedSettings]] = {
        "android-world": PublishedSettings(
            **HARNESS,
            steps=STEPS,
            pause=Stated(UNTIL_IT_RESTS, f"{RELEASE}, agents/seeact.py"),
            temperature=Stated(0.0, REQUEST),
            max_tokens=Stated(4096, REQUEST),
            retries=Stated(0, REQUEST),
            history=Stated("a line for each action", f"{RELEASE}, agents/seeact.py"),
        )
    }

    class Options(AndroidWorldAgent.Options):
        """The options of M3A and T3A; the original ran gpt-4-turbo-2024-04-09 with 4096 tokens."""

        max_tokens: int = 4096

        PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
            "android-world": {"strict": True, "retries": 0},
            "spa-bench": {},
        }

    def start(self, briefing: Briefing) -> None:
        self.briefing, self.options = briefing, briefing.options
        self.planner, self.actor = briefing.model("planner"), briefing.model("actor")
        self.history: list[str] = []
        self.acted = False
        self.answer = ""
        self.on_path = False
        self.last: tuple[Screen, Sequence[Mark]] | None = None

    def step(self, observation: Observation) -> Reply:
        if observation.done is not None and self.last is not None:
            self.on_path = True
            screen, marks = self.last
            done = instead(self.dialect, observation, screen, Frame.of(screen, marks))
            self.history[-1] = _remembered(done, marks)
        if observation.failure and self.acted:
            self.history[-1] += f" ({ERROR.format(error=observation.failure)})"
        screen = observation.screen
        marks = seeact_marks(screen)
        asked = self._question(Image(encode(screen.image, "jpeg", JPEG_QUALITY), detail="high"))
        described_freely = self.planner.complete(asked, **self.options.settings).text
        choosing = CHOOSING.format(choices=seeact_choices(marks))
        described = Message("assistant", (f"\n\n{described_freely}",))
        messages = [*asked, described, Message("user", (choosing,))]
        frame, apps = Frame.of(screen, marks), self.briefing.installed
        decision = ask(self.actor, messages, self.dialect, frame, self.options, apps=apps)
        self.history.append(_remembered(decision, marks))
        self.last = screen, marks
        self.acted = not decision.error
        answers = f"{described_freely}\n\n{decision.words}"
        if self.on_path:
            return Reply(decision.actions, said=answers)
        actions, self.answer = answered_last(decision.actions, self.answer)
        return Reply(actions, said=answers)

    def _question(self, image: Image) -> list[Message]:
        system = " ".join(part for part in (SYSTEM, self.options.guidelines) if part)
        goal = goal_at(self.briefing, len(self.history))
        thinking = THINKING.format(goal=goal, history="\n".join(self.history))
        return [Message("system", (system,)), Message("user", (thinking, image))]


def _remembered(decision: Decision, marks: Sequence[Mark]) -> str:
    """Return the history's line for a decision."""
    if decision.error:
        return ERROR.format(error=decision.error)
    choices = {mark.label: seeact_description(mark.element) for mark in marks if mark.element}
    try:
        return Dialect.described(decision.words, choices)
    except DialectError:  # a golden action that the dialect cannot express
        return decision.words
