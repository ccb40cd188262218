"""Mobile-Agent (v1): a growing chat about screenshots, on which it finds texts and icons."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from pytest_mobileagent import Tap
from pytest_mobileagent.agent import (
    Agent,
    Image,
    Message,
    ModelOptions,
    Reply,
    ask,
    given_up,
    instead,
)
from pytest_mobileagent.dialect import Decision, DialectError, Frame
from pytest_mobileagent.dialect import MobileAgent as Dialect
from pytest_mobileagent.perception import (
    Mark,
    draw_letters,
    encode,
    find_icons,
    find_text,
    lies_in,
    read_text,
    rounded,
    scaled,
    surroundings,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from PIL.Image import Image as Picture

    from pytest_mobileagent import Bounds, Screen
    from pytest_mobileagent.agent import Briefing, Observation

INTRODUCTION = """\
You are an assistant that operates a phone, and help me by operating mine.
My instruction is: {goal}"""

AGREED = "I will. Show me what is on your phone."

ACTIONS = """\
There are eight kinds of action:
1. open App (name): taps the name of an app. Only the home screen has such names.
2. click text (text): taps a text that is on the screen. Prefer it wherever there is text.
3. click icon (look, place): taps an icon. Its look is a colour and a shape, such as red circle; its
place, roughly, is one of top, bottom, left, right and center.
4. page down, page up: turns the page. It needs nothing in parentheses.
5. type (text): types a text into the field that you have clicked before.
6. back: goes back to the page before.
7. exit: leaves the app for the home screen.
8. stop: ends your work, once the instruction is carried out."""

DECIDE = f"""\
Here is the screenshot of now. Answer in three parts.

Observation: what the screenshot shows, in brief, and, if something was done before, what that was
and what it has changed.
Thought: what follows from the observation, and what has to be done next for the instruction.
Action: the action that does it.

{ACTIONS}
If an action changes nothing on the screen again and again, try another.

