"""Tests in a real browser of a page that follows a run in progress."""

from __future__ import annotations

import json
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from pytest_mobileagent.report.html.page import shell
from tests.flaws import flaws

pytestmark = pytest.mark.slow  # starts a browser


class Handler(SimpleHTTPRequestHandler):
    """Answers the requests of a run's page, from `told` and from files."""

    told: dict[str, Any]

    def do_GET(self) -> None:
        name = self.path.strip("/")
        if name not in self.told:
            super().do_GET()
            return
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(self.told[name]).encode())

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def told(tmp_path):
    """Yield a URL that serves the test's files, and a dictionary of further answers."""
    answers: dict[str, Any] = {}
    handler = type("Told", (Handler,), {"told": answers})
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(tmp_path)))
    threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/", answers
    server.shutdown()
    server.server_close()


def test_new_tasks_steps_and_screens_appear_automatically(told, read, invented, pictures, tmp_path):
    address, answers = told
    live = {"state_url": "state", "episode_url": "episode"}
    first = invented.row("clock/a", e="a.0")
    about = invented.index([first], live=live)
    reader = read(about)
    reader.sees("#count", "1 task")  # A saved page sends no requests.
    before, after = shell("a run", live=True)
    block = invented.packed("index", about)
    (tmp_path / "live.html").write_bytes(before + block + after)
    running = invented.row("clock/b", "running", e="b.0", success=None)
    whole = invented.episode("b.0", pictures)
    answers["episode?e=b.0"] = {**whole, "frames": whole["frames"][:2]}
    phone = {"device": "emulator-5554", "task": "clock/b", "step": 2, "of": 9, "e": "b.0"}
    phone["picture"] = whole["frames"][1]["png"]
    index = invented.index([first, running], live=live)
    waiting = {"done": 0, "all": 56, "left": None}
    answers["state"] = {"index": about, "phones": [], "ended": False, "progress": waiting}
    reader.chrome.get(f"{address}live.html")
    reader.sees("#progress", "56 tasks selected: waiting for the first phone to be ready")
    goes_on = {"done": 4, "all": 56, "left": 754.0}
    answers["state"] = {"index": index, "phones": [phone], "ended": False, "progress": goes_on}
    reader.sees("#progress", "4 of 56 done · about 13 min left, until ")
    reader.sees("#count", "2 tasks")
    reader.until("byId('latest').textContent === 'Latest: ✓a'")
    reader.sees("#phones", "step 2/9 · clock/b")
    reader.until("document.querySelector('#phones img').naturalWidth === 540")
    assert flaws(reader.chrome) == []
    reader.click("#phones a")
    reader.sees("#place", "Step 2 / 2")
    answers["episode?e=b.0"] = whole
    reader.sees("#place", "Step 6 / 6")  # A reader at the last step follows new steps.
    ended = invented.index([first, invented.row("clock/b", e="b.0"), invented.row("clock/c")])
    answers["state"] = {"index": ended, "phones": [], "ended": True}
    reader.sees("#ended", "The run has ended.")
    reader.sees("#head", "passed")
    reader.press("\ue00c")
    assert reader.ask("byId('latest').hidden")  # The run has ended.
    reader.sees("#count", "3 tasks")
