"""The base of agents for models trained to use a computer: a conversation of tool calls."""

from __future__ import annotations

import json
import re
from abc import abstractmethod
from dataclasses import dataclass, replace
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
phone's: use `back`, `home`, `recents` and `open_app` instead of combinations of keys."""
RULES = """\
After what you do, you see the screen again. Do all of the task without asking whether to go on; \
call `ask_user` only for what nobody but the user knows, and `give_up` if the task cannot be done. \
When it is done, say so without calling a tool, and if the task asks for something, give the \
answer and nothing else."""
TASK = "{goal}\n\nThis is the phone's screen now."
DONE = "done"
NOT_DONE = "not done"
INSTEAD = "Instead of what you decided, this was done, since it is right: {action}."
CUT = "Your reply was empty, was cut off, or its call was invalid. Go on, in fewer words."
# Replies without a readable call, by why they ended.
UNREADABLE = {
    "length": "the reply was cut off",
    "malformed": "the call is invalid",
    "end": "the reply is empty",
}
OLDER = "(a screenshot that is left out by now)"
# How often a model may only look at the screen before this counts as a step.
_LOOKS = 3
_FAILED = re.compile(r"action (\d+) of \d+: ")


@dataclass(frozen=True, slots=True)
class Shown:
    """The screen of a step, and the picture of it that the model receives, with its size."""

    screen: Screen
    size: tuple[int, int]
    image: Image


@dataclass(slots=True)
class OpenCall:
    """A call that has to be answered: in words, and with a picture if it asked for one.

    `until` is the number of actions that the calls up to this one have decided in this step;
    `looks` says that the call asked for the screen after them, which is not known yet.
    """

    call: ToolCall
    words: str = DONE
    is_error: bool = False
    picture: Image | None = None
    until: int = 0
    looks: bool = False

    def fail(self, why: str) -> None:
        """Set the reason why the call was not carried out."""
        self.words, self.is_error, self.looks = why, True, False


