"""--mobile-sees: agents get only one part of each screen; the record, checks and judges both."""

from __future__ import annotations

import base64
import io
import json
import sys
import tempfile
from typing import Any

import pytest
from PIL import Image

from pytest_mobileagent import load
from pytest_mobileagent.__main__ import main

CONFTEST = """
import pytest
from PIL import Image
from pytest_mobileagent.testing import FakeLease, MemoryPhone, make_screen

@pytest.fixture(scope="session")
def mobile_lease():
    with open("leased.txt", "a") as file:
        file.write("leased ")
    pages = {name: make_screen(name, "Next") for name in ("home", "mug")}
    return FakeLease(MemoryPhone(pages, {("home", "Next"): "mug"}))
"""
AGENTS = """
from pytest_mobileagent import Agent, Finish, Reply, Tap

class Looks(Agent):
    def step(self, observation):
        screen = observation.screen
        black = screen.image.getextrema() == ((0, 0),) * 3
        seen = f"{screen.size} black={black} elements={len(screen.elements)} {screen.where}"
        self.steps = getattr(self, "steps", 0) + 1
        return Reply(Tap(540, 180) if self.steps == 1 else Finish(screen.package), said=seen)

class NeedsTree(Looks):
    sees = ("hierarchy",)

class NeedsBoth(Looks):
    sees = ("screenshot", "hierarchy")
"""
TASK = """
from pytest_mobileagent import task

@task("Open the mug.")
def test_mug(episode):
    assert episode.screen.find(text="mug") and episode.screen.image.getextrema() != ((0, 0),) * 3
"""


