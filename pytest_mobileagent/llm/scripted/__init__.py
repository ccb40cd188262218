"""The scripted model: prepared replies for tests, the same in process and over HTTP.

Users import its names from `pytest_mobileagent.testing`.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from pytest_mobileagent.llm.model import RequestRefusedError
from pytest_mobileagent.llm.scripted.entries import (
    Fault,
    ScriptedReply,
    When,
    checked,
    is_list,
    read_replies,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_mobileagent.llm.model import Completion, Request
    from pytest_mobileagent.llm.scripted.entries import Entry
    from pytest_mobileagent.llm.scripted.model_server import ServedModel


_SHOWN = 300


class ScriptedModel:
    """A model with prepared replies, which costs nothing and needs no network.

    `replies` are used in order, one for each request. Each is a string, a `ScriptedReply`, a
    `Fault`, a function from the `Request` to one of these, or a `When`, which answers requests that
    contain its text. `requests` are all so far, in order. Several threads may ask this `Client`.
    """

    def __init__(self, replies: Sequence[Entry | When], *, model: str = "scripted") -> None:
        if not is_list(replies):
            raise TypeError(f"a ScriptedModel needs a list of replies, not {replies!r}")
        self.model = model
        self.replies = tuple(replies)
        self.requests: list[Request] = []
        whens = [when for when in self.replies if isinstance(when, When)]
        self._unconditional = _Script(
            [checked(reply) for reply in self.replies if not isinstance(reply, When)],
            conditions=len(whens),
        )
        self._when = [
            (when.text, _Script([checked(reply) for reply in when.listed], lasting=when.lasting))
            for when in whens
        ]
        self._lock = threading.Lock()

    @classmethod
    def load(cls, path: str | Path, *, model: str = "scripted") -> ScriptedModel:
        """Read a model from a file of JSON lines, each of which is a reply's text or an object.

            "540 1200"
            {"reply": "I would rather", "stop": "length", "input_tokens": 900}
            {"when": "Summarize", "reply": ["first summary", "second summary"]}
            {"fault": 429, "retry_after": 0}

        Raises:
            OSError: if the file cannot be read.
            ValueError: if a line is none of these; the message names the file and line.
        """
        return cls(read_replies(path), model=model)

    def fresh(self) -> ScriptedModel:
        """Return an independent copy that starts from its first reply."""
        return ScriptedModel(self.replies, model=self.model)

    def ask(self, request: Request) -> Completion:
        """Answer a request as a client does; a slow model really takes its time.

        Raises:
            ProviderError: for a fault.
            RequestRefusedError: for a fault that refuses the request, or if no reply is left.
        """
        started = time.monotonic()
        entry, wait = self.next(request)
        if isinstance(entry, Fault):
            raise entry.error()
        if wait:
            time.sleep(wait)
        seconds = time.monotonic() - started if request.stream else None
        return entry.answer(self.model, seconds)

    def serve(self) -> ServedModel:
        """Start a local HTTP server with the same replies, and return its URL.

        It speaks the APIs of OpenAI (chat completions and responses, at URL/v1), Anthropic
        (messages, at URL), Gemini (at URL/v1beta) and Gradio, each streamed or not, and a plain
        `POST /predict`. It runs until `url.close()`, or the end of `with url:` or the process.
        """
        from pytest_mobileagent.llm.scripted.model_server import ServedModel  # rarely needed

        return ServedModel.start(self)

    def next(self, request: Request) -> tuple[ScriptedReply | Fault, float]:
        """Return the reply to a request and its delay in seconds; the fault "slow" adds to it.

        Raises:
            RequestRefusedError: if no reply is left.
        """
        entry, wait = self._take(request, first=True), 0.0
        while isinstance(entry, Fault) and entry.kind == "slow":
            wait += entry.wait
            entry = self._take(request, first=False)
        if isinstance(entry, ScriptedReply):
            wait += entry.seconds_to_first
        return entry, wait

    def _take(self, request: Request, *, first: bool) -> ScriptedReply | Fault:
        with self._lock:
            if first:
                self.requests.append(request)
            fitting = (script for text, script in self._when if text in request.text)
            entry = next(fitting, self._unconditional).next(request)
        # Outside of the lock, as a function may be slow, or ask this model itself.
        given = checked(entry(request)) if callable(entry) else entry
        if isinstance(given, str):
            return ScriptedReply(given)
        if not isinstance(given, ScriptedReply | Fault):
            raise TypeError(f"a scripted function returned {given!r}, which is not a reply")
        return given


class _Script:
    """Replies that are used in order, or one reply that is used for every request."""

    def __init__(
        self, replies: Sequence[Entry], *, lasting: bool = False, conditions: int = 0
    ) -> None:
        self._replies, self._lasting, self._conditions = replies, lasting, conditions
        self._used = 0

    def _used_up(self) -> str:
        """Return the beginning of the message about why there is no reply."""
        if not self._replies and self._conditions:
            texts = "none of the texts" if self._conditions > 1 else "not the text"
            return f"the scripted model has no reply: {texts} that its replies wait for is in"
        used = f"all {self._used} {'reply' if self._used == 1 else 'replies'} were used before"
        return f"the scripted model has no reply left: {used}"

    def next(self, request: Request) -> Entry:
        if self._lasting:
            return self._replies[0]
        if self._used == len(self._replies):
            asked = request.text if len(request.text) <= _SHOWN else f"…{request.text[-_SHOWN:]}"
            pictures = f", with {len(request.images)} picture(s)" if request.images else ""
            raise RequestRefusedError(f"{self._used_up()} this request{pictures}: {asked!r}")
        self._used += 1
        return self._replies[self._used - 1]
