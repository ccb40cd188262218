"""M3A, T3A and SeeAct beside AndroidWorld's own code: the same screens, the same replies.

Needs a checkout with its requirements, as `tasks/releases.toml` names it for the suite.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.action import Finish, Impossible, Key, Open, Type, Wait
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Swipe, Tap
from pytest_mobileagent.agent.registry import find_agent, shipped_agents
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.releases import release_of
from pytest_mobileagent.testing import FakePhone, ScriptedModel, make_screen, play

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent import Action, Screen

ROOT = Path(__file__).parents[2]
SUITE = ROOT / "tasks" / "android_world"
PAGES = sorted((ROOT / "fixtures" / "graphs" / "coursera" / "pages").glob("*.xml"))
EPISODES, STEPS = 12, 6
SUMMARY = "It was done, as it seems."
THOUGHT = "The next target is on the screen."
SIDES = ("up", "down", "left", "right")
OWN = make_screen(
    {"text": 'Say "hi" {now}', "class": "android.widget.Button", "clickable": "true"},
    {"class": "android.widget.EditText", "content-desc": "Title", "focusable": "true"},
    {"class": "android.widget.EditText", "text": "été 日本", "focused": "true"},
    {"class": "android.widget.Switch", "content-desc": "Wi-Fi", "checked": "true"},
    {"class": "android.widget.CheckBox", "text": "Agree", "checkable": "true"},
    {"class": "android.widget.RadioButton", "resource-id": "a:id/radio"},
    {"class": "android.widget.ImageView", "content-desc": "line\nbreak"},
    {"class": "android.widget.ListView", "scrollable": "true", "bounds": "[0,900][1080,1801]"},
    {"text": "below", "bounds": "[0,2500][1080,2600]"},
    {"text": "flat", "bounds": "[0,700][1080,700]"},
    {"text": "half outside", "bounds": "[-101,800][400,900]"},
    {"text": "no class", "class": ""},
)
SCREENS: list[Screen | Path] = [*PAGES, OWN]


@pytest.fixture(scope="module")
def original() -> list[str]:
    """Return the command that plays the original agents; skip without a checkout."""
    try:
        checkout, folder = release_of(SUITE, "tasks"), release_of(SUITE, "helper")
    except RecordError:
        checkout = None
    if checkout is None:
        pytest.skip("tasks/releases.toml names no checkout of AndroidWorld")
    own = (folder or checkout).folder
    python = next((p for p in (own / "bin/python", own / ".venv/bin/python") if p.exists()), None)
    if python is None:
        pytest.skip(f"{own} has no Python: `make android-world` makes one")
    return [str(python), str(Path(__file__).with_name("androidworld_original.py")),
            str(checkout.folder)]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", ["m3a", "t3a", "seeact"])
def test_the_preset_acts_as_the_original(name: str, original: list[str]) -> None:
    chance = random.Random(name)
    replies = action_reply if name != "seeact" else seeact_reply
    agent = find_agent(name, (shipped_agents(),)).load()
    played = [
        ours(agent, name, [replies(chance) for _ in range(STEPS)], chance) for _ in range(EPISODES)
    ]
    asked = "".join(f"{json.dumps(given)}\n" for given, _ in played)
    done = subprocess.run(original, input=asked, capture_output=True, text=True, check=False)
    theirs = [json.loads(line)["steps"] for line in done.stdout.splitlines()]
    assert len(theirs) == EPISODES, done.stderr[-2000:]
    found = [
        f"{number}.{place}: {what} after {given['steps'][place]['replies']}"
        for number, ((given, own), other) in enumerate(zip(played, theirs, strict=True))
        for place, what in differences(name, own, other)
    ]
    assert found == []


def differences(
    name: str, own: Sequence[dict[str, Any]], theirs: Sequence[dict[str, Any]]
) -> list[tuple[int, str]]:
    """Return the steps of an episode that differ, and how."""
    found = []
    for place, (mine, other) in enumerate(zip(own, theirs, strict=False)):
        listed = facts(name, other["prompts"])
        if mine["facts"] != listed:
            wrong = set(mine["facts"]) ^ set(listed)
            found.append((place, f"lists differ in {sorted(wrong)[:2]}"))
        done, has_ended = normal(other["done"]), other["ended"] or bool(other["error"])
        if (mine["done"], mine["ended"]) != (done, has_ended):
            found.append((place, f"{mine['done']}, ended: {mine['ended']}, not {other}"))
    if len(own) != len(theirs):
        found.append((min(len(own), len(theirs)) - 1, f"{len(own)} steps, not {len(theirs)}"))
    answers = [each[1] for step in theirs for each in step["done"] if each[0] == "answer"]
    has_finished = own[-1]["ended"] and not theirs[-1]["error"]
    if has_finished and name != "seeact" and own[-1]["answer"] != (answers or [""])[-1]:
        found.append((len(own) - 1, f"the answer {own[-1]['answer']!r}, not one of {answers}"))
    return found


def ours(
    agent: Any, name: str, replies: Sequence[str], chance: random.Random
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the episode for the original, and what our agent made of it."""
    screens: list[Screen | Path] = [chance.choice(SCREENS) for _ in range(STEPS + 1)]
    first, second = ("actor", "summarizer") if name != "seeact" else ("actor", "planner")
    models = {first: ScriptedModel(replies), second: ScriptedModel([lambda _: SUMMARY] * STEPS)}
    episode = play(
        agent, "Do it.", phone=FakePhone(screens), model=models, step_limit=STEPS,
        options={"preset": "android-world"},
    )  # fmt: skip
    # A reply over which the agent has crashed is the last one, and no step.
    seen = [*(step.screen for step in episode.steps), episode.screen, episode.screen]
    asked = min(len(models[first].requests), len(replies))
    pairs = zip(seen, seen[1:], replies, strict=False)
    steps = [
        {"before": of(before), "after": of(after),
         "replies": [SUMMARY, reply] if name == "seeact" else [reply, SUMMARY]}
        for before, after, reply in pairs
    ][:asked]  # fmt: skip
    prompts = [facts(name, [request.text]) for request in models[first].requests[:asked]]
    own = []
    for listed, step in zip_longest(prompts, episode.steps):
        actions = () if step is None else step.actions
        done = [each for action in actions for each in said(action)]
        ended = step is None or any(isinstance(each, Finish | Impossible) for each in actions)
        own.append({"facts": listed, "done": done, "ended": ended})
    own[-1]["answer"] = episode.answer or ""
    return {"agent": name, "goal": "Do it.", "steps": steps}, own