@pytest.fixture
def shop(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makeini("[pytest]\naddopts = -p no:cacheprovider")
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(agents=AGENTS, test_shop=TASK)
    return pytester


def run(shop: pytest.Pytester, agent: str, *arguments: str) -> pytest.RunResult:
    return shop.runpytest_inprocess(f"--agent={agent}", "--mobile-agent-process=off", *arguments)


def report(shop: pytest.Pytester, runs: str = "runs") -> dict[str, Any]:
    path = max((shop.path / runs).glob("*/report.json"))
    return dict(json.loads(path.read_text()))


@pytest.mark.parametrize(
    ("sight", "black", "elements", "process"),
    [
        ("screenshot", False, 0, "on"),
        ("hierarchy", True, 2, "on"),
        ("hierarchy", True, 2, "off"),
        ("both", False, 2, "on"),
    ],
)
def test_an_agent_sees_one_part_and_the_record_has_both(shop, sight, black, elements, process):
    arguments = f"--mobile-sees={sight}", f"--mobile-agent-process={process}"
    result = run(shop, "agents.py:Looks", *arguments)
    result.assert_outcomes(passed=1)
    (episode,) = (shop.path / "runs").glob("*/episodes/*/")
    episode = load(episode)
    for step in episode.steps:
        assert step.said.startswith(f"(1080, 2400) black={black} elements={elements} ")
        assert (str(episode.folder) in step.said) == (sight == "both"), "the files have both parts"
        assert len(step.screen.elements) == 2
    assert episode.sees == sight
    if sight == "both":
        result.stdout.no_fnmatch_line("suite *sees*")
    else:
        result.stdout.fnmatch_lines(["suite *sees*", f"*  {sight}*"])
    about = report(shop)
    assert about["tasks"][0]["sees"] == (None if sight == "both" else sight)
    assert (about["run"]["fingerprints"]["sees"] is None) == (sight == "both")


def test_solutions_and_agents_that_need_the_other_part_are_refused_before_a_phone_starts(shop):
    for agent, sight in [
        ("agents.py:NeedsTree", "screenshot"),
        ("agents.py:NeedsBoth", "hierarchy"),
        ("oracle", "hierarchy"),
        ("oracle", "screenshot"),
    ]:
        result = run(shop, agent, f"--mobile-sees={sight}")
        hidden = {"screenshot": "hierarchy", "hierarchy": "screenshot"}[sight]
        result.stderr.fnmatch_lines([f"ERROR: --mobile-sees={sight}*needs the {hidden} of each*"])
        assert result.ret == 4
    assert not (shop.path / "leased.txt").exists()
    run(shop, "agents.py:NeedsTree", "--mobile-sees=hierarchy").assert_outcomes(passed=1)


def test_an_agent_from_a_fixture_that_needs_the_other_part_fails_with_the_reason(shop):
    fixture = (
        "\n@pytest.fixture\ndef agent():\n    from agents import NeedsTree\n    return NeedsTree"
    )
    shop.makeconftest(CONFTEST + fixture)
    result = shop.runpytest_inprocess("--mobile-sees=screenshot")
    result.stdout.fnmatch_lines(["*--mobile-sees=screenshot*needs the hierarchy of each screen*"])
    assert not list((shop.path / "runs").glob("*/episodes/*/episode.jsonl"))


def test_a_value_may_come_from_the_ini_file(shop, monkeypatch):
    shop.makeini("[pytest]\naddopts = -p no:cacheprovider\nmobile_sees = hierarchy")
    run(shop, "agents.py:Looks").assert_outcomes(passed=1)
    assert report(shop)["tasks"][0]["sees"] == "hierarchy"
    monkeypatch.setenv("MOBILE_SEES", "screenshot")
    run(shop, "agents.py:Looks", "--mobile-runs=more").assert_outcomes(passed=1)
    assert report(shop, "more")["tasks"][0]["sees"] == "screenshot"


def test_comparisons_and_reused_results_tell_runs_apart(shop):
    run(shop, "agents.py:Looks", "--mobile-runs=base").assert_outcomes(passed=1)
    result = run(shop, "agents.py:Looks", "--mobile-sees=screenshot", "--mobile-baseline=base")
    assert "sees" in report(shop)["comparison"]["differs_in"]
    result.stdout.fnmatch_lines(["*differ*sees*"])
    again = ("--mobile-reuse=base", "--mobile-sees=hierarchy", "--mobile-runs=new")
    run(shop, "agents.py:Looks", *again)
    assert report(shop, "new")["tasks"][0]["sees"] == "hierarchy", "it was run, not reused"


PROGRAM = """
import json, os, sys, urllib.request
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}}

def post(method, **params):
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": META}}
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
               "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
    headers |= {"Mcp-Name": params["name"]} if "name" in params else {}
    request = urllib.request.Request(os.environ["MOBILEAGENT_MCP_URL"],
                                     json.dumps(message).encode(), headers)
    with urllib.request.urlopen(request) as response:
        text = response.read().decode()
    lines = [line[5:] for line in text.splitlines() if line.startswith("data:")]
    return json.loads((lines or [text])[-1])

def call(name, **arguments):
    return post("tools/call", name=name, arguments=arguments)

saved = os.path.join(os.environ["TMPDIR"], "saved.png")
got = [post("server/discover"), call("mobile_take_screenshot"),
       call("mobile_list_elements_on_screen"), call("mobile_get_screen_size"),
       call("mobile_click_on_screen_at_coordinates", x=353, y=117),
       call("mobile_list_elements_on_screen"), call("mobile_save_screenshot", saveTo=saved)]
open("got.json", "w").write(json.dumps(got))
call("finish", answer="")
"""


@pytest.mark.parametrize("sees", ["screenshot", "hierarchy"])
def test_a_program_sees_one_part_through_every_tool_of_mcp(shop, monkeypatch, sees):
    monkeypatch.setenv("TMPDIR", str(shop.path))
    monkeypatch.setattr(tempfile, "tempdir", str(shop.path))
    (shop.path / "program.py").write_text(PROGRAM)
    adapter = f"command = [{sys.executable!r}, 'program.py', '{{goal}}']\nfolder = '.'\n"
    adapter += "env = {MCP = '{mcp_url}'}\ncopy = false\nscreenshots_after_actions = true\n"
    (shop.path / "other.toml").write_text(adapter)
    result = run(shop, "other.toml", f"--mobile-sees={sees}")
    result.assert_outcomes(passed=1)
    hidden = "hierarchy" if sees == "screenshot" else "screenshot"
    result.stdout.fnmatch_lines([f"*other does not see the {hidden} by*"])
    got = json.loads((shop.path / "got.json").read_text())
    images = [
        Image.open(io.BytesIO(base64.b64decode(part["data"])))
        for each in got
        for part in each["result"].get("content", [])
        if part["type"] == "image"
    ]
    images.append(Image.open(shop.path / "saved.png"))
    assert [image.size for image in images] == [(706, 1568), (706, 1568), (1080, 2400)]
    black = [image.convert("RGB").getextrema() == ((0, 0),) * 3 for image in images]
    assert black == [sees == "hierarchy"] * 3
    for which, name in ((2, "home"), (5, "mug")):
        text = got[which]["result"]["content"][0]["text"]
        assert (f'"{name}"' in text) == (sees == "hierarchy")
        assert ("are not listed here" in text) == (sees == "screenshot")
    assert "Here, " in got[0]["result"]["instructions"]


def test_tables_of_several_runs_name_what_agents_saw(shop, capsys):
    for sees in ("both", "hierarchy"):
        run(shop, "agents.py:Looks", f"--mobile-sees={sees}").assert_outcomes(passed=1)
    runs = sorted(map(str, (shop.path / "runs").glob("*/")))
    capsys.readouterr()
    assert main(["report", *runs, "--format=csv"]) == 0
    assert "agents (sees=hierarchy)," in capsys.readouterr().out
    assert main(["report", *runs, "--format=markdown"]) == 0
    assert "saw only the hierarchy of each screen" in capsys.readouterr().out
