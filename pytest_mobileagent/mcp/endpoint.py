"""The phones that MCP tools control, an episode's or the user's own, and their HTTP servers."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import secrets
import socket
from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action import Ask, Open, Raw, check, ends_episode
from pytest_mobileagent.episode.observation import Observation
from pytest_mobileagent.errors import NoEdgeError, NoShellError
from pytest_mobileagent.extras import check_extra
from pytest_mobileagent.mcp.bridge import stdio_command, write_configuration
from pytest_mobileagent.mcp.control import Control

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.device.device import Device, System
    from pytest_mobileagent.mcp.control import WatchedPhone
    from pytest_mobileagent.program.session_watcher import SessionWatcher
    from pytest_mobileagent.screen.sight import Sight


# `am` and `pm` may exit with status 0 although they have failed, which only their output shows.
_FAILED = re.compile(r"^(Error|Failure)\b", re.MULTILINE)
_LONGEST_NOTICE = 1000  # characters
_LAUNCHABLE = (
    "cmd package query-activities --components"
    " -a android.intent.action.MAIN -c android.intent.category.LAUNCHER"
)


class SessionPhone:
    """The phone of a watched episode (see `WatchedPhone`)."""

    def __init__(self, watcher: SessionWatcher) -> None:
        self.info = watcher.session.device.info
        self.goal = watcher.goal
        self.sees = watcher.session.plan.sees
        self._watcher = watcher

    @property
    def steps(self) -> int:
        """The number of steps so far."""
        return self._watcher.session.steps

    @property
    def steps_left(self) -> int | None:
        """How many steps may follow."""
        session = self._watcher.session
        return max(0, session.limits.steps - session.steps)

    async def observe(self) -> Observation:
        """Observe the current screen."""
        return await self._watcher.look()

    async def act(self, action: Action) -> Observation | None:
        """Perform an action."""
        return await self._watcher.decide(action)

    async def run(self, name: str, script: str) -> Observation | None:
        """Run a script as an action; if it fails, its output becomes the notice."""
        return await self._watcher.decide(Raw(name), partial(run_script, script=script))

    async def packages(self) -> Collection[str]:
        """Return the packages of the apps that can be launched."""
        return await self._watcher.system(launchable)


class OwnPhone:
    """The user's own phone: nothing is recorded, and there is no step limit."""

    def __init__(self, device: Device) -> None:
        self.info = device.info
        self.goal = ""
        self.sees: Sight = "both"
        self.steps = 0
        self.steps_left = None
        self._device = device

    async def observe(self) -> Observation:
        """Observe the current screen."""
        return await asyncio.to_thread(self._observe)

    async def act(self, action: Action) -> Observation:
        """Perform an action; questions and reports have no effect."""
        self.steps += 1
        return await asyncio.to_thread(self._act, action)

    async def run(self, name: str, script: str) -> Observation:
        """Run a shell script; if it fails, its output becomes the notice."""
        self.steps += 1
        return await asyncio.to_thread(self._run, script)

    async def packages(self) -> Collection[str]:
        """Return the packages of the apps that can be launched."""
        system = self._device.system
        return () if system is None else await asyncio.to_thread(launchable, system)

    def _observe(self, notice: str = "") -> Observation:
        seen = self._device.observe()
        notices = filter(None, (notice, seen.lost, seen.screen.notice))
        return Observation(seen.screen, notice="; ".join(notices))

    def _act(self, action: Action) -> Observation:
        if not (ends_episode(action) or isinstance(action, Ask)):
            if notice := self._flaw(action):
                return self._observe(notice)
            try:
                self._device.perform(action)
            except NoEdgeError as error:
                return self._observe(str(error))
        return self._observe()

    def _flaw(self, action: Action) -> str:
        system = self._device.system
        if isinstance(action, Open) and system and action.app not in system.packages():
            return f"no app with the package {action.app} is installed"
        try:
            check(action, self._device.observe().screen.size)
        except ValueError as error:
            return str(error)
        return ""

    def _run(self, script: str) -> Observation:
        system = self._device.system
        if system is None:
            return self._observe("this phone cannot run shell scripts")
        return self._observe(run_script(system, script)[:_LONGEST_NOTICE])


def launchable(system: System) -> Collection[str]:
    """Return the packages of the apps that can be launched; of all, if the phone cannot say.

    Raises:
        DeviceError: if the phone does not answer.
    """
    installed = system.packages()
    try:
        components = system.shell(_LAUNCHABLE)
    except NoShellError:
        return installed
    named = re.findall(r"^\s*([\w.]+)/", components, re.MULTILINE)
    return {package for package in named if package in installed} or installed


def run_script(system: System, script: str) -> str:
    """Run a script; return its output if it failed, or a message if there is no shell; else "".

    Raises:
        DeviceError: if the phone does not answer.
    """
    marker = secrets.token_hex(8)
    try:
        written = system.shell(f"( {script}\n) 2>&1; echo {marker} $?")
    except NoShellError as error:
        return str(error)
    text, _, status = written.rpartition(marker)
    if status.strip() == "0" and not _FAILED.search(text):
        return ""
    return text.strip() or "it failed"


# This machine's names for programs, also in containers. Web pages use others, which are refused.
_HOSTS = ("127.0.0.1", "localhost", "[::1]", "host.docker.internal", "host.containers.internal")
# Loggers of the server's libraries, whose records would clutter a test's report.
_LOGGERS = (
    "uvicorn.error", "mcp.server.streamable_http", "mcp.server.streamable_http_manager",
    "mcp.server.lowlevel.server", "mcp.server.runner", "mcp.shared.jsonrpc_dispatcher",
    "sse_starlette.sse",
)  # fmt: skip


class McpEndpoint:
    """Serves a phone at `http://127.0.0.1:PORT` + `path`, in both eras of the protocol.

    The SDK is loaded by `start`. With `show`, the result of every action includes a picture.
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
        # With its protocol set, asyncio disables Nagle's algorithm, which delays replies by 40 ms.
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
        # sse_starlette polls for ever for the end of a server; it starts another task if it must.
        for task in asyncio.all_tasks():
            if getattr(task.get_coro(), "__qualname__", "") == "_shutdown_watcher":
                task.cancel()

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


class ProgramServers:
    """Serves phones to programs during their episodes (see `program.recorders.McpServers`)."""

    def server(self, watcher: SessionWatcher, *, show: bool) -> McpEndpoint:
        """Return a server for an episode; with `show`, results of actions include a picture."""
        return McpEndpoint(SessionPhone(watcher), show=show)

    def configure(self, path: Path, url: str) -> list[str]:
        """Write a client's configuration for `url`; return the command of a server over stdio."""
        write_configuration(path, url)
        return stdio_command(path)
