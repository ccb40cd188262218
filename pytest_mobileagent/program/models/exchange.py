"""Passes a model call on to the provider, or to a model in its place, and the reply back.

Bytes are passed on in both directions as they arrive, and shown to the recording.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urljoin

import h11

from pytest_mobileagent.llm.clients import REQUEST_SECONDS, ReplyWatch, check_redirect
from pytest_mobileagent.llm.model import ProviderError
from pytest_mobileagent.llm.providers import endpoint_of, key_of, provider_of, server_of
from pytest_mobileagent.llm.reference import ModelReference
from pytest_mobileagent.program.connections import Origin, ask, header, passed_on, with_headers
from pytest_mobileagent.program.model_routes import Seller, seller_of
from pytest_mobileagent.program.models.requests import (
    COMPRESSIONS,
    Decoder,
    WithoutUsage,
    refuses_usage,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from pytest_mobileagent.llm.scripted import ScriptedModel
    from pytest_mobileagent.llm.scripted.model_server import ServedModel
    from pytest_mobileagent.program.connections import ServerConnection
    from pytest_mobileagent.program.models.recording import Recording
    from pytest_mobileagent.program.models.requests import RecordedApi


BROKEN = (OSError, EOFError, asyncio.TimeoutError, h11.ProtocolError, ProviderError)
T = TypeVar("T")
_HUNG_UP = "the program closed the connection before the reply was complete"
_ENDED = "the episode ended before the reply was complete"


@dataclass(slots=True)
class Exchange:
    """A call to `origin`, and its reply.

    `with_usage` is a body to send in place of `data` so that the reply includes token counts; None
    if that is not needed. Servers that refuse it are added to `without_usage`. `ended` is called
    with the model's words after the call's line is written and before the program has the complete
    reply, so that the program cannot act on it earlier.
    """

    connection: ServerConnection
    request: h11.Request
    recording: Recording
    origin: Origin
    target: str
    data: bytes
    with_usage: bytes | None
    without_usage: set[Origin]
    ended: Callable[[str], None]
    _is_written: bool = field(default=False, init=False)
    _watch: ReplyWatch = field(init=False)

    async def run(self) -> None:
        """Pass the request on, and the reply back.

        Raises:
            ConnectionError: if one of the two connections broke in the middle of the reply.
            HostError: if the call cannot be recorded.
        """
        self.recording.sent()
        preparing = asyncio.get_running_loop().run_in_executor(None, self.recording.prepare)
        try:
            with self.recording.asking():
                response, pieces = await self._ask()
                await self._pass_back(response, pieces, preparing)
        except BROKEN as problem:
            gone = self.connection.reader.is_gone
            error = _HUNG_UP if gone else f"{type(problem).__name__}: {problem}"
            if isinstance(problem, ProviderError):  # it exceeds a limit
                error = str(problem)
                if self.connection.upstream is not None:
                    self.connection.upstream.close()
            await preparing
            was_written = self._write(error, by_provider=not gone)
            if was_written or gone or self.recording.has_begun:
                raise ConnectionResetError(error) from problem
            await self._report_broken(error)
        finally:
            try:
                with contextlib.suppress(asyncio.CancelledError):
                    await preparing
            finally:
                self._write(_ENDED)

    async def _ask(self) -> tuple[h11.Response, AsyncIterator[tuple[bytes, bool]]]:
        if self.with_usage is not None:
            response = await self._sent(_compressed(self.request, "identity"), self.with_usage)
            if not 400 <= response.status_code < 500:
                self.recording.settings["include_usage"] = "added"
                return response, self._pieces(response)
            body = b"".join([piece async for piece, _ in self._pieces(response)])
            if not refuses_usage(response.status_code, body):
                return response, _once(body)
            self.with_usage = None
            self.without_usage.add(self.origin)
            self.recording.sent()
        response = await self._sent(_readable(self.request), self.data)
        return response, self._pieces(response)

    async def _sent(self, request: h11.Request, body: bytes) -> h11.Response:
        self._watch = ReplyWatch(self.origin.url, REQUEST_SECONDS)
        asked = ask(self.connection, self.origin, request, self.target, body)
        response = await self._in_time(asked)
        if 300 <= response.status_code < 400 and (to := header(response, "location")):
            with contextlib.suppress(ValueError):  # whoever follows it reports it
                there = Origin.of(urljoin(self.origin.url + self.target, to))
                check_redirect(astuple(self.origin), astuple(there))
        return response

    async def _pieces(self, response: h11.Response) -> AsyncIterator[tuple[bytes, bool]]:
        """Yield the pieces of the response's body, as far as the limits of a reply allow."""
        assert self.connection.upstream is not None
        pieces, is_last = self.connection.upstream.pieces(), False
        decoder = Decoder(header(response, "content-encoding"))
        while not is_last:
            piece, is_last = await self._in_time(anext(pieces))
            for data in decoder.pieces(piece):
                self._watch.received(data)
            if not is_last:
                self._watch.check()
            yield piece, is_last

    async def _in_time(self, waiting: Awaitable[T]) -> T:
        try:
            async with asyncio.timeout(self._watch.left) as limit:
                return await waiting
        except TimeoutError:
            if not limit.expired():  # it is the connection's own limit
                raise
            raise self._watch.stalled() from None

    async def _pass_back(
        self,
        response: h11.Response,
        pieces: AsyncIterator[tuple[bytes, bool]],
        preparing: asyncio.Future[None],
    ) -> None:
        kind, connection = header(response, "content-type"), self.connection
        self.recording.answered(response.status_code, kind, header(response, "content-encoding"))
        hides = self.with_usage is not None and "event-stream" in kind.lower()
        hidden = WithoutUsage() if hides else None
        headers = passed_on(response, *((b"content-length",) if hides else ()))
        is_error = not 200 <= response.status_code < 300
        if is_error:  # clients may end without reading its body, which is recorded before
            pieces = _once(b"".join([piece async for piece, _ in pieces]))
        else:
            await connection.begin(response.status_code, headers, response.reason)
        async for piece, is_last in pieces:
            if self.recording.received(piece) or is_last:
                await preparing
                self._write("")
            if is_error:
                await connection.begin(response.status_code, headers, response.reason)
            visible = hidden.pass_on(piece, is_last=is_last) if hidden else piece
            await connection.write(visible)
        await connection.end()

    def _write(self, error: str, *, by_provider: bool = False) -> bool:
        """Write the call's line unless it was written before; return whether it was."""
        if self._is_written:
            return True
        self._is_written = True
        words = ""
        try:
            words = self.recording.write(error, by_provider=by_provider)
        finally:
            self.ended(words)
        return False

    async def _report_broken(self, error: str) -> None:
        """Answer in the provider's place, with an error that makes programs try again."""
        body = self.recording.api.api.error(502, f"the provider cannot be reached: {error}", "")
        json_type = {"Content-Type": "application/json"}
        await self.connection.respond(502, json_type, json.dumps(body).encode())


