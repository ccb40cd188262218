"""A model whose calls are metered, recorded, limited by a budget, and retried where that helps.

Replies can be cached by the content of their requests. Only complete replies are cached, not
refusals, errors or replies that were cut off. Any number of processes may share a cache's folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import threading
import time
from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from pytest_mobileagent.episode.calls import ModelCall
from pytest_mobileagent.errors import HostError, in_one_line
from pytest_mobileagent.fileio import read_json, write_json
from pytest_mobileagent.jsonable import expect, to_line
from pytest_mobileagent.llm.budget import BudgetSpent
from pytest_mobileagent.llm.model import (
    Completion,
    Image,
    Message,
    ModelReply,
    ModelUnavailable,
    ProviderBusyError,
    ProviderError,
    Request,
    RequestRefusedError,
    ToolCall,
    Usage,
    to_jsonable,
)
from pytest_mobileagent.llm.prices import HELPERS, input_tokens, text_tokens
from pytest_mobileagent.llm.providers import REAL_KEY, server_of, without_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pytest_mobileagent.episode.exchanges import ExchangeLog
    from pytest_mobileagent.episode.screens import ScreenStore
    from pytest_mobileagent.llm.budget import Spending
    from pytest_mobileagent.llm.model import Client, CompletionOptions
    from pytest_mobileagent.llm.prices import Prices
    from pytest_mobileagent.llm.recorded_replies import RecordedReplies
    from pytest_mobileagent.llm.reference import ModelReference


T = TypeVar("T")
WHOLE = {"end", "tools"}  # the stops of replies that were neither cut off nor refused


class NotCachedError(HostError):
    """A run that only replays made a request whose reply is not in the cache."""


@dataclass(frozen=True, slots=True)
class ReplyCache:
    """A folder of cached replies; with `only_replays`, a request without a reply is an error."""

    folder: Path
    epoch: int = 0
    only_replays: bool = False

    def key(self, reference: ModelReference, request: Request, repeat: int) -> str:
        """Return the name of a reply, derived from model, server, request and epoch.

        The server is the endpoint, wherever it is configured, or a script's content (`server_of`).
        `repeat` numbers equal requests of one episode from 0, as their replies may differ.
        """
        return self.key_of(reference.id, server_of(reference), _jsonable(request), repeat)

    def key_of(self, model: str, server: str, request: Any, repeat: int) -> str:
        """Return the same as `key` for a request that is JSON-able data."""
        content = [model, server, request, self.epoch, repeat]
        return hashlib.sha256(to_line(content).encode()).hexdigest()

    def find(self, key: str) -> Completion | None:
        """Return the cached reply; None if there is none.

        Raises:
            NotCachedError: if there is none, and the model may not be asked.
        """
        return self.find_as(_answer, key)

    def find_as(self, read: Callable[[Any], T], key: str) -> T | None:
        """Return the cached reply, as parsed by `read` from JSON-able data; None if there is none.

        Raises:
            NotCachedError: if there is none, and the model may not be asked.
        """
        try:
            return read(read_json(self._path(key)))
        except (OSError, ValueError, LookupError, TypeError):
            pass
        if self.only_replays:
            msg = (
                f"--mobile-cache=replay: no reply is cached for this request ({self._path(key)}): "
                "ask once with --mobile-cache=all. Replies are cached by server, so scripted "
                "files, and variables such as OPENAI_BASE_URL, must be the same as then"
            )
            raise NotCachedError(msg)
        return None

    def keep(self, key: str, answer: Completion) -> None:
        """Cache a reply if it is whole; if the folder is not writable, do nothing."""
        if answer.stop in WHOLE:
            self.store(key, asdict(answer))

    def store(self, key: str, content: Any) -> None:
        """Cache JSON-able data as the reply; if the folder is not writable, do nothing."""
        if self.only_replays:
            return
        path = self._path(key)
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_json(path, content, indent=None)

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"


def _answer(cached: Any) -> Completion:
    """Return the answer from cached JSON-able data.

    Raises:
        ValueError, LookupError, TypeError: if the data are not an answer.
    """
    fields = expect(cached, dict, "a reply")
    calls = tuple(ToolCall(**call) for call in fields["tool_calls"])
    answer = Completion(**fields | {"tool_calls": calls, "usage": Usage(**fields["usage"])})
    expect(answer.text, str, "the text of a reply")
    if answer.stop not in WHOLE:
        raise ValueError(answer.stop)
    return answer


class RepeatCounter:
    """Counts equal requests within one episode."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def count(self, reference: ModelReference, request: Request) -> int:
        """Count this request, and return how many times it was made before."""
        content = to_line([str(reference), _jsonable(request)])
        digest = hashlib.sha256(content.encode()).hexdigest()
        self._counts[digest] += 1
        return self._counts[digest] - 1


