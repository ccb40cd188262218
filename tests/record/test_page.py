"""Tests of recording and playing in a real browser, from the command to the tried file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.flaws import flaws
from tests.plugin.leftovers import wait_until
from tests.record.conftest import COUNTER

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.project import Project

pytestmark = pytest.mark.slow
COMMAND = [sys.executable, "-m", "pytest_mobileagent", "record", "--no-browser", "--app", COUNTER]


COUNT = """
from pytest_mobileagent import task

@task("Count to 1, and tell me the count.", app="com.example.counter")
def test_count(episode):
    assert episode.tapped(resource_id="add")
    assert episode.answers("1")
"""


def wait_for(chrome: Any, condition: str, seconds: float = 90) -> Any:
    """Wait until a condition holds on the page, and return its value."""
    support = pytest.importorskip("selenium.webdriver.support.ui")
    return support.WebDriverWait(chrome, seconds, 0.05).until(
        lambda driver: driver.execute_script(f"return !busy && ({condition})")
    )


def click_on(chrome: Any, label: str) -> None:
    """Click on an element of the phone's screen as shown on the page."""
    actions = pytest.importorskip("selenium.webdriver").ActionChains(chrome)
    wait_for(chrome, f"state.elements.some((each) => each.label === {json.dumps(label)})")
    x, y = chrome.execute_script(
        """const e = state.elements.find((each) => each.label === arguments[0]).bounds;
           const box = glass.getBoundingClientRect();
           return [((e[0] + e[2]) / 2 / state.size[0] - 0.5) * box.width,
                   ((e[1] + e[3]) / 2 / state.size[1] - 0.5) * box.height];""",
        label,
    )
    moves = chrome.execute_script("return state.moves.length")
    glass = chrome.find_element("id", "glass")
    actions.move_to_element_with_offset(glass, int(x), int(y)).click().perform()
    wait_for(chrome, f"state.moves.length > {moves}")


