"""A model whose calls are metered, recorded, limited by a budget, and retried where that helps."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from pytest_mobileagent.episode.calls import ModelCall
from pytest_mobileagent.episode.redaction import redacted
from pytest_mobileagent.errors import AgentError, HostError, in_one_line
from pytest_mobileagent.jsonable import to_wire
from pytest_mobileagent.llm.budget import Budget, BudgetSpent, Ledger, Spending
from pytest_mobileagent.llm.known_replies import RecordedAnswers, RecordedReplies, RepeatCounter
from pytest_mobileagent.llm.model import (
    RETRIES,
    Completion,
    Image,
    Message,
    ModelReply,
    ModelUnavailable,
    ProviderBusyError,
    ProviderError,
    Request,
    RequestRefusedError,
    to_jsonable,
)
from pytest_mobileagent.llm.prices import HELPERS, Prices, input_tokens, text_tokens
from pytest_mobileagent.llm.providers import REAL_KEY, make_client, without_keys
from pytest_mobileagent.llm.reference import ModelChoice

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent.episode.exchanges import ExchangeLog
    from pytest_mobileagent.episode.screens import ScreenStore
    from pytest_mobileagent.llm.known_replies import ReplyCache
    from pytest_mobileagent.llm.model import Client, CompletionOptions
    from pytest_mobileagent.llm.reference import ModelReference


_LONGEST_RETRY = 180.0  # seconds after the first attempt until a provider counts as down


def _is_of_others(record: logging.LogRecord) -> bool:
    """Return whether a log record is about a retry that is not ours; ours are in calls.jsonl."""
    return not str(getattr(record, "stamina.caused_by", "")).startswith("ProviderBusyError(")


# Otherwise the message "stamina.retry_scheduled" would appear in the report of each failed task.
logging.getLogger("stamina").addFilter(_is_of_others)


@dataclass(eq=False)
class EpisodeModels:
    """The models of one episode, or of other work, which share its spending, cache and record.

    They have no keys, so they can be sent to an agent's process. There, and in each copy that
    `dataclasses.replace` makes for other work, spending and recorded replies begin anew.

    - `choice`: the model for each role.
    - `ledger`: the file in which the run's spending is added up; None if it is not recorded.
    - `ledger_server`: the socket of a `LedgerServer`, if other machines spend from the same budget.
    - `cache`: the cache of replies; None without a cache.
    - `recorded`: a file of calls whose replies are returned in order, so no model is asked; with
      `compares`, only to the prompts of these calls.
    - `clients`: clients in place of those of some models, in this process only.
    - `log`, `pictures`: where prompts, replies and their pictures are recorded; None if nowhere.
    """

    choice: ModelChoice = field(default_factory=ModelChoice)
    prices: Prices = field(default_factory=Prices)
    budget: Budget = field(default_factory=Budget)
    ledger: Path | None = None
    cache: ReplyCache | None = None
    recorded: Path | None = None
    ledger_server: Path | None = None
    clients: Mapping[ModelReference, Client] = field(default_factory=dict)
    compares: bool = False
    log: ExchangeLog | None = None
    pictures: ScreenStore | None = None

    def __post_init__(self) -> None:
        self.spending = self.account()
        self.replies: RecordedReplies | RecordedAnswers | None = None
        if self.recorded is not None and self.compares:
            self.replies = RecordedAnswers(self.recorded, self.pictures)
        elif self.recorded is not None:
            self.replies = RecordedReplies(self.recorded)
        self.repeats = RepeatCounter()
        self.lock = threading.RLock()
        self._clients: dict[ModelReference, Client] = {}

    def __reduce__(self) -> tuple[object, ...]:
        given = {each.name: getattr(self, each.name) for each in fields(self)}
        return partial(EpisodeModels, **given | {"clients": {}}), ()

    def account(self) -> Spending:
        """Return a new account of an episode's spending."""
        ledger = None if self.ledger is None else Ledger(self.ledger, self.ledger_server)
        return Spending(self.budget, ledger)

    def model(self, role: str) -> MeteredModel:
        """Return the model of a role.

        Raises:
            AgentError: if no model was chosen for the role, or it cannot be reached from here.
        """
        reference = self.choice.of(role)
        if reference is None:
            msg = f"no model is given for the role {role!r}: --mobile-model={role}=PROVIDER:NAME"
            raise AgentError(msg)
        try:
            return self.metered(reference, role)
        except ValueError as error:
            raise AgentError(f"--mobile-model={reference}: {error}") from None

    def metered(self, reference: ModelReference, role: str) -> MeteredModel:
        """Return a model in a role.

        Raises:
            ValueError: if it cannot be reached from here.
        """
        if reference not in self._clients:
            self._clients[reference] = self.client(reference)
        return MeteredModel(reference, role, self._clients[reference], self)

    def client(self, reference: ModelReference) -> Client:
        """Return the client of a model; it refuses if only cached or recorded replies may be used.

        Raises:
            ValueError: if the model cannot be reached from here.
        """
        if (given := self.clients.get(reference)) is not None:
            return given
        only_cached = self.cache is not None and self.cache.only_replays
        return _NoClient() if only_cached or self.recorded is not None else make_client(reference)


