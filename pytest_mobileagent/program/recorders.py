"""The recorders of a program's episode: for adb, models, MCP, and the program's own steps."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pytest_mobileagent.action import Finish, Impossible
from pytest_mobileagent.agent.recorder import URL
from pytest_mobileagent.device.device import Address, NoiseMaker
from pytest_mobileagent.episode.calls import ModelCall
from pytest_mobileagent.episode.exchanges import ExchangeLog
from pytest_mobileagent.episode.secrets import without_secrets
from pytest_mobileagent.errors import AgentError
from pytest_mobileagent.llm.model import Completion
from pytest_mobileagent.llm.providers import keys
from pytest_mobileagent.program import Values
from pytest_mobileagent.program.adb import RecordedAdb
from pytest_mobileagent.program.models import RecordedModels
from pytest_mobileagent.program.port import HOST, LocalPort, RoutePort

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.llm.metered import EpisodeModels
    from pytest_mobileagent.llm.reference import ModelReference
    from pytest_mobileagent.llm.scripted import ScriptedModel
    from pytest_mobileagent.program import Adapter
    from pytest_mobileagent.program.model_routes import LentKeys
    from pytest_mobileagent.program.session_watcher import SessionWatcher


PROGRAM = "program"  # the folder of an episode for recordings that only programs have
_MCP, _RECORDER = "mcp", "recorder"  # names at the local port
_CALL = ("model", "role", "input_tokens", "output_tokens", "seconds")


class Recorders:
    """The recorders between a program and its phone and models; used in one event loop.

    - `values`: the values of the program's placeholders.
    - `environment`: the variables that lead the program to the recorders.
    - `paths`: files outside its folders that it needs. `search`: folders that begin its PATH.
    - `models`: its models, once the recorders have started.
    """

    models: RecordedModels

    def __init__(
        self,
        setting: Setting,
        device: Device,
        watcher: SessionWatcher,
        episode: Path,
        keys: LentKeys,
    ) -> None:
        self.environment: dict[str, str] = {}
        self.values = Values("")
        self.paths: tuple[Path, ...] = ()
        self.search: tuple[str, ...] = ()
        self._setting, self._watcher, self._episode = setting, watcher, episode
        self._keys = keys
        # Through adb, a program would bypass the noise, which is not on the phone itself.
        is_noisy = isinstance(device, NoiseMaker)
        self._address = None if is_noisy else getattr(device.system, "address", None)
        self._open = AsyncExitStack()
        self._mcp_port = 0
        self._starts_mcp = asyncio.Lock()

    async def start(
        self, folder: Path, base: Mapping[str, str], on_budget: Callable[[str], None]
    ) -> None:
        """Start the recorders; `folder` is for the program's files, `base` its environment so far.

        Raises:
            InfrastructureError: if a recorder cannot be started.
        """
        program = self._setting.program
        models = self.models = RecordedModels(
            self._setting.models,
            self._episode,
            self._setting.pictures,
            self._watcher,
            network=program.network,
            hosts=program.model_hosts,
            roles=program.roles,
            include_usage=program.include_usage,
            model=self._setting.model,
            keys=self._keys,
            on_budget=on_budget,
        )
        port = self._port = await self._open.enter_async_context(LocalPort(models))
        port.relay(_MCP, self._mcp)
        port.answer(_RECORDER, self._take)
        self.environment = {**models.environment, URL: port.url(_RECORDER)}
        mcp_url, config = port.url(_MCP), folder / "mcp.json"
        host, number = "", ""
        if program.needs_open_port:
            alone = await self._open.enter_async_context(RoutePort(models, "openai"))
            host, number = HOST, str(alone.number)
        adb = await self._start_adb(folder / "adb", base)
        self.values = Values(
            goal=self._watcher.goal,
            serial=adb.serial if adb else "",
            adb=adb.adb if adb else "",
            adb_port=str(adb.port) if adb else "",
            mcp_url=mcp_url,
            mcp_config=str(config),
            mcp_command=tuple(self._setting.mcp.configure(config, mcp_url)),
            openai_base_url=models.openai_base_url,
            openai_chat_url=models.openai_chat_url,
            openai_host=host,
            openai_port=number,
            anthropic_base_url=models.anthropic_base_url,
        )

    @property
    def secrets(self) -> list[str]:
        """The strings that no record may contain: the keys used, and the port's tokens."""
        return [self._port.token, *self.models.secrets]

    async def close(self) -> None:
        """Stop all recorders."""
        await self._open.aclose()

    async def _start_adb(self, folder: Path, base: Mapping[str, str]) -> RecordedAdb | None:
        """Lend the phone to the program through adb, if adb reaches the phone."""
        from adbutils import adb_path  # it takes 50 ms to import

        if not isinstance(self._address, Address):
            return None
        adb = RecordedAdb(
            self._address,
            self._watcher,
            self._watcher.log,
            folder,
            base=base,
            sees=self._watcher.session.plan.sees,
        )
        await adb.start()
        self._open.push_async_callback(adb.close)
        self.environment |= adb.environment
        self.paths, self.search = (Path(adb_path()),), (str(Path(adb.adb).parent),)
        return adb

    async def _mcp(self) -> int:
        """Return the port of the MCP server, which is loaded and started on first use."""
        async with self._starts_mcp:
            if not self._mcp_port:
                began = time.monotonic()
                show = self._setting.program.screenshots_after_actions
                server = self._setting.mcp.server(self._watcher, show=show)
                self._mcp_port = await server.start()
                self._open.push_async_callback(server.stop)
                self._watcher.track.pause(began)
            return self._mcp_port

    async def _take(self, message: dict[str, Any]) -> dict[str, Any]:
        """Handle a message of a program's `Recorder`; the reply says why the episode is over."""
        match message:
            case {"do": "begin" | "end" as phase}:
                return {"over": await self._watcher.step(phase)}
            case {"do": "finish", "answer": str(answer)}:
                await self._watcher.decide(Finish(answer))
            case {"do": "impossible", "reason": str(reason)}:
                await self._watcher.decide(Impossible(reason))
            case {"do": "call", **call}:
                return {"over": self._note(call)}
        return {"over": "the program has reported"}

    def _note(self, report: Mapping[str, Any]) -> str:
        """Record a model call that the program reports because no recorder has seen it.

        Raises:
            AgentError: if the report is not a valid call.
        """
        given = {name: report[name] for name in _CALL if report.get(name) is not None}
        try:
            call = ModelCall(**given)
        except (ValueError, TypeError) as error:
            raise AgentError(f"the program reported an invalid model call: {error}") from None
        call = self._setting.models.prices.priced(call)
        self._setting.models.account().pay(call)
        words = without_secrets(str(report.get("said", "")), [*keys(), *self.secrets])
        line = {"call": call.to_json(), "model": call.model, "role": call.role}
        reply = Completion(words).to_json()
        ExchangeLog(self._episode).add({**line, "prompt": [], "reply": reply, "error": ""})
        return self._watcher.called(words)


