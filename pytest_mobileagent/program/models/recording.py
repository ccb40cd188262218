"""Records one model call: its request, its reply with times, and its line in calls.jsonl."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from pytest_mobileagent.episode.calls import ModelCall
from pytest_mobileagent.episode.secrets import without_secrets
from pytest_mobileagent.episode.store import shortened
from pytest_mobileagent.jsonable import expect, to_line
from pytest_mobileagent.llm.known_replies import WHOLE
from pytest_mobileagent.llm.model import (
    Completion,
    Image,
    ProviderBusyError,
    RequestRefusedError,
    Usage,
    to_jsonable,
)
from pytest_mobileagent.llm.prices import HELPERS, input_tokens, text_tokens
from pytest_mobileagent.llm.provider_errors import described, failure_in, kind_of
from pytest_mobileagent.llm.providers import REAL_KEY, keys
from pytest_mobileagent.llm.refusals import MEANS
from pytest_mobileagent.llm.streams import Assembled, json_object, objects
from pytest_mobileagent.program.model_routes import price
from pytest_mobileagent.program.models.requests import decoded, model_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.episode.exchanges import ExchangeLog
    from pytest_mobileagent.episode.screens import ScreenStore
    from pytest_mobileagent.llm.budget import Spending
    from pytest_mobileagent.llm.known_replies import ReplyCache
    from pytest_mobileagent.llm.model import Request
    from pytest_mobileagent.llm.prices import Prices
    from pytest_mobileagent.program.model_routes import Seller
    from pytest_mobileagent.program.models.requests import RecordedApi


_SHOWN = 500  # characters of an error that are recorded
# Beginnings of the last event of a stream; JSON in events contains no newlines.
_ENDINGS = (
    b"\ndata: [DONE]",
    b"\nevent: message_stop\n",
    b"\nevent: response.completed\n",
    b"\nevent: response.incomplete\n",
    b"\nevent: response.failed\n",
)


@dataclass(frozen=True, slots=True)
class Failed:
    """How many times a request that may be repeated has failed, and when it was first sent."""

    times: int
    began: float


@dataclass(frozen=True, slots=True)
class Outage:
    """Why a provider does not answer, and since when (on the monotonic clock).

    It `lasts` if waiting is no use, for example because the account is empty.
    """

    why: str
    since: float
    lasts: bool = False


@dataclass(slots=True)
class SharedState:
    """The state that all recordings of an episode share; only the event loop changes it.

    `roles` maps patterns of model names to roles. `failed` contains failed requests by
    `Recording.key`. `outage`: why the last request had no answer, unless the program is at fault.
    """

    prices: Prices
    spending: Spending
    log: ExchangeLog
    pictures: ScreenStore
    roles: Mapping[str, str] = field(default_factory=dict)
    failed: dict[bytes, Failed] = field(default_factory=dict)
    outage: Outage | None = None

    def role(self, model: str) -> str:
        """Return the role of a model's calls."""
        return next((r for name, r in self.roles.items() if fnmatchcase(model, name)), "actor")


@dataclass(frozen=True, slots=True)
class Sent:
    """A request from a program: path, body (uncompressed, and parsed), and the keys it carries."""

    path: str
    data: bytes
    body: dict[str, Any]
    secrets: tuple[str, ...] = ()


@dataclass(slots=True)
class _Prompt:
    """A request in the form in which it is recorded."""

    request: Request
    messages: list[dict[str, Any]]
    tokens: int


