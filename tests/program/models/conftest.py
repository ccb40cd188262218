"""A local port with recorded models, in a separate thread as in the harness."""

from __future__ import annotations

import asyncio
import contextlib
import json
import urllib.request
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import openai
import pytest

from pytest_mobileagent.llm.metered import EpisodeModels
from pytest_mobileagent.llm.prices import Price, Prices
from pytest_mobileagent.program.models import RecordedModels
from pytest_mobileagent.program.port import LocalPort
from pytest_mobileagent.program.track import LoopThread
from pytest_mobileagent.testing import ScriptedModel, ScriptedReply

from .provider import Provider

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Coroutine, Iterator
    from pathlib import Path

    from pytest_mobileagent.program.commands import Command, Passage

    Make = Callable[..., "Recorder"]
    Serve = Callable[..., str]
    Provide = Callable[..., tuple[Provider, int]]

PRICES = Prices({"openai:own": Price(1_000, 10_000)})  # $1 per 1000 input or 100 output tokens
REPLY = ScriptedReply("Tap it.", input_tokens=100, output_tokens=10, cached_tokens=4)
ASKED: Any = [{"role": "user", "content": "What now?"}]


@dataclass
class Watcher:
    """A watcher that records its notifications."""

    folder: Path
    refusal: str = ""
    told: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)  # the lines of calls.jsonl after each call

    async def call_begins(self) -> str:
        self.told.append("begins")
        return self.refusal

    async def command(self, command: Command) -> Passage:
        raise NotImplementedError

    async def step(self, phase: Literal["begin", "end"]) -> str:
        raise NotImplementedError

    def call_ended(self, words: str) -> None:
        self.told.append(f"ended: {words}")
        self.lines.append(len(recorded(self.folder)))


@dataclass
class Recorder:
    """Recorded models on a local port."""

    port: LocalPort
    models: RecordedModels
    watcher: Watcher
    folder: Path
    pictures: Path
    over: list[str]
    run: Callable[[Coroutine[Any, Any, Any]], Any]

    @property
    def lines(self) -> list[dict[str, Any]]:
        return recorded(self.folder)

    @property
    def environment(self) -> dict[str, str]:
        return self.models.environment


def recorded(folder: Path) -> list[dict[str, Any]]:
    path = folder / "calls.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    """Makes recorders, and closes them at the end of the test."""
    for name in ("HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy", "SSL_CERT_FILE"):
        monkeypatch.delenv(name, raising=False)
    with LoopThread() as loop, contextlib.ExitStack() as stack:

        def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
            return loop.run(asyncio.wait_for(coroutine, 30))

        def make(given: EpisodeModels | None = None, **options: Any) -> Recorder:
            folder, pictures = tmp_path / "episode", tmp_path / "screens"
            folder.mkdir(exist_ok=True)
            watcher = Watcher(folder)
            over: list[str] = []
            priced = given or EpisodeModels(prices=PRICES)
            models = RecordedModels(
                priced, folder, pictures, watcher, on_budget=over.append, **options
            )
            port = LocalPort(models)
            run(port.start())
            stack.callback(lambda: run(port.close()))
            return Recorder(port, models, watcher, folder, pictures, over, run)

        yield make


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Serves a scripted model in place of all providers."""
    served = contextlib.ExitStack()

    def provider(*replies: object) -> str:
        url = served.enter_context(ScriptedModel(replies).serve())  # type: ignore[arg-type]
        monkeypatch.setenv("OPENAI_BASE_URL", f"{url}/v1")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", url)
        return url

    with served:
        yield provider


def post(url: str, body: Any) -> bytes:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data), timeout=20) as response:
        content: bytes = response.read()
        return content


def chat(recorder: Recorder, **options: Any) -> openai.OpenAI:
    return openai.OpenAI(api_key="sk-program", base_url=recorder.models.openai_base_url, **options)


def complete(recorder: Recorder, model: str = "own", **options: Any) -> Any:
    """Ask a chat model through its SDK, once, and return the whole reply, or all pieces of it."""
    sdk = {"api_key": "sk-program", "base_url": recorder.models.openai_base_url, "max_retries": 0}
    own = {name: options.pop(name) for name in [*sdk] if name in options}
    with openai.OpenAI(**{**sdk, **own}) as client:
        asked = {"model": model, "messages": ASKED, **options}
        reply = client.chat.completions.create(**asked)
        return list(reply) if options.get("stream") else reply


@pytest.fixture
def provide(monkeypatch: pytest.MonkeyPatch) -> Iterator[Provide]:
    """Makes providers in place of OpenAI, in a separate event loop."""
    servers: list[asyncio.Server] = []

    def provide(
        say: Any, secure: ssl.SSLContext | None = None, serve: Any = None
    ) -> tuple[Provider, int]:
        provider = Provider(say)
        starting = asyncio.start_server(serve or provider.serve, "127.0.0.1", 0, ssl=secure)
        server = loop.run(starting)
        servers.append(server)
        port = server.sockets[0].getsockname()[1]
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{port}/v1")
        return provider, port

    with LoopThread() as loop:
        yield provide
        for server in servers:
            loop._loop.call_soon_threadsafe(server.close)
