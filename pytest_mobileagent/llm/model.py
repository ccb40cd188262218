"""A model as an agent or a judge asks it: metered, within a budget, repeated where that helps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pytest_mobileagent.llm.message import Image, Message

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.llm.message import Stop, Tool, ToolCall


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A model's reply: its words, the tools that it asks for, why it ended, and what it cost.

    `raw` is what the provider wants back with the next request, if it wants anything.
    """

    text: str
    call: ModelCall
    tool_calls: tuple[ToolCall, ...] = ()
    stop: Stop = "end"
    raw: Any = None

    @property
    def message(self) -> Message:
        """The reply as the assistant's message, for the next request of a conversation."""
        return Message(
            "assistant", (self.text,) if self.text else (), self.tool_calls, raw=self.raw
        )


class Model(Protocol):
    """A model in one of its roles."""

    @property
    def name(self) -> str:
        """What the user called it: PROVIDER:NAME."""

    def complete(
        self,
        prompt: str | Sequence[Message],
        images: Sequence[bytes | Image] = (),
        *,
        system: str = "",
        max_tokens: int | None = None,
        temperature: float | None = None,
        top_p: float | None = None,
        seed: int | None = None,
        stop: Sequence[str] = (),
        tools: Sequence[Tool] = (),
        stream: bool = False,
        extra: Mapping[str, Any] | None = None,
    ) -> ModelReply:
        """Ask the model, and return its reply.

        A `prompt` of words becomes one user's message with `images` behind it; messages are sent as
        they are, `images` behind the last one.

        Raises:
            BudgetSpent, ModelUnavailable: not `Exception`, so that an agent's loop lets them pass.
            RequestRefusedError: the provider refuses this request.
        """


class Models(Protocol):
    """The models that were chosen, by role."""

    def model(self, role: str) -> Model:
        """Return the model of a role.

        Raises:
            AgentError: none was chosen for it.
        """
