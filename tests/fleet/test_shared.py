"""What the machines of a run share without a file system: budgets and episodes, but no keys."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import time
from pathlib import Path

import pytest

from pytest_mobileagent.testing import ScriptedModel, ScriptedReply
from tests.fleet.conftest import ended, until

pytestmark = pytest.mark.slow

# Asks its model again and again as fast as possible, and never finishes.
ASKS = """
from pytest_mobileagent import Agent, Finish

class Mine(Agent):
    roles = ("actor",)
    def start(self, briefing):
        self.model = briefing.model("actor")
    def step(self, observation):
        while self.model.complete("Well?").text != "done":
            pass
        return Finish("12")
"""
CALL = ScriptedReply("Hm.", input_tokens=90, output_tokens=10)


@pytest.mark.parametrize("process", ["on", "off"])
def test_phones_exceed_a_budget_by_no_more_than_the_calls_under_way(fleet, sent, process):
    (sent.path / "agents" / "mine.py").write_text(ASKS)
    model = ScriptedModel([*[CALL] * 900, "done"])
    with model.serve() as url:
        run = sent.start(
            fleet,
            "-n2",
            f"--mobile-model=openai:own@{url}/v1",
            "--mobile-unpriced=allow",
            "--mobile-max-tokens=30000",
            f"--mobile-agent-process={process}",
        )
        until(lambda: len(model.requests) > 10)
        (relay,) = processes(b"ray::Relay")
        os.kill(relay, signal.SIGSTOP)
        before = len(model.requests)
        time.sleep(1)  # nothing must happen in this time
        assert len(model.requests) <= before + 2
        os.kill(relay, signal.SIGCONT)
        assert ended(run) == 2, sent.output()
    assert 300 <= len(model.requests) <= 301
    assert "budget: --mobile-max-tokens=30000 is spent" in sent.output()
    ledger = next(sent.path.glob("runs/*/spent.jsonl")).read_text()
    assert ledger == "[0.0,100]\n" * len(model.requests)


def processes(title: bytes) -> list[int]:
    """Return the cluster's processes whose command line contains `title`."""
    own = f"RAY_TMPDIR={os.environ['RAY_TMPDIR']}".encode()
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # the process has ended, or belongs to another user
            if title in (process / "cmdline").read_bytes():
                found += [int(process.name)] * (own in (process / "environ").read_bytes())
    return found


# A changed body: the check of the first half is different.
CHECKED_AGAIN = """
import pytest
from pytest_mobileagent import task

@pytest.mark.parametrize("number", range(7))
@task("Say {number}.", golden_steps=1)
def test_say(episode, number):
    assert episode.answers("3") == (number == 3), "read again"
"""


def test_results_of_an_earlier_run_are_reused_or_scored_again(fleet, sent):
    sent.go()
    assert ended(sent.start(fleet, "-n2")) == 0, sent.output()
    for number, words in enumerate(("6 reused", "6 scored again (check changed), 1 run (new)"), 1):
        run = sent.start(fleet, "-n2", "--mobile-reuse=runs")
        assert ended(run) == 0, sent.output(number)
        assert words in sent.output(number)
        report = sent.report()
        folder = max((sent.path / "runs").glob("*/report.json")).parent
        assert all(
            (folder / task["episode"] / "episode.jsonl").is_file() for task in report["tasks"]
        )
        assert {task["node"] for task in report["tasks"]} == {os.uname().nodename}
        (sent.path / "test_say.py").write_text(CHECKED_AGAIN)


KEY, CONTROL = "sk-kept-here-4711", "runs-that-everybody-knows"
WRITES = """
import os

def pytest_configure(config):
    if hasattr(config, "workerinput"):
        given = config.workerinput, config.invocation_params.args, dict(os.environ)
        (config.rootpath / "given").write_text(repr(given))
"""


def times(text: str, pid: int) -> int:
    """Return how often a text occurs in the memory of a process."""
    found = 0
    with Path(f"/proc/{pid}/mem").open("rb", 0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            if match := re.match(r"(\w+)-(\w+) rw", line):
                start, end = (int(each, 16) for each in match.groups())
                memory.seek(start)
                found += memory.read(end - start).count(text.encode())
    return found


def test_no_key_of_the_machine_of_pytest_leaves_it(fleet, sent, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)  # the cluster was started without this variable
    conftest = sent.path / "conftest.py"
    conftest.write_text(conftest.read_text() + WRITES)
    run = sent.start(fleet, "-n1", f"--mobile-runs={CONTROL}", "--mobile-agent-process=on")
    until(sent.pids)
    ray = Path(os.environ["RAY_TMPDIR"])
    of_ray = processes(str(ray).encode())
    try:
        assert sum(times(CONTROL, pid) for pid in of_ray) > 0  # it is in the job's data
    except PermissionError:
        pytest.skip("the memory of other processes cannot be read here")
    assert [pid for pid in [*of_ray, *sent.pids()] if times(KEY, pid)] == []
    sent.go()
    assert ended(run) == 0, sent.output()
    given = (sent.path / "given").read_text()
    assert CONTROL in given
    assert KEY not in given
    written = [path for path in ray.rglob("*") if path.is_file() and not path.is_symlink()]
    assert [path for path in written if KEY.encode() in path.read_bytes()] == []
    assert len(written) > 10
