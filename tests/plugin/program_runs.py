"""Runs a Python program as the agent of a task, and reads what was recorded."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from tests.plugin.leftovers import processes_with

if TYPE_CHECKING:
    from pathlib import Path

    from tests.project import Project

PYTHON = """\
import json, os, socket, subprocess, sys, time, urllib.request

def adb(*words, **more):
    return subprocess.run(["adb", *words], capture_output=True, text=True, timeout=20, **more)

def shell(*words):
    return adb("shell", *words)
"""


OPEN = 'shell("monkey -p com.example.counter 1")\n'


class Ran:
    """A run of one task with a program: its task in report.json and its episode's folder."""

    def __init__(self, folder: Path, output: str) -> None:
        (report,) = folder.glob("runs/*/report.json")
        self.task: dict[str, Any] = json.loads(report.read_text())["tasks"][0]
        self.episode = report.parent / self.task["episode"]
        self.output = output

    @property
    def records(self) -> list[dict[str, Any]]:
        lines = (self.episode / "episode.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]

    @property
    def actions(self) -> list[list[tuple[Any, ...]]]:
        steps = [each["actions"] for each in self.records if each["record"] == "step"]
        return [[tuple(action.values()) for action in actions] for actions in steps]

    @property
    def end(self) -> dict[str, Any]:
        return self.records[-1]

    @property
    def raw(self) -> list[dict[str, Any]]:
        lines = (self.episode / "program" / "adb.jsonl").read_text().splitlines()
        return sorted((json.loads(line) for line in lines), key=lambda line: float(line["t"]))

    @property
    def asked(self) -> list[dict[str, Any]]:
        return [line for line in self.raw if "mark" not in line]

    def printed(self) -> str:
        return (self.episode / "program" / "stdout").read_text()


def run_program(project: Project, body: str, *options: str, adapter: str = "") -> Ran:
    """Run a Python program on a task with a limit of 6 steps."""
    path = project.pytester.path / "program.py"
    path.write_text(PYTHON + body)
    agent = f"cmd:{sys.executable} {path} {{goal}}"
    if adapter:
        words = json.dumps([sys.executable, "program.py", "{goal}"])
        (project.pytester.path / "other.toml").write_text(f"command = {words}\n{adapter}")
        agent = "other.toml"
    steps = () if any("steps" in each for each in options) else ("-omobile_step_factor=3",)
    result = project.run("tasks", f"--agent={agent}", "-k", "count[1]", *steps, *options)
    ran = Ran(project.pytester.path, result.stdout.str())
    assert not processes_with(ran.episode.parents[1].name)
    return ran
