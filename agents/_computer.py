"""The base of agents for models trained to use a computer: a conversation of tool calls."""

from __future__ import annotations

import json
from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from pytest_mobileagent import Action, Finish
from pytest_mobileagent.agent import (
    Agent,
    Image,
    Message,
    ModelOptions,
    Reply,
    Tool,
    given_up,
    goal_at,
    opened,
)
from pytest_mobileagent.dialect import (
    PHONE_FUNCTIONS,
    Decision,
    DialectError,
    Frame,
    function_parameters,
)
from pytest_mobileagent.perception import encode, in_words, resized

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent import Screen
    from pytest_mobileagent.agent import Briefing, ModelReply, Observation, ToolCall
    from pytest_mobileagent.dialect import Dialect

SYSTEM = """\
You operate an Android phone for its user; there is no computer and no mouse. Clicks are taps of a \
finger, a right click holds it on a point, scrolling and dragging move it. The keyboard is the \
phone's: use `back`, `home`, `recents` and `open_app` instead of combinations of keys. After what \
you do, you see the screen again. Do all of the task without asking whether to go on; call \
`ask_user` only for what nobody but the user knows, and `give_up` if the task cannot be done. When \
it is done, say so without calling a tool, and if the task asks for something, give the answer and \
nothing else."""
TASK = "{goal}\n\nThis is the phone's screen now."
DONE = "done"
SKIPPED = "not done, because the call before it was not"
NOT_DONE = "not done"
INSTEAD = "Instead of what you decided, this was done, since it is right: {action}."
CUT = "Your reply was cut off before it called a tool. Go on, in fewer words."
OLDER = "(a screenshot that is left out by now)"
# How often a model may only look at the screen before this counts as a step.
_LOOKS = 3


