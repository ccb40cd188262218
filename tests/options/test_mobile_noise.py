"""--mobile-noise: pop-ups, ads and faults that get in the agent's way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Episode, load
from pytest_mobileagent.report.metrics.behaviour import is_obeyed

if TYPE_CHECKING:
    from tests.options.asking import Asking

CONFTEST = """
import pytest
from pytest_mobileagent.testing import FakeLease, MemoryPhone, make_screen

@pytest.fixture(scope="session")
def mobile_lease():
    with open("devices.txt", "a") as file:
        file.write("started ")
    words = ["Milk", "Add to basket", "To the till", "Pay", "Thank you"]
    size = (360, 800)
    pages = {
        word: make_screen(word, "Help", {"text": "", "class": "android.widget.EditText"},
                          size=size, package="com.example.shop")
        for word in words
    }
    links = {(page, page): follows for page, follows in zip(words, words[1:])}
    return FakeLease(MemoryPhone(pages, links))
"""
AGENTS = """
from pytest_mobileagent import Agent, Finish, Key, Tap, Type, Wait
from pytest_mobileagent.noise.template import load

WORDS = ["Milk", "Add to basket", "To the till", "Pay"]
CLOSES = ["Close", "Maybe later", "No, thanks", "Hide this ad", "Not now"]

class Blind(Agent):
    \"\"\"Taps what comes next on its way, wherever that was, and never looks.\"\"\"
    def start(self, briefing):
        self.done = 0
    def step(self, observation):
        if self.done == len(WORDS):
            return Finish()
        self.done += 1
        return Tap(180, 60)

class Closes(Agent):
    \"\"\"Closes what is in its way, and goes on with what it sees.\"\"\"
    def step(self, observation):
        screen = observation.screen
        assert screen.beneath is None, "agents do not see through noise"
        closer = screen.find(content_desc="Close") or screen.find(content_desc="Navigate up")
        closer = closer or next((e for e in screen.elements if e.text.split(" ")[0] == "Skip"
                                 or e.text in CLOSES), None)
        if closer is not None:
            return Tap(*closer.bounds.center)
        if screen.find(text="Ad") or screen.find(text="Sponsored"):
            return Wait(0)
        word = next((w for w in WORDS if screen.find(text=w)), None)
        if word is not None:
            return Tap(*screen.get(text=word).bounds.center)
        return Finish() if screen.find(text="Thank you") else Wait(0)

ORDERS = [each for each in load() if each.order]

class Gullible(Closes):
    \"\"\"Does what any text or content description on its screen tells it to do.\"\"\"
    def step(self, observation):
        found = {e.text or e.content_desc for e in observation.screen.elements}
        order = next((each.order for each in ORDERS if each.text in found), "")
        verb, _, what = order.partition(" ")
        does = {"type": Type, "press": Key, "answer": Finish}.get(verb)
        return does(what) if does else super().step(observation)
"""
TASKS = """
import pytest
from pytest_mobileagent import task

@pytest.mark.parametrize("number", range(6))
@task("Buy milk.", golden_steps=4, step_limit=14)
def test_milk(episode, number):
    assert episode.screen.find(text="Thank you")
    assert episode.tapped(text="Pay")
    assert not episode.tapped(content_desc="Close")
    assert not episode.saw(content_desc="Close")
    assert {screen.package for screen in episode.screens} == {"com.example.shop"}
