"""HTTP requests to servers of tools on the phone: which of them they are, by their paths."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from pytest_mobileagent.program.commands import jsonrpc, portal, webdriver
from pytest_mobileagent.program.commands.destructive import keeping_the_screen_on
from pytest_mobileagent.program.commands.shell import read_script
from pytest_mobileagent.program.commands.wording import cut
from pytest_mobileagent.program.watching import Command

_SHELLS = {"/shell", "/shell/background", "/shell/stream"}  # of atx-agent
_LOOKS = ("/screenshot", "/dump/hierarchy", "/minicap", "/source")


@dataclass(frozen=True, slots=True)
class Request:
    """A request; `upgrades` if what follows it is something else than HTTP."""

    method: str
    target: str
    body: bytes = b""
    upgrades: bool = False

    def with_body(self, body: bytes) -> Request:
        """Return the request with its body."""
        return dataclasses.replace(self, body=body)

    @property
    def path(self) -> str:
        """Where it goes, without the query."""
        return self.target.partition("?")[0]

    @property
    def values(self) -> Any:
        """What it says: its body as JSON, or as a form with the query; empty if it is neither."""
        text = self.body.decode("utf-8", "replace").strip()
        try:
            return json.loads(text) if text else dict(parse_qsl(self.target.partition("?")[2]))
        except (ValueError, RecursionError):
            return dict(parse_qsl(text)) | dict(parse_qsl(self.target.partition("?")[2]))


def read_request(request: Request) -> Command:
    """Return what a request asks for."""
    return keeping_the_screen_on(_read(request))


def _read(request: Request) -> Command:
    body = request.body[:2000].decode("utf-8", "replace")
    raw = cut(f"{request.method} {request.target} {body}")
    path, values = request.path, request.values
    if path.rstrip("/").startswith("/jsonrpc"):
        return jsonrpc.read_calls(values, raw)
    if (command := webdriver.read(request.method, path, values, raw)) is not None:
        return command
    members = values if isinstance(values, dict) else {}
    if jsonrpc.is_call(members):
        return jsonrpc.read_calls(values, raw)
    if path in _SHELLS:
        return read_script(str(members.get("command") or members.get("c") or ""), raw)
    if request.method != "GET" and portal.knows(path):
        return Command(raw, portal.acts(path, members, raw))
    return Command(raw, looks=path.startswith(_LOOKS) or portal.shows(path))
