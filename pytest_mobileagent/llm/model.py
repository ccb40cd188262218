"""The requests and replies of models, the interfaces to them, and the errors of calls."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypedDict, Unpack

from pytest_mobileagent.errors import AgentError, InfrastructureError
from pytest_mobileagent.jsonable import to_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_mobileagent.episode.calls import ModelCall


Role = Literal["system", "user", "assistant", "tool"]
# Why a reply ended: it is complete; it calls tools; it was cut at the token limit; the model or a
# filter of its provider refused; the provider cannot read the call of a tool that the model wrote.
Stop = Literal["end", "tools", "length", "refusal", "malformed"]


@dataclass(frozen=True, slots=True)
class Image:
    """A picture: the bytes of a PNG or JPEG file. `detail` is OpenAI's ("low", "high", "auto")."""

    data: bytes = field(repr=False)
    detail: str = ""

    @property
    def media_type(self) -> str:
        """The media type, recognised by the first bytes."""
        return "image/png" if self.data.startswith(b"\x89PNG") else "image/jpeg"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call by the model; `arguments` are JSON-able data.

    `kind` is "function", or a provider's own kind: "computer_call" in OpenAI's Responses API, the
    toolset's name ("computer") in Anthropic's Messages API.
    """

    id: str
    name: str
    arguments: Mapping[str, Any]
    kind: str = "function"


@dataclass(frozen=True, slots=True)
class Message:
    """One message: texts and pictures in the order in which the model reads them.

    An assistant's message may have `tool_calls`; a tool's message is the result of the call whose
    id is `answers`, and `is_error` says that the call failed. `raw` is the part of a reply that
    only its provider understands (`Completion.raw`); it is sent back unchanged.
    """

    role: Role
    content: tuple[str | Image, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    answers: str = ""
    is_error: bool = False
    raw: Any = field(default=None, repr=False, compare=False)

    @property
    def text(self) -> str:
        """All texts, joined by newlines."""
        return "\n".join(part for part in self.content if isinstance(part, str))

    @property
    def images(self) -> tuple[Image, ...]:
        """All pictures."""
        return tuple(part for part in self.content if isinstance(part, Image))


def to_jsonable(message: Message, picture: Callable[[Image], Any]) -> dict[str, Any]:
    """Return a message as JSON-able data; each picture is replaced by what `picture` returns."""
    return {
        "role": message.role,
        "content": [picture(p) if isinstance(p, Image) else p for p in message.content],
        **({"tool_calls": [asdict(c) for c in message.tool_calls]} if message.tool_calls else {}),
        **({"answers": message.answers} if message.answers else {}),
        **({"is_error": True} if message.is_error else {}),
    }


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that a model may call.

    A function has a `description` and `parameters` (JSON Schema). A provider's own tool is given by
    `provider`, which is sent unchanged: `{"type": "computer_20250124", …}`.
    """

    name: str
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    provider: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """Everything that is sent for one reply. The provider chooses values for fields that are None.

    `extra` has further fields of the provider's API, which are sent unchanged.
    """

    messages: tuple[Message, ...]
    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    tools: tuple[Tool, ...] = ()
    stream: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def settings(self) -> dict[str, Any]:
        """All fields except the messages, as JSON-able data; fields not set are omitted."""
        names = ("max_tokens", "temperature", "top_p", "seed", "stop", "stream", "extra")
        given = {name: value for name in names if _is_given(value := getattr(self, name))}
        return given | ({"tools": [asdict(tool) for tool in self.tools]} if self.tools else {})

    @property
    def text(self) -> str:
        """All texts of all messages, joined by newlines."""
        return "\n".join(message.text for message in self.messages if message.text)

    @property
    def images(self) -> tuple[Image, ...]:
        """All pictures of all messages, in order."""
        return tuple(image for message in self.messages for image in message.images)