class Recording:
    """A model call from its request to its line in the episode's calls.jsonl."""

    def __init__(self, shared: SharedState, api: RecordedApi, seller: Seller, sent: Sent) -> None:
        self.api, self.seller = api, seller
        self.settings: dict[str, Any] = {}  # the recorder's, in addition to the program's
        self.cached: CachedReply | None = None  # the reply, once it is complete
        self._from_cache = False
        self._shared, self.request = shared, sent
        asked = model_of(sent.path, sent.body)  # even if another model answers
        self._role = api.role or shared.role(asked or seller.name)
        self._status, self._media_type, self._encoding = 0, "", ""
        self._received: list[bytes] = []
        self._times: list[tuple[int, float]] = []  # the bytes received so far, and when
        self._size, self._is_ending = 0, False
        self._prompt: _Prompt | None = None
        self.key = hashlib.sha256(b"\0".join((sent.path.encode(), sent.data))).digest()
        self._began = time.monotonic()
        self.asking = shared.log.asking

    def sent(self) -> None:
        """Record that the request is being sent to the provider."""
        self._began = time.monotonic()

    def prepare(self) -> None:
        """Parse the request and save its pictures, while the model thinks.

        Raises:
            HostError: if a picture cannot be written.
        """
        request = self.api.read(self.request.path, self.request.body, self.request.data)

        def picture(image: Image) -> dict[str, Any]:
            return {"picture": self._shared.pictures.add_picture(image.data)}

        messages = [to_jsonable(message, picture) for message in request.messages]
        self._prompt = _Prompt(request, messages, input_tokens(request))

    def answered(self, status: int, media_type: str, encoding: str) -> None:
        """Record the head of the answer."""
        self._status, self._media_type = status, media_type.lower()
        self._encoding = encoding.lower().strip()

    def replay(self, cached: CachedReply) -> None:
        """Record a cached reply in place of the provider's.

        Raises:
            HostError: if a picture or the line cannot be written.
        """
        self.answered(200, cached.media_type, "")
        self._received, self._from_cache = [cached.text.encode()], True
        self.write()

    @property
    def has_begun(self) -> bool:
        """Whether an answer has begun."""
        return self._status > 0

    def received(self, data: bytes) -> bool:
        """Add a piece of the answer; return whether it appears to be the last one."""
        if data:
            self._received.append(data)
            self._size += len(data)
            self._times.append((self._size, time.monotonic()))
        recent = b"".join(self._received[-2:])
        self._is_ending = self._is_ending or any(end in recent for end in _ENDINGS)
        return self._is_ending and data.endswith(b"\n\n")

    def write(self, error: str = "", *, by_provider: bool = True) -> str:
        """Write the call's line, and return the model's words, or else its tool calls.

        `error` is why the call was interrupted. If it was interrupted `by_provider`, it does not
        count as a call; otherwise the received part of the reply counts, because it costs money.

        Raises:
            HostError: if the line cannot be written.
        """
        if self._prompt is None:
            self.prepare()
        raw = decoded(b"".join(self._received), self._encoding)
        if not 200 <= self._status < 300:
            if not self._status:  # the connection broke before an answer
                if by_provider:
                    self._note_outage(error)
                self._fail(error, None, is_busy=True)
            else:
                self._refuse(_body(raw), None, error)
            return ""
        assembled, times, failure = self._assembled(raw)
        answer = self.api.answer(assembled.reply)
        if failure is not None:
            self._refuse(failure, answer)
            return ""
        if error and by_provider:
            self._note_outage(error)
            self._fail(error, answer, is_busy=True)
            return ""
        self._succeed(assembled, answer, times, error)
        if assembled.is_whole and answer.stop in WHOLE and not error:
            text = without_secrets(raw.decode("utf-8", "replace"), self._secrets())
            self.cached = CachedReply(self._media_type, text)
        calls = (f"{call.name}({to_line(call.arguments)})" for call in answer.tool_calls)
        return answer.text or "\n".join(calls)

    def _refuse(self, body: Any, answer: Completion | None, error: str = "") -> None:
        """Record the error that the provider has answered."""
        kind = kind_of(self._status, body)
        words = shortened(str(described(body).get("message") or body).strip(), _SHOWN)
        why = error or f"{f'HTTP {self._status}' if self._status >= 400 else kind}: {words}"
        if MEANS[kind] is RequestRefusedError:
            self._shared.outage = None
        else:
            # Agents may do without embeddings.
            self._note_outage(why, lasts=MEANS[kind] is not ProviderBusyError and not self.api.role)
        self._fail(why, answer, is_busy=MEANS[kind] is ProviderBusyError)

    def _assembled(self, raw: bytes) -> tuple[Assembled, float | None, Any]:
        """Return the reply, after how many seconds its first token came, and what failed in it."""
        is_stream = self.api.streams(self.request.path, self.request.body)
        if not (is_stream or "event-stream" in self._media_type):
            reply = json_object(raw) or {}
            return Assembled(reply, is_whole=bool(reply)), None, failure_in(reply)
        events = list(objects(raw, self._media_type))
        assembled = self.api.assemble(event for _, event in events)
        replies = [*(event for _, event in events if isinstance(event, dict)), assembled.reply]
        failures = (found for each in replies if (found := failure_in(each)) is not None)
        failure = next(failures, None)
        if assembled.first is None:
            return assembled, None, failure
        place = 0 if self._encoding else events[assembled.first][0]
        when = next((t for size, t in self._times if size >= place), None)
        return assembled, None if when is None else when - self._began, failure

    def _succeed(
        self, assembled: Assembled, answer: Completion, first: float | None, error: str
    ) -> None:
        self._shared.outage = None
        call = self._call(assembled, answer, first)
        if not self._from_cache:
            self._shared.spending.pay(call)
        self._add({"call": call.to_json(), **self._asked(), "reply": answer.to_json()}, error)

    def _call(self, assembled: Assembled, answer: Completion, first: float | None) -> ModelCall:
        assert self._prompt is not None
        now = time.monotonic()
        failed = self._shared.failed.pop(self.key, None)
        used = answer.usage
        if not assembled.is_whole and used.input is not None:
            used = replace(used, output=None)
        sent = self._prompt.tokens
        answered = 0 if self.api.role else text_tokens(answer.words)
        if self.api.role and used.output is None:
            used = Usage(used.input, 0, used.cached)  # embeddings have no output tokens
        usage = used.completed(sent, answered)
        is_helper = self._role in HELPERS
        return ModelCall(
            model=self.seller.id,
            role=self._role,
            input_tokens=usage.input,
            output_tokens=usage.output,
            cached_tokens=usage.cached,
            price_usd=0.0
            if self._from_cache
            else price(self._shared.prices, self.seller, assembled.reply, self.api.usage, usage),
            seconds_to_first=None if first is None else round(max(0.0, first), 4),
            seconds=0.0 if self._from_cache else round(now - self._began, 3),
            waited=round(self._began - failed.began, 3) if failed else 0.0,
            retries=failed.times if failed else 0,
            estimated=not used.is_complete,
            images=len(self._prompt.request.images),
            estimated_input_tokens=None if is_helper else sent,
            estimated_output_tokens=None if is_helper else answered,
            from_cache=self._from_cache,
            response_model=answer.model,
            line=self._shared.log.next_line(),
        )

    def _fail(self, error: str, answer: Completion | None, *, is_busy: bool) -> None:
        line = {"call": None, **self._asked(), "reply": answer and answer.to_json()}
        if is_busy:  # programs try again
            before = self._shared.failed.get(self.key, Failed(0, self._began))
            self._shared.failed[self.key] = Failed(before.times + 1, before.began)
            line["busy_since"] = before.began
        self._add(line, error)

    def _note_outage(self, why: str, *, lasts: bool = False) -> None:
        before = self._shared.outage
        words = f"{self.seller.id}: {without_secrets(why, self.request.secrets)}"
        self._shared.outage = Outage(words, before.since if before else self._began, lasts)

    def _asked(self) -> dict[str, Any]:
        assert self._prompt is not None
        return {
            "model": self.seller.id,
            "role": self._role,
            "settings": self._prompt.request.settings | self.settings,
            "prompt": self._prompt.messages,
        }

    def _secrets(self) -> list[str]:
        return [key for key in (*keys(), *self.request.secrets) if len(key) >= REAL_KEY]

    def _add(self, line: dict[str, Any], error: str) -> None:
        self._shared.log.add(without_secrets({**line, "error": error}, self._secrets()))


