"""`--mobile-watch`: serves the live page of a run to a browser on this machine.

Only the user who started the run may open it (see `loopback`).
"""

from __future__ import annotations

import re
import threading
import time
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import loopback
from pytest_mobileagent.episode.running import RunningEpisodes
from pytest_mobileagent.episode.screens import FOLDER, ScreenStore
from pytest_mobileagent.errors import ScreenError
from pytest_mobileagent.loopback import RefusedError
from pytest_mobileagent.plugin.live_lines import seconds_left
from pytest_mobileagent.plugin.outputs import say
from pytest_mobileagent.report.html.episode import episode_data
from pytest_mobileagent.report.html.index import index_data, row
from pytest_mobileagent.report.html.page import line, pack, shell
from pytest_mobileagent.report.recorded_run import document
from pytest_mobileagent.report.result import Result
from pytest_mobileagent.report.text.lists import names_of
from pytest_mobileagent.screen.picture import as_png

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pytest_mobileagent.episode.running import Running
    from pytest_mobileagent.plugin.collector import Collector
    from pytest_mobileagent.plugin.config import RunConfig


class LivePage:
    """A plugin for the process that owns the run: it serves the run's page in its own threads.

    Raises:
        OSError: if no port is free.
    """

    def __init__(self, run: RunConfig) -> None:
        collector: Any = run.config.pluginmanager.get_plugin("mobileagent-collector")
        self.state = LiveState(collector)
        self.server = LivePageServer(self.state)
        serve = partial(self.server.serve_forever, 0.1)
        threading.Thread(target=serve, name="watch", daemon=True).start()

    def show_address(self, config: pytest.Config) -> None:
        """Print the page's address, which includes the access token."""
        say(config, f"watch: {self.server.url}")

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Notify open browsers that the run has ended; the report has been written by now."""
        self.state.end()

    def pytest_unconfigure(self) -> None:
        """End the server, even if browsers are still connected."""
        self.server.shutdown()
        self.server.server_close()


_EPISODE = re.compile(r"\w[\w.-]{0,200}", re.ASCII)
_SCREEN = re.compile(r"/screens/([0-9a-f]{8,64}\.(png|jpg|webp))")
_KINDS = {"png": "image/png", "webp": "image/png", "jpg": "image/jpeg"}


class LivePageServer(loopback.Server):
    """Serves the live page of a run.

    Raises:
        OSError: if no port is free.
    """

    def __init__(self, state: LiveState) -> None:
        super().__init__(_Handler, "watch")
        self.state = state


class _Handler(loopback.Handler):
    server: LivePageServer

    def get(self, path: str) -> None:
        """Answer a request of the page."""
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
        data = self.server.state.now()["index"]
        before, after = shell(str(data["run"].get("id", "")), live=True)
        index = line("index", pack(data))
        frames = {"Content-Security-Policy": "frame-ancestors 'none'"}  # the page sets the others
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


LIVE = {"state_url": "state", "episode_url": "episode"}
_SHARE = 0.05  # the share of the time that may be spent on requests from browsers


class LiveState:
    """The state of a run, updated on request, but not so often that it slows down the run."""

    def __init__(self, collector: Collector) -> None:
        self._collector = collector
        self._folder: Path = collector.run.folder.path
        self._episodes = RunningEpisodes(self._folder)
        self._lock = threading.Lock()
        self._latest: dict[str, Any] = {}
        self._next = 0.0
        self._name_of: Callable[[Any], str] | None = None
        self._began = time.monotonic()
        self.has_ended = False

    def now(self) -> dict[str, Any]:
        """Return the page's index, what each phone is running, and whether the run has ended."""
        with self._lock:
            began = time.monotonic()
            if began >= self._next:
                self._latest = self._update()
                ended = time.monotonic()
                self._next = ended + (ended - began) / _SHARE
            return self._latest | {"ended": self.has_ended}

    def end(self) -> None:
        """Record that the run has ended; the state is updated at the next request."""
        with self._lock:
            self.has_ended = True
            self._next = 0.0

    def episode(self, name: str) -> dict[str, Any] | None:
        """Return the page's data of an episode so far; None if there is no such episode."""
        folder = next((f for f in (self._folder / "episodes").glob("*") if f.name == name), None)
        if folder is None:
            return None
        return episode_data(folder, self._folder) | {"e": name, "attempts": []}

    def screen(self, name: str) -> bytes | None:
        """Return a picture from the run's store, by its file name; None if it does not exist."""
        stem, _, suffix = name.partition(".")
        store, stored = ScreenStore(self._folder / FOLDER), ".jpg" if suffix == "jpg" else ".png"
        try:
            return as_png(store.read(stem, stored))
        except (OSError, ValueError, ScreenError):
            return None

    def _update(self) -> dict[str, Any]:
        running = self._episodes.look(set(self._collector.finished))
        about = self._collector.run.folder.about()
        index = index_data(self._folder, document(about, dict(self._collector.results)))
        rows = [self._row(each, about) for each in running]
        now = {each["nodeid"] for each in rows}  # a test that is repeated also has a result
        index["tasks"] = [each for each in index["tasks"] if each["nodeid"] not in now] + rows
        return {
            "index": {**index, "live": LIVE},
            "phones": [self._phone(each) for each in running],
            "progress": self._progress(),
        }

    def _progress(self) -> dict[str, Any]:
        """Return how many tests are done, how many there are, and about how many seconds remain."""
        collector = self._collector
        done, all_ = len(collector.finished), len(collector.selected)
        left = seconds_left(done, all_, time.monotonic() - self._began)
        return {"done": done, "all": all_, "left": left}

    def _row(self, running: Running, about: Mapping[str, Any]) -> dict[str, Any]:
        entry = Result(running.case, "running", folder=f"episodes/{running.folder.name}").entry()
        entry = replace(entry, steps=running.steps, cost_usd=running.cost_usd)
        return row(self._folder, entry, about)

    def _phone(self, running: Running) -> dict[str, Any]:
        if self._name_of is None:
            self._name_of = names_of(self._folder)
        return {
            "device": running.place,
            "task": self._name_of(running.case),
            "step": running.steps,
            "of": running.step_limit,
            "e": running.folder.name,
            "picture": f"screens/{running.png}.png" if running.png else None,
            "said": running.said,
        }
