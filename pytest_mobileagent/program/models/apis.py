"""The APIs of models that are recorded: how they are recognised, asked, folded and read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.llm.scripted.apis.anthropic_messages import AnthropicMessages
from pytest_mobileagent.llm.scripted.apis.api import Api, Asked, Incoming
from pytest_mobileagent.llm.scripted.apis.gemini import Gemini
from pytest_mobileagent.llm.scripted.apis.openai_chat import OpenAIChat
from pytest_mobileagent.llm.scripted.apis.openai_responses import OpenAIResponses
from pytest_mobileagent.program.models import answers, folding
from pytest_mobileagent.program.models.loose import loose_request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_mobileagent.llm.message import Answer, Request
    from pytest_mobileagent.program.models.folding import Event, Folded

_IN_PATH = re.compile(r"/(?:models|deployments)/([^/:?]+)")
# A generator that stops too early is a RuntimeError, as is what is nested too deeply.
_ODD = (ValueError, TypeError, LookupError, AttributeError, RuntimeError)


@dataclass(frozen=True, slots=True)
class RecordedApi:
    """One API of a provider.

    - `path`: how its paths end. `api`: reads what is asked strictly, and words its errors.
    - `fold`, `answer`: how streams become replies, and what a reply says.
    - `usage`: where genai-prices finds the tokens in a reply: provider and flavour.
    - `role`: in which models are asked by it; empty if that is for others to say.
    """

    name: str
    path: re.Pattern[str]
    api: Api
    fold: Callable[[Iterable[Event]], Folded]
    answer: Callable[[dict[str, Any]], Answer]
    usage: tuple[str, str]
    role: str = ""

    def read(self, path: str, body: dict[str, Any], data: bytes) -> Request:
        """Return what is asked; what is not as the API says is read as loosely as needed."""
        try:
            asked = self.api.read(Incoming("POST", path, data=data))
            if isinstance(asked, Asked):
                return asked.request
        except _ODD:
            pass
        return loose_request(body)

    def streams(self, path: str, body: dict[str, Any]) -> bool:
        """Whether the answer is asked for in pieces."""
        return path.endswith(":streamGenerateContent") or body.get("stream") is True


def model_of(path: str, body: dict[str, Any]) -> str:
    """Return the name of the model that a request is for; empty if it has none."""
    if isinstance(name := body.get("model"), str) and name:
        return name.removeprefix("models/")
    named = _IN_PATH.search(path)
    return named[1] if named else ""


def _path(end: str) -> re.Pattern[str]:
    return re.compile(rf"(^|/){end}$")


_CHAT = OpenAIChat()
APIS = (
    RecordedApi(
        "chat", _path("chat/completions"), _CHAT, folding.chat, answers.chat, ("openai", "chat")
    ),
    RecordedApi(
        "responses", _path("responses"), OpenAIResponses(), folding.responses, answers.responses,
        ("openai", "responses"),
    ),
    RecordedApi(
        "anthropic", _path("messages"), AnthropicMessages(), folding.messages, answers.messages,
        ("anthropic", "default"),
    ),
    RecordedApi(
        "gemini", re.compile(r":(generateContent|streamGenerateContent)$"), Gemini(),
        folding.gemini, answers.gemini, ("google", "default"),
    ),
    RecordedApi(
        "embeddings", _path("embeddings"), _CHAT, folding.last, answers.nothing,
        ("openai", "embeddings"), "embedding",
    ),
    RecordedApi(
        "gemini embeddings", re.compile(r":(embedContent|batchEmbedContents)$"), Gemini(),
        folding.last, answers.nothing, ("google", "default"), "embedding",
    ),
    RecordedApi(
        "completions", _path("completions"), _CHAT, folding.chat, answers.chat, ("openai", "chat")
    ),
    RecordedApi(
        "ollama", _path("api/(chat|generate)"), _CHAT, folding.ollama, answers.ollama,
        ("openai", "chat"),
    ),
    RecordedApi(
        "ollama embeddings", _path("api/embed"), _CHAT, folding.last, answers.ollama,
        ("openai", "chat"), "embedding",
    ),
    RecordedApi(
        "dashscope", _path("(text|multimodal)-generation/generation"), _CHAT, folding.last,
        answers.dashscope, ("openai", "chat"),
    ),
)  # fmt: skip


def api_of(method: str, path: str) -> RecordedApi | None:
    """Return the API by which a model is asked; None if none is."""
    if method != "POST":
        return None
    return next((api for api in APIS if api.path.search(path)), None)
