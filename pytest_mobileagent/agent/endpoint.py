"""An agent that is one model behind an endpoint: a prompt, a history, a dialect."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pytest_mobileagent.agent.agent import Agent, Reply
from pytest_mobileagent.agent.asking import ModelOptions, ask
from pytest_mobileagent.dialect.dialect import Frame
from pytest_mobileagent.llm.message import Image
from pytest_mobileagent.perception.picture import encode

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from PIL.Image import Image as Picture

    from pytest_mobileagent.agent.briefing import Briefing
    from pytest_mobileagent.dialect.dialect import Decision, Dialect, OnError
    from pytest_mobileagent.episode.observation import Observation
    from pytest_mobileagent.llm.message import Message
    from pytest_mobileagent.llm.model import ModelReply
    from pytest_mobileagent.screen.screen import Screen


@dataclass(frozen=True, slots=True)
class Turn:
    """One step of the past: the picture that was sent, the screen, and what was decided on it."""

    image: Image
    screen: Screen
    decision: Decision


class EndpointAgent(Agent):
    """One call of one model a step; a subclass says what is sent, and in which dialect it answers.

    `settings` go to `Model.complete`, where options do not stand in for them. `on_error`, unless it
    is empty, stands in for the dialect's own policy, and the option for it. `turns` are the steps
    so far.
    """

    roles: ClassVar[Sequence[str]] = ("actor",)
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
        picture = self.picture(observation.screen)
        image = self.image(picture)
        decision = ask(
            self.model,
            self.messages(observation, image),
            self.dialect,
            self.frame(observation.screen, picture),
            on_error=self.options.on_error or self.on_error,
            strict=self.options.strict,
            apps=self.briefing.installed,
            words_of=self.words,
            **{**self.settings, **self.options.settings},
        )
        self.turns.append(Turn(image, observation.screen, decision))
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
