"""The page of a run of 1,000 episodes: `python benchmarks/report_page.py [EPISODES]`.

Prints the time to write the page, and to open it in a headless Chromium if that is installed
(`apt-get install chromium chromium-driver`, and the extra `appium`, which installs Selenium).
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.screens import SUFFIXES
from pytest_mobileagent.jsonable import to_text
from pytest_mobileagent.report.html.run_page import TooLargeError, write_packed, write_page
from pytest_mobileagent.report.recorded_run import document, find_run, read_report

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.report.entry import Report

ROOT = Path(__file__).parents[1]
HASH = re.compile(rb'"(?:png|xml)":"([0-9a-f]{32})"')
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")


def real_run(folder: Path) -> Path:
    """Run the suite coursera, and return the run's folder."""
    words = ["-m", "pytest", "tasks/coursera", "-q", "-n2", "--agent=oracle"]
    command = [sys.executable, *words, f"--mobile-runs={folder}"]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return find_run(folder)


def multiplied(source: Path, target: Path, count: int) -> Report:
    """Make a run of `count` copies of a run's episodes, each with its own screens."""
    report = read_report(source / "report.json")
    (target / "screens").mkdir(parents=True)
    shutil.copy(source / "run.json", target)
    tasks: dict[str, Any] = {}
    for number in range(count):
        task = report["tasks"][number % len(report["tasks"])]
        folder = f"episodes/copy-{number:05}.0"
        copy_episode(source / str(task.episode), target / folder, target / "screens", str(number))
        nodeid = f"{task.nodeid}-{number}"
        tasks[nodeid] = replace(task, id=f"{task.id}_{number}", nodeid=nodeid, episode=folder)
    whole = document(report["run"], tasks)
    (target / "report.json").write_text(to_text(whole))
    return whole


def copy_episode(source: Path, target: Path, screens: Path, salt: str) -> None:
    """Copy an episode, and link its screens under new names."""
    target.mkdir(parents=True)
    for path in source.glob("*.jsonl"):
        content = path.read_bytes()
        for old in {found.decode() for found in HASH.findall(content)}:
            new = hashlib.sha256(f"{salt} {old}".encode()).hexdigest()[:32]
            content = content.replace(old.encode(), new.encode())
            for suffix in SUFFIXES:
                with suppress(FileNotFoundError):
                    os.link(
                        source.parents[1] / "screens" / f"{old}{suffix}", screens / f"{new}{suffix}"
                    )
        (target / path.name).write_bytes(content)


def has_browser() -> bool:
    """Return whether pages can be opened on this machine."""
    programs = shutil.which("chromium") and shutil.which("chromedriver")
    return bool(programs) and importlib.util.find_spec("selenium") is not None


@contextmanager
def browser() -> Iterator[Any]:
    """Yield a headless Chromium."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for flag in FLAGS:
        options.add_argument(flag)
    chrome = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
    try:
        chrome.set_window_size(1400, 900)
        chrome.execute_cdp_cmd("Performance.enable", {})
        yield chrome
    finally:
        chrome.quit()


def until(chrome: Any, script: str) -> None:
    """Wait until a script returns true."""
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(chrome, 60, 0.01).until(lambda _: chrome.execute_script(f"return {script}"))


def heap(chrome: Any) -> float:
    """Return the size of a page's JavaScript heap in megabytes."""
    chrome.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
    metrics = chrome.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return float(next(m["value"] for m in metrics if m["name"] == "JSHeapUsedSize")) / 1e6


def opened(chrome: Any, page: Path) -> float:
    """Open a page, and return the seconds until its first results are visible."""
    began = time.perf_counter()
    chrome.get(page.as_uri())
    until(chrome, "document.querySelectorAll('#rows > *').length > 3")
    return time.perf_counter() - began


def look(page: Path) -> None:
    """Open a page in a browser, and print how long a user's interactions take."""
    with browser() as chrome:
        print(f"  opened in {opened(chrome, page):.2f} s, JS heap {heap(chrome):.1f} MB")
        before = chrome.execute_script("return document.querySelector('#count').textContent")
        began = time.perf_counter()
        chrome.execute_script(
            "const q = document.querySelector('#query'); q.value = arguments[0];"
            "q.dispatchEvent(new Event('input', {bubbles: true}));",
            "_77",
        )
        until(chrome, f"document.querySelector('#count').textContent !== {json.dumps(before)}")
        print(f"  filtered in {time.perf_counter() - began:.2f} s")
        chrome.get("about:blank")
        began = time.perf_counter()
        chrome.get(f"{page.as_uri()}#e=copy-00077.0&s=3")
        until(chrome, "document.querySelectorAll('#strip img').length > 2")
        until(
            chrome,
            "[...document.querySelectorAll('#stage img')]"
            ".some((i) => i.complete && i.naturalWidth)",
        )
        seconds = time.perf_counter() - began
        print(f"  a step by its link in {seconds:.2f} s, JS heap {heap(chrome):.1f} MB")


def main() -> None:
    """Print sizes and times."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        source = real_run(folder / "runs")
        run = folder / "many"
        whole = multiplied(source, run, count)
        pictures = sum(path.suffix in {".png", ".webp"} for path in (run / "screens").iterdir())
        print(f"{count} episodes, {pictures} pictures")
        for words in ("written", "written again"):
            began = time.perf_counter()
            write_page(run, whole)
            seconds, size = time.perf_counter() - began, (run / "report.html").stat().st_size
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
            print(f"{words} in {seconds:.1f} s: {size / 1e6:.1f} MB; memory at most {peak:.0f} MB")
        if has_browser():
            look(run / "report.html")
        began = time.perf_counter()
        try:
            warning = write_packed(run, whole, folder / "packed.html")
        except TooLargeError as error:
            print(f"packed: refused after {time.perf_counter() - began:.1f} s: {error}")
            return
        seconds, size = time.perf_counter() - began, (folder / "packed.html").stat().st_size
        print(f"packed in {seconds:.1f} s: {size / 1e6:.1f} MB {warning}")
        if has_browser():
            look(folder / "packed.html")


if __name__ == "__main__":
    main()