class ComputerAgent(Agent):
    """One model call per step, in a conversation; each tool call is answered in the next one.

    Calls are answered with the picture of the screen. Calls that only look at the screen or move
    the mouse are answered at once, and do not count as a step. A reply without a call is the last
    one, and its text is the answer; a refusal gives up, and a truncated reply is a step without an
    action. A call that cannot be parsed is answered with the reason; the reason why an action could
    not be performed follows the answer. If a reply has several calls, those after one that cannot
    be parsed are not performed. On a single path, calls are answered with a description of the
    golden action that was performed in their place.

    A subclass sets the `dialect` in `start`, and defines the size of the picture and the tools.
    """

    roles: ClassVar[Sequence[str]] = ("actor",)
    sees: ClassVar[Sequence[str]] = ("screenshot",)
    dialect: Dialect

    class Options(ModelOptions):
        """`pictures`: how many of the newest screenshots stay in the conversation; 0 for all."""

        pictures: int = 0

    @abstractmethod
    def size(self, size: tuple[int, int]) -> tuple[int, int]:
        """Return the size in which a screen is sent, as (width, height) in pixels."""

    @abstractmethod
    def computer(self, size: tuple[int, int]) -> Tool:
        """Return the provider's tool for a picture of this size."""

    def moved(self, words: str) -> None:
        """Record what a parsed call has changed, such as the position of the mouse."""

    def start(self, briefing: Briefing) -> None:
        """Receive the goal and the model."""
        self.briefing = briefing
        self.options = briefing.options
        self.model = briefing.model()
        self.chat: list[Message] = []
        self.open: list[tuple[ToolCall, str]] = []
        self.steps = 0
        self.last: Screen | None = None

    def step(self, observation: Observation) -> Reply:
        """Answer the calls of the last step, and ask what to do next."""
        size = self.size(observation.screen.size)
        image = Image(encode(resized(observation.screen.image, size)))
        self._report(observation, image)
        self.last = observation.screen
        self.steps += 1
        frame = Frame.of(observation.screen, shown=size)
        tools = [self.computer(size), *FUNCTIONS]
        rounds = 0
        while True:
            reply = self.model.complete(self._sent(), tools=tools, **self.options.settings)
            self.chat.append(reply.message)
            if not reply.tool_calls:
                return self._ending(reply)
            decision = self._read(reply.tool_calls, frame)
            rounds += 1
            if decision.actions or not decision.signal or rounds == _LOOKS:
                return Reply(decision.actions, said=words_and_calls(reply))
            self._answer(image)

    def _report(self, observation: Observation, image: Image) -> None:
        """Send the model the result of the last step."""
        goal = goal_at(self.briefing, self.steps)
        if not self.chat:
            words = TASK.format(goal=goal)
            self.chat += [Message("system", (SYSTEM,)), Message("user", (words, image))]
            return
        notes = [f"The user answers: {observation.reply}"] if observation.reply else []
        if observation.done is not None and self.last is not None:
            golden = INSTEAD.format(action=in_words(observation.done, self.last))
            notes.append(golden)
            self.open = [(call, NOT_DONE) for call, _ in self.open]
        if observation.failure and all(words == DONE for _, words in self.open):
            notes.append(f"That could not be done: {observation.failure}")
        notes += filter(None, [observation.screen.notice])
        if self.open:
            self._answer(image, notes)
        elif observation.done is not None:
            self.chat.append(Message("user", (*notes, image)))
        else:
            self.chat.append(Message("user", (CUT, image)))
        if now := goal.removeprefix(self.briefing.goal).strip():
            self.chat.append(Message("user", (now,)))

    def _answer(self, image: Image, notes: Sequence[str] = ()) -> None:
        """Answer all open calls, and append the other messages.

        The last answer contains the picture, as do the answers to calls of the kind
        "computer_call", for which providers accept nothing else.
        """
        aside = list(notes)
        for number, (call, words) in enumerate(self.open, 1):
            of_computer = call.kind == "computer_call"
            pictures = (image,) if of_computer or number == len(self.open) else ()
            content = pictures if of_computer else (words, *pictures)
            self.chat.append(Message("tool", content, answers=call.id))
            aside += [words] if of_computer and words != DONE else []
        if aside:
            self.chat.append(Message("user", tuple(aside)))
        self.open = []

    def _read(self, calls: Sequence[ToolCall], frame: Frame) -> Decision:
        """Return the decision in a reply's calls, and keep the calls open with textual answers."""
        actions: list[Action] = []
        signal, words = "", DONE
        for call in calls:
            if words != DONE:
                self.open.append((call, SKIPPED))
                continue
            try:
                decision = self.dialect.parse(words_of(call), frame)
                self.moved(words_of(call))
            except DialectError as error:
                words = f"not done: {error}"
            else:
                actions += opened(decision, self.briefing.installed).actions
                signal = signal or decision.signal
            self.open.append((call, words))
        return Decision(tuple(actions), signal="" if words != DONE else signal)

    def _ending(self, reply: ModelReply) -> Reply:
        if reply.stop == "refusal":
            policy = self.options.on_error or "give up"
            return Reply(given_up(policy, "the model refuses").actions, said=reply.text)
        if reply.stop == "length":
            policy = self.options.on_error or self.dialect.on_error
            return Reply(given_up(policy, "the reply was cut off").actions, said=reply.text)
        return Reply(Finish(reply.text.strip()), said=reply.text)

    def _sent(self) -> list[Message]:
        """Return the conversation with as many of its newest pictures as the options allow."""
        if not self.options.pictures:
            return list(self.chat)
        left = self.options.pictures
        messages: list[Message] = []
        for message in reversed(self.chat):
            if message.images and left <= 0:
                texts = tuple(part for part in message.content if isinstance(part, str))
                messages.append(replace(message, content=(*texts, OLDER)))
            else:
                left -= len(message.images)
                messages.append(message)
        return messages[::-1]


FUNCTIONS = [
    Tool(name, about, function_parameters(name)) for name, (about, _) in PHONE_FUNCTIONS.items()
]


def words_of(call: ToolCall) -> str:
    """Return a tool call in the format of the computer-use dialects."""
    arguments: Mapping[str, Any] = dict(call.arguments)
    if call.name == "computer" or call.kind == "computer_call":
        return json.dumps(arguments, ensure_ascii=False)
    return json.dumps({"name": call.name, "arguments": arguments}, ensure_ascii=False)


def words_and_calls(reply: ModelReply) -> str:
    """Return a reply's text and its calls, one per line."""
    return "\n".join(filter(None, [reply.text, *map(words_of, reply.tool_calls)]))
