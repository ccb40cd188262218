"""Plays AndroidWorld's own agents on given screens with given replies, for a differential test.

    PYTHON androidworld_original.py CHECKOUT

runs in the interpreter that has AndroidWorld's requirements; nothing of this project is imported
here. Each line of the standard input is an episode: the name of the `agent`, the `goal`, and its
`steps`, each with the screens `before` and `after` it (their `xml` and `size`) and the `replies` of
its model calls. Each line of the output has the `steps` that were made: the texts of their
`prompts`, what was done to the phone (`done`), the number of lines in the `history`, whether the
episode has `ended`, and an `error` that the code raised.
"""

import contextlib
import json
import os
import re
import sys
import time
import types
import xml.etree.ElementTree as ET
from typing import Any

CHECKOUT = sys.argv[1]
sys.path.insert(0, CHECKOUT)
os.environ.setdefault("OPENAI_API_KEY", "none")
time.sleep = lambda _: None
OUTPUT = sys.stdout
sys.stdout = sys.stderr  # the agents print

# What only shows pictures in notebooks need not be installed.
for name, content in (("IPython", "display"), ("matplotlib", ""), ("matplotlib.pylab", "plt")):
    sys.modules[name] = types.ModuleType(name)
    setattr(sys.modules[name], content, None)

import numpy as np  # noqa: E402
from android_world.agents import m3a, seeact, seeact_utils, t3a  # noqa: E402
from android_world.env import actuation, adb_utils, interface, representation_utils  # noqa: E402

FLAGS = (
    *("checked", "checkable", "clickable", "enabled", "focused", "focusable"),
    *("long-clickable", "scrollable", "selected"),
)
TEXTS = {
    "text": "text",
    "content_description": "content-desc",
    "class_name": "class",
    "package_name": "package",
    "view_id_resource_name": "resource-id",
}


def forest(xml):
    """Return uiautomator's hierarchy as the library reads accessibility forests."""
    nodes: list[Any] = []

    def add(element):
        node = types.SimpleNamespace(child_ids=[], is_visible_to_user=True, hint_text="")
        number = len(nodes)
        nodes.append(node)
        for field, name in TEXTS.items():
            setattr(node, field, element.get(name, ""))
        for name in FLAGS:
            default = "true" if name == "enabled" else ""
            value = element.get(name, default) == "true"
            setattr(node, f"is_{name.replace('-', '_')}", value)
        node.is_editable = node.class_name.endswith("EditText")
        left, top, right, bottom = map(int, re.findall(r"-?\d+", element.get("bounds")))
        sides = {"left": left, "top": top, "right": right, "bottom": bottom}
        node.bounds_in_screen = types.SimpleNamespace(**sides)
        node.child_ids = [add(child) for child in element]
        return number

    for element in ET.fromstring(xml):
        add(element)
    tree = types.SimpleNamespace(nodes=nodes)
    return types.SimpleNamespace(windows=[types.SimpleNamespace(tree=tree)])


class Recorded:
    """Stands for the module adb_utils: notes what would be done to the phone."""

    def __init__(self, done):
        self._done = done

    def __getattr__(self, name):
        return lambda *given, **_: self._done.append([name, *(g for g in given if g is not None)])

    def generate_swipe_command(self, *numbers):
        ends, (lasting, *_) = numbers[:4], (*numbers[4:], 300)  # the default of Android's `input`
        return ["swipe", *ends, lasting]

    def type_text(self, text, *_, **__):
        words = adb_utils._split_words_and_newlines(text)
        typed = (re.sub(r"\\(.)", r"\1", adb_utils._adb_text_format(word)) for word in words)
        self._done.append(["type_text", "".join(typed).replace("%s", " ")])

    def issue_generic_request(self, command, _):
        self._done.append(list(command))


class Env:
    """The phone: shows the screen before an action, and once asked again, the one after it."""

    controller = None
    interaction_cache = ""
    orientation = 0
    get_orientation = 0

    def __init__(self):
        self.done: list[Any] = []
        self.step: Any = None
        self.has_acted = False

    @property
    def shown(self):
        return self.step["after" if self.has_acted else "before"]

    def get_state(self, wait_to_stabilize=False):
        width, height = self.shown["size"]
        elements = representation_utils.forest_to_ui_elements(
            forest(self.shown["xml"]), exclude_invisible_elements=True
        )
        pixels = np.zeros((height, width, 3), np.uint8)
        return interface.State(pixels=pixels, forest=None, ui_elements=elements)

    @property
    def logical_screen_size(self):
        return tuple(self.shown["size"])

    @property
    def physical_frame_boundary(self):
        return (0, 0, *self.shown["size"])

    def execute_action(self, action):
        interface.AsyncAndroidEnv.execute_action(self, action)
        self.has_acted = True

    def display_message(self, *_, **__):
        pass

    def hide_automation_ui(self):
        pass


class Llm:
    """Answers with the replies of a step, and keeps the prompts."""

    def __init__(self):
        self.replies, self.prompts = [], []

    def predict(self, prompt):
        return self.predict_mm(prompt, [])

    def predict_mm(self, prompt, _):
        self.prompts.append(prompt)
        return self.replies.pop(0), None, "raw"

    def request(self, messages, **_):
        """Stand for seeact_utils.execute_openai_request."""
        content = messages[-1]["content"]
        self.prompts.append("\n".join(each["text"] for each in content if each["type"] == "text"))
        return {"choices": [{"message": {"content": self.replies.pop(0)}}]}


def play(episode):
    env, llm = Env(), Llm()
    actuation.adb_utils = Recorded(env.done)
    t3a.adb_utils = types.SimpleNamespace(
        get_physical_frame_boundary=lambda _: (0, 0, *env.shown["size"]),
        get_orientation=lambda _: 0,
    )
    seeact_utils.execute_openai_request = llm.request
    made = {
        "m3a": lambda: m3a.M3A(env, llm),
        "t3a": lambda: t3a.T3A(env, llm),
        "seeact": lambda: seeact.SeeAct(env),
    }
    agent, steps = made[episode["agent"]](), []
    for step in episode["steps"]:
        env.step, env.has_acted = step, False
        llm.replies = list(step["replies"])
        env.done.clear()
        llm.prompts.clear()
        answered, env.interaction_cache = env.interaction_cache, ""
        ended, error = False, ""
        verbose = {"verbose": False} if episode["agent"] == "seeact" else {}
        try:
            with contextlib.redirect_stdout(sys.stderr):
                ended = agent.step(episode["goal"], **verbose).done
        except Exception as raised:  # noqa: BLE001 - as the harness does
            error = f"{type(raised).__name__}: {raised}"
        if env.interaction_cache:
            env.done.append(["answer", env.interaction_cache])
        env.interaction_cache = env.interaction_cache or answered
        history = agent._actions if episode["agent"] == "seeact" else agent.history
        made_step = {"prompts": list(llm.prompts), "done": list(env.done), "error": error}
        steps.append({**made_step, "ended": ended, "history": len(history)})
        if ended or error:
            break
    return {"steps": steps}


for line in sys.stdin:
    print(json.dumps(play(json.loads(line)), default=str), file=OUTPUT, flush=True)