class McpServer(Protocol):
    """An MCP server for the phone of an episode, for a program that is an MCP client."""

    async def start(self) -> int:
        """Start serving, and return the port.

        Raises:
            MissingExtraError: if the server's library is not installed.
            OSError: if no port is available.
        """

    async def stop(self) -> None:
        """Abort open requests, and release the port."""


class McpServers(Protocol):
    """Creates MCP servers for the phones of episodes."""

    def server(self, watcher: SessionWatcher, *, show: bool) -> McpServer:
        """Return a server for an episode; with `show`, results of actions include a picture."""

    def configure(self, path: Path, url: str) -> list[str]:
        """Write a client's configuration for `url`; return the command of a server over stdio."""


@dataclass(frozen=True, slots=True)
class Setting:
    """The settings for running a program.

    - `mcp`: creates MCP servers for its phone. `models`: prices, budgets and so on. `model`:
      answers in place of the models that it calls; None if those answer themselves.
    - `pictures`: the run's folder of screens. `run`: the mark of the run's processes.
    - `here`: where pytest was started. `scratch`: a folder that is removed however the run ends.
    """

    program: Adapter
    mcp: McpServers
    models: EpisodeModels
    model: ModelReference | ScriptedModel | None
    pictures: Path
    run: str
    here: Path
    scratch: Path | None = None
