"""Asking a model for a decision in a dialect, and agents that do only that, step by step.

A policy of the dialect, the agent or the user decides what happens to text that cannot be read.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pytest_mobileagent.action.action import DoubleTap, Finish, Impossible, Open, Tap, Type
from pytest_mobileagent.agent.agent import Agent, Reply
from pytest_mobileagent.dataset.trajectory import spoken
from pytest_mobileagent.dialect.dialect import Decision, DialectError, Frame
from pytest_mobileagent.errors import AgentError
from pytest_mobileagent.llm.model import Image, Message
from pytest_mobileagent.perception.apps import package_of
from pytest_mobileagent.perception.picture import encode
from pytest_mobileagent.perception.words import in_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from PIL.Image import Image as Picture

    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.agent.agent import Briefing
    from pytest_mobileagent.dialect.dialect import Dialect, OnError
    from pytest_mobileagent.episode.observation import Observation
    from pytest_mobileagent.llm.model import Model, ModelReply
    from pytest_mobileagent.screen.screen import Screen


_ATTEMPTS = 3
_SETTINGS = ("temperature", "top_p", "max_tokens", "seed")


class ModelOptions:
    """The options of every agent that asks models.

    - `on_error`: what to do with words that cannot be read; empty for what the original does.
    - `strict`: whether words that the original's code cannot read are such here, too, and those
      that it misreads are misread; `docs/dialects.md` lists them.
    - `temperature`, `max_tokens`: what is sent to models; None for what the original sends.
    """

    on_error: Literal["", "no action", "ask again", "finish", "give up", "crash"] = ""
    strict: bool = False
    temperature: float | None = None
    max_tokens: int | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """What the options give to `Model.complete`."""
        given = {name: getattr(self, name, None) for name in _SETTINGS}
        return {name: value for name, value in given.items() if value is not None}


def ask(
    model: Model,
    messages: Sequence[Message],
    dialect: Dialect,
    frame: Frame,
    *,
    on_error: str = "",
    strict: bool = False,
    apps: Iterable[str] = (),
    words_of: Callable[[ModelReply], str] = lambda reply: reply.text,
    **settings: Any,
) -> Decision:
    """Ask a model for its next decision, in a dialect.

    `on_error` overrides the dialect's own policy if it is not empty; `strict` reads as the
    original's code does; `apps` are the packages among which the apps are sought that the model
    names; `words_of` gives what the dialect reads of a reply, if that is not its text; `settings`
    go to `Model.complete`.

    Raises:
        AgentError: the words cannot be read, and the policy is to crash, or asked in vain again.
    """
    read = dialect.parse_strictly if strict else dialect.parse
    conversation = list(messages)
    for _ in range(_ATTEMPTS):
        reply = model.complete(conversation, **settings)
        words = words_of(reply)
        try:
            decision = read(words, frame)
        except DialectError as error:
            problem = _problem(reply, error)
            policy = on_error or error.on_error or dialect.on_error
            if policy != "ask again":
                break
            again = f"That could not be read: {problem}. Answer again, in the format asked for."
            conversation += [reply.message, Message("user", (again,))]
        else:
            return replace(opened(decision, apps), words=words)
    refused = reply.stop == "refusal"
    return replace(given_up(policy, problem), words=words, error=problem, refused=refused)


def given_up(policy: str, problem: str) -> Decision:
    """Return what a policy makes of words that cannot be read.

    Raises:
        AgentError: the policy is to crash, or to ask again, which was in vain.
    """
    match policy:
        case "no action":
            return Decision()
        case "finish":
            return Decision((Finish(),))
        case "give up":
            return Decision((Impossible(problem),))
    msg = f"the model's words cannot be read: {problem}"
    raise AgentError(msg)


def opened(decision: Decision, apps: Iterable[str]) -> Decision:
    """Return a decision in which the apps that are opened are packages, where they can be found."""
    packages = tuple(apps)
    actions = tuple(
        Open(package_of(action.app, packages)) if isinstance(action, Open) else action
        for action in decision.actions
    )
    return replace(decision, actions=actions)


def instead(
    dialect: Dialect, observation: Observation, screen: Screen, frame: Frame, **said: str
) -> Decision:
    """Return the decision that was carried out in place of an agent's own, as if it had made it.

    On a single path that is `observation.done`, done on the `screen` of the step before; `frame` is
    what words meant there. The words are those of the dialect, with what is `said` besides, or
    plain ones (see `in_words`) where it cannot say the action.
    """
    done = observation.done
    assert done is not None
    for near in (done, *_nearly(done)):
        try:
            ways = spoken(dialect, near, screen, frame, said)
        except DialectError:
            continue
        words = next((words for action, words in ways if type(action) is type(near)), ways[0][1])
        return Decision((done,), said, words=words)
    return Decision((done,), said, words=in_words(done, screen))


def _nearly(action: Action) -> Iterator[Action]:
    """Yield what comes near to an action, for dialects that always clear, or press enter, say."""
    if isinstance(action, Type):
        yield replace(action, enter=not action.enter)
        yield replace(action, clear=not action.clear)
        yield Type(action.text)
    elif isinstance(action, DoubleTap):
        yield Tap(action.x, action.y)


def _problem(reply: ModelReply, error: DialectError) -> str:
    if reply.stop == "refusal":
        return "the model refuses"
    return f"{error} (the reply was cut off)" if reply.stop == "length" else str(error)


@dataclass(frozen=True, slots=True)
class Turn:
    """One step of the past: the picture that was sent, the screen, and what was decided on it.

    `frame` is what the words of the decision refer to. On a single path, the decision is the golden
    one that was carried out in place of the agent's own.
    """

    image: Image
    screen: Screen
    decision: Decision
    frame: Frame


class EndpointAgent(Agent):
    """One call of one model a step; a subclass says what is sent, and in which dialect it answers.

    `settings` go to `Model.complete`, where options do not stand in for them. `on_error`, unless it
    is empty, stands in for the dialect's own policy, and the option for it. `turns` are the steps
    so far.
    """

    roles: ClassVar[Sequence[str]] = ("actor",)
    sees: ClassVar[Sequence[str]] = ("screenshot",)
    dialect: Dialect
    settings: Mapping[str, Any] = MappingProxyType({})
    on_error: OnError | Literal[""] = ""

    class Options(ModelOptions):
        """Those of all agents of one model."""

    def start(self, briefing: Briefing) -> None:
        """Take the goal, and the model."""
        self.briefing = briefing
        self.options = briefing.options
        self.model = briefing.model()
        self.turns: list[Turn] = []

    def step(self, observation: Observation) -> Reply:
        """Ask the model for its next decision."""
        if observation.done is not None and self.turns:
            last = self.turns[-1]
            done = instead(self.dialect, observation, last.screen, last.frame)
            self.turns[-1] = replace(last, decision=done)
        picture = self.picture(observation.screen)
        image, frame = self.image(picture), self.frame(observation.screen, picture)
        decision = ask(
            self.model,
            self.messages(observation, image),
            self.dialect,
            frame,
            on_error=self.options.on_error or self.on_error,
            strict=self.options.strict,
            apps=self.briefing.installed,
            words_of=self.words,
            **{**self.settings, **self.options.settings},
        )
        self.turns.append(Turn(image, observation.screen, decision, frame))
        return Reply.of(decision)

    def picture(self, screen: Screen) -> Picture:
        """Return the picture to send: the screenshot, unless a subclass scales it."""
        return screen.image

    def image(self, picture: Picture) -> Image:
        """Return the picture as it is sent: PNG, unless a subclass says otherwise."""
        return Image(encode(picture))

    def words(self, reply: ModelReply) -> str:
        """Return what the dialect reads of a reply: its text, unless a subclass reads more."""
        return reply.text

    def frame(self, screen: Screen, picture: Picture) -> Frame:
        """Return what the model's words refer to: the picture, and a subclass's marks."""
        return Frame.of(screen, shown=picture.size)

    @abstractmethod
    def messages(self, observation: Observation, image: Image) -> Sequence[Message]:
        """Return all that is sent for the next decision."""


def goal_at(briefing: Briefing, step: int) -> str:
    """Return the goal; behind it the instruction of a step (from 0) where the task has one.

    A3's Table 4 and AndroidControl (arXiv:2406.03679) call that the low level, the goal alone the
    high one.
    """
    if step >= len(briefing.instructions):
        return briefing.goal
    return f"{briefing.goal}\nWhat to do at this step: {briefing.instructions[step]}"
