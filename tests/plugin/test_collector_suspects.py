"""Agents that break their phone or worker, and the other tasks that are affected by that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.testing import ScriptedModel
from tests.plugin.leftovers import wait_until
from tests.plugin.projects import newest_report

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.project import Project

pytestmark = pytest.mark.slow

AGENT = """
import os, re, signal, tempfile, time
from pathlib import Path

from pytest_mobileagent import Agent, Finish, Open
from pytest_mobileagent.device.device import Address
from pytest_mobileagent.device.drivers.adb.console import Console

COUNTER = "com.example.counter"


def run_folder():
    (run,) = Path(tempfile.gettempdir()).glob("mobileagent-run-*")
    return run


def worker(serial):
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)


def adb_server(serial):
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\\0")
        except OSError:
            continue
        if words[0].startswith(os.fsencode(run_folder())) and b"nodaemon" in words:
            os.kill(int(process.name), signal.SIGKILL)


def console(serial, command):
    home = str(run_folder() / "home")
    Console(Address(serial, "127.0.0.1", 0, home))._command(f"fault {command}")


def phone(serial):
    console(serial, "die --after 1")


def hanging(serial):
    console(serial, "hang")


class Hostile(Agent):
    "Breaks what the task says in its attempts from the first on, or finishes."

    def start(self, briefing):
        self.attack = re.search(r"<(.*)>", briefing.goal)[1]
        self.serial, self.steps = briefing.device.serial, 0
        self.attempt = int(briefing.folder.name.rpartition(".")[2])

    def step(self, observation):
        self.steps += 1
        if self.steps > 2:
            return Finish("done")
        if self.attack == "all phones" or self.attack.startswith("once") and not self.attempt:
            phone(self.serial)
        elif self.attack in globals() and self.steps == 2:
            globals()[self.attack](self.serial)
        if self.attack == "slow":
            time.sleep(0.5)
        return Open(COUNTER)
"""

CONFTEST = """

from pytest_mobileagent.device.drivers.adb import system
from pytest_mobileagent.device.drivers.adb.shell import Shell

Shell.run_all.__defaults__ = (5.0,)  # seconds until a phone that hangs counts as broken
system._DROPS_SECONDS = 0.0  # after a restore, in which a connection may drop
"""

TASKS = """
import pytest
from pytest_mobileagent import task

@pytest.mark.parametrize("what", {whats!r}, ids=str)
@task("Say done <{{what}}>.", app="com.example.counter", golden_steps=3)
def test_it(episode, what):
    assert episode.answers("done")
"""


@pytest.fixture
def play(
    project: Project, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[pytest.RunResult, dict[str, Any]]]:
    """Plays tasks whose agents do the given things; returns pytest's result and the report."""
    monkeypatch.setenv("TMPDIR", str(tmp_path_factory.mktemp("t")))
    with (project.pytester.path / "conftest.py").open("a", encoding="utf-8") as file:
        file.write(CONFTEST)

    def play(whats, *arguments):
        project.write(agents__hostile=AGENT, tasks__counter__test_counter=TASKS.format(whats=whats))
        result = project.run_apart("tasks", "--agent=hostile", *arguments)
        return result, newest_report(project.pytester.path)

    return play


def by_what(document):
    return {task["id"].partition("[")[2].rstrip("]"): task for task in document["tasks"]}


@pytest.mark.parametrize(
    ("attack", "arguments"),
    [
        ("worker", ["-n2", "--mobile-retries=0"]),
        ("adb_server", ["-n2", "--mobile-retries=0"]),
        ("adb_server", ["-n0", "--mobile-retries=1"]),
        ("phone", ["-n0", "--mobile-retries=2"]),
        ("hanging", ["-n2", "--mobile-retries=0"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "".join(value).replace("--mobile-", "-"),
)
def test_suspect_counts_as_failed_and_other_tasks_keep_their_outcomes(play, attack, arguments):
    others = ["slow", "slower", "at ease", "fast"]
    result, document = play(
        [others[0], attack, *others[1:]], "-omobile_suspects=fail", "--mobile-exit=run", *arguments
    )
    tasks = by_what(document)
    assert {name: task["success"] for name, task in tasks.items()} == {
        **dict.fromkeys(others, True),
        attack: False,
    }
    assert [name for name, task in tasks.items() if task["suspect"]] == [attack]
    assert document["summary"]["success_rate"] == 0.8
    result.assert_outcomes(passed=4, failed=1)
    assert result.ret == 0


def test_dying_machines_produce_no_suspects(play):
    whats = ["well", *["all phones"] * 3]
    result, document = play(whats, "-n0", "-omobile_suspects=fail", "--mobile-retries=0")
    result.assert_outcomes(passed=1, errors=3)
    assert not [task for task in document["tasks"] if task["suspect"]]


def test_a_case_that_stops_breaking_its_phone_is_decided_by_the_retry(play):
    result, document = play(["well", "once"], "-n0", "-omobile_suspects=fail")
    result.assert_outcomes(passed=2)
    (task,) = (task for task in document["tasks"] if task["infrastructure"])
    assert (task["success"], task["suspect"]) == (True, False)


JUDGED = """
@task("Say done <fast>.", app="com.example.counter", kind="open-ended", golden_steps=3)
def test_a_judged(episode, judge):
    assert judge(episode)
"""


NOTING = """

def pytest_testnodedown(node):
    Path(__file__).with_name("down").touch()
"""


def test_tests_that_waited_for_judges_in_a_dead_worker_are_run_again(project, play, monkeypatch):
    """The judge does not answer while the worker is alive."""

    def silent(request):
        wait_until((project.pytester.path / "down").exists)
        return "Result: 1"

    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setattr(f"{__name__}.TASKS", TASKS.replace("\n@pytest", f"{JUDGED}\n@pytest"))
    with (project.pytester.path / "conftest.py").open("a", encoding="utf-8") as file:
        file.write(NOTING)
    with ScriptedModel([silent, silent]).serve() as url:
        judges = ["--llm-judge=single", f"--mobile-judges=openai:own@{url}/v1"]
        unpriced = "--mobile-unpriced=allow"
        _, document = play(["worker"], "-n1", "--mobile-retries=0", unpriced, *judges)
    judged, broken = document["tasks"]
    assert (broken["outcome"], broken["infrastructure"]) == ("error", ["a worker died"])
    assert (judged["outcome"], judged["infrastructure"]) == ("passed", [])
    assert [each["end"] for each in judged["attempts"]] == ["played", "played"]