def _jsonable(request: Request) -> dict[str, Any]:
    """Return a request as JSON-able data, with digests in place of pictures."""
    settings = {name: v for name, v in request.settings.items() if name != "stream"}
    return settings | {"messages": [to_jsonable(message, _digest) for message in request.messages]}


def _digest(image: Image) -> dict[str, str]:
    return {"sha256": hashlib.sha256(image.data).hexdigest(), "detail": image.detail}


_ATTEMPTS = 8
_LONGEST_RETRY = 180.0  # seconds after the first attempt until a provider counts as down


def _is_of_others(record: logging.LogRecord) -> bool:
    """Return whether a log record is about a retry that is not ours; ours are in calls.jsonl."""
    return not str(getattr(record, "stamina.caused_by", "")).startswith("ProviderBusyError(")


# Otherwise the message "stamina.retry_scheduled" would appear in the report of each failed task.
logging.getLogger("stamina").addFilter(_is_of_others)


@dataclass(frozen=True, slots=True)
class Meter:
    """The state that all models of one episode share: prices, spending, cache and record.

    Prompts and replies are recorded in `log`, and their pictures in `pictures`, unless these are
    None. If there are `recorded` replies, they are returned, and no model is asked.
    """

    prices: Prices
    spending: Spending
    cache: ReplyCache | None = None
    log: ExchangeLog | None = None
    pictures: ScreenStore | None = None
    recorded: RecordedReplies | None = None
    repeats: RepeatCounter = field(default_factory=RepeatCounter)
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False)


@dataclass(frozen=True, slots=True)
class TimedCompletion:
    """An answer, its number of retries, and the seconds of its last attempt and `waited` before."""

    answer: Completion
    retries: int = 0
    seconds: float = 0.0
    waited: float = 0.0


