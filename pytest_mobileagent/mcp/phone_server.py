"""The tools as an MCP server, which recognises repeated calls.

Imported only when a server is started, because it loads the SDK.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import time
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from mcp.server.lowlevel import Server
from mcp_types import (
    CLIENT_INFO_META_KEY,
    CallToolRequestParams,
    CallToolResult,
    ImageContent,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
)
from mcp_types import Tool as MCPTool

from pytest_mobileagent.errors import MobileAgentError
from pytest_mobileagent.mcp.control import ToolError, ToolResult
from pytest_mobileagent.mcp.tools import TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

    from pytest_mobileagent.mcp.control import Control, Tool

logger = logging.getLogger(__name__)

_INSTRUCTIONS = (
    "These tools control one Android phone. Look at it with mobile_take_screenshot or "
    "mobile_list_elements_on_screen, act, and look again. All coordinates are in pixels of the "
    "picture that mobile_take_screenshot returns. When the task is done, call finish, with the "
    "answer if the task asks for one; if it cannot be done, call impossible."
)
_HIDDEN = {
    "screenshot": " Here, lists of elements are always empty: use the pictures.",
    "hierarchy": " Here, pictures are always black: use the lists of elements.",
}


class PhoneServer:
    """An MCP server whose tools control a phone, for clients of both eras of the protocol."""

    def __init__(self, control: Control) -> None:
        self._control = control
        self._repeats = RepeatedCalls()
        goal, sees = control.phone.goal, control.phone.sees
        instructions = _INSTRUCTIONS + _HIDDEN.get(sees, "")
        self.server: Server[Any] = Server(
            "phone",
            title="Android phone",
            version=version("pytest-mobileagent"),
            instructions=f"{instructions}\n\nThe task: {goal}" if goal else instructions,
            on_list_tools=_list_tools,
            on_call_tool=self._call,
            # Without this, the SDK lists all tools at each call, as if the client had requested it.
            get_tool_input_schema=lambda name: TOOLS[name].schema() if name in TOOLS else None,
        )
        self.server.middleware.append(self._note)

    async def close(self) -> None:
        """Cancel the running calls."""
        await self._repeats.close()

    async def _note(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Record a client's request, which shows that it received its earlier replies."""
        if ctx.request_id is not None and ctx.method != "tools/call":
            self._repeats.note_request(_caller(ctx))
        return await call_next(ctx)

    async def _call(
        self, context: ServerRequestContext[Any, Any], params: CallToolRequestParams
    ) -> CallToolResult:
        arguments = params.arguments or {}
        content = json.dumps([params.name, arguments], sort_keys=True)
        call = ClientCall(_caller(context), json.dumps(context.request_id), content)
        tool = TOOLS.get(params.name)
        if tool is None or tool.looks:
            self._repeats.note_request(call.caller)
            return await self._done(tool, params.name, arguments)
        self._repeats.note_request(call.caller, call)
        return await self._repeats.once(call, lambda: self._done(tool, tool.name, arguments))

    async def _done(
        self, tool: Tool | None, name: str, arguments: dict[str, Any]
    ) -> CallToolResult:
        """Call a tool after the earlier calls have ended; failures are reported in the result."""
        if tool is None:
            return _failed(f"There is no tool {name!r:.100}. The tools are: {', '.join(TOOLS)}.")
        async with self._control.lock:
            try:
                return _result(await tool.call(self._control, arguments))
            except (ToolError, MobileAgentError) as error:
                return _failed(str(error))
            except Exception:
                logger.exception("the tool %s failed unexpectedly", tool.name)
                return _failed(
                    f"{tool.name} failed because of an internal error, not because of your call. "
                    "Look at the screen, and go on."
                )


async def _list_tools(_: object, __: PaginatedRequestParams | None) -> ListToolsResult:
    return ListToolsResult(tools=[_advertised(tool) for tool in TOOLS.values()])