class ComputerAgent(Agent):
    """One model call per step, in a conversation; each tool call is answered in the next one.

    Calls are answered with the picture of the screen. Calls that only look at the screen or move
    the mouse are answered at once, and do not count as a step. A reply without a call is the last
    one, and its text is the answer; a refusal gives up, and a reply that is empty or truncated is a
    step without an action. If a reply has several calls, they are performed in order, until one
    cannot be parsed or performed, or is the last one of a truncated reply: it is answered with the
    reason, and those after it are not performed. On a single path, calls are answered with a
    description of the golden action that was performed in their place.

    A subclass sets the `dialect` in `start`, and defines the size of the picture and the tools.
    `provider` is the one of `--mobile-model` whose API has the tool. `models` has the names of the
    models for each variant of the tool; they are what `named` finds in longer names. The variants
    are the values of the option `option`, which overrides this.
    """

    roles: ClassVar[Sequence[str]] = ("actor",)
    sees: ClassVar[Sequence[str]] = ("screenshot",)
    provider: ClassVar[str]
    option: ClassVar[str]
    models: ClassVar[Mapping[str, str]]
    named: ClassVar[re.Pattern[str]]
    dialect: Dialect
    system = f"{SYSTEM} {RULES}"
    # The answer to calls that were not performed, because one before them was not.
    skipped = "not done, because the call before it was not"
    # The dialect's signals of calls that `looked` answers.
    looks: Sequence[str] = ()

    class Options(ModelOptions):
        """`pictures`: how many of the newest screenshots stay in the conversation; 0 for all."""

        pictures: int = 0

    @classmethod
    def check_model(cls, model: str, options: Any) -> None:
        """Check that a model has the tool (see `Agent.check_model`)."""
        provider, _, name = model.partition(":")
        if provider != cls.provider:
            try:
                cls.variant_of(name, options)
            except ValueError:
                name = "NAME"
            needs = f"needs another API: --mobile-model={cls.provider}:{name}"
            raise ValueError(f"{cls._agent()} {needs}")
        cls.variant_of(name, options)

    @classmethod
    def _agent(cls) -> str:
        """Return the agent's name, as in --agent."""
        return cls.__module__.rpartition(".")[2]

    @classmethod
    def variant_of(cls, model: str, options: Any) -> Any:
        """Return the variant of the tool that an option chooses, or that a model has, by its name.

        Scripts have the first one.

        Raises:
            ValueError: if the model is not listed, and no option chooses one.
        """
        if chosen := getattr(options, cls.option):
            return chosen
        named = cls.named.fullmatch(model.rpartition(":")[2])
        for variant, names in cls.models.items():
            if model.startswith("scripted:") or (named and named[1] in names.split()):
                return variant
        which = " or ".join(cls.models)
        msg = (
            f"{cls._agent()} does not know which {cls.option} of the computer-use tool {model} has"
        )
        raise ValueError(f"{msg}: choose one with --mobile-agent-option {cls.option}={which}")

    def functions(self) -> Sequence[Tool]:
        """Return the functions that a model may call in addition to the provider's tool."""
        return FUNCTIONS

    @abstractmethod
    def size(self, size: tuple[int, int]) -> tuple[int, int]:
        """Return the size in which a screen is sent, as (width, height) in pixels."""

    @abstractmethod
    def computer(self, size: tuple[int, int]) -> Tool:
        """Return the provider's tool for a picture of this size."""

    def moved(self, words: str) -> None:
        """Record what a parsed call has changed, such as the position of the mouse."""

    def looked(self, call: ToolCall, shown: Shown) -> tuple[str, Image | None]:
        """Return the answer to a call that only looks at the screen: words, and a picture if any.

        The last call of a reply is always answered with the picture of the screen.
        """
        return DONE, None

    def start(self, briefing: Briefing) -> None:
        """Receive the goal and the model."""
        self.briefing = briefing
        self.options = briefing.options
        self.model = briefing.model()
        self.settings: dict[str, Any] = dict(self.options.settings)
        self.chat: list[Message] = []
        self.open: list[OpenCall] = []
        self.later: list[ToolCall] = []  # those after a look at what the ones before them did
        self.notes: list[str] = []
        self.steps = 0
        self.shown: Shown | None = None

    def step(self, observation: Observation) -> Reply:
        """Answer the calls of the last step, and ask what to do next."""
        screen = observation.screen
        size = self.size(screen.size)
        shown = Shown(screen, size, Image(encode(resized(screen.image, size))))
        self._read_outcome(observation, shown)
        self.shown = shown
        self.steps += 1
        frame = Frame.of(screen, shown=size)
        calls, self.later = self.later, []
        if calls and (decision := self._read(calls, frame)).actions:
            return Reply(decision.actions, said="\n".join(map(words_of, calls)))
        self._report(observation, shown.image)
        tools = [self.computer(size), *self.functions()]
        rounds = 0
        while True:
            reply = self.model.complete(self._sent(), tools=tools, **self.settings)
            self.chat.append(reply.message)
            if not reply.tool_calls or reply.stop == "refusal":
                return self._ending(reply)
            decision = self._read(reply.tool_calls, frame, is_cut=reply.stop == "length")
            rounds += 1
            if decision.actions or not decision.signal or rounds == _LOOKS:
                return Reply(decision.actions, said=words_and_calls(reply))
            self._answer(shown.image)

    def _read_outcome(self, observation: Observation, shown: Shown) -> None:
        """Complete the answers to the open calls by what their actions did."""
        if observation.reply:
            self.notes.append(f"The user answers: {observation.reply}")
        if observation.done is not None and self.shown is not None:
            golden = INSTEAD.format(action=in_words(observation.done, self.shown.screen))
            self.notes.append(golden)
            calls = [*(each.call for each in self.open), *self.later]
            self.open, self.later = [OpenCall(call, NOT_DONE) for call in calls], []
        elif observation.failure and not any(each.is_error for each in self.open):
            self._fail(observation.failure)
        self.notes += filter(None, [observation.screen.notice])
        for each in self.open:
            if each.looks:
                each.words, each.picture = self.looked(each.call, shown)
                each.looks = False

    def _fail(self, failure: str) -> None:
        """Answer the call whose action failed with the reason; those after it were not done."""
        why = f"That could not be done: {failure}"
        named = _FAILED.match(failure)
        number = int(named[1]) if named else max((each.until for each in self.open), default=0)
        failed = [each for each in self.open if each.until >= number > 0]
        if not failed:
            self.notes.append(why)
            return
        failed[0].fail(why)
        self.open += map(OpenCall, self.later)
        self.later = []
        for each in self.open[self.open.index(failed[0]) + 1 :]:
            each.fail(self.skipped)

    def _report(self, observation: Observation, image: Image) -> None:
        """Send the model the result of the last step."""
        goal = goal_at(self.briefing, self.steps - 1)
        if not self.chat:
            words = TASK.format(goal=goal)
            self.chat += [Message("system", (self.system,)), Message("user", (words, image))]
            self.notes = []
            return
        if self.open:
            self._answer(image)
        elif observation.done is not None:
            self.chat.append(Message("user", (*self.notes, image)))
        else:
            self.chat.append(Message("user", (CUT, image)))
        self.notes = []
        if now := goal.removeprefix(self.briefing.goal).strip():
            self.chat.append(Message("user", (now,)))

    def _answer(self, image: Image) -> None:
        """Answer all open calls, and append the other messages.

        The last answer contains the picture, as do the answers to calls of the kind
        "computer_call", for which providers accept nothing else.
        """
        aside = list(self.notes)
        for number, each in enumerate(self.open, 1):
            pictures = [] if each.picture is None else [each.picture]
            of_computer = each.call.kind == "computer_call"
            is_last = number == len(self.open)
            is_shown = each.picture is not None and (each.picture is image or not each.until)
            if of_computer or (is_last and not is_shown):
                pictures.append(image)
            words = () if of_computer or not each.words else (each.words,)
            content = (*words, *pictures)
            self.chat.append(Message("tool", content, answers=each.call.id, is_error=each.is_error))
            aside += [each.words] if of_computer and each.words != DONE else []
        if aside:
            self.chat.append(Message("user", tuple(aside)))
        self.open, self.notes = [], []

    def _read(self, calls: Sequence[ToolCall], frame: Frame, *, is_cut: bool = False) -> Decision:
        """Return the decision in a reply's calls, and keep the calls open with their answers.

        If the reply `is_cut` off, its last call may lack something. A look at what the calls before
        it did ends the decision: those after it are kept for later.
        """
        assert self.shown is not None
        read = self.dialect.parse_strictly if self.options.strict else self.dialect.parse
        actions: list[Action] = []
        signal, failed = "", False
        for place, call in enumerate(calls, 1):
            self.open.append(each := OpenCall(call))
            if failed or (is_cut and place == len(calls)):
                each.fail(self.skipped if failed else f"not done: {UNREADABLE['length']}")
                failed = True
                continue
            try:
                decision = read(words_of(call), frame)
                self.moved(words_of(call))
            except DialectError as error:
                each.fail(f"not done: {error}")
                failed = True
                continue
            actions += opened(decision, self.briefing.installed).actions
            signal, each.until = signal or decision.signal, len(actions)
            if decision.signal not in self.looks:
                continue
            if not actions:
                each.words, each.picture = self.looked(call, self.shown)
                continue
            each.looks, self.later = True, list(calls[place:])
            break
        return Decision(tuple(actions), signal="" if failed else signal)

    def _ending(self, reply: ModelReply) -> Reply:
        if reply.stop == "refusal":
            self.chat.pop()  # its calls, if any, are not answered
            policy = self.options.on_error or "give up"
            return Reply(given_up(policy, "the model refuses").actions, said=reply.text)
        if reply.stop in UNREADABLE and not (reply.stop == "end" and reply.text.strip()):
            policy = self.options.on_error or self.dialect.on_error
            return Reply(given_up(policy, UNREADABLE[reply.stop]).actions, said=reply.text)
        return Reply(Finish(reply.text.strip()), said=reply.text)

    def _sent(self) -> list[Message]:
        """Return the conversation with as many of its newest pictures as the options allow."""
        if not self.options.pictures:
            return list(self.chat)
        pictures = sum(len(message.images) for message in self.chat)
        return without_pictures(self.chat, pictures - self.options.pictures)


