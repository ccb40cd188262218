"""--mobile-watch: the live page of a run, for anyone who has its address."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from tests.plugin.projects import PHONE, waits
from tests.refusals import refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TASKS = """
from pytest_mobileagent import task

@task("Count.", app="a", golden_steps=6)
def test_count(episode): assert episode.answers("12")
"""
RUN = ["-p", "no:cacheprovider", "--agent=waits.py:Waits", "--mobile-agent-process=off"]


class Watched:
    """A run of one task whose agent waits after two steps until `go` is called."""

    def __init__(self, folder, *arguments):
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pytest", *RUN, "--mobile-watch", *arguments],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert self.process.stdout is not None
        self.url = next(
            found[0]
            for text in self.process.stdout
            if (found := re.search(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{43}", text))
        )

    def ask(self, path, **headers):
        base, token = self.url.split("?", maxsplit=1)
        address = f"{base}{path}{'&' if '?' in path else '?'}{token}"
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers)) as answer:
            return answer.headers, answer.read()

    def until(self, holds):
        """Request the state until `holds` is true of it."""
        while not holds(state := json.loads(self.ask("state")[1])):
            assert self.process.poll() is None
        return state

    def end(self):
        (self.folder / "go").touch()
        return self.process.communicate(timeout=300)[0], self.process.returncode


@pytest.fixture
def watched(pytester: pytest.Pytester) -> Iterator[Callable[..., Any]]:
    pytester.makeconftest(PHONE)
    pytester.makepyfile(test_it=TASKS, waits=waits(2))
    started = []

    def start(*arguments):
        started.append(Watched(pytester.path, *arguments))
        return started[-1]

    yield start
    for each in started:
        each.process.kill()
        each.process.wait()
        if each.process.stdout is not None:
            each.process.stdout.close()


@pytest.mark.slow
def test_the_page_shows_what_each_phone_does_and_ends_with_the_run(watched):
    run = watched()
    state = run.until(lambda state: state["phones"] and state["phones"][0]["step"] == 2)
    (phone,) = state["phones"]
    assert (phone["device"], phone["task"], phone["of"]) == ("fake", "count", 12)
    assert state["progress"] == {"done": 0, "all": 1, "left": None}
    (row,) = state["index"]["tasks"]
    assert (row["outcome"], row["e"], row["steps"]) == ("running", phone["e"], 2)
    assert (state["ended"], state["index"]["live"]["state_url"]) == (False, "state")
    assert run.ask(phone["picture"])[1].startswith(b"\x89PNG")
    episode = json.loads(run.ask(f"episode?e={phone['e']}")[1])
    assert [frame["step"] for frame in episode["frames"]] == [1, 2, None]
    headers, page = run.ask("")
    assert b'id="index"' in page
    assert "HttpOnly" in headers["Set-Cookie"]
    text, status = run.end()
    assert (status, "1 passed" in text) == (0, True)
    with pytest.raises(urllib.error.URLError):
        run.ask("state")


@pytest.mark.slow
def test_only_clients_with_the_address_get_only_what_the_page_shows(watched):
    run = watched("-q")
    base = run.url.partition("?")[0]
    (run.folder / "secret.png").write_bytes(b"secret")
    for path in ("", "state", "screens/aaaaaaaa.png"):
        with refused(403):
            urllib.request.urlopen(base + path)
    for path in ("episode?e=..", "episode?e=%2e%2e%2f", "screens/..%2fsecret.png", "run.json"):
        with refused(404):
            run.ask(path)
    with refused(403):
        run.ask("state", Host="evil.example")
    assert urlsplit(run.url).hostname == "127.0.0.1"
    assert run.end()[1] == 0


def test_nothing_is_served_without_the_option(pytester):
    pytester.makeconftest(PHONE)
    pytester.makepyfile(test_it=TASKS, waits=waits(2).replace('Path("go").exists()', "True"))
    result = pytester.runpytest_inprocess(*RUN)
    assert "watch:" not in result.stdout.str()


def test_watching_is_a_flag(pytester, monkeypatch):
    monkeypatch.setenv("MOBILE_WATCH", "perhaps")
    pytester.makepyfile(test_it=TASKS, waits=waits(2))
    result = pytester.runpytest_inprocess(*RUN)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--mobile-watch=perhaps*MOBILE_WATCH*"])