def of(screen: Screen) -> dict[str, Any]:
    return {"xml": screen.xml, "size": screen.size}


def facts(name: str, prompts: Sequence[str]) -> list[str]:
    """Return the list of elements in the prompt that asks for an action."""
    text = prompts[-1] if name == "seeact" else prompts[0]
    if name != "seeact":
        return re.findall(r"UI element \d+: .*", text)
    return [
        line
        for line in re.findall(r"^[A-Z]{1,2}\. .*", text, re.MULTILINE)
        if "None of" not in line
    ]


def said(action: Action) -> list[list[Any]]:
    """Return an action in the form of `normal`; answers are compared at the end."""
    found: list[list[Any]] = []
    match action:
        case Tap(x, y):
            found = [["tap_screen", x, y]]
        case LongPress(x, y):
            found = [["long_press", x, y]]
        case DoubleTap(x, y):
            found = [["double_tap", x, y]]
        case Type(text, at, clear, enter):
            before = [["tap_screen", *at]] if at else []
            before += [["clear"]] if clear else []
            found = [*before, ["type_text", text], *([["enter"]] if enter else [])]
        case Key(name):
            found = [[name]]
        case Swipe(x1, y1, x2, y2, seconds):
            found = [["swipe", x1, y1, x2, y2, round(seconds * 1000)]]
        case Open(app):
            found = [["launch_app", app]]
        case _:
            assert isinstance(action, Wait | Finish | Impossible)
    return found


