"""Responses that a client receives one after another, without a server."""

from __future__ import annotations

import json
from typing import Any

import httpx2

from pytest_mobileagent.llm.clients.predict import Predict


class Answering:
    """Lets a client receive responses: data, a stream's text, or a status, data and headers."""

    def __init__(self, client: Any, answers: list[Any]) -> None:
        self.bodies: list[Any] = []
        self.headers: list[Any] = []
        self.paths: list[str] = []
        self._answers = iter(answers)
        http = client._http if isinstance(client, Predict) else client._sdk._client._client
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