def _is_given(value: Any) -> bool:
    return value is not None and value is not False and value not in ((), {})  # 0 is given


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of one reply; None where they are unknown. `cached` is part of `input`."""

    input: int | None = None
    output: int | None = None
    cached: int | None = None

    @property
    def is_complete(self) -> bool:
        """Whether both numbers are known."""
        return self.input is not None and self.output is not None

    def completed(self, sent: int, answered: int) -> Usage:
        """Return the usage with estimates in place of unknown numbers."""
        return Usage(
            sent if self.input is None else self.input,
            answered if self.output is None else self.output,
            self.cached,
        )


@dataclass(frozen=True, slots=True)
class Completion:
    """The answer of a provider's API to a request.

    - `model`: the model's name according to the provider; empty if it does not give one.
    - `usage_data`: the provider's reply with its usage, for `genai_prices.extract_usage`.
    - `seconds_to_first`: the seconds until the first token; None if the reply was not streamed.
    - `raw`: JSON-able data, such as reasoning, that the provider needs back with the next request.
    """

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    stop: Stop = "end"
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    seconds_to_first: float | None = None
    usage_data: Mapping[str, Any] | None = None
    raw: Any = None

    @property
    def words(self) -> str:
        """Everything that the model has written: its text and the arguments of its tool calls."""
        return self.text + "".join(to_line(call.arguments) for call in self.tool_calls)

    def to_json(self) -> dict[str, Any]:
        """Return the part that is recorded, as JSON-able data."""
        tool_calls = [asdict(call) for call in self.tool_calls]
        return {"text": self.text, "stop": self.stop, "tool_calls": tool_calls}


class Client(Protocol):
    """A connection to one model of one provider. It neither retries requests nor prices them."""

    def ask(self, request: Request) -> Completion:
        """Send a request, and return the answer.

        Raises:
            ProviderBusyError: for rate limits, overload, network errors, and replies that are cut
                or unreadable; a retry may help.
            ProviderError: if the provider cannot answer (no such model, a refused key).
            RequestRefusedError: if this request cannot be answered (too long, malformed).
        """


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A model's reply: its text, its tool calls, why it ended, and its costs.

    `raw` is data that the provider needs back with the next request, or None.
    """

    text: str
    call: ModelCall
    tool_calls: tuple[ToolCall, ...] = ()
    stop: Stop = "end"
    raw: Any = None

    @property
    def message(self) -> Message:
        """The reply as an assistant's message, for the next request of a conversation."""
        content = (self.text,) if self.text else ()
        return Message("assistant", content, self.tool_calls, raw=self.raw)


RETRIES = 7  # of a call, unless its `retries` say otherwise


class CompletionOptions(TypedDict, total=False):
    """Options of a completion other than its prompt; the provider chooses values for missing ones.

    - `system`: the system prompt, before all messages.
    - `stop`: strings at which the reply ends. `tools`: the tools that the model may call.
    - `stream`: whether to stream the reply, so the time to the first token is measured.
    - `extra`: further fields of the provider's API, which are sent unchanged.
    - `retries`: how often to ask again if the provider is busy or cannot be reached; by default 7
      times, within three minutes.
    """

    system: str
    max_tokens: int | None
    temperature: float | None
    top_p: float | None
    seed: int | None
    stop: Sequence[str]
    tools: Sequence[Tool]
    stream: bool
    extra: Mapping[str, Any] | None
    retries: int | None


class Model(Protocol):
    """A model in one of its roles."""

    @property
    def name(self) -> str:
        """The model's name as the user chose it: PROVIDER:NAME."""

    def complete(
        self,
        prompt: str | Sequence[Message],
        images: Sequence[bytes | Image] = (),
        **options: Unpack[CompletionOptions],
    ) -> ModelReply:
        """Ask the model, and return its reply.

        If `prompt` is a string, it becomes one user message, followed by `images`. Messages are
        sent unchanged, with `images` at the end of the last one.

        Raises:
            BudgetSpent, ModelUnavailable: if no reply is available. They do not inherit from
                `Exception`, so an agent's loop does not catch them.
            RequestRefusedError: if the provider refuses this request.
        """


class Models(Protocol):
    """The chosen models, by role."""

    def model(self, role: str) -> Model:
        """Return the model of a role.

        Raises:
            AgentError: if no model was chosen for the role.
        """


class ProviderError(InfrastructureError):
    """A provider cannot answer: it is down, has no such model, or refuses the key."""


class ProviderBusyError(ProviderError):
    """The provider may answer a retry, after `retry_after` seconds if it gives a time."""

    def __init__(self, problem: str, retry_after: float | None = None) -> None:
        super().__init__(problem)
        self.retry_after = retry_after


class RequestRefusedError(AgentError):
    """The provider refuses this request, and would do so again: it is too long, or malformed."""


class ModelUnavailable(BaseException):
    """No reply is available, for example because a provider stays down: not the agent's failure.

    It is not an Exception, so it also ends an agent that continues after any error.
    """