def without_pictures(chat: Sequence[Message], count: int) -> list[Message]:
    """Return a conversation without its first pictures, as many as `count` or a few more."""
    messages = []
    for message in chat:
        if message.images and count > 0:
            texts = tuple(part for part in message.content if isinstance(part, str))
            # The text of calls that were not performed is fixed.
            older = () if message.is_error and texts else (OLDER,)
            messages.append(replace(message, content=(*texts, *older)))
        else:
            messages.append(message)
        count -= len(message.images)
    return messages


FUNCTIONS = [
    Tool(name, about, function_parameters(name)) for name, (about, _) in PHONE_FUNCTIONS.items()
]


def words_of(call: ToolCall) -> str:
    """Return a tool call in the format of the computer-use dialects."""
    arguments: Mapping[str, Any] = dict(call.arguments)
    if call.kind not in {"function", "computer_call"}:
        member = {"toolset_name": call.kind, "name": call.name, "input": arguments}
        return json.dumps(member, ensure_ascii=False)
    if call.name == "computer" or call.kind == "computer_call":
        return json.dumps(arguments, ensure_ascii=False)
    return json.dumps({"name": call.name, "arguments": arguments}, ensure_ascii=False)


def words_and_calls(reply: ModelReply | Message) -> str:
    """Return a reply's text and its calls, one per line."""
    return "\n".join(filter(None, [reply.text, *map(words_of, reply.tool_calls)]))
