"""The base of AndroidWorld's M3A and T3A: one call selects an action, another summarises it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from pytest_mobileagent import Finish, Impossible, Wait
from pytest_mobileagent.agent import (
    Agent,
    Message,
    ModelOptions,
    PublishedSettings,
    Stated,
    ask,
    goal_at,
    instead,
)
from pytest_mobileagent.dialect import AndroidWorld, Decision, DialectError, Frame
from pytest_mobileagent.perception import m3a_marks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent import Action, Screen
    from pytest_mobileagent.agent import Briefing, Image, Phone
    from pytest_mobileagent.perception import Mark

RELEASE = "google-research/android_world@d9c569f"
HARNESS: Mapping[str, Stated] = {  # of everyone who follows AndroidWorld's own instructions
    "android": Stated("13", f"{RELEASE}, README.md (API level 33)"),
    "screen": Stated("1080x2400", f"{RELEASE}, README.md (an AVD of a Pixel 6)"),
    "seed": Stated(30, f"{RELEASE}, run.py (the default of task_random_seed)"),
}
WRAPPER = f"{RELEASE}, agents/infer.py (Gpt4Wrapper)"
# The scores of the paper are older than today's step limits.
STEPS = Stated("the task's before 2024-11-18", f"{RELEASE}, README.md (note of 11/18/2024)")
NOTHING_YET = "Nothing: this is the first step."
UNREADABLE = "Nothing was done, because the reply that should choose an action was wrong: {error}"
UNDONE = "Action selected: {action}. It could not be done: {notice}"
GOLDEN = "It is the right one on this screen."
UNSUMMARIZED = "The model refused to summarize this step."

SELECTION = """{role}

The user wants: {goal}

What has been done so far:
{history}

{shown}
{elements}

{guidance}{guidelines}
Choose one action of those above now. First say why, then give the action as JSON, so:
Reason: …
Action: {{"action_type": …}}

Your answer:
"""

SUMMARY = """{role}

The user wants: {goal}

Sum up the step that was just taken. {compared}
Elements before it:
{before}
Elements after it:
{after}
The action was: {action}
It was chosen because: {reason}

Compare the screen before with the one after, and describe the step briefly for the history from
which the next actions are chosen. Say what was meant to happen and why, whether it did, what may
be the cause if it did not (the action or the reason may have been wrong), and what to do or to
avoid next.
- One line, {length}.
- `answer` and `wait` change nothing on the screen: take it that they worked.
- The history is the only memory: note what has to be remembered, or carried to another app.

Summary of this step: """


def paper_settings(file: str, pause: float | str) -> Mapping[str, PublishedSettings]:
    """Return the settings of AndroidWorld's own scores of an agent, from the file with its code."""
    settings = PublishedSettings(
        **HARNESS,
        steps=STEPS,
        pause=Stated(pause, f"{RELEASE}, agents/{file}"),
        temperature=Stated(0.0, WRAPPER),
        max_tokens=Stated(1000, WRAPPER),
        retries=Stated(2, f"{WRAPPER}: three attempts (errors that the server reports: no limit)"),
        history=Stated("a summary of each step", f"{RELEASE}, agents/{file}"),
    )
    return {"android-world": settings}


@dataclass(frozen=True, slots=True)
class Look:
    """A screen, its marks, and the list of its elements for prompts."""

    screen: Screen
    marks: tuple[Mark, ...]
    elements: str