def normal(done: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Return what the original did to the phone, with the ends of swipes on the screen."""
    found: list[list[Any]] = []
    keys = {"press_enter_button": "enter", "press_home_button": "home", "press_back_button": "back"}
    for name, *given in done:
        if name in keys:
            found.append([keys[name]])
        elif name == "swipe":
            *ends, lasting = given
            last = (1079, 2399, 1079, 2399)
            found.append(["swipe", *map(min, ends, last), lasting])
        elif name == "shell":
            found.append(["clear"])
        elif name != "answer":
            found.append([name, *given])
    return found


def action_reply(chance: random.Random) -> str:
    """Return a reply of M3A's or T3A's model, right or wrong in one of many ways."""
    index = chance.choice([0, 1, 2, 3, 5, 7, 10, "4", 40, -1])
    # Of -1, the original scrolls the last element of all, by Python's rule for lists.
    scrolled = chance.choice([0, 1, 3, 7, 10, "4", 40])
    text = chance.choice(["milk", "two words", "it's", 'say "hi"', "été", "", "a: b", 42])
    actions: list[dict[str, Any]] = [
        {"action_type": "click", "index": index},
        {"action_type": "long_press", "index": index},
        {"action_type": "double_tap", "index": index},
        {"action_type": "click", "x": 100, "y": 200},
        {"action_type": "click", "index": 1, "x": 100, "y": 200},
        {"action_type": "input_text", "text": text, "index": index},
        {"action_type": "input_text", "text": text},
        {"action_type": "input_text", "text": text, "index": index, "clear_text": True},
        {"action_type": "scroll", "direction": chance.choice(SIDES)},
        {"action_type": "scroll", "direction": chance.choice(SIDES), "index": scrolled},
        {"action_type": "swipe", "direction": chance.choice(SIDES)},
        {"action_type": "scroll", "direction": "sideways"},
        {"action_type": "scroll"},
        {"action_type": "open_app", "app_name": "Clock"},
        {"action_type": "open_app"},
        {"action_type": "keyboard_enter"},
        {"action_type": "navigate_home"},
        {"action_type": "navigate_back"},
        {"action_type": "wait"},
        {"action_type": "answer", "text": text},
        {"action_type": "fly"},
        {"action_type": "click", "index": index, "colour": "red"},
        {"action_type": "status", "goal_status": chance.choice(["complete", "infeasible"])},
        {"action_type": "unknown"},
    ]
    action = chance.choice(actions)
    written = chance.choice([*[json.dumps(action)] * 3, str(action), json.dumps(action, indent=1)])
    return chance.choice([
        *[f"Reason: It is next.\nAction: {written}"] * 6,
        f"Reason: It is next. Action: {written} That is all.",
        f"Reason: The action {{is}} next.\nAction: ```json\n{written}\n```",
        f"Action: {written}",
        f"Reason: \nAction: {written}",
        f"reason: it is next\naction: {written}",
        "I would tap the button.",
        "Reason: It is next.\nAction: none",
    ])  # fmt: skip


def seeact_reply(chance: random.Random) -> str:
    """Return the last reply of SeeAct's model, right or wrong in one of many ways."""
    element = chance.choice(["A", "B", "C", "E", "H", "ZZ", "None", "b", "A."])
    action = chance.choice([
        *("CLICK", "LONG PRESS", "INPUT TEXT", "SWIPE", "OPEN APP", "ANSWER", "KEYBOARD ENTER"),
        *("NAVIGATE HOME", "NAVIGATE BACK", "WAIT", "TERMINATE", "FLY", "click"),
    ])  # fmt: skip
    value = chance.choice(["None", "None", "milk", "at 10:30", *SIDES, "Up", "", "2. take"])
    if action in {"CLICK", "LONG PRESS"} and chance.random() < 0.8:
        value = "None"
    lines = [f"ELEMENT: {element}", f"ACTION: {action}", f"VALUE: {value}"]
    return chance.choice([
        *["\n".join(["It is clear.", "", *lines])] * 6,
        "\n\n".join(lines),
        "\n".join(lines[1:]),
        "\n".join(lines[:2]),
        "\n".join(f"**{line}**" for line in lines),
        "\n".join(f"{line}." for line in lines),
        "I would tap the button.",
    ])  # fmt: skip
