"""The server of the page on which people decide (see `loopback` for who may ask).

No part of a request becomes a path: episodes and screens have numbers.
"""

from __future__ import annotations

import json
import re
import secrets
from http import HTTPStatus
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import urlsplit

from pytest_mobileagent import loopback
from pytest_mobileagent.loopback import RefusedError
from pytest_mobileagent.plain import why_unreadable
from pytest_mobileagent.review.desk import UnknownEpisodeError
from pytest_mobileagent.review.page import page

if TYPE_CHECKING:
    from pytest_mobileagent.review.desk import Desk

_MOST = 100_000  # bytes of a request's body
_POLICY = (
    "default-src 'none'; img-src 'self' data:; connect-src 'self'; "
    "script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Server(loopback.Server):
    """Serves a desk; `port` 0 takes a free one.

    Raises:
        OSError: the port is taken.
    """

    def __init__(self, desk: Desk, port: int = 0) -> None:
        super().__init__(_Handler, "review", port)
        self.desk = desk


class _Handler(loopback.Handler):
    server: Server
    statuses: ClassVar = {**loopback.Handler.statuses, UnknownEpisodeError: HTTPStatus.NOT_FOUND}

    def get(self, path: str) -> None:
        """Answer what the page asks for."""
        desk, parts = self.server.desk, path.split("/")[1:]
        match parts:
            case [""]:
                self._page()
            case ["queue"]:
                self.send_news(desk.queue())
            case ["episode", episode] if _is_number(episode):
                self.send_json(desk.episode(int(episode)))
            case ["screen", episode, screen] if _is_number(episode) and _is_number(screen):
                png = desk.screen(int(episode), int(screen))
                if png is None:
                    raise RefusedError(HTTPStatus.NOT_FOUND, "there is no such screen")
                keep = {"Cache-Control": "private, max-age=3600"}
                self.send(HTTPStatus.OK, "image/png", png, keep)
            case _:
                raise RefusedError(HTTPStatus.NOT_FOUND, "there is no such page")

    def post(self) -> None:
        """Keep what the page decides."""
        if self.headers.get_content_type() != "application/json":
            raise RefusedError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a decision is JSON")
        length = self.headers.get("Content-Length", "")
        if not _is_number(length) or int(length) > _MOST:
            raise RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "a note is too long")
        body = self.rfile.read(int(length))
        if urlsplit(self.path).path != "/verdict":
            raise RefusedError(HTTPStatus.NOT_FOUND, "there is no such page")
        try:
            given = json.loads(body)
            told = self.server.desk.decide(
                given["episode"],
                given["decision"],
                str(given.get("who", "")),
                str(given.get("note", "")),
            )
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            why = f"this is no decision: {why_unreadable(error)}"
            raise RefusedError(HTTPStatus.BAD_REQUEST, why) from None
        self.send_json(told)

    def _page(self) -> None:
        nonce = secrets.token_urlsafe(16)
        policy = {"Content-Security-Policy": _POLICY.format(nonce=nonce)}
        self.send_page(page(nonce).encode(), policy)


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[0-9]{1,9}", text) is not None
