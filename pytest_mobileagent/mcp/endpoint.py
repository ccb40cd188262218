"""The phone as an MCP server over HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.extras import check_extra
from pytest_mobileagent.mcp.bridge import stdio_command, write_configuration
from pytest_mobileagent.mcp.control import Control
from pytest_mobileagent.mcp.phone import SessionPhone

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_mobileagent.mcp.phone import WatchedPhone
    from pytest_mobileagent.program.session_watcher import SessionWatcher


# Names by which a program, possibly in a container, may address this machine. Web pages in a
# browser use other names, which are refused.
_HOSTS = ("127.0.0.1", "localhost", "[::1]", "host.docker.internal", "host.containers.internal")
# Loggers of the server's libraries, whose records would clutter a test's report.
_LOGGERS = (
    "uvicorn.error",
    "mcp.server.streamable_http",
    "mcp.server.streamable_http_manager",
    "mcp.server.lowlevel.server",
    "mcp.server.runner",
    "mcp.shared.jsonrpc_dispatcher",
    "sse_starlette.sse",
)


class McpEndpoint:
    """Serves a phone at `http://127.0.0.1:PORT` + `path`, in both eras of the protocol.

    The SDK is not loaded before `start`. With `show`, the result of every action includes a
    picture.
    """

    def __init__(self, phone: WatchedPhone, path: str = "/mcp", *, show: bool = False) -> None:
        self._phone, self._show = phone, show
        self._path = path
        self._serving: asyncio.Task[None] | None = None
        self._web: Any = None
        self._server: Any = None

    async def start(self) -> int:
        """Start serving, and return the port.

        Raises:
            MissingExtraError: if the SDK is not installed.
            OSError: if no port is available.
        """
        check_extra("mcp", "an MCP server")
        # asyncio disables Nagle's algorithm, which delays replies by 40 ms, only if the socket's
        # protocol is set explicitly.
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        try:
            # Loading takes a second or two, and must not block the event loop.
            self._server, self._web = await asyncio.to_thread(self._make)
            self._serving = asyncio.create_task(self._web.serve([listener]))
            while not (self._web.started or self._serving.done()):
                await asyncio.sleep(0.005)
            if self._serving.done():
                self._serving.result()
        except BaseException:
            listener.close()
            await self.stop()
            raise
        return port

    async def stop(self) -> None:
        """Abort open requests, and release the port."""
        if self._serving is None:
            return
        serving, self._serving = self._serving, None
        await self._server.close()
        for connection in list(self._web.server_state.connections):
            if (transport := getattr(connection, "transport", None)) is not None:
                transport.abort()
        self._web.should_exit = True
        await asyncio.gather(serving, return_exceptions=True)
        _end_watchers()

    def _make(self) -> tuple[Any, Any]:
        import uvicorn  # takes long to load
        from mcp.server.transport_security import TransportSecuritySettings

        from pytest_mobileagent.mcp.phone_server import PhoneServer

        class Web(uvicorn.Server):
            """A server that installs no signal handlers."""

            @contextlib.contextmanager
            def capture_signals(self) -> Iterator[None]:
                yield

        for name in _LOGGERS:
            logging.getLogger(name).disabled = True
        phone = PhoneServer(Control(self._phone, show=self._show))
        hosts = [name for host in _HOSTS for name in (host, f"{host}:*")]
        app = phone.server.streamable_http_app(
            streamable_http_path=self._path,
            transport_security=TransportSecuritySettings(
                enable_dns_rebinding_protection=True,
                allowed_hosts=hosts,
                allowed_origins=[f"{scheme}://{h}" for scheme in ("http", "https") for h in hosts],
            ),
        )
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            ws="none",
            lifespan="on",
            timeout_keep_alive=3600,  # a program may think for a long time between two calls
            timeout_graceful_shutdown=1,
        )
        return phone, Web(config)


def _end_watchers() -> None:
    """Cancel the task in which sse_starlette polls for ever for the end of a server.

    The library starts another one when it needs it.
    """
    for task in asyncio.all_tasks():
        if getattr(task.get_coro(), "__qualname__", "") == "_shutdown_watcher":
            task.cancel()


class ProgramServers:
    """Serves phones to programs during their episodes (see `program.recorders.McpServers`)."""

    def server(self, watcher: SessionWatcher, *, show: bool) -> McpEndpoint:
        """Return a server for an episode; with `show`, results of actions include a picture."""
        return McpEndpoint(SessionPhone(watcher), show=show)

    def configure(self, path: Path, url: str) -> list[str]:
        """Write a client's configuration for `url`; return the command of a server over stdio."""
        write_configuration(path, url)
        return stdio_command(path)