def _advertised(tool: Tool) -> MCPTool:
    return MCPTool(
        name=tool.name,
        title=tool.title,
        description=tool.about,
        input_schema=tool.schema(),
        annotations=ToolAnnotations(
            read_only_hint=tool.looks,
            destructive_hint=None if tool.looks else tool.destroys,
            open_world_hint=False,
        ),
    )


def _caller(context: ServerRequestContext[Any, Any]) -> Caller:
    """Return the sender of a request: a session, or the name that the client gives itself."""
    headers = getattr(context.request, "headers", None) or {}
    if session := headers.get("mcp-session-id"):
        return Caller(session, has_session=True)
    if context.request is None:  # standard streams have a single client
        return Caller("", has_session=True)
    about = (context.meta or {}).get(CLIENT_INFO_META_KEY)
    return Caller(json.dumps(about, sort_keys=True, default=str), has_session=False)


def _result(result: ToolResult) -> CallToolResult:
    content: list[Any] = [TextContent(text=result.text)]
    if result.picture:
        data = base64.b64encode(result.picture).decode("ascii")
        content.append(ImageContent(data=data, mime_type="image/jpeg"))
    return CallToolResult(content=content)


def _failed(text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=text)], is_error=True)


_SECONDS = 30.0
_MOST_CALLS = 200  # that are remembered, of all clients together


@dataclass(frozen=True, slots=True)
class Caller:
    """A caller: a session's id, or the name that a client without sessions gives itself."""

    name: str
    has_session: bool


@dataclass(frozen=True, slots=True)
class ClientCall:
    """A call: the id of its request, and a string that identifies the tool and its arguments."""

    caller: Caller
    id: str
    content: str


@dataclass(slots=True)
class _Known:
    call: ClientCall
    task: asyncio.Task[CallToolResult]
    lost: bool = False  # whether the reply did not reach the client
    left: bool = False  # whether the client has sent another request since the reply
    ended: float = field(default=float("inf"))

    def is_repeated_by(self, call: ClientCall, now: float) -> bool:
        if (self.call.caller, self.call.content) != (call.caller, call.content):
            return False
        if self.lost and not self.left:
            return True
        if self.call.id != call.id:
            return False
        return call.caller.has_session or (not self.left and now - self.ended <= _SECONDS)


class RepeatedCalls:
    """Recognises repeated calls, so that each is performed once. `clock` returns seconds.

    Clients repeat a call if its reply was lost. The repeat only gets the result of the first one.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._calls: list[_Known] = []

    def note_request(self, caller: Caller, call: ClientCall | None = None) -> None:
        """Record a client's request, which shows that it has the results of its ended calls.

        This does not apply to a call that the request, `call`, repeats.
        """
        now = self._clock()
        for known in self._calls:
            repeated = call is not None and known.is_repeated_by(call, now)
            if known.call.caller == caller and known.task.done() and not repeated:
                known.left = True

    async def once(
        self, call: ClientCall, do: Callable[[], Coroutine[Any, Any, CallToolResult]]
    ) -> CallToolResult:
        """Perform a call unless it is a repeat; cancelling the wait does not cancel the call."""
        now = self._clock()
        known = next((k for k in reversed(self._calls) if k.is_repeated_by(call, now)), None)
        if known is None:
            known = _Known(call, asyncio.create_task(do()))
            known.task.add_done_callback(partial(self._end, known))
            self._calls = [*self._calls[1 - _MOST_CALLS :], known]
        known.lost = True
        outcome = await asyncio.shield(known.task)
        known.lost = False
        return outcome

    async def close(self) -> None:
        """Cancel the calls that are still running."""
        tasks = [known.task for known in self._calls if not known.task.done()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _end(self, known: _Known, task: asyncio.Task[Any]) -> None:
        known.ended = self._clock()
        if not task.cancelled():
            task.exception()  # mark it as retrieved, in case nothing awaits the task any more
