"""Fixtures for the review page: a finished run with episodes that a person must decide."""

from __future__ import annotations

import json
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Case, DeviceInfo, Finish, Reset, Screen, Swipe, Tap, Task
from pytest_mobileagent.episode import EpisodeRecord, Termination, runs
from pytest_mobileagent.episode.reader import read
from pytest_mobileagent.episode.runs import slug
from pytest_mobileagent.episode.screens import ScreenStore
from pytest_mobileagent.episode.store import Recorder
from pytest_mobileagent.fileio import write_json
from pytest_mobileagent.report.recorded_run import document
from pytest_mobileagent.report.result import Result
from pytest_mobileagent.review.queue import Queue, Rewriter
from pytest_mobileagent.review.server import ReviewServer, ReviewService
from pytest_mobileagent.verdict import Verdict, append

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from pytest_mobileagent import Action
    from pytest_mobileagent.report.entry import Entry

SUCCESS = {"passed": True, "failed": False, "review": None}
TORN = Verdict(
    None,
    "judges",
    "they disagree",
    {
        "judges": [
            {"model": "gpt-4o", "passed": True, "reason": "A novel was opened", "details": {}},
            {"model": "sonnet", "passed": False, "reason": "Only a preview", "details": {"k": 1}},
        ]
    },
)
ACTIONS: Sequence[Action] = (Tap(30, 40), Swipe(50, 150, 50, 60))


@dataclass
class Run:
    """A run's folder, to which episodes are added; `end` writes the report."""

    folder: Path
    make_screen: Callable[..., Screen]
    results: dict[str, Entry] = field(default_factory=dict)

    def add(
        self,
        name: str,
        outcome: str = "review",
        *verdicts: Verdict,
        goal: str = "Read something.",
        actions: Sequence[Action] = ACTIONS,
        screens: Sequence[Screen] = (),
        said: str = "I see.",
        answer: str = "done",
    ) -> Path:
        """Record an episode and its verdicts."""
        nodeid = f"tests/test_{name}.py::test_{name}"
        case = Case(Task(goal, golden_steps=2), name, "suite", nodeid)
        folder = self.folder / "episodes" / f"{slug(name)}.0"
        recorder = Recorder(folder, ScreenStore(self.folder / "screens"))
        device = DeviceInfo("emulator-5554", "Pixel", "15", 35, (100, 200), 160)
        recorder.start(case, device, Reset("snapshot", "boot"), {"agent": "mine", "goal": goal})
        shown = screens or [self.make_screen(str(number)) for number in range(len(actions) + 1)]
        recorder.observation(shown[0], {})
        for action, screen in zip(actions, shown[1:], strict=True):
            recorder.step([action], said, [], 0.5)
            recorder.observation(screen, {}, 0.25)
        recorder.step([Finish(answer)], "", [], 0.5)
        recorder.end(Termination.SELF_REPORTED, "", 2.0)
        told = verdicts or (Verdict(SUCCESS[outcome], reason="as the check says"),)
        for verdict in told:
            append(folder, verdict)
        result = Result(
            case,
            outcome=outcome,
            fault="agent" if outcome == "failed" else None,
            reason=told[-1].reason,
            episode=read(folder, EpisodeRecord),
            folder=folder.relative_to(self.folder).as_posix(),
            verdict=told[-1],
        )
        self.results[nodeid] = result.entry()
        entry = runs.IndexLine(case.key, 0, f"episodes/{folder.name}", outcome)
        runs.append(self.folder, entry)
        return folder

    def end(self) -> Path:
        """Write report.json, as at the end of a run."""
        path = self.folder / "report.json"
        write_json(path, document({"id": self.folder.name, "agent": "mine"}, self.results))
        return path


@pytest.fixture
def run(tmp_path: Path, make_screen: Callable[..., Screen]) -> Run:
    """Return a run that has started, but has no episodes yet."""
    folder = tmp_path / "runs" / "2026-11-22-mine"
    folder.mkdir(parents=True)
    (folder / "run.json").write_text("{}")
    return Run(folder, make_screen)


@dataclass
class Page:
    """A served page, and a client that sends requests as a browser would."""

    server: ReviewServer
    queue: Queue
    rewriter: Rewriter

    def get(self, path: str) -> Any:
        """Return the response as data."""
        status, _, body = self.ask(path)
        assert status == 200, body
        return json.loads(body)

    def decide(self, episode: int, decision: str, note: str = "", who: str = "") -> Any:
        """Decide as the page does, and return the response as data."""
        body = {"episode": episode, "decision": decision, "note": note, "who": who}
        return json.loads(self.ask("/verdict", json.dumps(body).encode())[2])

    def ask(
        self,
        path: str,
        body: bytes | None = None,
        *,
        token: str | None = None,
        method: str | None = None,
        **headers: str,
    ) -> tuple[int, dict[str, str], bytes]:
        """Send a request with the cookie, or with another `token` or headers (`_` for `-`)."""
        port = self.server.server_port
        host = f"127.0.0.1:{port}"
        given = {"Host": host, "Cookie": f"{self.server.cookie}={token or self.server.token}"}
        if body is not None:
            given |= {"Origin": f"http://{host}", "Content-Type": "application/json"}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        with closing(HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
            verb = method or ("GET" if body is None else "POST")
            connection.request(verb, path, body, {n: v for n, v in given.items() if v})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()


@pytest.fixture
def serve() -> Iterator[Callable[..., Page]]:
    """Yield a function that serves a run's page until the test ends."""

    def start(run: Path, *, everything: bool = False, who: str = "ann") -> Page:
        queue, rewriter = Queue(run, everything=everything), Rewriter(run)
        queue.items()
        page = Page(ReviewServer(ReviewService(queue, rewriter, who)), queue, rewriter)
        ending.enter_context(closing(page.rewriter))
        ending.enter_context(page.server)
        return page

    with ExitStack() as ending:
        yield start
