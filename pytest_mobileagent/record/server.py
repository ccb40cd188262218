"""The server of the page on which people use a phone.

`loopback` describes who may send requests.
"""

from __future__ import annotations

import json
import re
from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import urlsplit

from pytest_mobileagent import loopback
from pytest_mobileagent.errors import MobileAgentError
from pytest_mobileagent.jsonable import why_unreadable
from pytest_mobileagent.loopback import RefusedError, is_number
from pytest_mobileagent.report.html.page import served_page

if TYPE_CHECKING:
    from pytest_mobileagent.record.service import PlayService, RecordService

_MOST = 200_000  # bytes of a request's body


@cache
def _page() -> str:
    return served_page(__package__, ["elements.js"], ["screen.js", "task.js", "main.js"])


class RecordServer(loopback.Server):
    """Serves the page of a service on a port; 0 selects a free port.

    Raises:
        OSError: if the port is in use.
    """

    def __init__(self, service: RecordService | PlayService, port: int = 0) -> None:
        super().__init__(_Handler, "record", port)
        self.service = service


class _Handler(loopback.Handler):
    server: RecordServer
    statuses: ClassVar = {**loopback.Handler.statuses, MobileAgentError: HTTPStatus.CONFLICT}

    def get(self, path: str) -> None:
        """Answer a request of the page for data."""
        service, query = self.server.service, self.query
        if path == "/":
            self.send_scripted_page(_page())
        elif path == "/state":
            self.send_news(service.state())
        elif path == "/element":
            x, y = (query.get(name, [""])[0] for name in ("x", "y"))
            if not (is_number(x) and is_number(y)):
                raise RefusedError(HTTPStatus.BAD_REQUEST, "x and y must be pixels")
            self.send_json(service.element(int(x), int(y)))
        elif re.fullmatch(r"/screen/\d{1,9}", path):
            self.send(HTTPStatus.OK, "image/png", service.screen.png)
        else:
            raise RefusedError(HTTPStatus.NOT_FOUND, "there is no such page")

    def post(self) -> None:
        """Carry out a request of the page."""
        body = self.json_body(_MOST, "the request")
        what = urlsplit(self.path).path.removeprefix("/do/")
        try:
            self.send_json(self.server.service.do(what, json.loads(body)))
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            why = str(error) if isinstance(error, ValueError) else why_unreadable(error)
            raise RefusedError(HTTPStatus.BAD_REQUEST, why) from None