class AndroidWorldAgent(Agent):
    """Two calls per step: one selects an action, one summarises its result for the history.

    Source: google-research/android_world, agents/m3a.py and agents/t3a.py (AndroidWorld,
    arXiv:2405.14573, section 5). If a reply cannot be parsed or an action cannot be performed, the
    problem becomes the step's line in the history instead of a summary (the original's M3A forgets
    actions that cannot be performed). If the model refuses to select, the episode ends as
    impossible. An answer is kept until the status action ends the episode. The original waits two
    seconds after an action. On a single path the golden action is summarised in place of the
    agent's own, and an answer is performed at once.

    A subclass defines what is shown: the list of elements, pictures, and the surrounding text.
    """

    asks = False
    roles: ClassVar[Sequence[str]] = ("actor", "summarizer")
    sees: ClassVar[Sequence[str]] = ("hierarchy",)
    dialect: ClassVar[AndroidWorld] = AndroidWorld()
    role_text: ClassVar[str]
    screen_text: ClassVar[str]
    compared_text: ClassVar[str]
    guidance_text: ClassVar[str]
    summary_length: ClassVar[str]
    history_line: ClassVar[str]

    class Options(ModelOptions):
        """The options of AndroidWorld's runs.

        - `temperature`, `max_tokens`: for both calls.
        - `guidelines`: advice on the current task, which the original calls task guidelines.
        """

        temperature: float = 0.0
        max_tokens: int = 1000
        guidelines: str = ""

        PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
            "android-world": {"strict": True, "retries": 2},
            "spa-bench": {},
        }

    def run(self, briefing: Briefing, phone: Phone) -> None:
        """Select, act and summarise, until the model reports its status or a limit is reached."""
        self.briefing, self.options = briefing, briefing.options
        self.actor, self.summarizer = briefing.model("actor"), briefing.model("summarizer")
        self.history: list[str] = []
        self.answer = ""
        self.on_path = False
        before = self.look(phone.observe().screen)
        while True:
            decision = self.select(before)
            actions = self.actions(decision)
            observation = phone.act(actions, said=decision.words)
            after = self.look(observation.screen)
            if observation.done is not None:
                self.on_path = True
                frame = Frame.of(before.screen, before.marks)
                done = instead(self.dialect, observation, before.screen, frame, reason=GOLDEN)
                self.history.append(self.summary(before, done, after))
            elif decision.error:
                self.history.append(UNREADABLE.format(error=decision.error))
            elif observation.failure and actions:
                action = action_text(decision)
                self.history.append(UNDONE.format(action=action, notice=observation.failure))
            else:
                self.history.append(self.summary(before, decision, after))
            before = after

    def look(self, screen: Screen) -> Look:
        """Return a screen with its marks and the list of its elements."""
        marks = m3a_marks(screen)
        return Look(screen, marks, self.listed(marks) or "Not available")

    @abstractmethod
    def listed(self, marks: Sequence[Mark]) -> str:
        """Return the list of elements, one per line."""

    def pictures(self, look: Look) -> Sequence[Image]:
        """Return the pictures for selecting an action; none unless a subclass sends some."""
        return ()

    def compared(self, before: Look, after: Look) -> Sequence[Image]:
        """Return the pictures for the summary; none unless a subclass sends some."""
        return ()

    def select(self, look: Look) -> Decision:
        """Ask for the next action."""
        prompt = SELECTION.format(
            role=self.role_text,
            goal=goal_at(self.briefing, len(self.history)),
            history="\n".join(self.lines()) or NOTHING_YET,
            shown=self.screen_text,
            elements=look.elements,
            guidance=self.guidance_text,
            guidelines=self.guidelines(),
        )
        messages = [Message("user", (prompt, *self.pictures(look)))]
        frame, apps = Frame.of(look.screen, look.marks), self.briefing.installed
        return ask(self.actor, messages, self.dialect, frame, self.options, apps=apps)

    def lines(self) -> list[str]:
        """Return the history with numbered steps."""
        steps = enumerate(self.history, 1)
        return [self.history_line.format(number=number, line=line) for number, line in steps]

    def guidelines(self) -> str:
        """Return the advice on the current task, or ""."""
        given = self.options.guidelines
        return f"For this task:\n- {given}\n" if given else ""

    def actions(self, decision: Decision) -> Sequence[Action]:
        """Return the actions of a decision; an answer is kept until the status follows."""
        if decision.refused:
            return (Impossible(decision.error),)
        if self.on_path:
            return decision.actions
        actions, self.answer = answered_last(decision.actions, self.answer)
        return actions

    def summary(self, before: Look, decision: Decision, after: Look) -> str:
        """Ask for the result of an action, and return the line for the history."""
        action = action_text(decision)
        prompt = SUMMARY.format(
            role=self.role_text,
            goal=self.briefing.goal,
            compared=self.compared_text,
            before=before.elements,
            after=after.elements,
            action=action,
            reason=decision.said["reason"],
            length=self.summary_length,
        )
        message = Message("user", (prompt, *self.compared(before, after)))
        reply = self.summarizer.complete([message], **self.options.settings)
        summed_up = UNSUMMARIZED if reply.stop == "refusal" else reply.text
        return f"Action selected: {action}. {summed_up}"


