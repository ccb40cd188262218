"""Measures offline evaluation: scored steps and single-path episodes per second.

    .venv/bin/python benchmarks/offline.py [FOLDER OF android_control_evaluation_std.json]

Without the folder, only episodes are measured: 1,000 episodes of five steps, on recorded pages,
with an agent that answers at once, in pytest with two workers. On a machine that does other things,
the processor time is the number to compare.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from pytest_mobileagent import Action, Bounds, Key, LongPress, Open, Scroll, Tap, Type, Wait, check
from pytest_mobileagent.dataset.graph import GraphWriter
from pytest_mobileagent.testing import make_screen

SIZE = (1080, 2400)
TASKS = """
import pytest
from pytest_mobileagent import Agent, Bounds, Tap, check, task

NEXT = Bounds(0, 120, 1080, 240)
GOLDEN = [check.Golden(Tap(540, 180), (1080, 2400), (NEXT,), str(n)) for n in range(5)]

class Next(Agent):
    def step(self, observation):
        return Tap(540, 180)

@pytest.mark.parametrize("number", range(COUNT))
@task("Go on.", golden=GOLDEN, snapshot="0")
def test_next(episode, number):
    pass
"""


def golden(step: dict[str, Any]) -> check.Golden:
    """Return the golden action of a step in UI-S1's format of AndroidControl."""
    wanted = dict(step["check_options"])
    boxes = tuple(Bounds(*box) for box in wanted.get("candidate_bbox", ()))
    action: Action
    match wanted["action"]:
        case "click":
            action = Tap(*wanted["coordinate"])
        case "long_press":
            action = LongPress(*wanted["coordinate"])
        case "type":
            action = Type(wanted["text"])
        case "open":
            action = Open(wanted["text"])
        case "swipe":
            action = Scroll(wanted["direction"])
        case "wait":
            action = Wait(wanted["time"])
        case _:
            action = Key(wanted["button"].lower())
    return check.Golden(action, SIZE, boxes)


def scoring(folder: Path) -> None:
    """Print the time in which each scorer scores all steps of the data set."""
    episodes = json.loads((folder / "android_control_evaluation_std.json").read_text("utf-8"))
    steps = [golden(step) for episode in episodes for step in episode["steps"]]
    for scorer in ("qwen2.5-vl", "agentcpm", "os-atlas"):
        begun = time.process_time()
        right = sum(bool(check.androidcontrol(s.action, s, scorer=scorer)) for s in steps)
        took = time.process_time() - begun
        print(f"{len(steps)} steps by {scorer}: {took:.2f} s ({right} exact)")


def playing(count: int = 1000, workers: int = 2) -> None:
    """Print the number of single-path episodes that are played and scored per second."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pytest.ini").write_text("[pytest]\naddopts = -p no:cacheprovider\n")
        (folder / "test_path.py").write_text(TASKS.replace("COUNT", str(count)))
        _write_graph(folder / "graph")
        command = [sys.executable, "-m", "pytest", "-q", "--agent=test_path.py:Next"]
        command += ["--mobile-path=single", "--mobile-device=graph:graph", f"-n{workers}"]
        command += ["--mobile-agent-process=off"]
        begun, used = time.monotonic(), _processor_seconds()
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        took, used = time.monotonic() - begun, _processor_seconds() - used
        report = json.loads(next(folder.glob("runs/*/report.json")).read_text("utf-8"))
        assert report["summary"]["step_accuracy"] == 1
    print(
        f"{count} episodes of 5 steps on {workers} workers: {took:.0f} s, {count / took:.1f}/s; "
        f"{used:.0f} s of processor time, {1000 * used / count:.0f} ms an episode"
    )


def _write_graph(folder: Path) -> None:
    golden = check.Golden(Tap(540, 180), SIZE, (Bounds(0, 120, 1080, 240),))
    with GraphWriter(folder) as writer:
        for number in range(6):
            page = make_screen(str(number), "Next")
            writer.page(str(number), png=page.png, xml=page.xml, package="org.example")
        for number in range(5):
            writer.edge(str(number), golden, str(number + 1))


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    if len(sys.argv) > 1:
        scoring(Path(sys.argv[1]))
    playing()