def _body(raw: bytes) -> Any:
    """Return the body of an error: JSON, of any type, or else text."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return raw.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class CachedReply:
    """A complete reply as received, uncompressed."""

    media_type: str
    text: str

    @classmethod
    def from_json(cls, data: Any) -> CachedReply:
        """Return the reply that was stored as JSON data.

        Raises:
            LookupError, TypeError: if the data is not a reply.
        """
        media_type, text = (expect(data[name], str, name) for name in ("media_type", "text"))
        return cls(media_type, text)


class CachedReplies:
    """The cached replies of one episode's calls; without a `cache`, no reply is stored."""

    def __init__(self, cache: ReplyCache | None) -> None:
        self._cache = cache
        self._repeats = Counter[str]()

    @property
    def only(self) -> bool:
        """Whether only cached replies are used, so that no model is called."""
        return self._cache is not None and self._cache.only_replays

    def key(self, model: str, server: str, api: str, query: str, body: bytes) -> str:
        """Return the cache key of the reply to a request; equal requests are counted.

        `query` is the query of the URL; an API key in it is ignored.
        """
        if self._cache is None:
            return ""
        asked = [pair for pair in parse_qsl(query) if pair[0] != "key"]
        request = [api, asked, hashlib.sha256(body).hexdigest()]
        content = to_line([model, server, request])
        self._repeats[content] += 1
        return self._cache.key_of(model, server, request, self._repeats[content] - 1)

    def find(self, key: str) -> CachedReply | None:
        """Return the reply of a cache key; None if it is not cached.

        Raises:
            NotCachedError: if it is not cached, and the model may not be called.
        """
        return None if self._cache is None else self._cache.find_as(CachedReply.from_json, key)

    def store(self, key: str, reply: CachedReply | None) -> None:
        """Store a reply; None, for an incomplete reply, is ignored."""
        if self._cache is not None and reply is not None:
            self._cache.store(key, asdict(reply))
