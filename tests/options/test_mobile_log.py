"""mobile_log: which lines of the phone's log are recorded at each step."""

from __future__ import annotations

import pytest

from pytest_mobileagent import load

# Each time the phone is observed, it logs a warning and an info line.
TASK = """
from pytest_mobileagent import open_app, task

class Rings:
    script = "log -p w -t Bell loud; log -p i -t Bell quiet"
    def parse(self, output):
        return None

@task(
    "Ring.", app="com.example.counter", golden_steps=2, solution=[open_app(), open_app()],
    probes={"rings": Rings()},
)
def test_ring(episode):
    assert episode.crashes == ()
"""


@pytest.mark.parametrize(
    ("given", "said"),
    [([], {"loud"}), (["-omobile_log=all"], {"loud", "quiet"}), (["-omobile_log=off"], set())],
    ids=["warnings", "all", "off"],
)
def test_lines_of_that_level_are_recorded(project, given, said):
    project.write(tasks__test_ring=TASK)
    result = project.run("tasks/test_ring.py", "--agent=oracle", *given)
    result.assert_outcomes(passed=1)
    (folder,) = project.pytester.path.glob("runs/*/episodes/*")
    lines = [line for step in load(folder).steps for line in step.log]
    assert {line.text for line in lines if line.tag == "Bell"} == said
    assert {line.level for line in lines} <= ({"W", "E", "F"} if len(said) < 2 else {*"VDIWEF"})
