"""A call of a model, passed on: bytes go both ways as they come, and the recording sees them."""

from __future__ import annotations

import asyncio
import contextlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import h11

from pytest_mobileagent.program.http import upstream
from pytest_mobileagent.program.http.http1 import header, passed_on
from pytest_mobileagent.program.models.bodies import COMPRESSIONS
from pytest_mobileagent.program.models.include_usage import WithoutUsage, refuses_usage

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from pytest_mobileagent.program.http.http1 import ServerConnection
    from pytest_mobileagent.program.http.upstream import Origin
    from pytest_mobileagent.program.models.recording import Recording

BROKEN = (OSError, EOFError, asyncio.TimeoutError, h11.ProtocolError)
_HUNG_UP = "the program closed the connection before the reply was whole"
_ENDED = "the episode ended before the reply was whole"


@dataclass(slots=True)
class Exchange:
    """A call on its way to `origin`, and back.

    `asking` is the body that asks for counts in the place of `data`; None if none has to. Servers
    that refuse that are added to `countless`.
    `ended` is called with what the model said, after the line is written and before the program
    has the whole reply, so that it cannot act on it earlier.
    """

    connection: ServerConnection
    request: h11.Request
    recording: Recording
    origin: Origin
    target: str
    data: bytes
    asking: bytes | None
    countless: set[Origin]
    ended: Callable[[str], None]
    _is_written: bool = field(default=False, init=False)

    async def run(self) -> None:
        """Pass the request on, and the answer back.

        Raises:
            ConnectionError: one of both connections broke off in the middle of the answer.
            HostError: the call cannot be recorded.
        """
        self.recording.sent()
        preparing = asyncio.get_running_loop().run_in_executor(None, self.recording.prepare)
        try:
            response, pieces = await self._ask()
            await self._pass_back(response, pieces, preparing)
        except BROKEN as problem:
            gone = self.connection.reader.is_gone
            error = _HUNG_UP if gone else f"{type(problem).__name__}: {problem}"
            await preparing
            was_written = self._write(error, by_provider=not gone)
            if was_written or gone or self.recording.has_begun:
                raise ConnectionResetError(error) from problem
            await self._say_broken(error)
        finally:
            try:
                with contextlib.suppress(asyncio.CancelledError):
                    await preparing
            finally:
                self._write(_ENDED)

    async def _ask(self) -> tuple[h11.Response, AsyncIterator[tuple[bytes, bool]]]:
        connection = self.connection
        if self.asking is not None:
            response = await self._sent(_compressed(self.request, "identity"), self.asking)
            if not 400 <= response.status_code < 500:
                self.recording.settings["include_usage"] = "added"
                return response, connection.upstream.pieces()  # type: ignore[union-attr]
            come = [piece async for piece, _ in connection.upstream.pieces()]  # type: ignore[union-attr]
            body = b"".join(come)
            if not refuses_usage(response.status_code, body):
                return response, _once(body)
            self.asking = None
            self.countless.add(self.origin)
            self.recording.sent()
        response = await self._sent(_readable(self.request), self.data)
        return response, connection.upstream.pieces()  # type: ignore[union-attr]

    async def _sent(self, request: h11.Request, body: bytes) -> h11.Response:
        return await upstream.ask(self.connection, self.origin, request, self.target, body)

    async def _pass_back(
        self,
        response: h11.Response,
        pieces: AsyncIterator[tuple[bytes, bool]],
        preparing: asyncio.Future[None],
    ) -> None:
        kind, connection = header(response, "content-type"), self.connection
        self.recording.answered(response.status_code, kind, header(response, "content-encoding"))
        hides = self.asking is not None and "event-stream" in kind.lower()
        hidden = WithoutUsage() if hides else None
        headers = passed_on(response, *((b"content-length",) if hides else ()))
        await connection.begin(response.status_code, headers, response.reason)
        async for piece, is_last in pieces:
            if self.recording.came(piece) or is_last:
                await preparing
                self._write("")
            shown = hidden.pass_on(piece, is_last=is_last) if hidden else piece
            await connection.write(shown)
        await connection.end()

    def _write(self, error: str, *, by_provider: bool = False) -> bool:
        """Write the line, unless it is written; return whether it was."""
        if self._is_written:
            return True
        self._is_written = True
        said = ""
        try:
            said = self.recording.write(error, by_provider=by_provider)
        finally:
            self.ended(said)
        return False

    async def _say_broken(self, error: str) -> None:
        """Answer in the provider's place, which programs take as a fault that may pass."""
        body = self.recording.api.api.error(502, f"the provider cannot be reached: {error}", "")
        json_type = {"Content-Type": "application/json"}
        await self.connection.respond(502, json_type, json.dumps(body).encode())


async def _once(body: bytes) -> AsyncIterator[tuple[bytes, bool]]:
    yield body, True


def _readable(request: h11.Request) -> h11.Request:
    """Return a request whose answer can be recorded: in no compression that is unknown here."""
    accepted = [each.strip() for each in header(request, "accept-encoding").split(",")]
    known = [each for each in accepted if each.partition(";")[0].lower() in COMPRESSIONS]
    return request if known == accepted else _compressed(request, ", ".join(known) or "identity")


def _compressed(request: h11.Request, accepted: str) -> h11.Request:
    headers = [
        pair for pair in request.headers.raw_items() if pair[0].lower() != b"accept-encoding"
    ]
    return h11.Request(
        method=request.method,
        target=request.target,
        headers=[*headers, (b"Accept-Encoding", accepted.encode())],
        http_version=request.http_version,
    )
