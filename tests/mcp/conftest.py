"""An MCP server in a thread for a fake phone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.mcp.endpoint import McpEndpoint
from tests.mcp.fakes import FakePhone, Server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        yield server


@pytest.fixture
def serve(server: Server) -> Iterator[Callable[..., str]]:
    """Serves a phone; returns the URL."""
    endpoints: list[McpEndpoint] = []

    def start(phone: FakePhone, **options: Any) -> str:
        endpoint = McpEndpoint(phone, **options)
        port = server.do(endpoint.start())
        endpoints.append(endpoint)
        return f"http://127.0.0.1:{port}{options.get('path', '/mcp')}"

    yield start
    for endpoint in endpoints:
        server.do(endpoint.stop())
