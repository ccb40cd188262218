"""B-MoCA's agent with a language model."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pytest_mobileagent.agent import Agent, Message, ModelOptions, Reply, ask, goal_at, instead
from pytest_mobileagent.dialect import BMoca, DialectError, Frame
from pytest_mobileagent.errors import AgentError
from pytest_mobileagent.perception import bmoca_lines, bmoca_marks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent import Screen
    from pytest_mobileagent.agent import Briefing, Image, Observation
    from pytest_mobileagent.perception import Mark

SYSTEM = "You carry out everyday tasks on phones and tablets."

PROMPT = """You are given a goal, what is on the screen, and your previous actions (the last
{history} at most). The screen is described by its view hierarchy: each element has a numeric tag
and what is known of it.

Think, and call the function that brings you nearer to the goal. Answer in three parts:
- Description: <what you see>
- Thought: <why you take the next step>
- Action: <one function call with its arguments, and nothing else>

The functions are:
1. dual-gesture(touch y: float, touch x: float, lift y: float, lift x: float): touches the screen at
the first point and lifts at the second. Coordinates go from 0 to 1 over the screen's height and
width. Equal points tap, different ones swipe. dual-gesture(0.5, 0.5, 0.5, 0.5) taps the middle.
2. tap(numeric tag: int): taps the element with this tag. tap(5) taps element 5.
3. swipe(direction: str): swipes "up", "down", "left" or "right", in double quotes. swipe("up")
opens the list of apps from the home screen.
4. press("HOME"): presses the home button.
5. press("BACK"): presses the back button.
6. press("OVERVIEW"): presses the overview button.
Call one of these functions, once, and do nothing else.

Goal: {goal}
{examples}
Previous actions: {previous}
Current observation: {observation}
Answer: """

EXAMPLES = """
This is how people did it, from the beginning to the end. Each step has:
- Observation: <what was on the screen>
- Action: <what the person did>

"""


class BMocaText(Agent):
    """Receives the list of all elements, and no picture: the paper's LLM agent.

    One call per step, with the last four actions. Examples from human demonstrations can be added:
    `shots=3` and `examples=FOLDER`.

    Source: B-MoCA, paper sections 3.1 and 4.1 and App. A.1; gimme1dollar/b-moca,
    bmoca/agent/foundation_model and experiments/closed_source, whose code we follow; the wording of
    the prompts is our own. A reply that cannot be parsed is a step without an action, and is not
    added to the history. No action reports that the task is done: B-MoCA itself ends an episode
    when its check passes, or else at the step limit. The original observes every three seconds. On
    a single path, the golden actions form the history.
    """

    asks = False
    roles: ClassVar[Sequence[str]] = ("actor",)
    sees: ClassVar[Sequence[str]] = ("hierarchy",)
    dialect: ClassVar[BMoca] = BMoca()

    class Options(ModelOptions):
        """The options of B-MoCA's configuration.

        - `shots`: the number of examples, drawn again at each step; 0 is the paper's zero-shot
          setting.
        - `examples`: your own texts: a file, or a folder with a .txt file for each demonstration,
          in which steps of "- Observation: …" and "- Action: …" are separated by empty lines.
        - `example_type`: whether whole demonstrations are drawn, or single steps of them.
        - `history`: the number of previous actions shown.
        - `seed`, `top_p`: sent to the model.
        """

        temperature: float = 0.1
        top_p: float = 1.0
        max_tokens: int = 256
        seed: int = 123
        shots: int = 0
        examples: str = ""
        example_type: Literal["trajectory", "transition"] = "trajectory"
        history: int = 4

        PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
            "b-moca": {},
            "b-moca-few-shot": {"shots": 3},  # needs examples=FOLDER
        }

    def start(self, briefing: Briefing) -> None:
        """Receive the goal, the model, and the examples.

        Raises:
            AgentError: if `shots` is positive, but there are no examples to draw from.
        """
        self.briefing, self.options = briefing, briefing.options
        self.model = briefing.model("actor")
        self.random = random.Random(briefing.seed)
        self.pool = read_examples(self.options) if self.options.shots > 0 else []
        self.previous: list[str] = []
        self.steps = 0
        self.last: tuple[Screen, Sequence[Mark], int] | None = None

    def step(self, observation: Observation) -> Reply:
        """Ask for the next action."""
        if observation.done is not None and self.last is not None:
            screen, marks, known = self.last
            done = instead(self.dialect, observation, screen, Frame.of(screen, marks))
            self.previous[known:] = [remembered(done.words, marks)]
        screen = observation.screen
        marks = bmoca_marks(screen)
        self.last = screen, marks, len(self.previous)
        asked = Message("user", (self.prompt(marks), *self.pictures(screen)))
        messages = [Message("system", (SYSTEM,)), asked]
        frame = Frame.of(screen, marks)
        decision = ask(self.model, messages, self.dialect, frame, self.options)
        self.steps += 1
        if not decision.error:
            self.previous.append(remembered(decision.words, marks))
        return Reply.of(decision)

    def pictures(self, screen: Screen) -> Sequence[Image]:
        """Return the pictures to send; none unless a subclass adds some."""
        return ()

    def prompt(self, marks: Sequence[Mark]) -> str:
        """Return the text of the user's message."""
        most = self.options.history
        return PROMPT.format(
            history=most,
            goal=goal_at(self.briefing, self.steps),
            examples=self.examples(),
            previous=self.previous[-most:] if most > 0 else [],
            observation=bmoca_lines(marks),
        )

    def examples(self) -> str:
        """Return examples, drawn with replacement as in the original; "" if there are none."""
        if not self.pool:
            return ""
        drawn = self.random.choices(self.pool, k=self.options.shots)
        return EXAMPLES + "".join(f"Demonstration Example:\n{each}\n" for each in drawn)


def read_examples(options: Any) -> list[str]:
    """Return the texts from which examples are drawn.

    Raises:
        AgentError: if the file or folder of the examples is missing or empty.
    """
    path = Path(options.examples)
    if not options.examples or not path.exists():
        msg = f"shots={options.shots} needs examples=FILE or FOLDER, not {options.examples!r}"
        raise AgentError(msg)
    files = sorted(path.rglob("*.txt")) if path.is_dir() else [path]
    texts = [file.read_text("utf-8", "replace") for file in files]
    if options.example_type == "transition":
        texts = [step for text in texts for step in text.split("\n\n") if _is_step(step)]
    if not any(text.strip() for text in texts):
        raise AgentError(f"there are no examples in {path}")
    return texts


def _is_step(text: str) -> bool:
    return "- Observation: " in text and "- Action: " in text


def remembered(words: str, marks: Sequence[Mark]) -> str:
    """Return a reply's action as B-MoCA remembers it: taps with the element instead of its tag."""
    try:
        name, argument = BMoca.called_function(words)
    except DialectError:  # a golden action that the dialect cannot express
        return words
    if name == "tap":
        label = str(int(float(argument)))
        argument = next(bmoca_lines([mark])[1:-1] for mark in marks if mark.label == label)
    elif name == "press":
        argument = argument.upper()
    return f"{name}({argument})"
