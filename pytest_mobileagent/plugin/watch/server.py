"""The server of `--mobile-watch` (see `loopback` for who may ask)."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING

from pytest_mobileagent import loopback
from pytest_mobileagent.loopback import RefusedError
from pytest_mobileagent.report.html.blocks import line, pack
from pytest_mobileagent.report.html.page import shell

if TYPE_CHECKING:
    from pytest_mobileagent.plugin.watch.state import State

_EPISODE = re.compile(r"\w[\w.-]{0,200}", re.ASCII)
_SCREEN = re.compile(r"/screens/([0-9a-f]{8,64}\.(png|jpg))")
_KINDS = {"png": "image/png", "jpg": "image/jpeg"}


class Server(loopback.Server):
    """Serves the page of a run that goes on.

    Raises:
        OSError: no port is free.
    """

    def __init__(self, state: State) -> None:
        super().__init__(_Handler, "watch")
        self.state = state


class _Handler(loopback.Handler):
    server: Server

    def get(self, path: str) -> None:
        """Answer what the page asks for."""
        state = self.server.state
        if path == "/":
            self._page()
        elif path == "/state":
            self.send_news(state.now())
        elif path == "/episode":
            self._episode(self.query.get("e", [""])[0])
        elif (screen := _SCREEN.fullmatch(path)) is not None:
            self._screen(screen[1], _KINDS[screen[2]])
        else:
            raise RefusedError(HTTPStatus.NOT_FOUND, "there is no such page")

    def _page(self) -> None:
        told = self.server.state.now()
        before, after = shell(str(told["index"]["run"].get("id", "")), live=True)
        index = line("index", pack(told["index"]))
        frames = {"Content-Security-Policy": "frame-ancestors 'none'"}  # the page has the others
        self.send_page(before + b"\n" + index + after, frames)

    def _episode(self, name: str) -> None:
        episode = self.server.state.episode(name) if _EPISODE.fullmatch(name) else None
        if episode is None:
            raise RefusedError(HTTPStatus.NOT_FOUND, "there is no such episode")
        self.send_json(episode)

    def _screen(self, name: str, kind: str) -> None:
        picture = self.server.state.screen(name)
        if picture is None:
            raise RefusedError(HTTPStatus.NOT_FOUND, "there is no such picture")
        self.send(HTTPStatus.OK, kind, picture, {"Cache-Control": "private, max-age=86400"})
