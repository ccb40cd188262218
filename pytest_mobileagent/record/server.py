"""The page on which people use a phone: its server, and tasks that a person plays on it by hand.

`loopback` describes who may send requests. Played actions are recorded like those of an agent.
"""

from __future__ import annotations

import os
import queue
import re
import sys
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

from pytest_mobileagent import loopback
from pytest_mobileagent.action import Action, Ask, Finish, Impossible, Wait, from_json
from pytest_mobileagent.action import check as checked
from pytest_mobileagent.agent.phone import EpisodeOver
from pytest_mobileagent.errors import AgentError, MobileAgentError
from pytest_mobileagent.fileio import write_text
from pytest_mobileagent.loopback import RefusedError, is_number
from pytest_mobileagent.record.recording import as_move
from pytest_mobileagent.record.selectors import choose, target_at
from pytest_mobileagent.record.service import described, elements_of
from pytest_mobileagent.report.html.page import served_page
from pytest_mobileagent.report.html.show_command import open_page

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_mobileagent.agent.agent import Briefing
    from pytest_mobileagent.agent.phone import Phone
    from pytest_mobileagent.record.service import RecordService


_MOST = 200_000  # bytes of a request's body
_PAUSE = 0.5  # seconds to wait before the page of a game is refreshed


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
        what = urlsplit(self.path).path.removeprefix("/do/")
        self.answer_json(_MOST, "the request", partial(self.server.service.do, what))


class PlayService:
    """A task that a person plays: the data for the page, and the page's requests.

    Requests arrive in the server's threads; only `work`, in the agent's thread, uses the phone.
    """

    def __init__(self, briefing: Briefing, phone: Phone) -> None:
        self._briefing, self._phone = briefing, phone
        self._asked: queue.Queue[tuple[Action, Future[None]]] = queue.Queue()
        self._moves: list[dict[str, str]] = []
        self._reply, self._notice, self._ended = "", "", False
        self.number = 0
        self._take()

    def work(self) -> None:
        """Carry out the page's requests until the episode is over.

        Raises:
            EpisodeOver: when the episode is over.
        """
        while True:
            action, answer = self._asked.get()
            try:
                is_move = not isinstance(action, Wait | Ask | Finish | Impossible)
                words = as_move(action, self.screen).move if is_move else ""
                self._phone.act(action, counts=not isinstance(action, Wait))
                self._take()
                if words and not self._phone.observe().failure:
                    self._moves.append({"words": words, "warning": ""})
                answer.set_result(None)
            except EpisodeOver:
                self._ended = True
                answer.set_result(None)
                raise
            except Exception as error:  # noqa: BLE001 - the page shows it and continues
                answer.set_exception(error)

    def _take(self) -> None:
        observation = self._phone.observe()
        self.screen, self.number = observation.screen, self.number + 1
        self._reply, self._notice = observation.reply or "", observation.notice

    def state(self) -> dict[str, Any]:
        """Return the data for the page, except for the screenshot, as JSON-able data."""
        return {
            "mode": "play",
            "phase": "ended" if self._ended else "work",
            "number": self.number,
            "size": [*self.screen.size],
            "goal": self._briefing.goal,
            "reply": self._reply,
            "notice": self._notice,
            "moves": list(self._moves),
            "elements": elements_of(self.screen),
            "apps": sorted(self._briefing.installed),
            "trials": [],
        }

    def element(self, x: int, y: int) -> dict[str, Any]:
        """Return the element at a pixel, with the selector that a solution would use for it."""
        element = target_at(self.screen, x, y)
        return described(element, replace(choose(self.screen, element, x, y), warning=""))

    def do(self, what: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Carry out a request of the page, and return the new state."""
        if not self._ended and (action := self._action(what, given)) is not None:
            answer: Future[None] = Future()
            self._asked.put((action, answer))
            with suppress(EpisodeOver):
                answer.result()
        return self.state()

    def _action(self, what: str, given: Mapping[str, Any]) -> Action | None:
        words = str(given.get("words", "")).strip()
        match what, given.get("how"):
            case "act", _:
                return checked(from_json(given["action"]), self.screen.size)
            case "refresh", _:
                return Wait(_PAUSE)
            case "finish", "impossible":
                return Impossible(words)
            case "finish", "ask":
                if not words:
                    raise ValueError("write the question first")
                return Ask(words)
            case "finish", _:
                return Finish(words)
        return None


def play(
    briefing: Briefing, phone: Phone, *, browser: bool = True, announce: Path | None = None
) -> None:
    """Play a task by hand on the page; the actions are recorded like those of an agent.

    The URL is printed on the terminal, and written to the file `announce` if given.

    Raises:
        EpisodeOver: when the person has ended the task, or a limit is reached.
        AgentError: if the page cannot be served.
    """
    service = PlayService(briefing, phone)
    try:
        server = RecordServer(service)
    except OSError as error:
        raise AgentError(f"the page cannot be served: {error}") from error
    with server:
        _announce(f"play: {server.url}    {briefing.goal}", server.url, announce)
        if browser:
            open_page(server.invitation())
        service.work()


def _announce(text: str, url: str, file: Path | None) -> None:
    """Print the URL on the terminal itself, because an agent's output goes to the record."""
    if file is not None:
        write_text(file, f"{url}\n")
    try:
        with open("/dev/tty", "w", encoding="utf-8") as terminal:  # noqa: PTH123 - not a file
            terminal.write(f"\n{text}\n")
    except OSError:
        print(text, file=sys.stderr)


def is_alone() -> bool:
    """Return whether this is the only worker: a person can play only one task at a time."""
    return int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")) == 1
