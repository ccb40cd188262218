"""UI-Venus 1.5 and 2, for phones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pytest_mobileagent.agent import (
    EndpointAgent,
    Image,
    Message,
    PublishedSettings,
    Stated,
    goal_at,
)
from pytest_mobileagent.dialect import UiVenus as Dialect

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent.agent import Briefing, Observation

ACTIONS = {
    "1.5": """\
- Click(box=(x1,y1)): tap a point.
- LongPress(box=(x1,y1)): hold a point, for the menu of what lies there.
- Scroll(start=(x1,y1), end=(x2,y2)): move a finger from start to end, to see more or change tabs.
- Drag(start=(x1,y1), end=(x2,y2)): hold what lies at start, and move it to end.
- Type(content=''): enter text into the field that is active.
- Launch(app=''): open an app that the screen does not show.
- Wait(): let the page load.
- PressBack(): leave this screen for the one before.
- PressHome(): show the launcher.
- PressEnter(): press the enter key, such as after the words of a search.
- PressRecent(): show the apps that run.
- CallUser(content=''): reply to the user, if the task is a question, or hand over to them.
- Finished(content=''): end the task.""",
    "2": """\
- Click(point=(x1,y1)): tap a point.
- DoubleClick(point=(x1,y1)): tap a point twice.
- LongPress(point=(x1,y1)): hold a point, for the menu of what lies there.
- Swipe(start=(x1,y1), end=(x2,y2)): move a finger from start to end, to see more or change tabs.
- Drag(start=(x1,y1), end=(x2,y2)): hold what lies at start, and move it to end.
- Type(content=''): enter text into the field that is active; escape ' in it.
- LaunchApp(app=''): open an app that the screen does not show.
- Wait(): let the page load.
- GetScreenshot(): look at the screen again.
- PressBack(): leave this screen for the one before.
- PressHome(): show the launcher.
- PressEnter(): press the enter key, such as after the words of a search.
- PressRecent(): show the apps that run.
- CallUser(content=''): ask the user for what only the user knows.
- Answer(content=''): reply, if the task is a question; this ends it.
- Finished(content=''): end the task.""",
}
PROMPT = """\
You operate a phone by its touchscreen, to do a task of its user. Look at the screenshot and at \
what was done before, and decide on one action. Points are (x,y), from (0,0) in the upper left \
corner to (999,999) in the lower right one.

### Actions
{actions}

### Task
{goal}
{steps}
### Format
<think>why this comes next</think>
<action>one of the actions</action>
{conclusion}
### Hints
- A field must be active before text is entered: click it first.
- Go back from screens that do not belong to the task.
- What the steps so far report may be wrong; the screenshot is not.
- Before you finish, make sure that nothing of the task is missing."""
STEPS = "\n### Steps so far\n{steps}\n"
CONCLUSION = "<conclusion>what the action does, in a sentence</conclusion>\n"
MOBILE = "inclusionAI/UI-Venus@81945ac, Venus_framework/Venus_framework_mobile"
NAVIGATION = "inclusionAI/UI-Venus@c3a1442, Venus_framework"
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "1.5": {"temperature": 0.0, "extra": {"repetition_penalty": 1.05}},
    "2": {
        "temperature": 0.6,
        "max_tokens": 16_384,
        "extra": {"repetition_penalty": 1.05, "frequency_penalty": 0.3},
    },
}


class UiVenus(EndpointAgent):
    """Receives the full-size screenshot and its own past thoughts and actions.

    Source: inclusionAI/UI-Venus, `Venus_framework` and `models/navigation` (1.5, c3a1442): one user
    message with the task, the steps so far, and the current picture, T=0, repetition penalty 1.05,
    30 steps; and `Venus_framework_mobile` (2, 81945ac): a system message, the raw reply of each
    past step with the newest `pictures` screenshots, then the current one, T=0.6 (0.1 in its
    README), repetition penalty 1.05, frequency penalty 0.3, 16,384 tokens. One call per step.

    The wording of the prompts is our own, in English; the framework's prompt of 1.5 is Chinese. The
    frameworks wait 2.5 seconds after each action, and end a run after five equal actions other than
    swipes; here, the run's own limits end it. If `Venus_framework` (1.5) cannot read a reply, it
    hands over to the user, which ends its run as a failure: `on_error="give up"`. The user's answer
    to a question precedes the picture.
    """

    # The harness of its scores on AndroidWorld was not released; these are its framework's.
    published: ClassVar[Mapping[str, PublishedSettings]] = {
        "android-world": PublishedSettings(
            temperature=Stated(0.6, f"{MOBILE}/policy (its README: 0.1)"),
            max_tokens=Stated(16_384, f"{MOBILE}/policy"),
            retries=Stated(3, f"{MOBILE}/policy"),
            history=Stated("its replies, and two screenshots", f"{MOBILE}, the script's n_img"),
        ),
        "android-world-1.5": PublishedSettings(
            steps=Stated(30, NAVIGATION),
            pause=Stated(2.5, NAVIGATION),
            temperature=Stated(0.0, NAVIGATION),
            history=Stated("its thoughts and actions", NAVIGATION),
        ),
    }

    class Options(EndpointAgent.Options):
        """The version of the model; how many past screenshots (2) or steps (1.5) it sees.

        `steps` is the number of past steps in the prompt of 1.5, 0 for all.
        """

        version: Literal["1.5", "2"] = "2"
        pictures: int = 0
        steps: int = 0

        PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
            "android-world": {"version": "2", "pictures": 2, "retries": 3},
            "android-world-1.5": {"version": "1.5"},
        }

    def start(self, briefing: Briefing) -> None:
        super().start(briefing)
        self.dialect = Dialect(self.options.version)
        self.settings = SETTINGS[self.options.version]
        self.on_error = "give up" if self.options.version == "1.5" else "no action"
        self.users: list[tuple[str, ...]] = []

    def messages(self, observation: Observation, image: Image) -> Sequence[Message]:
        self.users.append((f"The user answers: {observation.reply}",) if observation.reply else ())
        if self.options.version == "1.5":
            return [Message("user", (self._prompt(self._steps()), *self.users[-1], image))]
        messages = [Message("system", (self._prompt(""),))]
        oldest = len(self.turns) - self.options.pictures
        for number, turn in enumerate(self.turns):
            shown = ("History Screenshot:", turn.image) if number >= oldest else ()
            messages.append(Message("user", (*self.users[number], *shown) or ("",)))
            messages.append(Message("assistant", (turn.decision.words,)))
        return [*messages, Message("user", (*self.users[-1], "Current Screenshot:", image))]

    def _prompt(self, steps: str) -> str:
        version = self.options.version
        return PROMPT.format(
            actions=ACTIONS[version],
            goal=goal_at(self.briefing, len(self.turns)),
            steps=steps,
            conclusion=CONCLUSION if version == "1.5" else "",
        )

    def _steps(self) -> str:
        recent = self.turns[-self.options.steps :]
        lines = [
            f"Step {number}: {turn.decision.words.partition('<conclusion>')[0].strip()}"
            for number, turn in enumerate(recent)
        ]
        return STEPS.format(steps="\n".join(lines)) if lines else ""