def action_text(decision: Decision) -> str:
    """Return a decision's action as JSON, or its text if it has none."""
    try:
        return AndroidWorld.action_json(decision.words)
    except DialectError:  # a golden action that the dialect cannot express
        return decision.words


def answered_last(actions: Sequence[Action], answer: str) -> tuple[Sequence[Action], str]:
    """Return what to do, and the answer so far.

    An answer does not end an episode in AndroidWorld: it is kept until the agent reports that it is
    done.
    """
    match actions:
        case (Finish(said),) if said:
            return (Wait(0.0),), said
        case (Finish(),):
            return (Finish(answer),), answer
    return actions, answer


ROLE = """You operate an Android phone for a user. The user asks something of you: a question, which
you answer, or a task, which you carry out on the phone, one action at a time. {given}

Each action is JSON:
- the task is done: {{"action_type": "status", "goal_status": "complete"}}
- the task cannot be done (something is missing that you need, or an action you cannot take):
  {{"action_type": "status", "goal_status": "infeasible"}}
- answer the user: {{"action_type": "answer", "text": "<answer>"}}
- tap an element, {named}: {{"action_type": "click", "index": <index>}}
- press an element long: {{"action_type": "long_press", "index": <index>}}
- type into a field; this taps the field, types, and presses enter:
  {{"action_type": "input_text", "text": <text>, "index": <index>}}
- press enter: {{"action_type": "keyboard_enter"}}
- go to the home screen: {{"action_type": "navigate_home"}}
- go back: {{"action_type": "navigate_back"}}
- scroll the screen, or one element if you give its index:
  {{"action_type": "scroll", "direction": <up, down, left or right>, "index": <index, optional>}}
- open an app (nothing happens if it is not installed):
  {{"action_type": "open_app", "app_name": <name>}}
- wait until the screen has changed: {{"action_type": "wait"}}"""

GUIDANCE = """Advice:
- If there are several ways, take the easiest one. If something does not work, trying it once more
  may help; if the history shows that it did not, take another way.
- Look things up on the phone where you need to: for "What is on my schedule tomorrow?", open the
  calendar, read, answer, and end with the status action.
- A question has to be answered with `answer` before you end. That the answer is on the screen is
  not enough, unless the user wants to be shown something.
- Where everything is already as the user wants it, just complete the task.
- Open apps with `open_app`; use the app drawer only if that fails.
- Type with `input_text`, passwords too, not by tapping keys. Delete text that is already in the
  field first.
- {visible}
- Scroll in several directions to find what is not visible.
- Scrolling goes against the finger: "down" shows what is further down. If one direction does not
  help, try the opposite.
- To select text, long-press it: part of it is then selected, and a bar with `copy`, `paste` and
  `select all` usually appears. You cannot drag, so you cannot select an arbitrary part.
- To delete text, put the cursor behind it and use the keyboard's backspace (a long press deletes
  more), or select the text and use backspace then.
- To copy, select and tap `copy` in the bar. To paste, press the field long and tap `paste`.
- If a list drops down while you type, the field wants one of its entries: tap the best one.
"""