@contextmanager
def running(command: list[str], folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run the command until its page is served; the command ends with the test."""
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "starting virtual …\n"  # While the phone starts.
        assert process.stdout.readline() == f"opening {COUNTER} …\n"
        line = process.stdout.readline()
        assert line.startswith("record: http://127.0.0.1:"), line + process.stdout.read()
        yield process, line.split()[-1]
    finally:
        if process.poll() is None:
            process.terminate()
            process.communicate(timeout=300)


@pytest.fixture
def folder(project: Project) -> Path:
    """Return the folder of a project whose phones have the counter."""
    return project.pytester.path


def test_a_task_is_recorded_written_and_tried(chrome, folder):
    file = folder / "tasks" / "test_count.py"
    command = [*COMMAND, "--device", "virtual", "-o", str(file)]
    with running(command, folder) as (process, url):
        chrome.get(url)
        wait_for(chrome, "state && state.moves.length === 1")
        assert chrome.execute_script("return location.search") == ""  # The token is not shown.
        assert flaws(chrome) == []
        click_on(chrome, "Add one")
        click_on(chrome, "Add one")
        chrome.find_element("id", "undo").click()
        wait_for(chrome, "state.moves.length === 2")
        chrome.find_element("id", "done").click()
        wait_for(chrome, 'state.phase === "checks"')
        assert not chrome.find_element("id", "save").is_enabled()  # A goal is missing.
        assert flaws(chrome) == []
        chrome.find_element("id", "goal").send_keys("Count to <b>1</b>.")
        wait_for(chrome, 'byId("source").textContent.includes("episode.probe")')
        assert chrome.execute_script('return document.querySelector("#source b")') is None
        chrome.find_element("id", "save").click()
        ended = "state.trials.length && state.trials.every((each) => each.right !== null)"
        wait_for(chrome, ended, seconds=300)
        trials = chrome.execute_script("return state.trials")
        assert [(each["title"], each["right"]) for each in trials] == [
            ("the solution passes", True),
            ("doing nothing fails", True),
            ("without the last move it fails", True),
            ("it passes at another time, too", True),
        ]
        assert f"pytest {file} --agent=NAME" in chrome.find_element("id", "commands").text
        errors = [each for each in chrome.get_log("browser") if each["level"] == "SEVERE"]
        # Checked before the server ends, because the page may send one more request.
        assert errors == []
        chrome.find_element("id", "close").click()
        output, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    assert f"wrote {file}" in output
    assert not list(file.parent.glob("*.json"))  # No draft to continue is left.
    assert 'assert {"n": 1} in episode.probe("counter")' in file.read_text()


def test_the_keyboard_alone_is_enough(chrome, folder):
    keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
    command = [*COMMAND, "--device", "virtual", "-o", str(folder / "test_note.py")]
    with running(command, folder) as (_, url):
        chrome.get(url)
        wait_for(chrome, "state && state.moves.length === 1")
        buttons = chrome.find_elements("css selector", "#elements button")
        next(each for each in buttons if "Note" in each.text).send_keys(keys.ENTER)
        wait_for(chrome, "state.moves.length === 2")
        for text in ("mil", "k"):  # However slowly, typing in a field is one move.
            chrome.find_element("id", "glass").send_keys(text)
            wait_for(chrome, f"state.moves.at(-1).words.includes({text!r})")
        chrome.find_element("id", "goal").send_keys("Note the milk.")
        chrome.refresh()
        wait_for(chrome, 'state && byId("goal").value === "Note the milk."')
        words = chrome.execute_script("return state.moves.map((each) => each.words)")
        assert words[1:] == ['tap(resource_id="note")', 'type_text("milk")']
    wait_for(chrome, 'byId("problem").textContent.includes("has ended")')  # Not only after a click.


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["-o", "tasks.py"], "pytest finds tasks in files named test_*.py"),
        (["-o", "test_there.py"], "is not overwritten"),
        (["-o", "test_new.py", "--device", "pixel"], "--device=pixel"),
        (["-o", "test_new.py", "--continue", "test_there.py"], "not a recording"),
    ],
)
def test_bad_input_is_one_line_before_a_phone_starts(folder, words, what):
    (folder / "test_there.py").write_text("")
    done = subprocess.run(
        [*COMMAND, *words], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode in (1, 2)
    assert what in done.stderr.splitlines()[-1]


def test_an_app_that_is_not_installed_is_named(folder):
    command = [*COMMAND[:-1], "com.example.counted", "--device", "virtual", "-o", "test_x.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "--app=com.example.counted: " in done.stderr
    assert not (folder / "test_x.py").exists()


def test_a_person_plays_a_task(chrome, project):
    keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
    project.write(tasks__test_count=COUNT)
    told = project.pytester.path / "address"
    command = [sys.executable, "-m", "pytest", "tasks/test_count.py", "-q", "--agent=human"]
    command += ["--mobile-device=virtual", "--mobile-agent-option", f"announce={told}"]
    command += ["--mobile-agent-option", "browser=false"]
    alone = {n: v for n, v in os.environ.items() if not n.startswith("PYTEST_XDIST")}
    process = subprocess.Popen(
        command, cwd=project.pytester.path, env=alone, stdout=subprocess.PIPE, text=True
    )
    try:
        wait_until(lambda: told.exists() or process.poll() is not None)
        assert process.poll() is None, process.communicate()[0]
        chrome.get(told.read_text().strip())
        wait_for(chrome, "state && state.goal")
        chrome.find_element("id", "app").send_keys(COUNTER)
        chrome.find_element("css selector", "#opening button").click()
        wait_for(chrome, "state.moves.length === 1")
        click_on(chrome, "Add one")
        chrome.find_element("id", "answer").send_keys("1", keys.ENTER)
        output, _ = process.communicate(timeout=300)
        wait_for(chrome, 'left && document.body.textContent.includes("The task has ended")')
        errors = [each for each in chrome.get_log("browser") if each["source"] == "javascript"]
        assert errors == []
    finally:
        process.terminate()
        process.communicate(timeout=300)
    assert process.returncode == 0, output
    assert "1 passed" in output
