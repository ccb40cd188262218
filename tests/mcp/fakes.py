"""A fake phone, a thread that serves it, and clients that send plain HTTP."""

from __future__ import annotations

import asyncio
import json
import threading
import urllib.request
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_mobileagent import DeviceInfo, Observation, testing
from pytest_mobileagent.action import Action, Ask, ends_episode
from pytest_mobileagent.program.track import LoopThread

if TYPE_CHECKING:
    from pytest_mobileagent.screen import Screen
    from pytest_mobileagent.screen.sight import Sight

SIZE = (1080, 2400)


def screen_of(size: tuple[int, int] = SIZE) -> Screen:
    button = {"text": "Save", "class": "android.widget.Button", "bounds": "[540,1200][1080,1400]"}
    return testing.make_screen(button, size=size)


@dataclass
class FakePhone:
    """A phone that records its actions, and whose episode ends after `limit` steps."""

    limit: int | None = None
    goal: str = "Save it."
    sees: Sight = "both"
    screen: Screen = field(default_factory=screen_of)
    notice: str = ""
    done: list[Any] = field(default_factory=list)
    looks: int = 0
    busy: int = 0
    most_busy: int = 0
    began: threading.Event = field(default_factory=threading.Event)
    go_on: threading.Event = field(default_factory=threading.Event)
    info: DeviceInfo = field(
        default_factory=lambda: DeviceInfo("R5CT", "Pixel 6", "14", 34, SIZE, 420)
    )

    def __post_init__(self) -> None:
        self.go_on.set()

    @property
    def steps(self) -> int:
        return len(self.done)

    @property
    def steps_left(self) -> int | None:
        return None if self.limit is None else self.limit - len(self.done)

    async def observe(self) -> Observation:
        self.looks += 1
        return Observation(self.screen)

    async def act(self, action: Action) -> Observation | None:
        if ends_episode(action):
            self.done.append(action)
            return None
        reply = "Blue." if isinstance(action, Ask) else None
        return await self._do(action, reply)

    async def run(self, name: str, script: str) -> Observation | None:
        return await self._do((name, script))

    async def packages(self) -> list[str]:
        return ["com.example", "com.android.settings"]

    async def _do(self, deed: Any, reply: str | None = None) -> Observation | None:
        if self.steps_left == 0:
            return None
        self.busy += 1
        self.most_busy = max(self.busy, self.most_busy)
        self.began.set()
        await asyncio.to_thread(self.go_on.wait, 20)
        self.busy -= 1
        self.done.append(deed)
        return Observation(self.screen, reply, self.notice)


class Server(LoopThread):
    """An event loop in a thread, which serves endpoints."""

    def do(self, work: Any) -> Any:
        return self.run(asyncio.wait_for(work, 30))

    def tasks(self) -> list[str]:
        async def names() -> list[str]:
            await asyncio.sleep(0)
            others = asyncio.all_tasks() - {asyncio.current_task()}
            return [task.get_coro().__qualname__ for task in others]  # type: ignore[union-attr]

        return self.run(names())


MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def post(url: str, message: dict[str, Any], **headers: str) -> tuple[dict[str, Any], Any]:
    """Send a message as plain HTTP; return the response and its headers."""
    given = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(url, json.dumps(message).encode(), given)
    with urllib.request.urlopen(request, timeout=20) as response:
        text = response.read().decode()
        lines = [line[5:] for line in text.splitlines() if line.startswith("data:")]
        found = [line for line in lines if line.strip()] or [text]
        return json.loads(found[-1] or "{}"), response.headers


def call(number: Any, tool: str, **arguments: Any) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def post_modern(url: str, message: dict[str, Any]) -> dict[str, Any]:
    """Send a message of the newer protocol version, with the required headers."""
    params = {**message.get("params", {}), "_meta": MODERN}
    headers = {"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": message["method"]}
    if "name" in params:
        headers["Mcp_Name"] = params["name"]
    return post(url, {**message, "params": params}, **headers)[0]


def text_of(reply: dict[str, Any]) -> str:
    return str(reply["result"]["content"][0]["text"])
