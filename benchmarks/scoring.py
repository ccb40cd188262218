"""Measures a judge's scoring of recorded episodes, compared with reading their screens once.

    .venv/bin/python benchmarks/scoring.py [EPISODES [DISTINCT PICTURES]]

By default, there are 340 episodes, as many as SPA-Bench has tasks, of six screens each, with 12
distinct pictures. The key component is on the first screen of each episode, so that all six screens
are read; then a scripted judge decides. Seconds are processor time, which other programs affect
less.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from importlib.resources import files
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from pytest_mobileagent.screen.ocr import RapidOcr

FONT = str(files("pytest_mobileagent.virtual.ui") / "roboto" / "Roboto-Regular.ttf")
SIZE = (1080, 2400)
ROWS = 16  # lines of text on a picture
CONFTEST = """
from dataclasses import replace
from itertools import count
from pathlib import Path
import pytest
from pytest_mobileagent.testing import FakeLease, FakePhone, make_screen

FILES = sorted(Path("pictures").glob("*.png"))
PAGES = [replace(make_screen(path.stem), png=path.read_bytes()) for path in FILES]
NUMBERS = count()

class Shows(FakePhone):
    def reset(self, snapshot, apps):
        number = next(NUMBERS)
        self.screens = [PAGES[(6 * number + place) % len(PAGES)] for place in range(6)]
        return super().reset(snapshot, apps)

@pytest.fixture(scope="session")
def mobile_lease():
    return FakeLease(Shows(PAGES))
"""
TASKS = """
import pytest
from pytest_mobileagent import Agent, Finish, Tap, task

class Taps(Agent):
    def start(self, briefing):
        self.left = 5
    def step(self, observation):
        self.left -= 1
        return Tap(540, 180) if self.left >= 0 else Finish("done")

@pytest.mark.parametrize("number", range(EPISODES))
@task("Look.", kind="open-ended", step_limit=9)
def test_look(episode, judge, number):
    assert judge(episode, key_components=[episode.screens[0].elements[0].text])
"""


def draw(folder: Path, count: int) -> list[Path]:
    """Draw pictures of text, each with a unique word."""
    folder.mkdir()
    paths = [folder / f"unique{number:04}.png" for number in range(count)]
    for path in paths:
        image = Image.new("RGB", SIZE, "white")
        pen, font = ImageDraw.Draw(image), ImageFont.truetype(FONT, 44)
        for row in range(ROWS):
            words = path.stem if row == 0 else f"Row {row} of a list of many things"
            pen.text((60, 100 + 140 * row), words, "black", font)
        image.save(path)
    return paths


def reading(paths: list[Path]) -> float:
    """Return the time to read the pictures, without loading the OCR engine."""
    engine = RapidOcr(threads=1)
    with Image.open(paths[0]) as image:
        engine.read(image)
    begun = time.process_time()
    for path in paths:
        with Image.open(path) as image:
            engine.read(image)
    return time.process_time() - begun


def pytest_run(folder: Path, *arguments: str) -> tuple[float, float]:
    """Run pytest, and return its processor time and its elapsed time in seconds."""
    command = [sys.executable, "-m", "pytest", "-q", *arguments]
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, time.monotonic() - begun


def main(episodes: int = 340, pictures: int = 12) -> None:
    """Record the episodes, score them twice, and print the times."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = draw(folder / "pictures", pictures)
        (folder / "pytest.ini").write_text("[pytest]\n")
        (folder / "conftest.py").write_text(CONFTEST)
        (folder / "test_look.py").write_text(TASKS.replace("EPISODES", str(episodes)))
        says = json.dumps({"when": "", "reply": "Result: 1"})
        (folder / "judge.jsonl").write_text(f"{says}\n")
        pytest_run(folder, "--agent=test_look.py:Taps", "--mobile-agent-process=off")
        (run,) = (folder / "runs").iterdir()
        alone = reading(paths)
        print(f"reading {pictures} distinct pictures: {alone:.1f} s, {alone / pictures:.2f} s each")
        judged = ["--llm-judge=single", "--mobile-judges=scripted:judge.jsonl"]
        for which in ("first", "second"):
            used, passed = pytest_run(folder, f"--mobile-rescore={run}", *judged)
            print(f"{which} scoring of {episodes} episodes: {used:.1f} s ({passed:.1f} s passed)")
        kept = list((folder / ".pytest_cache").rglob("mobileagent-ocr/*/*.json"))
        size = sum(path.stat().st_size for path in kept)
        assert len(kept) == pictures
        print(f"lines of {len(kept)} pictures: {size / len(kept) / 1000:.1f} kB each")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
