"""Draws the pictures of README.md and docs/index.md: pages of a run, an episode and a recording.

`python docs/pictures/draw.py` runs an agent with a scripted model on virtual phones, records a
task, and takes the pictures with Chromium, so they show what the pages look like now.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image
from selenium import webdriver
from selenium.webdriver.support.ui import WebDriverWait

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(__file__).parent
SIZE = (1440, 900)
WIDTH, QUALITY = 1200, 72  # of a picture, in pixels and percent
COMMAND = [sys.executable, "-m", "pytest_mobileagent"]
RUN = [
    *(sys.executable, "-m", "pytest", "tasks/coursera", "-n", "2", "-q", "--agent=t3a"),
    *("--mobile-model=scripted:fixtures/replies/t3a.jsonl", "--mobile-epochs=2"),
    *("--mobile-device-time=2026-11-22T09:00", "--mobile-max-steps=8", "--mobile-exit=run"),
]
EPISODE = "*weekend_reminders*"  # it fails
APP = "org.coursera.android"
GOAL = "Search for a course about machine learning."


def main() -> None:
    """Draw all pictures."""
    with tempfile.TemporaryDirectory() as folder, browser() as chrome:
        runs = Path(folder, "runs")
        subprocess.run([*RUN, f"--mobile-runs={runs}"], check=True)
        (run,) = runs.iterdir()
        show(chrome, run, "byId('count').textContent", "run")
        episode = min(run.glob(f"episodes/{EPISODE}"))
        show(chrome, episode, "document.images.length > 2", "episode")
        record(chrome, Path("test_search.py"))


@contextmanager
def browser() -> Iterator[Any]:
    """Yield a browser whose window is as large as that of a laptop."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in ("--headless=new", "--no-sandbox", "--hide-scrollbars"):
        options.add_argument(flag)
    service = webdriver.ChromeService(shutil.which("chromedriver") or "chromedriver")
    chrome = webdriver.Chrome(options, service)
    screen = {"width": SIZE[0], "height": SIZE[1], "deviceScaleFactor": 1, "mobile": False}
    chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    try:
        yield chrome
    finally:
        chrome.quit()


def show(chrome: Any, what: Path, condition: str, name: str) -> None:
    """Draw the page of a run or an episode."""
    command = [*COMMAND, "show", str(what), "--no-browser"]
    address = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    chrome.get(f"file://{address}")
    until(chrome, condition)
    keep(chrome, name)


def record(chrome: Any, file: Path) -> None:
    """Draw the page of a recording after a few actions."""
    command = [*COMMAND, "record", "--app", APP, "--device=virtual", "-o", str(file)]
    with subprocess.Popen([*command, "--no-browser"], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            chrome.get(process.stdout.readline().split()[-1])
            until(chrome, "state?.moves.length === 1")
            tap = "[...document.querySelectorAll('#elements button')].find(arguments[0]).click()"
            for place, label in enumerate(("Search", "Machine learning"), start=2):
                chrome.execute_script(
                    tap.replace("arguments[0]", f"b => b.textContent === {label!r}")
                )
                until(chrome, f"state.moves.length === {place}")
            chrome.find_element("id", "goal").send_keys(GOAL)
            until(chrome, f"byId('source').textContent.includes({GOAL!r})")
            chrome.execute_script("document.querySelector('#elements button').focus()")
            until(chrome, "!byId('outline').hidden")
            keep(chrome, "record")
        finally:
            process.terminate()
            process.wait()
            file.with_suffix(".recording.json").unlink()


def until(chrome: Any, condition: str) -> None:
    """Wait until a condition holds on the page, and its pictures are drawn."""
    loaded = "[...document.images].every((each) => each.complete && each.naturalWidth)"
    WebDriverWait(chrome, 60, 0.1).until(
        lambda driver: driver.execute_script(f"return Boolean({condition}) && {loaded}")
    )
    chrome.execute_async_script(
        "const [done] = arguments; Promise.all([...document.images].map((each) => each.decode()))"
        ".then(() => setTimeout(done, 500));"
    )


def keep(chrome: Any, name: str) -> None:
    """Write a picture of what the browser shows."""
    picture = Image.open(io.BytesIO(chrome.get_screenshot_as_png())).convert("RGB")
    small = picture.resize((WIDTH, WIDTH * SIZE[1] // SIZE[0]), Image.Resampling.LANCZOS)
    small.save(FOLDER / f"{name}.webp", "WEBP", quality=QUALITY, method=6)


if __name__ == "__main__":
    main()
