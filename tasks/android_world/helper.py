"""Serves AndroidWorld's own task classes to another process, by lines of JSON.

    PYTHON helper.py CHECKOUT

runs in the interpreter that has AndroidWorld's requirements; nothing of this project is imported
here. Each line of the standard input is a request, such as {"do": "goals", …}, and each line that
is written to the descriptor of the former standard output is the reply: {"value": …}, or {"error":
TEXT, "lost": BOOL}, where `lost` says that the phone does not answer. Whatever else prints goes to
the standard error. The end of the standard input ends the helper at once.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import hashlib
import json
import os
import queue
import random
import re
import socket
import subprocess
import sys
import threading
import time
import traceback
import types
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

# What of the phone's clock a task changes.
CLOCK = "settings get global auto_time; settings get global auto_time_zone"
CLOCK += "; getprop persist.sys.timezone"
COMMAND_SECONDS = 120.0  # for one adb command, if the library gives no limit


class Adb:
    """Runs the adb program for one phone (android_env's AdbController, without restarts).

    The library's own controller restarts the adb server after a command that failed, which would
    disconnect the phones of all other workers.
    """

    def __init__(self, program, host, port, serial, home):
        self._at = host, int(port)
        self._prefix = [program, "-H", host, "-P", str(port)]
        self._serial = ["-s", serial]
        self._console = {**os.environ, "HOME": home}  # where an emulator keeps its console's token
        self.has_failed = False

    def execute_command(self, args, timeout=None, device_specific=True):
        """Return the output of a command; raise what the library expects of one that fails."""
        from android_env.components import errors

        command = [*self._prefix, *(self._serial if device_specific else ()), *args]
        try:
            self._check_server()
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=timeout or COMMAND_SECONDS,
                check=True,
                env=self._console if args[0] == "emu" else None,
            )
        except (OSError, subprocess.SubprocessError) as error:
            self.has_failed = True
            output = (getattr(error, "stdout", None) or b"").decode("utf-8", "replace").strip()
            status = getattr(error, "returncode", None)
            why = error if status is None else f"exit status {status}"
            message = f"adb {' '.join(args)}: {why}; it printed {output!r}"
            raise errors.AdbControllerError(message) from error
        return done.stdout

    def answers(self):
        """Return whether the phone executes a command."""
        try:
            self.execute_command(["shell", "true"], 10.0)
        except Exception:  # noqa: BLE001 - whatever it is, the phone does not answer
            return False
        return True

    def _check_server(self):
        """Raise OSError unless there is a server, which the program would start otherwise."""
        socket.create_connection(self._at, 10.0).close()


def environment(adb, scale):
    """Return an environment of AndroidWorld around a phone that adb reaches."""
    from android_env.components import adb_call_parser
    from android_world.env import actuation, adb_utils, android_world_controller, interface

    parser = adb_call_parser.AdbCallParser(adb)

    class Phone:
        """What is left of android_env: calls of adb, and steps without actions or pictures."""

        def execute_adb_call(self, call):
            return parser.parse(call)

        def step(self, action):
            return types.SimpleNamespace(observation={"pixels": None})

        def reset(self):
            return self.step(None)

        def close(self):
            pass

    class Controller(android_world_controller.AndroidWorldController):
        """Makes the accessibility forest from uiautomator's hierarchy: there is no forwarder."""

        def __init__(self):
            super().__init__(Phone(), android_world_controller.A11yMethod.NONE)
            self._a11y_method = android_world_controller.A11yMethod.A11Y_FORWARDER_APP

        def _get_a11y_forest(self):
            return forest(adb_utils.uiautomator_dump(self._env))

        def refresh_env(self):
            pass

    scale_pauses(scale, actuation)
    return interface.AsyncAndroidEnv(Controller())


def forest(xml):
    """Return uiautomator's hierarchy as an accessibility forest of one window."""
    from android_env.proto.a11y import android_accessibility_forest_pb2

    found = android_accessibility_forest_pb2.AndroidAccessibilityForest()
    tree = found.windows.add().tree

    def add(element):
        node = tree.nodes.add(unique_id=len(tree.nodes))
        number = node.unique_id
        for field, name in TEXTS.items():
            setattr(node, field, element.get(name, ""))
        for field, name in FLAGS.items():
            setattr(node, field, element.get(name) == "true")
        node.is_visible_to_user = True
        node.is_editable = node.class_name.endswith("EditText")
        sides = [int(n) for n in re.findall(r"-?\d+", element.get("bounds", ""))]
        if len(sides) == 4:
            bounds = node.bounds_in_screen
            bounds.left, bounds.top, bounds.right, bounds.bottom = sides
        children = [add(child) for child in element]
        tree.nodes[number].child_ids.extend(children)
        return number

    for element in ET.fromstring(xml):  # noqa: S314 - expat resolves no external entities
        add(element)
    return found


TEXTS = {
    "text": "text",
    "content_description": "content-desc",
    "class_name": "class",
    "package_name": "package",
    "view_id_resource_name": "resource-id",
    "hint_text": "hint",
}
FLAGS = {
    f"is_{name.replace('-', '_')}": name
    for name in (
        *("checked", "checkable", "clickable", "enabled", "focused", "focusable"),
        *("long-clickable", "scrollable", "selected"),
    )
}

sleep = time.sleep


def scale_pauses(scale, actuation):
    """Have the library's pauses last `scale` times as long, and its waiting for an element."""
    time.sleep = lambda seconds: sleep(seconds * scale)
    waiting = max(scale, 0.1)  # what does appear may take a moment
    actuation.time = types.SimpleNamespace(time=lambda: time.monotonic() / waiting)


def set_up(names, env):
    """Set up the apps of a task on a phone that the library has not set up before.

    The library does this once for each phone, and starts each task from the state that it keeps
    then; a phone that is reset to a snapshot has forgotten it.
    """
    from android_world.env import adb_utils, device_constants
    from android_world.env.setup_device import setup
    from android_world.utils import file_utils

    adb_utils.set_root_if_needed(env.controller)
    for name in names:
        activity, app = adb_utils.get_adb_activity(name), setup.get_app_mapping(name)
        if app is None or not activity:
            continue
        kept = f"{device_constants.SNAPSHOT_DATA}/{adb_utils.extract_package_name(activity)}"
        if not file_utils.check_directory_exists(kept, env.controller):
            setup.setup_app(app, env)


def seed_of(seed, name, number):
    """Return the seed of the number-th instance of a task, by the library's own formula."""
    text = f"{seed}_{name}_{number}"
    return int(hashlib.sha256(text.encode()).hexdigest(), 16) % 2**32


def set_the_time_of_names():
    """Have the folder that a task of Markor names by the time named by the tasks' own time.

    Otherwise its goal would be another one in each process.
    """
    from android_world.env import device_constants

    class Moment(dt.datetime):
        @classmethod
        def now(cls, tz=None):  # noqa: ARG003 - nobody there asks for a zone
            return device_constants.DT

    markor: Any = sys.modules.get("android_world.task_evals.single.markor")
    if markor is not None:
        markor.datetime = types.SimpleNamespace(datetime=Moment, timedelta=dt.timedelta)


class Helper:
    """Answers requests, which are its methods without an underscore."""

    def __init__(self, checkout):
        sys.path.insert(0, checkout)
        self._registry = None
        self.adb: Any = None
        self._env: Any = None
        self._task: Any = None
        self._before: list[str] = []

    def _classes(self):
        if self._registry is None:
            from android_world import registry

            set_the_time_of_names()
            self._registry = registry.TaskRegistry().get_registry("android_world")
        return self._registry

    def _make(self, name, seed, epoch):
        """Return a task, with the parameters that the library draws for an instance."""
        task = self._classes()[name]
        task.set_device_time(None)
        number = seed_of(seed, name, epoch)
        random.seed(number)
        return task({**task.generate_random_params(), "seed": number})

    def goals(self, seed, epoch):
        """Return the goals and parameters of all tasks, and why there are none of some."""
        found, broken = {}, {}
        for name in self._classes():
            try:
                task = self._make(name, seed, epoch)
                params = {key: plain(value) for key, value in task.params.items()}
                found[name] = {"goal": final_goal(task), "params": params}
            except Exception as error:  # noqa: BLE001 - the library may raise anything
                broken[name] = brief(error)
        return {"goals": found, "broken": broken}

    def prepare(self, name, goal, seed, epoch, *, adb, pause_scale):
        """Initialise a task on a phone, and go home; check that it has this goal."""
        self.adb = Adb(**adb)
        self._env = environment(self.adb, pause_scale)
        self._before = self._run(CLOCK)
        self._task = self._make(name, seed, epoch)
        set_up(self._task.app_names, self._env)
        random.seed(self._task.params["seed"])
        self._task.initialize_task(self._env)
        if self._task.goal != goal:
            raise ValueError(f"its goal has become {self._task.goal!r}")
        self._env.reset(go_home=self._task.start_on_home_screen)
        return {}

    def score(self, answer):
        """Return how well the task is done, from 0 to 1, given what the agent has answered."""
        self._env.interaction_cache = answer
        return float(self._task.is_successful(self._env))

    def tear_down(self):
        """Tear the task down, and set the phone's clock as it was."""
        task, self._task = self._task, None
        if task is None:
            return {}
        try:
            if task.initialized:
                task.tear_down(self._env)
        finally:
            self._put_time_back()
        return {}

    def _run(self, script):
        """Return the lines that a script prints on the phone."""
        output = self.adb.execute_command(["shell", script])
        return output.decode("utf-8", "replace").splitlines()

    def _put_time_back(self):
        """Set the time to this machine's, and the settings of the clock to what they were."""
        auto, auto_zone, zone, *_ = (*map(str.strip, self._before), "", "", "")
        now = time.strftime("%m%d%H%M%Y.%S", time.gmtime())
        script = [f"date -u {now}"]
        for setting, value in (("auto_time", auto), ("auto_time_zone", auto_zone)):
            if value in {"0", "1"}:
                script.append(f"settings put global {setting} {value}")
        if re.fullmatch(r"[\w/+-]+", zone):
            script.append(f"setprop persist.sys.timezone {zone}")
        self._run("; ".join(script))


def final_goal(task):
    """Return the goal that a task has once it is initialised.

    The tasks that ask for information reword their dates then.
    """
    if not hasattr(task, "task_template"):
        return task.goal
    from android_world.task_evals.information_retrieval import information_retrieval, proto_utils

    random.seed(task.params["seed"])
    proto_utils.initialize_proto(task.task, task.params)
    information_retrieval._maybe_replace_date(task.params)  # noqa: SLF001 - it has no public name
    return task.goal


def plain(value):
    """Return a parameter as plain data, as far as it can be; the representation of all else."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value.value if isinstance(value, enum.Enum) else value
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(each) for each in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        return {name: plain(getattr(value, name)) for name in names}
    return repr(value)[:200]


def brief(error):
    """Return an error with the place in the library that raised it, in one line."""
    last = traceback.extract_tb(error.__traceback__)[-1:]
    place = "".join(f" ({Path(each.filename).name}:{each.lineno})" for each in last)
    return " ".join(f"{type(error).__name__}: {error}{place}".split())[:1000]


def main(checkout):
    """Answer requests until there are no more."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # the library may print whatever it likes
    sys.stdout = sys.stderr
    requests: queue.Queue[str] = queue.Queue()
    threading.Thread(target=receive, args=(requests,), daemon=True).start()
    helper = Helper(checkout)
    while True:
        reply = answer(helper, json.loads(requests.get()))
        replies.write(json.dumps(reply) + "\n")
        replies.flush()


def receive(requests):
    """Put each line of the standard input into a queue, and end the process with it."""
    for line in sys.stdin:
        requests.put(line)
    os._exit(0)


def answer(helper, request):
    """Return the reply to a request; whatever the library raises concerns this request only."""
    try:
        reply = {"value": getattr(helper, request.pop("do"))(**request)}
    except BaseException as error:  # noqa: BLE001 - the library may even exit
        traceback.print_exc()
        reply = {"error": brief(error)}
    adb = helper.adb
    if adb is not None and adb.has_failed:  # the library may have taken that for an empty phone
        adb.has_failed = False
        if not adb.answers():
            return {"error": reply.get("error", "an adb command failed"), "lost": True}
    return reply


if __name__ == "__main__":
    main(*sys.argv[1:])