async def _once(body: bytes) -> AsyncIterator[tuple[bytes, bool]]:
    yield body, True


def _readable(request: h11.Request) -> h11.Request:
    """Return a request whose reply can be recorded: it accepts only known compressions."""
    accepted = [each.strip() for each in header(request, "accept-encoding").split(",")]
    known = [each for each in accepted if each.partition(";")[0].lower() in COMPRESSIONS]
    return request if known == accepted else _compressed(request, ", ".join(known) or "identity")


def _compressed(request: h11.Request, accepted: str) -> h11.Request:
    kept = [pair for pair in request.headers.raw_items() if pair[0].lower() != b"accept-encoding"]
    return with_headers(request, [*kept, (b"Accept-Encoding", accepted.encode())])


# The paths of APIs at a scripted model, and at the endpoints of providers.
_SCRIPTED = {"chat": "/v1/chat/completions", "responses": "/v1/responses"}
_SCRIPTED |= {"anthropic": "/v1/messages"}
_ENDPOINTS = {
    ("chat", "chat"): "/chat/completions",
    ("chat", "completions"): "/completions",
    ("chat", "embeddings"): "/embeddings",
    ("responses", "responses"): "/responses",
    ("anthropic", "anthropic"): "/v1/messages",
    ("gemini", "chat"): "/openai/chat/completions",
    ("gemini", "gemini"): "/models/",  # and the request's own model
}