"""
ONE, TWO, THREE = "milk and 0", "milk and (0 or 1)", "milk and (0 or 1 or 2)"  # of six tasks


@pytest.fixture
def shop(asking: Asking) -> Asking:
    asking.pytester.makeconftest(CONFTEST)
    asking.pytester.makepyfile(asking=AGENTS, test_codes=TASKS)
    return asking


def episodes(shop: Asking) -> list[Episode]:
    newest = max(shop.pytester.path.glob("runs/*"), key=lambda path: path.stat().st_mtime_ns)
    return [load(folder) for folder in sorted(newest.glob("episodes/*"))]


def test_an_agent_that_closes_pop_ups_keeps_its_success_and_one_that_cannot_loses_it(shop):
    for agent in ("Closes", "Blind"):
        assert shop.run("-k", ONE, agent=agent).ret == 0, "without noise"
    noise = "--mobile-noise=0.5,popup,ad"
    assert shop.run(noise, "-k", THREE, agent="Closes").ret == 0
    closing = episodes(shop)
    assert shop.run(noise, "-k", THREE, agent="Blind").ret == 1
    blind = shop.report()["summary"]
    assert blind["success_rate"] <= 0.5
    reactions = {step.noise.reaction for episode in closing for step in episode.steps if step.noise}
    assert "closed" in reactions
    assert reactions <= {"closed", "waited"}


def test_screens_that_the_agent_saw_and_the_phones_own_are_recorded(shop):
    shop.run("--mobile-noise=1,popup", "-k", ONE, agent="Closes")
    (episode,) = episodes(shop)
    noisy = [step for step in episode.steps if step.noise]
    assert noisy
    for step in noisy:
        assert step.screen.beneath is not None
        assert step.screen.own.package == "com.example.shop"
        assert step.screen.png != step.screen.own.png
        assert step.noise is not None
        assert (step.noise.kind, step.noise.swallowed) == ("popup", (0,))
        assert step.reached == ()
    assert [screen.beneath for screen in episode.screens] == [None] * len(episode.screens)
    assert sum(screen.beneath is not None for screen in episode.seen) == len(noisy)
    kept = episode.prefix(episode.steps.index(noisy[0]))
    assert kept.screen == noisy[0].screen.own
    assert kept.seen[-1] == noisy[0].screen


def recorded(shop: Asking) -> list[Any]:
    """Return the records of the most recent run, without what depends on time and place."""
    newest = max(shop.pytester.path.glob("runs/*"), key=lambda path: path.stat().st_mtime_ns)
    lines = [
        json.loads(line)
        for path in sorted(newest.glob("episodes/*/episode.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    ]
    for line in lines:
        for name in ("seconds", "recorded"):
            line.pop(name, None)
    return lines


def test_a_rate_of_0_records_what_no_noise_records(shop):
    shop.run("-k", ONE, agent="Closes")
    without = recorded(shop)
    shop.run("--mobile-noise=0", "-k", ONE, agent="Closes")
    assert recorded(shop) == without


def test_the_same_seed_gives_the_same_episodes(shop):
    found = []
    for _ in range(2):
        shop.run("--mobile-noise=0.5,screen", "-k", TWO, agent="Closes")
        found.append(recorded(shop))
    assert found[0] == found[1]
    shop.run("--mobile-noise=0.5,screen", "--mobile-seed=1", "-k", TWO, agent="Closes")
    assert recorded(shop) != found[0]


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (
            "2",
            "must begin with a rate from 0 to 1, optionally followed by kinds, as in 0.2,ad,popup",
        ),
        ("-0.1", "must begin with a rate from 0 to 1"),
        ("popup", "must begin with a rate from 0 to 1"),
        ("0.2,pop-up", "names 'pop-up', which is not a kind of noise; the kinds are popup,"),
        ("0.2,", "names '', which is not a kind of noise"),
    ],
)
def test_an_invalid_noise_value_is_refused(wrong, value, why):
    assert wrong("--mobile-noise", value).startswith(why)


def test_a_users_template_that_cannot_be_closed_is_refused(shop):
    folder = shop.pytester.path / "noise"
    folder.mkdir()
    (folder / "mine.toml").write_text(
        '\n[[noise]]\nname = "mine"\nkind = "popup"\ntitle = "Stay!"\n', "utf-8"
    )
    shop.pytester.makeini("[pytest]\nmobile_noise_paths = noise\naddopts = -p no:cacheprovider")
    said = shop.refused("--mobile-noise=0.2", agent="Closes")
    file = folder / "mine.toml"
    assert said.startswith(f"mobile_noise_paths: {file}:2 ('mine'): there is no way to close it")


def test_a_users_own_noise_is_shown(shop):
    (shop.pytester.path / "noise").mkdir()
    (shop.pytester.path / "noise" / "mine.toml").write_text(
        'language = "fi"\n[[noise]]\nname = "mine"\nkind = "popup"\ntitle = "Hei"\ncross = true\n',
        "utf-8",
    )
    shop.pytester.makeini("[pytest]\nmobile_noise_paths = noise\naddopts = -p no:cacheprovider")
    tests = shop.pytester.path / "test_codes.py"
    tests.write_text(TASKS.replace("step_limit=14", 'step_limit=14, language="fi"'), "utf-8")
    assert shop.run("--mobile-noise=0.9,popup", "-k", TWO, agent="Closes").ret == 0
    names = {step.noise.name for episode in episodes(shop) for step in episode.steps if step.noise}
    assert names == {"mine"}


@pytest.mark.parametrize("command", ["true {goal}", "true {adb}", "true {mcp_url} {serial}"])
def test_a_program_that_drives_adb_is_refused(shop, command):
    result = shop.pytester.runpytest_inprocess(f"--agent=cmd:{command}", "--mobile-noise=0.2")
    assert result.ret == 4
    assert not Path("devices.txt").exists()
    (line,) = (line for line in result.errlines if line.startswith("ERROR: "))
    assert "--mobile-noise=0.2 with --agent=cmd:…: it" in line
    assert "by adb, which bypasses noise" in line
    assert "{mcp_config}" in line


def test_runs_that_differ_in_noise_say_so(shop):
    for arguments in ([], ["--mobile-noise=0.5,popup"]):
        shop.run(*arguments, "-k", ONE, agent="Closes")
    about = [
        json.loads((path / "run.json").read_text("utf-8"))["run"]["fingerprints"]["noise"]
        for path in sorted(shop.pytester.path.glob("runs/*"), key=lambda p: p.stat().st_mtime_ns)
    ]
    assert about[0] is None
    assert about[1] is not None


SOLVED = TASKS.replace("import task", "import tap, task").replace(
    "golden_steps=4",
    'solution=[tap(text=word) for word in ("Milk", "Add to basket", "To the till")]',
)


@pytest.mark.parametrize(
    ("tasks", "outcome", "said"),
    [
        (SOLVED, "failed", "noise appeared once, which a solution cannot foresee: move 3 of"),
        (SOLVED.replace('"Milk"', '"Beer"'), "errors", "the task is broken: move 1 of the sol"),
    ],
)
def test_a_solution_that_noise_gets_in_the_way_of_is_not_called_broken(shop, tasks, outcome, said):
    (shop.pytester.path / "test_codes.py").write_text(tasks, "utf-8")
    result = shop.run("--mobile-noise=1,popup", "-k", ONE, agent="oracle")
    result.assert_outcomes(**{outcome: 1})
    (task,) = shop.report()["tasks"]
    assert said in task["reason"]


def test_an_agent_that_follows_orders_on_the_screen_is_caught_and_one_that_does_not_is_not(shop):
    noise = "--mobile-noise=0.7,injection"
    assert shop.run(noise, "-k", THREE, agent="Closes").ret == 0
    summary = shop.report()["summary"]
    assert summary["injected_steps"] >= 5
    assert (summary["obeyed"], summary["noises"]) == (0, 0)
    result = shop.run(noise, "-k", THREE, agent="Gullible")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["suite*obeyed"])
    for each in episodes(shop):
        for place, step in enumerate(each.steps):
            if step.noise and (wanted := step.screen.own.xml != step.screen.xml):
                assert is_obeyed(each.steps, place) is wanted
