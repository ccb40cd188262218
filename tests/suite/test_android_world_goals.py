"""Goals and parameters of AndroidWorld's tasks beside those of its own suite, for all 116 tasks.

Needs a checkout with its requirements, as `tasks/releases.toml` names it for the suite.
"""

from __future__ import annotations

import importlib
import json
import re
import subprocess

import pytest

from pytest_mobileagent.errors import RecordError, TaskError

INSTANCES = 2
# Prints the suite of a seed, with the goals that its tasks have once they are initialised. Those
# that ask for information reword their dates then, for which they need no phone.
ORIGINAL = """
import json, os, sys, types
printed, sys.stdout = sys.stdout, sys.stderr
sys.path.insert(0, sys.argv[1])
from android_world import registry, suite_utils
from android_world.task_evals import task_eval
from android_world.task_evals.information_retrieval import information_retrieval as asking

nothing = lambda *_: None
for app in ("calendar_utils_ir", "task_app_utils", "activity_app_utils", "joplin_app_utils"):
    getattr(asking, app).setup_task_state = nothing
task_eval.TaskEval.initialize_device_time = task_eval.TaskEval._initialize_apps = nothing
classes = registry.TaskRegistry().get_registry("android_world")
suite = suite_utils.create_suite(classes, int(sys.argv[3]), seed=int(sys.argv[2]))
found = []
for name, tasks in suite.items():
    for number, task in enumerate(tasks):
        if hasattr(task, "task_template"):
            task.initialize_task(types.SimpleNamespace(controller=None))
        found.append([name, number, task.goal])
print(json.dumps(found), file=printed)
"""


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 30, 12345])
def test_goals_are_those_of_the_librarys_own_suite(seed: int) -> None:
    module = importlib.import_module("tasks.android_world.library")
    try:
        python, checkout = module.place()
    except (RecordError, TaskError) as error:
        pytest.skip(str(error))
    command = [str(python), "-c", ORIGINAL, str(checkout), str(seed), str(INSTANCES)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    library = module.Library()
    told = [library.goals(seed, epoch) for epoch in range(INSTANCES)]
    library._end("")
    theirs = {(name, number): goal for name, number, goal in json.loads(done.stdout)}
    ours = {
        (name, number): each["goal"]
        for number, all_tasks in enumerate(told)
        for name, each in all_tasks["goals"].items()
    }
    assert len(ours) == 116 * INSTANCES
    for goals in (theirs, ours):  # the original names this folder by the time of day
        for number in range(INSTANCES):
            goal = goals["MarkorCreateFolder", number]
            goals["MarkorCreateFolder", number] = re.sub(r"\d{8}_\d{6}", "NOW", goal)
    assert ours == theirs
