"""Measures the chain of digests of a run, and `bundle` and `verify` on 1,000 episodes.

    .venv/bin/python benchmarks/bundles.py [EPISODES]

Each episode has six screens of its own, with 194 nodes and a screenshot of 100 kB, which stays as
it is: packing is measured elsewhere. The phone is in memory and the agent does not think, so the
run is as short as can be. Seconds are processor time, which other programs affect less.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from checks import made
from PIL import Image

CONFTEST = """
import atexit, itertools, time
from pathlib import Path
import pytest
from pytest_mobileagent import Screen
from pytest_mobileagent.episode import chain
from pytest_mobileagent.testing import FakeLease, FakePhone, make_screen
from dataclasses import replace

PNG, XML = Path("picture.png").read_bytes(), Path("page.xml").read_text()
NUMBERS = itertools.count()

class Shows(FakePhone):
    def reset(self, snapshot, apps):
        number = next(NUMBERS)
        self.actions.clear()
        texts = [f"{number} {step}" for step in range(6)]
        self.screens = [
            replace(make_screen(), png=PNG + text.encode(), xml=XML.replace("episode", text))
            for text in texts
        ]
        return super().reset(snapshot, apps)

@pytest.fixture(scope="session")
def mobile_lease():
    return FakeLease(Shows([make_screen()]))

used = 0.0

def timed(function):
    def wrapper(*given):
        global used
        begun = time.thread_time()
        try:
            return function(*given)
        finally:
            used += time.thread_time() - begun
    return wrapper

for name in ("begin", "add_file", "add_line", "seal", "close", "add"):  # not one within another
    setattr(chain, f"_{name}", getattr(chain, name))
for name in ("begin", "add_file", "add_line", "seal", "close"):
    setattr(chain, name, timed(getattr(chain, name)))
atexit.register(lambda: Path("chain.txt").write_text(str(used)))
"""
TASKS = """
import pytest
from pytest_mobileagent import Agent, Finish, Tap, task

class Taps(Agent):
    def start(self, briefing):
        self.left = 5
    def step(self, observation):
        self.left -= 1
        return Tap(5, 5) if self.left >= 0 else Finish("done")

@pytest.mark.parametrize("number", range(EPISODES))
@task("Look.", step_limit=9)
def test_look(episode, number):
    assert episode.screen.find(text="Row number 5 of this list") and episode.answers("done")
"""


def used(folder: Path, *arguments: str) -> float:
    """Return the processor time in seconds of a Python module with arguments, on one core."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = ["taskset", "-c", "1", sys.executable, "-m", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(episodes: int = 1000) -> None:
    """Record the episodes, bundle and verify them, and print the times."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        Image.effect_noise((320, 320), 100).save(folder / "picture.png")
        mark = '<node class="a.Text" text="episode" bounds="[0,0][9,9]"/></hierarchy>'
        (folder / "page.xml").write_text(made(0).replace("</hierarchy>", mark))
        (folder / "pytest.ini").write_text("[pytest]\n")
        (folder / "conftest.py").write_text(CONFTEST)
        (folder / "test_look.py").write_text(TASKS.replace("EPISODES", str(episodes)))
        agent = ("--agent=test_look.py:Taps", "--mobile-agent-process=off")
        run = used(folder, "pytest", "-q", *agent)
        chain = float((folder / "chain.txt").read_text())
        print(f"recording {episodes} episodes of 6 screens: {run:.1f} s")
        print(f"the chain: {chain:.2f} s, {chain / episodes * 1000:.1f} ms an episode")
        cli = "pytest_mobileagent"
        bundle = folder / "x.mobilerun.zip"
        print(f"bundle: {used(folder, cli, 'bundle', 'runs', '-o', str(bundle)):.1f} s", end=", ")
        print(f"{bundle.stat().st_size / 1e6:.0f} MB")
        print(f"verify: {used(folder, cli, 'verify', str(bundle)):.1f} s")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