class _NoClient:
    """The client of a model whose replies are all cached or recorded, so it needs no key."""

    def ask(self, _request: Request) -> Completion:
        """Raise ProviderError: requests are answered from the cache or record before this."""
        raise ProviderError("--mobile-cache=replay or recorded: no model is asked")


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
    models: EpisodeModels = field(repr=False)

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
        retries = options.pop("retries", None)
        given: dict[str, Any] = {**options, "extra": options.get("extra") or {}}
        given |= {"stop": tuple(options.get("stop", ())), "tools": tuple(options.get("tools", ()))}
        request = Request(messages, **given)
        try:
            return self._complete(request, RETRIES if retries is None else retries)
        except HostError as error:
            raise ModelUnavailable(without_keys(str(error))) from error

    def _complete(self, request: Request, retries: int) -> ModelReply:
        key, cached = self._find_reply(request)
        if cached is not None:
            call = self._call(request, TimedCompletion(cached), from_cache=True)
            return self._reply(request, cached, call)
        if why := self.models.spending.over():
            raise BudgetSpent(why)
        try:
            asked = self._ask(request, retries)
        except Exception as error:
            self._record(request, None, None, without_keys(in_one_line(error)))
            if isinstance(error, ProviderError):
                raise ModelUnavailable(f"model {self.reference}: {error}") from error
            raise
        call = self._call(request, asked)
        self.models.spending.pay(call)
        if self.models.cache is not None:
            self.models.cache.keep(key, asked.answer)
        return self._reply(request, asked.answer, call)

    def _find_reply(self, request: Request) -> tuple[str, Completion | None]:
        cache = self.models.cache
        if isinstance(replies := self.models.replies, RecordedAnswers):
            return "", replies.next(self.name, redacted(to_wire(self._prompt(request))))
        if replies is not None:
            return "", replies.next(self.role)
        if cache is None:
            return "", None
        with self.models.lock:
            repeat = self.models.repeats.count(self.reference, request)
        key = cache.key(self.reference, request, repeat)
        return key, cache.find(key)

    def _ask(self, request: Request, retries: int) -> TimedCompletion:
        """Ask until there is an answer, as long as a retry can help and is permitted."""
        import stamina  # only imported if a model is asked

        attempts = stamina.retry_context(
            on=_wait,
            attempts=max(0, retries) + 1,
            timeout=_LONGEST_RETRY,
            wait_initial=1.0,
            wait_max=30.0,
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
            log = self.models.log
            with contextlib.nullcontext() if log is None else log.asking():
                answer = self.client.ask(request)
            return replace(answer, text=without_keys(answer.text, REAL_KEY))
        except (ProviderError, RequestRefusedError) as error:
            error.args = (without_keys(str(error)),)
            if isinstance(error, ProviderBusyError) and self.models.log is not None:
                busy = {"call": None, "role": self.role, "busy_since": began}
                self.models.log.add({**busy, "model": str(self.reference), "error": str(error)})
            raise error from None  # its cause, which would be printed, too, may quote the key

    def _call(
        self, request: Request, asked: TimedCompletion, *, from_cache: bool = False
    ) -> ModelCall:
        answer = asked.answer
        usage, price = self.models.prices.metered(self.reference, answer)
        sent, answered = input_tokens(request), text_tokens(answer.words)
        is_estimated = not usage.is_complete
        if is_estimated:
            usage = usage.completed(sent, answered)
            price = self.models.prices.price(self.reference, answer.model, usage)
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
        if self.models.log is None:
            return call
        with self.models.lock:
            if call is not None:
                call = replace(call, line=self.models.log.next_line())
            line: dict[str, Any] = {"call": call and call.to_json(), "model": str(self.reference)}
            line |= {"role": self.role, "settings": request.settings}
            line |= {"prompt": self._prompt(request), "reply": answer and answer.to_json()}
            self.models.log.add({**line, "error": error})
        return call

    def _prompt(self, request: Request) -> list[dict[str, Any]]:
        return [to_jsonable(message, self._picture) for message in request.messages]

    def _picture(self, image: Image) -> dict[str, Any]:
        store = self.models.pictures
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
