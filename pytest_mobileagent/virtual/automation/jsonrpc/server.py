"""The server itself: JSON-RPC over HTTP on a port of the phone."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.patterns import SlowPatternError
from pytest_mobileagent.virtual.automation import http
from pytest_mobileagent.virtual.automation.http import Request, Response
from pytest_mobileagent.virtual.automation.jsonrpc import device, objects
from pytest_mobileagent.virtual.automation.jsonrpc.service import (
    INVALID_REQUEST,
    PARSE_ERROR,
    RpcError,
    Service,
    call,
    thrown,
)
from pytest_mobileagent.virtual.content import wire_json

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone

PATH = "/jsonrpc/0"
METHODS = {**device.METHODS, **objects.METHODS}


class Server:
    """Listens on a port between `start` and `stop`."""

    def __init__(self, phone: Phone, port: int) -> None:
        self._phone = phone
        self._address = f"tcp:{port}"
        self._service = Service(phone)
        self._http = http.Server(self._answer)

    def start(self) -> None:
        """Start listening; OSError if the port is taken."""
        if self._address in self._phone.sockets:
            raise OSError("Address already in use")
        self._phone.sockets[self._address] = self._http.serve

    def stop(self) -> None:
        """Stop listening and close all connections."""
        self._phone.sockets.pop(self._address, None)
        self._service.stop()
        self._http.close()

    async def _answer(self, request: Request) -> Response:
        path = request.path.partition("?")[0]
        if path == "/ping":
            return Response(200, b"pong", "text/plain")
        if path == PATH and request.method == "POST":
            return Response(200, json.dumps(await self._reply(request.body)).encode())
        return Response(404, b"Not Found!!!", "text/plain")

    async def _reply(self, body: bytes) -> dict[str, Any]:
        try:
            asked = wire_json.loads(body, finite=False)
        except ValueError:
            return _failure(None, RpcError(PARSE_ERROR, "JSON parse error"))
        match asked:
            case {"method": str(name), **rest} if _is_id(rest.get("id")):
                number, given = rest.get("id"), rest.get("params")
            case _:
                return _failure(None, RpcError(INVALID_REQUEST, "invalid request"))
        if isinstance(given, dict):
            given = [*given.values()]
        parameters = given if isinstance(given, list) else []
        try:
            result = await call(METHODS, name, self._service, parameters)
        except RpcError as error:
            return _failure(number, error)
        except SlowPatternError as error:
            return _failure(number, thrown("java.util.regex.PatternSyntaxException", str(error)))
        except Exception as error:  # noqa: BLE001 - a call must not end the server
            told = f"{type(error).__name__}: {error}"
            return _failure(number, thrown("java.lang.RuntimeException", told))
        return {"jsonrpc": "2.0", "id": number, "result": result}


def _is_id(value: object) -> bool:
    """Return whether a value may be a call's id, which the response repeats."""
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, str | int)


def _failure(number: Any, error: RpcError) -> dict[str, Any]:
    told = {"code": error.code, "message": str(error), "data": str(error)}
    return {"jsonrpc": "2.0", "id": number, "error": told}