@dataclass(frozen=True, slots=True)
class MeteredModel:
    """A `Model` in one role. Any number of threads may ask it at once."""

    reference: ModelReference
    role: str
    client: Client
    meter: Meter

    @property
    def name(self) -> str:
        """The model's name: PROVIDER:NAME."""
        return self.reference.id

    def complete(
        self,
        prompt: str | Sequence[Message],
        images: Sequence[bytes | Image] = (),
        **options: Unpack[CompletionOptions],
    ) -> ModelReply:
        """Ask the model, and return its reply (see `Model`)."""
        messages = _messages(prompt, images, options.pop("system", ""))
        given: dict[str, Any] = {**options, "extra": options.get("extra") or {}}
        given |= {"stop": tuple(options.get("stop", ())), "tools": tuple(options.get("tools", ()))}
        request = Request(messages, **given)
        try:
            return self._complete(request)
        except HostError as error:
            raise ModelUnavailable(without_keys(str(error))) from error

    def _complete(self, request: Request) -> ModelReply:
        key, cached = self._find_reply(request)
        if cached is not None:
            return self._reply(
                request, cached, self._call(request, TimedCompletion(cached), from_cache=True)
            )
        if why := self.meter.spending.over():
            raise BudgetSpent(why)
        try:
            asked = self._ask(request)
        except Exception as error:
            self._record(request, None, None, without_keys(in_one_line(error)))
            if isinstance(error, ProviderError):
                raise ModelUnavailable(f"model {self.reference}: {error}") from error
            raise
        call = self._call(request, asked)
        self.meter.spending.pay(call)
        if self.meter.cache is not None:
            self.meter.cache.keep(key, asked.answer)
        return self._reply(request, asked.answer, call)

    def _find_reply(self, request: Request) -> tuple[str, Completion | None]:
        cache = self.meter.cache
        if self.meter.recorded is not None:
            return "", self.meter.recorded.next(self.role)
        if cache is None:
            return "", None
        with self.meter.lock:
            repeat = self.meter.repeats.count(self.reference, request)
        key = cache.key(self.reference, request, repeat)
        return key, cache.find(key)

    def _ask(self, request: Request) -> TimedCompletion:
        """Ask until there is an answer, as long as a retry can help."""
        import stamina  # only imported if a model is asked

        attempts = stamina.retry_context(
            on=_wait, attempts=_ATTEMPTS, timeout=_LONGEST_RETRY, wait_initial=1.0, wait_max=30.0
        )
        began = time.monotonic()
        for attempt in attempts:
            with attempt:
                started = time.monotonic()
                answer = self._asked(request, began)
                seconds = time.monotonic() - started
                return TimedCompletion(answer, attempt.num - 1, seconds, started - began)
        raise AssertionError  # the last attempt's error is raised

    def _asked(self, request: Request, began: float) -> Completion:
        try:
            log = self.meter.log
            with contextlib.nullcontext() if log is None else log.asking():
                answer = self.client.ask(request)
            return replace(answer, text=without_keys(answer.text, REAL_KEY))
        except (ProviderError, RequestRefusedError) as error:
            error.args = (without_keys(str(error)),)
            if isinstance(error, ProviderBusyError) and self.meter.log is not None:
                busy = {"call": None, "role": self.role, "busy_since": began}
                self.meter.log.add({**busy, "model": str(self.reference), "error": str(error)})
            raise error from None  # its cause, which would be printed, too, may quote the key

    def _call(
        self, request: Request, asked: TimedCompletion, *, from_cache: bool = False
    ) -> ModelCall:
        answer = asked.answer
        usage, price = self.meter.prices.metered(self.reference, answer)
        sent, answered = input_tokens(request), text_tokens(answer.words)
        is_estimated = not usage.is_complete
        if is_estimated:
            usage = usage.completed(sent, answered)
            price = self.meter.prices.price(self.reference, answer.model, usage)
        is_helper = self.role in HELPERS
        return ModelCall(
            model=self.reference.id,
            role=self.role,
            input_tokens=usage.input,
            output_tokens=usage.output,
            cached_tokens=usage.cached,
            price_usd=0.0 if from_cache else price,
            seconds_to_first=None if from_cache else answer.seconds_to_first,
            seconds=round(asked.seconds, 3),
            waited=round(asked.waited, 3),
            retries=asked.retries,
            estimated=is_estimated,
            images=len(request.images),
            estimated_input_tokens=None if is_helper else sent,
            estimated_output_tokens=None if is_helper else answered,
            from_cache=from_cache,
            response_model=str(answer.model),
        )

    def _reply(self, request: Request, answer: Completion, call: ModelCall) -> ModelReply:
        call = self._record(request, answer, call, "") or call
        return ModelReply(answer.text, call, answer.tool_calls, answer.stop, answer.raw)

    def _record(
        self, request: Request, answer: Completion | None, call: ModelCall | None, error: str
    ) -> ModelCall | None:
        """Record the prompt and reply with the episode; return the call with its line number."""
        if self.meter.log is None:
            return call
        with self.meter.lock:
            if call is not None:
                call = replace(call, line=self.meter.log.next_line())
            self.meter.log.add(
                {
                    "call": call and call.to_json(),
                    "model": str(self.reference),
                    "role": self.role,
                    "settings": request.settings,
                    "prompt": [to_jsonable(message, self._picture) for message in request.messages],
                    "reply": answer and answer.to_json(),
                    "error": error,
                }
            )
        return call

    def _picture(self, image: Image) -> dict[str, Any]:
        store = self.meter.pictures
        return {"picture": store.add_picture(image.data) if store is not None else None}


def _wait(error: Exception) -> bool | float:
    """Return whether to retry after an error, or the seconds to wait before the retry."""
    if not isinstance(error, ProviderBusyError):
        return False
    if error.retry_after is None:
        return True
    return max(0.0, error.retry_after) if error.retry_after <= _LONGEST_RETRY else False


def _messages(
    prompt: str | Sequence[Message], images: Sequence[bytes | Image], system: str
) -> tuple[Message, ...]:
    pictures = tuple(Image(image) if isinstance(image, bytes) else image for image in images)
    head = (Message("system", (system,)),) if system else ()
    if isinstance(prompt, str):
        return (*head, Message("user", (prompt, *pictures)))
    messages = tuple(prompt)
    if pictures and messages:
        last = replace(messages[-1], content=(*messages[-1].content, *pictures))
        messages = (*messages[:-1], last)
    return (*head, *messages)
