"""What agents and judges send to a model and receive from it, and how a call can fail."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypedDict, Unpack

from pytest_mobileagent.errors import AgentError, InfrastructureError
from pytest_mobileagent.jsonable import to_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_mobileagent.episode.calls import ModelCall


Role = Literal["system", "user", "assistant", "tool"]
# Why a reply ended: it is complete; it calls tools; it was cut at the limit of tokens; the model
# or a filter of its provider refused.
Stop = Literal["end", "tools", "length", "refusal"]


@dataclass(frozen=True, slots=True)
class Image:
    """A picture: bytes of a PNG or JPEG file. `detail` is OpenAI's ("low", "high", "auto")."""

    data: bytes = field(repr=False)
    detail: str = ""

    @property
    def media_type(self) -> str:
        """The media type, which is recognised by the bytes."""
        return "image/png" if self.data.startswith(b"\x89PNG") else "image/jpeg"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool that the model asks for; `arguments` are plain data.

    `kind` is "function", or a provider's own, such as "computer_call" of OpenAI's responses.
    """

    id: str
    name: str
    arguments: Mapping[str, Any]
    kind: str = "function"


@dataclass(frozen=True, slots=True)
class Message:
    """One message: texts and pictures in the order in which the model reads them.

    An assistant's message may hold `tool_calls`; a tool's message is the result of the call whose
    id is `answers`. `raw` is the part of a reply that only its provider understands
    (`Completion.raw`); it is sent back unchanged.
    """

    role: Role
    content: tuple[str | Image, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    answers: str = ""
    raw: Any = field(default=None, repr=False, compare=False)

    @property
    def text(self) -> str:
        """All texts, each on a line of its own."""
        return "\n".join(part for part in self.content if isinstance(part, str))

    @property
    def images(self) -> tuple[Image, ...]:
        """All pictures."""
        return tuple(part for part in self.content if isinstance(part, Image))


def to_jsonable(message: Message, picture: Callable[[Image], Any]) -> dict[str, Any]:
    """Return a message as plain data, in which `picture` replaces each picture."""
    return {
        "role": message.role,
        "content": [picture(p) if isinstance(p, Image) else p for p in message.content],
        **({"tool_calls": [asdict(c) for c in message.tool_calls]} if message.tool_calls else {}),
        **({"answers": message.answers} if message.answers else {}),
    }


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that a model may call.

    A function has a `description` and `parameters` (JSON Schema). A tool of the provider's own is
    given by `provider`, which is sent unchanged: `{"type": "computer_20250124", …}`.
    """

    name: str
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    provider: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """Everything that is sent for one reply. The provider decides on fields that are None.

    `extra` holds further fields of the provider's own API, which are sent unchanged.
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
        """All fields but the messages, as plain data; those left to the provider are not in it."""
        names = ("max_tokens", "temperature", "top_p", "seed", "stop", "stream", "extra")
        given = {name: value for name in names if _is_given(value := getattr(self, name))}
        return given | ({"tools": [asdict(tool) for tool in self.tools]} if self.tools else {})

    @property
    def text(self) -> str:
        """All texts of all messages, each on a line of its own."""
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

    @classmethod
    def reported(cls, given: Any, output: Any, cached: Any = None) -> Usage:
        """Return what a server reports; 0 input tokens mean unknown, as every request has some."""
        return cls(None, output or None) if given == 0 else cls(given, output, cached)

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
    """What a provider's API returned for a request.

    - `model`: the model's name according to the provider; empty if it gives none.
    - `usage_data`: the provider's reply with its usage, as `genai_prices.extract_usage` reads it.
    - `seconds_to_first`: until the first token; None if the reply was not streamed.
    - `raw`: plain data that a provider needs back with the next request (reasoning items, say).
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
        """Everything that the model has written: its text, and the arguments of tool calls."""
        return self.text + "".join(to_line(call.arguments) for call in self.tool_calls)

    def to_json(self) -> dict[str, Any]:
        """Return the part that is recorded, as plain data."""
        tool_calls = [asdict(call) for call in self.tool_calls]
        return {"text": self.text, "stop": self.stop, "tool_calls": tool_calls}


class Client(Protocol):
    """A connection to one model of one provider. It neither retries requests nor prices them."""

    def ask(self, request: Request) -> Completion:
        """Send a request, and return the answer.

        Raises:
            ProviderBusyError: rate limit, overload, network, a cut or unreadable reply: retry.
            ProviderError: the provider cannot answer (no such model, a refused key).
            RequestRefusedError: this request cannot be answered (too long, malformed).
        """


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A model's reply: its text, the tools that it calls, why it ended, and what it cost.

    `raw` is what the provider needs back with the next request, if anything.
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


class CompletionOptions(TypedDict, total=False):
    """Options of a completion besides its prompt; the provider decides on those not given.

    - `system`: the system prompt, before all messages.
    - `stop`: texts at which the reply ends. `tools`: what the model may call.
    - `stream`: whether the reply is streamed, so that the time to the first token is known.
    - `extra`: further fields of the provider's own API, which are sent unchanged.
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


class Model(Protocol):
    """A model in one of its roles."""

    @property
    def name(self) -> str:
        """The name by which the user chose it: PROVIDER:NAME."""

    def complete(
        self,
        prompt: str | Sequence[Message],
        images: Sequence[bytes | Image] = (),
        **options: Unpack[CompletionOptions],
    ) -> ModelReply:
        """Ask the model, and return its reply.

        A `prompt` that is a text becomes one user's message, followed by `images`; messages are
        sent unchanged, with `images` at the end of the last one.

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


class ProviderError(InfrastructureError):
    """A model's provider does not answer: it is down, knows no such model, or refuses the key."""


class ProviderBusyError(ProviderError):
    """The provider may answer a retry, after `retry_after` seconds if it names any."""

    def __init__(self, problem: str, retry_after: float | None = None) -> None:
        super().__init__(problem)
        self.retry_after = retry_after


class RequestRefusedError(AgentError):
    """The provider refuses this request, and would do so again: it is too long, or malformed."""


class ModelUnavailable(BaseException):
    """No reply is available, for example because a provider stays down: not the agent's failure.

    It is not an Exception, so that it also ends an agent that goes on after any error.
    """


# 413: too long; 422: well-formed, but of the wrong types (vLLM, and all servers of FastAPI).
REFUSED = {400, 413, 422}
# A request that took too long (408) or met a lock (409) may succeed the next time: both official
# SDKs retry these, 429, and everything from 500 on; 529 is Anthropic's status for overload.
_BUSY = {408, 409, 429}
# Waiting does not help against a 429 with one of these codes: the account has no money left.
_NO_MONEY = {"insufficient_quota", "billing_hard_limit_reached"}


def failure(
    status: int, problem: str, retry_after: float | None = None, code: str = ""
) -> ProviderError | RequestRefusedError:
    """Return the error that a status stands for; `code` is the provider's own name for it.

    `retry_after` is in seconds. An unreadable body is a refused request; a wrong key or model name
    is an error of the provider.
    """
    if status in REFUSED and code != "model_not_found":
        return RequestRefusedError(problem)
    if (status in _BUSY or status >= 500) and code not in _NO_MONEY:
        return ProviderBusyError(problem, retry_after)
    return ProviderError(problem)
