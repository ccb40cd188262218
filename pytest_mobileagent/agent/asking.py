"""How agents ask a model for a decision in a dialect, and agents that do only this in each step.

A policy of the dialect, the agent or the user decides what happens if the reply cannot be parsed.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pytest_mobileagent.action import Finish, Impossible, Open, Type, in_words
from pytest_mobileagent.action.gestures import DoubleTap, Tap
from pytest_mobileagent.agent.agent import Agent, Reply
from pytest_mobileagent.dataset import spoken
from pytest_mobileagent.dialect.dialect import Decision, Frame
from pytest_mobileagent.dialect.parts import DialectError
from pytest_mobileagent.errors import AgentError
from pytest_mobileagent.llm.model import Image, Message
from pytest_mobileagent.perception.apps import package_of
from pytest_mobileagent.perception.picture import encode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from PIL.Image import Image as Picture

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.agent.agent import Briefing
    from pytest_mobileagent.dialect.dialect import Dialect
    from pytest_mobileagent.dialect.parts import OnError
    from pytest_mobileagent.episode.observation import Observation
    from pytest_mobileagent.llm.model import Model, ModelReply
    from pytest_mobileagent.screen import Screen


_ATTEMPTS = 3
_SETTINGS = ("temperature", "top_p", "max_tokens", "seed", "retries")


class ModelOptions:
    """The options of every agent that calls models.

    - `on_error`: what to do with a reply that cannot be parsed; "" for the original's behaviour.
    - `strict`: whether replies that the original's code cannot parse are errors here too, and
      replies that it misreads are misread; `docs/dialects.md` lists them.
    - `temperature`, `max_tokens`: sent to models; None for the original's values.
    - `retries`: how often to ask again if the provider is busy; None for the run's own number.
    """

    on_error: Literal["", "no action", "ask again", "finish", "give up", "crash"] = ""
    strict: bool = False
    temperature: float | None = None
    max_tokens: int | None = None
    retries: int | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """The arguments for `Model.complete` that the options specify."""
        given = {name: getattr(self, name, None) for name in _SETTINGS}
        return {name: value for name, value in given.items() if value is not None}


def ask(
    model: Model,
    messages: Sequence[Message],
    dialect: Dialect,
    frame: Frame,
    options: ModelOptions | None = None,
    *,
    on_error: str = "",
    strict: bool = False,
    apps: Iterable[str] = (),
    words_of: Callable[[ModelReply], str] = lambda reply: reply.text,
    **settings: Any,
) -> Decision:
    """Ask a model for its next decision, in a dialect.

    `on_error` overrides the dialect's own policy if it is not empty; `strict` parses as the
    original's code does; `settings` are passed to `Model.complete`; `options` are the agent's, for
    what is not given otherwise. `apps` are the packages among which the apps that the model names
    are looked up; `words_of` returns what the dialect parses of a reply, by default its text.

    Raises:
        AgentError: if the reply cannot be parsed, and the policy is to crash, or a repeat failed.
    """
    if options is not None:
        on_error, strict = on_error or options.on_error, strict or options.strict
        settings = {**options.settings, **settings}
    read = dialect.parse_strictly if strict else dialect.parse
    conversation = list(messages)
    for _ in range(_ATTEMPTS):
        reply = model.complete(conversation, **settings)
        words = words_of(reply)
        try:
            decision = read(words, frame)
        except DialectError as error:
            problem = "the model refuses" if reply.stop == "refusal" else str(error)
            problem += " (the reply was cut off)" if reply.stop == "length" else ""
            policy = on_error or error.on_error or dialect.on_error
            if policy != "ask again":
                break
            again = f"That could not be read: {problem}. Answer again, in the format asked for."
            # Calls, which a server may have taken out of the text, would need answers of tools.
            said = Message("assistant", (words,)) if reply.tool_calls else reply.message
            conversation += [said, Message("user", (again,))]
        else:
            return replace(opened(decision, apps), words=words)
    refused = reply.stop == "refusal"
    return replace(given_up(policy, problem), words=words, error=problem, refused=refused)


def given_up(policy: str, problem: str) -> Decision:
    """Return the decision that a policy prescribes for a reply that cannot be parsed.

    Raises:
        AgentError: if the policy is to crash, or asking again did not help.
    """
    match policy:
        case "no action":
            return Decision()
        case "finish":
            return Decision((Finish(),))
        case "give up":
            return Decision((Impossible(problem),))
    raise AgentError(f"the model's reply cannot be parsed: {problem}")


def opened(decision: Decision, apps: Iterable[str]) -> Decision:
    """Return a decision with the names of opened apps replaced by packages, where known."""
    packages = tuple(apps)
    actions = tuple(
        Open(package_of(action.app, packages)) if isinstance(action, Open) else action
        for action in decision.actions
    )
    return replace(decision, actions=actions)


def instead(
    dialect: Dialect, observation: Observation, screen: Screen, frame: Frame, **fields: str
) -> Decision:
    """Return the decision performed in place of an agent's own, as if the agent had made it.

    On a single path this is `observation.done`, performed on the `screen` of the previous step;
    `frame` is the frame of reference there. The text is in the dialect, including the fields of
    `fields`, or in plain words (see `in_words`) if the dialect cannot express the action.
    """
    done = observation.done
    assert done is not None
    for near in (done, *_nearly(done)):
        try:
            ways = spoken(dialect, near, screen, frame, fields)
        except DialectError:
            continue
        words = next((words for action, words in ways if type(action) is type(near)), ways[0][1])
        return Decision((done,), fields, words=words)
    return Decision((done,), fields, words=in_words(done, screen))


def _nearly(action: Action) -> Iterator[Action]:
    """Yield variants of an action, for dialects that, for example, always clear or press enter."""
    if isinstance(action, Type):
        yield replace(action, enter=not action.enter)
        yield replace(action, clear=not action.clear)
        yield Type(action.text)
    elif isinstance(action, DoubleTap):
        yield Tap(action.x, action.y)


@dataclass(frozen=True, slots=True)
class Turn:
    """A past step: the picture that was sent, the screen, and the decision.

    `frame` is the frame of reference of the decision's text. On a single path, the decision is the
    golden one that was performed in place of the agent's own.
    """

    image: Image
    screen: Screen
    decision: Decision
    frame: Frame


class EndpointAgent(Agent):
    """An agent that makes one model call per step; a subclass defines the messages and the dialect.

    `settings` are passed to `Model.complete` unless options override them. `on_error`, unless it is
    empty, overrides the dialect's policy, and the option overrides it. `turns`: the steps so far.
    """

    roles: ClassVar[Sequence[str]] = ("actor",)
    sees: ClassVar[Sequence[str]] = ("screenshot",)
    dialect: Dialect
    settings: Mapping[str, Any] = MappingProxyType({})
    on_error: OnError | Literal[""] = ""

    class Options(ModelOptions):
        """The options of all agents with one model."""

    def start(self, briefing: Briefing) -> None:
        """Receive the goal and the model."""
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
            self.options,
            on_error=self.options.on_error or self.on_error,
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
        """Return the picture in encoded form: PNG, unless a subclass overrides it."""
        return Image(encode(picture))

    def words(self, reply: ModelReply) -> str:
        """Return the part of a reply that the dialect parses: its text, unless overridden."""
        return reply.text

    def frame(self, screen: Screen, picture: Picture) -> Frame:
        """Return the frame of reference of the model's text: picture and, in subclasses, marks."""
        return Frame.of(screen, shown=picture.size)

    @abstractmethod
    def messages(self, observation: Observation, image: Image) -> Sequence[Message]:
        """Return all messages to send for the next decision."""


def goal_at(briefing: Briefing, step: int) -> str:
    """Return the goal, followed by the instruction of a step (from 0) if the task has one.

    A3's Table 4 and AndroidControl (arXiv:2406.03679) call this low-level, the goal high-level.
    """
    if step >= len(briefing.instructions):
        return briefing.goal
    return f"{briefing.goal}\nWhat to do at this step: {briefing.instructions[step]}"