Write each part in one line, in this form, with what an action needs in parentheses:
Observation: …
Thought: …
Action: …"""

ACT = f"Here is the screenshot of now. Which action do you take?\n{ACTIONS}"
REMEMBERED = "Here is the screenshot of now. Which action do you take?"

WHICH_TEXT = """\
The text "{text}" is there {count} times. These pictures, numbered 1 to {count}, each show one of
the places in a red box. Which one do you want to click? Answer with the number alone."""

WHICH_ICON = """\
On this screenshot, {count} icons have a red box with a number. Which of them is this: {look}?
Answer with the number alone."""

NO_APP = "There is no app named {name}."
NO_TEXT = 'I could not click text ({text}): the screenshot does not show the text "{text}".'
MANY_TEXTS = 'I could not click text ({text}): the text "{text}" is there too often.'
NO_ICON = "I could not click icon ({look}, {place}): there is no such icon at that place."
NO_CHOICE = "I could not click it: {words!r} is no number from 1 to {count}."
TRIES_AGAIN = "I will try something else."

ATTEMPTS = 5
MOST_TEXTS = 4
ABOVE_LABEL = 50  # pixels from an app's name up to its icon


class MobileAgent(Agent):
    """Mobile-Agent (Wang et al. 2024, arXiv 2401.16158): vision only, no view hierarchy.

    A step is one call with the whole chat: all previous screenshots, at half their size, and the
    actions taken on them. Texts are located by OCR; if a text occurs two to four times, a second
    call with the cropped places asks which one is meant. Targets that could not be found are
    reported in the chat. The original waits 1 second after each action, and repeats a call until
    the answer has its three parts; here, at most five times. It has no step limit, and uses
    gpt-4-vision-preview.

    This agent differs from it in how icons are found: the original has GroundingDINO propose them,
    and CLIP choose by description. Here they are found by their outlines (`screen.icons`), and if
    there are several at the place that the model named, the role "grounder" is asked which one fits
    the description, a call that the original does not make. Its OCR engine also differs. On a
    single path, the chat contains the golden actions in place of its own, without questions about
    places.
    """

    asks = False
    roles: ClassVar[Sequence[str]] = ("actor", "grounder")
    sees: ClassVar[Sequence[str]] = ("screenshot",)
    extras: ClassVar[Sequence[str]] = ("vision",)

    class Options(ModelOptions):
        """The agent's options.

        - `scale`: the size of the screenshots that are sent, as a fraction of the screen's.
        """

        scale: float = 0.5
        max_tokens: int = 2048

        # MobileAgentBench: GPT-4V, and the defaults.
        PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
            "mobileagentbench": {"scale": 0.5},
            "spa-bench": {"scale": 0.5},
        }

    def start(self, briefing: Briefing) -> None:
        self.briefing = briefing
        self.options: MobileAgent.Options = briefing.options
        self.actor = briefing.model("actor")
        self.grounder = briefing.model("grounder")
        self.opening = (
            Message("user", (INTRODUCTION.format(goal=briefing.goal),)),
            Message("assistant", (AGREED,)),
        )
        self.chat: list[Message] = list(self.opening)
        self.image: Image | None = None
        self.knows_why = True  # whether the model knows why an action was not performed
        self.steps = 0
        self.last: tuple[Screen, int] | None = None

    def step(self, observation: Observation) -> Reply:
        if observation.done is not None and self.last is not None:
            self._take_golden(observation, *self.last)
        if observation.failure and not self.knows_why and self.image:
            self._complain(observation.failure)
        self.image = self._picture(observation.screen)
        decision = self._decided(observation.screen)
        self.last = observation.screen, len(self.chat)
        self.chat += [
            Message("user", (REMEMBERED, self.image)),
            Message("assistant", (decision.said.get("action") or decision.words or "…",)),
        ]
        self.knows_why = False
        self.steps += 1
        match decision.signal:
            case "open app":
                return self._open(decision, observation.screen)
            case "click text":
                return self._click_text(decision, observation.screen)
            case "click icon":
                return self._click_icon(decision, observation.screen)
        return Reply.of(decision)

    def _take_golden(self, observation: Observation, screen: Screen, known: int) -> None:
        """Put the golden action into the chat, in place of the decision on the last screen."""
        reply = golden_words(observation, screen)
        self.chat[known + 1 :] = [Message("assistant", (reply,))]
        self.knows_why = True

    def _decided(self, screen: Screen) -> Decision:
        """Ask for the next action, and ask again while the answer lacks a part."""
        instructions = self.briefing.instructions[self.steps : self.steps + 1]
        words = "\n\n".join(
            [DECIDE, *(f"This step has to do this: {each}" for each in instructions)]
        )
        assert self.image is not None
        messages = [*self.chat, Message("user", (words, self.image))]
        policy = self.options.on_error or Dialect.on_error
        for _ in range(ATTEMPTS if policy == "ask again" else 1):
            frame = Frame.of(screen)
            decision = ask(
                self.actor, messages, Dialect(), frame, self.options, on_error="no action"
            )
            if not decision.error:
                return decision
        return replace(given_up(policy, decision.error), words=decision.words, error=decision.error)

    def _open(self, decision: Decision, screen: Screen) -> Reply:
        name = decision.said["name"]
        found = find_text(read_text(screen.image, self.briefing.ocr), name, screen.size)
        if not found:
            return self._failed(decision, NO_APP.format(name=name))
        x, y = rounded(*_middle(found[0]), screen.size)
        up = int(round(ABOVE_LABEL / screen.size[1], 2) * screen.size[1])
        return Reply(Tap(x, max(0, y - up)), said=decision.words)

    def _click_text(self, decision: Decision, screen: Screen) -> Reply:
        text = decision.said["text"]
        found = find_text(read_text(screen.image, self.briefing.ocr), text, screen.size)
        if not found:
            return self._failed(decision, NO_TEXT.format(text=text))
        if len(found) > MOST_TEXTS:
            return self._failed(decision, MANY_TEXTS.format(text=text))
        if len(found) == 1:
            return _tap(found[0], decision, screen)
        pictures = [self._cut(screen.image, bounds) for bounds in found]
        question = WHICH_TEXT.format(text=text, count=len(found))
        chat = [
            *self.opening,
            Message("user", (ACT, self._picture(screen))),
            Message("assistant", (decision.said["action"],)),
            Message("user", (question, *pictures)),
        ]
        words = self.actor.complete(chat, **self.options.settings).text
        chosen = _number(words, len(found))
        if chosen is None:
            return self._failed(decision, NO_CHOICE.format(words=words, count=len(found)))
        self.chat += [chat[-1], Message("assistant", (words,))]
        return _tap(found[chosen - 1], decision, screen)

    def _click_icon(self, decision: Decision, screen: Screen) -> Reply:
        look, place = decision.said["icon"], decision.said["place"]
        icons = find_icons(screen.image)
        found = [each for each in icons if len(icons) == 1 or lies_in(each, place, screen.size)]
        if not found:
            return self._failed(decision, NO_ICON.format(look=look, place=place))
        if len(found) == 1:
            return _tap(found[0], decision, screen)
        marks = [Mark(str(number), bounds) for number, bounds in enumerate(found, 1)]
        marked = self._encoded(draw_letters(screen.image, marks))
        question = WHICH_ICON.format(look=look, count=len(found))
        words = self.grounder.complete([Message("user", (question, marked))]).text
        chosen = _number(words, len(found))
        if chosen is None:
            return self._failed(decision, NO_CHOICE.format(words=words, count=len(found)))
        return _tap(found[chosen - 1], decision, screen)

    def _failed(self, decision: Decision, problem: str) -> Reply:
        self._complain(problem)
        return Reply([], said=decision.words)

    def _complain(self, problem: str) -> None:
        """Report to the model why nothing was done, with the picture that it saw."""
        assert self.image is not None
        self.chat += [
            Message("user", (problem, self.image)),
            Message("assistant", (TRIES_AGAIN,)),
        ]
        self.knows_why = True

    def _picture(self, screen: Screen) -> Image:
        return self._encoded(screen.image)

    def _cut(self, picture: Picture, bounds: Bounds) -> Image:
        return self._encoded(surroundings(picture, bounds))

    def _encoded(self, picture: Picture) -> Image:
        return Image(encode(scaled(picture, self.options.scale), "jpeg", quality=75))


def golden_words(observation: Observation, screen: Screen) -> str:
    """Return the golden action performed on a screen, in the model's own notation."""
    match observation.done:
        case Tap(x, y) if label := next((e.label for e in screen.at(x, y) if e.label), ""):
            return f"click text ({label})"
    frame = Frame.of(screen)
    words = instead(Dialect(), observation, screen, frame).words
    try:
        return Dialect().parse(words, frame).said["action"]
    except DialectError:  # an action that the dialect cannot express
        return words


def _tap(bounds: Bounds, decision: Decision, screen: Screen) -> Reply:
    return Reply(Tap(*rounded(*_middle(bounds), screen.size)), said=decision.words)


def _middle(bounds: Bounds) -> tuple[float, float]:
    return (bounds.left + bounds.right) / 2, (bounds.top + bounds.bottom) / 2


def _number(words: str, most: int) -> int | None:
    """Return the first number in the words, if it is from 1 to `most`."""
    found = re.search(r"\d{1,9}", words)
    number = int(found.group()) if found else 0
    return number if 1 <= number <= most else None
