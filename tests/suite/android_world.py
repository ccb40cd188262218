"""A library with the interface of AndroidWorld, as far as the suite's helper uses it.

It has a few tasks, named like AndroidWorld's, of which some do what a library should not.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

TASKS = """
import os, random, time

class Task:
    app_names = ()
    complexity = 1
    start_on_home_screen = True
    template = ""

    def __init__(self, params):
        self.params, self.initialized = params, False

    @classmethod
    def set_device_time(cls, env):
        pass

    @classmethod
    def generate_random_params(cls):
        return {}

    @property
    def goal(self):
        return self.template.format(**self.params)

    def initialize_task(self, env):
        self.initialized = True
        env.shell("date 101515342023.00; settings put global auto_time 0")

    def is_successful(self, env):
        return 0.0

    def tear_down(self, env):
        self.initialized = False

class ContactsAddContact(Task):
    app_names = ("contacts",)
    template = "Add {name}, {number}."

    @classmethod
    def generate_random_params(cls):
        name = random.choice(["Ada Berg", "Eva Lund", "Ida Holm"])
        return {"name": name, "number": f"555{random.randrange(10**4):04}"}

    def initialize_task(self, env):
        super().initialize_task(env)
        env.shell("pm clear com.android.providers.contacts")

    def is_successful(self, env):
        found = env.shell("content query --uri content://contacts/phones/")
        return float(self.params["name"] in found)

class SimpleCalendarNextEvent(Task):
    template = "What is next?"

    def is_successful(self, env):
        return float(env.interaction_cache == "Lunch")

class SystemWifiTurnOnVerify(Task):
    template = "Turn Wi-Fi on."

    def is_successful(self, env):
        return 1.0

class ClockTimerEntry(Task):
    template = "Say much."

    def initialize_task(self, env):
        super().initialize_task(env)
        print('{"value": 1}\\n' * 10_000)
        os.system("echo from a shell")

class SystemWifiTurnOn(Task):
    template = "Break {what}."

    def initialize_task(self, env):
        super().initialize_task(env)
        raise LookupError("no such\\nnetwork")

    @classmethod
    def generate_random_params(cls):
        return {"what": "it"}

class SystemWifiTurnOff(Task):
    template = "Draw."

    @classmethod
    def generate_random_params(cls):
        raise ValueError("nothing to draw")

class SystemBluetoothTurnOn(Task):
    template = "Die."

    def is_successful(self, env):
        os.kill(os.getpid(), 9)

class SystemBluetoothTurnOff(Task):
    template = "Sleep."

    def is_successful(self, env):
        time.sleep(60)
        return 1.0

class CameraTakePhoto(Task):
    template = "Forget."

    def tear_down(self, env):
        raise KeyError("nothing")

class CameraTakeVideo(Task):
    template = "Lose the phone."

    def is_successful(self, env):
        try:
            env.shell("exit 3")
        except Exception:
            return 0.0
"""
FILES = {
    "android_env/components/errors.py": "class AdbControllerError(Exception):\n    pass\n",
    "android_env/components/adb_call_parser.py": """
class AdbCallParser:
    def __init__(self, adb):
        self.parse = lambda words: adb.execute_command(words).decode()
""",
    "android_world/env/actuation.py": "import time\n",
    "android_world/env/adb_utils.py": """
def get_adb_activity(name):
    return f"org.{name}/.Main"
def extract_package_name(activity):
    return activity.split("/")[0]
def set_root_if_needed(env):
    env.execute_adb_call(["root"])
""",
    "android_world/env/device_constants.py": 'SNAPSHOT_DATA = "/data/local/tmp/kept"\n',
    "android_world/env/android_world_controller.py": """
import enum
A11yMethod = enum.Enum("A11yMethod", ["NONE", "A11Y_FORWARDER_APP"])
class AndroidWorldController:
    def __init__(self, env, method):
        self._env = env
    def execute_adb_call(self, call):
        return self._env.execute_adb_call(call)
""",
    "android_world/env/interface.py": """
class AsyncAndroidEnv:
    interaction_cache = ""
    def __init__(self, controller):
        self.controller = controller
    def shell(self, script):
        return self.controller.execute_adb_call(["shell", script])
    def reset(self, go_home):
        self.shell("input keyevent HOME")
        self.interaction_cache = ""
""",
    "android_world/env/setup_device/setup.py": """
def get_app_mapping(name):
    return name
def setup_app(app, env):
    env.shell(f"mkdir -p /data/local/tmp/kept/org.{app}; echo done >> /data/local/tmp/kept/times")
""",
    "android_world/utils/file_utils.py": """
def check_directory_exists(path, env):
    return "yes" in env.execute_adb_call(["shell", f"[ -d {path} ] && echo yes || true"])
""",
    "android_world/registry.py": f"""{TASKS}
class TaskRegistry:
    def get_registry(self, family):
        assert family == "android_world"
        return {{each.__name__: each for each in Task.__subclasses__()}}
""",
}


def write(folder: Path) -> tuple[Path, Path]:
    """Write the library into a folder, with an interpreter; return this and the checkout."""
    for name, content in FILES.items():
        path = folder / "checkout" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    python = folder / "env" / "bin" / "python"
    python.parent.mkdir(parents=True)
    # A link would be taken for an environment of its own, without the packages.
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    return python, folder / "checkout"
