"""The server itself: one session at a time, as long as its instrumentation runs."""

from __future__ import annotations

import asyncio
import json
import re
import traceback
from typing import TYPE_CHECKING, Any, Final

from pytest_mobileagent.virtual.automation import http
from pytest_mobileagent.virtual.automation.appium import on_device, on_elements, on_gestures
from pytest_mobileagent.virtual.automation.appium.errors import InvalidArgument, WebDriverError
from pytest_mobileagent.virtual.automation.appium.session import Call, Session, route
from pytest_mobileagent.virtual.content import wire_json

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.automation.http import Request, Response
    from pytest_mobileagent.virtual.phone import Phone

PACKAGE: Final = "io.appium.uiautomator2.server"
BASE: Final = "/wd/hub"  # prefix that old clients put before every path
# Paths of requests that wait until the phone is idle: those that look before, a click afterwards.
LOOKS: Final = re.compile(r"elements?|element/active|source|alert/\w+")
ACTS: Final = re.compile(r"element/[^/]+/click")
ROUTES: Final = (*on_device.ROUTES, *on_elements.ROUTES, *on_gestures.ROUTES)


class Server:
    """Answers requests until it is stopped or its session is deleted."""

    def __init__(self, phone: Phone) -> None:
        self._phone = phone
        self._session: Session | None = None
        self.http = http.Server(self.answer)
        self.stopped = asyncio.Event()

    async def answer(self, request: Request) -> Response:
        """Answer a request; deleting the session also ends the server."""
        session = self._session.id if self._session else None
        try:
            value = await self._do(request)
        except WebDriverError as error:
            return _refusal(error, session)
        except Exception as error:  # noqa: BLE001 - a request must not end the server
            words = f"{type(error).__name__}: {error}"
            return _refusal(WebDriverError("unknown error", words), session)
        session = self._session.id if self._session else session
        return _reply(200, session, value)

    async def _do(self, request: Request) -> Any:
        method = request.method
        path = request.path.partition("?")[0].removeprefix(BASE).strip("/")
        match path.split("/"):
            case ["status"]:
                return {"ready": True, "message": "UiAutomator2 Server is ready to accept commands"}
            case ["sessions"]:
                each = self._session
                return [{"id": each.id, "capabilities": each.capabilities}] if each else []
            case ["session"] if method == "POST":
                each = self._session = Session(self._phone, _capabilities(_body(request)))
                return {"sessionId": each.id, "capabilities": each.capabilities}
            case ["session", id, *rest]:
                return await self._in_session(method, id, "/".join(rest), request)
        raise WebDriverError("unknown command")

    async def _in_session(self, method: str, id: str, path: str, request: Request) -> Any:
        session = self._session
        if session is None or session.id != id:
            raise WebDriverError("invalid session id")
        if not path and method == "DELETE":
            self._session = None
            self.stopped.set()
            return None
        if not path and method == "GET":
            return session.capabilities
        answer, parts = route(ROUTES, method, path)
        call = Call(session, parts, _body(request))
        if LOOKS.fullmatch(path):
            await session.idle()
        value = answer(call)
        if ACTS.fullmatch(path):
            await session.idle()
        return value


def _body(request: Request) -> dict[str, Any]:
    if not request.body.strip():
        return {}
    try:
        body = wire_json.loads(request.body)
    except ValueError as error:
        raise InvalidArgument(f"The body is not JSON: {error}") from error
    if not isinstance(body, dict):
        raise InvalidArgument("The body must be a JSON object")
    return body


def _capabilities(body: dict[str, Any]) -> dict[str, Any]:
    """Merge the capabilities requested for a new session."""
    given = body.get("capabilities")
    if not isinstance(given, dict):
        raise InvalidArgument("'capabilities' are mandatory for session creation")
    first = given.get("firstMatch") or [{}]
    always = given.get("alwaysMatch") or {}
    if not (isinstance(first, list) and isinstance(first[0], dict) and isinstance(always, dict)):
        raise InvalidArgument("'firstMatch' must be a list of objects, 'alwaysMatch' an object")
    return {**always, **first[0]}


def _refusal(error: WebDriverError, session: str | None) -> Response:
    trace = "".join(traceback.format_tb(error.__traceback__))
    value = {"error": error.name, "message": str(error), "stacktrace": _without_paths(trace)}
    return _reply(error.status, session, value)


def _without_paths(trace: str) -> str:
    """Remove the paths of source files from a traceback."""
    lines = [line.strip() for line in trace.splitlines() if " in " in line]
    return "\n".join(line.rpartition(" in ")[2] for line in lines)


def _reply(status: int, session: str | None, value: Any) -> Response:
    body = json.dumps({"sessionId": session or "None", "value": value}, ensure_ascii=False)
    return http.Response(status, body.encode(errors="surrogatepass"))
