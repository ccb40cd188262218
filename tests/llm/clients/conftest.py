"""Clients of all providers for scripted models, over real HTTP."""

from __future__ import annotations

import contextlib
import json
from functools import cache
from typing import TYPE_CHECKING, Any

import httpcore2
import httpx2
import pytest

from pytest_mobileagent.llm.clients.gemini import Gemini
from pytest_mobileagent.llm.clients.openai import OpenAIChat, OpenAIResponses
from pytest_mobileagent.llm.clients.predict import Predict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.testing import ScriptedModel


KEY = "sk-secret-0123456789"
# The path of each client's API at a scripted model's server.
PATHS: dict[Any, str] = {
    Gemini: "/v1beta", OpenAIChat: "/v1", OpenAIResponses: "/v1", Predict: "/predict"
}  # fmt: skip


class Connect:
    """Serves models and creates clients for them, and closes all of them at the end."""

    def __init__(self, stack: contextlib.ExitStack) -> None:
        self._stack = stack

    def __call__(self, kind: Any, model: ScriptedModel, name: str = "m", **more: Any) -> Any:
        url = self._stack.enter_context(model.serve())
        return self.at(kind, url + PATHS.get(kind, ""), name, **more)

    def at(self, kind: Any, url: str, name: str = "m", key: str = KEY, **more: Any) -> Any:
        client = kind(name, url, key, **{"timeout": 5.0, **more})
        self._stack.callback(client.close)
        return client


@pytest.fixture(scope="session", autouse=True)
def certificates() -> Iterator[None]:
    """Load the CA certificates only once, because each client would take 40 ms to do so."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(httpcore2, "default_ssl_context", cache(httpcore2.default_ssl_context))
        yield


@pytest.fixture
def connect() -> Iterator[Connect]:
    with contextlib.ExitStack() as stack:
        yield Connect(stack)


class Answering:
    """Lets a client receive responses: data, a stream's text, or a status, data and headers."""

    def __init__(self, client: Any, answers: list[Any]) -> None:
        self.bodies: list[Any] = []
        self.headers: list[Any] = []
        self.paths: list[str] = []
        self._answers = iter(answers)
        own = isinstance(client, Predict | Gemini)
        http = client._http if own else client._client._client
        http._transport, http._mounts = httpx2.MockTransport(self._answer), {}

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        self.headers.append(request.headers)
        self.paths.append(request.url.path)
        kind = request.headers.get("content-type", "")
        self.bodies.append(json.loads(request.content) if "json" in kind else None)
        answer = next(self._answers)
        status, body, *headers = answer if isinstance(answer, tuple) else (200, answer)
        if isinstance(body, str):
            stream = {"Content-Type": "text/event-stream"}
            return httpx2.Response(status, text=body, headers=stream)
        return httpx2.Response(status, json=body, headers=headers[0] if headers else None)