@dataclass(frozen=True, slots=True)
class Destination:
    """The destination of a request: a server, the target there, and the provider's name."""

    origin: Origin
    target: str
    provider: str

    @property
    def path(self) -> str:
        """The target without its query."""
        return self.target.partition("?")[0]


class StandIn:
    """The model that answers in place of all providers, if any is given: a script, or an endpoint.

    An endpoint answers only requests of its API; a script needs no key.

    Raises:
        OSError, ValueError: if the script cannot be read, or the model has no endpoint.
    """

    def __init__(self, model: ModelReference | ScriptedModel | None) -> None:
        self._served = None if model is None else _serve(model)
        if not (model is None or isinstance(model, ModelReference)):
            model = ModelReference("scripted", model.model)
        self._model = model
        self.is_given = model is not None
        self.is_scripted = self._served is not None
        # A string that identifies a script by its content; empty if no script answers.
        self.server = (server_of(model) or model.id) if model and self._served else ""
        self.key = ""  # of the model that answers, if it needs one
        with contextlib.suppress(ValueError):
            self.key = key_of(model) if model else ""

    def close(self) -> None:
        """Stop serving a script."""
        if self._served is not None:
            self._served.close()

    def seller(self, place: Destination, name: str) -> Seller:
        """Return the seller of the model with a name at a place."""
        if self._served is not None and self._model is not None:
            return Seller("scripted", self._model.name)
        if self._model is not None:
            provider = self._model.provider
            return Seller(provider, name or self._model.name, seller_of(provider))
        return Seller(place.provider, name or "unknown", seller_of(place.provider))

    def instead(self, api: RecordedApi | None, place: Destination) -> Destination:
        """Return the destination of a request, which changes if the stand-in answers it."""
        if self._model is None:
            return place
        query = place.target[len(place.path) :]
        if self._served is not None:
            path = _SCRIPTED.get(api.name, place.path) if api else place.path
            # The key is added here: neither the program nor its records hold it.
            target = f"/{self._served.key}{path}{query}"
            return Destination(Origin.of(self._served), target, "scripted")
        end = _ENDPOINTS.get((provider_of(self._model).api, api.name if api else ""))
        if end is None:
            return place
        if end.endswith("/"):
            end += place.path.rpartition(end)[2]
        base = endpoint_of(self._model)
        origin = Origin.of(base)
        path = "/" + base.partition("://")[2].partition("/")[2]
        return Destination(origin, path.rstrip("/") + end + query, self._model.provider)


def _serve(model: ModelReference | ScriptedModel) -> ServedModel | None:
    """Start to serve a script; for any other model, check that it has an endpoint."""
    if not isinstance(model, ModelReference):
        return model.serve()
    if provider_of(model).api != "scripted":
        Origin.of(endpoint_of(model))
        return None
    from pytest_mobileagent.llm.scripted import ScriptedModel

    return ScriptedModel.load(Path(model.url or model.name)).serve()


async def pass_through(
    connection: ServerConnection, request: h11.Request, origin: Origin, target: str, data: bytes
) -> None:
    """Forward a request, and return its answer, unrecorded.

    Raises:
        OSError, h11.ProtocolError: if a connection broke.
    """
    try:
        response = await ask(connection, origin, request, target, data)
    except OSError as error:
        if connection.reader.is_gone:
            raise
        words = f"{origin.authority} cannot be reached: {error}".encode()
        await connection.respond(502, {"Content-Type": "text/plain; charset=utf-8"}, words)
        return
    assert connection.upstream is not None
    await connection.begin(response.status_code, passed_on(response), response.reason)
    async for piece, _ in connection.upstream.pieces():
        await connection.write(piece)
    await connection.end()
