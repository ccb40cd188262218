"""--mobile-device=graph:DIR: recorded pages, which are checked before an agent starts."""

from __future__ import annotations

import json
import sqlite3
import sys
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.__main__ import main
from tests.dataset.graph.conftest import APP, HOME, SIZE, write_notes
from tests.options.test_mobile_env import FILE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TASKS = f"""
from pytest_mobileagent import press, setting, tap, task

APP = {APP!r}


def nothing(device):
    pass


@task("Open a note.", app=APP, solution=[tap(text="New")])
def test_open(episode):
    assert episode.reached("note")


@task("Go back to the list.", app=APP, snapshot="new", solution=[press("back")])
def test_back(episode):
    assert episode.reached("home") and episode.page == "home2" and episode.pages[0] == "note"
"""
NEED_A_PHONE = """

@task("Read.", app=APP, probes={"scale": setting("system", "font_scale")}, solution=[press("back")])
def test_probes(episode):
    assert episode.probe("scale") is None


@task("Prepare.", app=APP, prepare=nothing, solution=[press("back")])
def test_prepare(episode):
    assert True


@task("Clean up.", app=APP, clean_up=nothing, solution=[press("back")])
def test_clean_up(episode):
    assert True


@task("Open another app.", app="net.elsewhere", solution=[press("back")])
def test_other_app(episode):
    assert True
"""


@pytest.fixture
def run(pytester: pytest.Pytester) -> Callable[..., pytest.RunResult]:
    """Runs tasks on a small graph in this process."""
    pytester.makeini("[pytest]\naddopts = -p no:cacheprovider")
    write_notes(pytester.path / "notes")
    (pytester.mkdir("tasks") / "test_notes.py").write_text(TASKS)

    def run(*arguments: str, agent: str = "oracle") -> pytest.RunResult:
        given = ("tasks", f"--agent={agent}", "--mobile-device=graph:notes", *arguments)
        return pytester.runpytest_inprocess(*given, "--mobile-agent-process=off")

    return run


def report(pytester: pytest.Pytester) -> dict[str, Any]:
    (path,) = pytester.path.glob("runs/*/report.json")
    read: dict[str, Any] = json.loads(path.read_text())
    return read


def refused(result: pytest.RunResult) -> str:
    """Return the only error line of a run that was refused before an agent started."""
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = [line for line in (*result.errlines, *result.outlines) if line.startswith("ERROR")]
    return line


def test_tasks_are_played_on_recorded_pages(
    run: Callable[..., pytest.RunResult], pytester: pytest.Pytester
) -> None:
    result = run()
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["Recorded pages show only the ways *recorded*"])
    about = report(pytester)["run"]
    assert (about["device"], about["virtual"]) == ("graph:notes", False)
    assert about["recorded_pages"] is True


def test_doctor_examines_recorded_pages(
    run: Callable[..., pytest.RunResult],
    capsys: pytest.CaptureFixture[str],
    pytester: pytest.Pytester,
) -> None:
    assert main(["doctor", "--device=graph:notes"]) == 0
    said = capsys.readouterr().out
    assert "graph:notes: recorded pages, 1080x2400 at 420 dpi, en" in said
    assert "screenshots of" not in said, "pages without a picture have none"
    assert (
        "WARNING  contents: 1 of 4 pages without a screenshot; 1 of 4 pages without a hierarchy"
        in said
    )
    damage(pytester.path / "notes", "UPDATE pages SET png = xml WHERE id = 'note'")
    assert main(["doctor", "--device=graph:notes"]) == 1
    assert "graph.sqlite, page 'note': " in capsys.readouterr().err


@pytest.mark.parametrize("agent", ["noop", "truncated_oracle"])
def test_an_agent_that_does_too_little_fails_there_too(
    run: Callable[..., pytest.RunResult], agent: str
) -> None:
    run(agent=agent).assert_outcomes(failed=2)


def test_tasks_that_need_a_phone_are_skipped_with_the_reason(
    run: Callable[..., pytest.RunResult], pytester: pytest.Pytester
) -> None:
    (pytester.path / "tasks" / "test_notes.py").write_text(TASKS + NEED_A_PHONE)
    result = run("-rs")
    result.assert_outcomes(passed=2, skipped=4)
    for what in ("probes", "a `prepare`", "a `clean_up`"):
        result.stdout.fnmatch_lines([f"SKIPPED*the task has {what}, which recorded pages cannot*"])
    result.stdout.fnmatch_lines(
        ["SKIPPED*has no app net.elsewhere; choose a graph that has pages*"]
    )


def test_environments_are_skipped_with_the_reason(
    run: Callable[..., pytest.RunResult], pytester: pytest.Pytester
) -> None:
    table = FILE.format(id="small", group="", density=330, locale="en-US")
    (pytester.mkdir("worlds") / "mine.toml").write_text(table)
    hook = "def pytest_mobileagent_environments(config): return config.rootpath / 'worlds'"
    pytester.makeconftest(hook)
    result = run("-rs", "--mobile-env=small")
    result.assert_outcomes(skipped=2)
    result.stdout.fnmatch_lines(["SKIPPED*--mobile-env sets up phones, which recorded pages*"])


def test_the_clock_of_pages_is_not_set(run: Callable[..., pytest.RunResult]) -> None:
    line = refused(run("--mobile-device-time=2024-02-29T23:58"))
    assert "--mobile-device=graph:notes: only phones that the run starts" in line


def test_a_folder_without_a_graph_is_refused(run: Callable[..., pytest.RunResult]) -> None:
    line = refused(run("--mobile-device=graph:tasks"))
    assert "/tasks does not contain a graph: there is no graph.json" in line


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            "UPDATE edges SET target = 'gone' WHERE target = 'note'",
            "graph.sqlite, edges, row 1: it leads from page 'home' to 'gone', but there is no page",
        ),
        ("UPDATE pages SET same = 'home2' WHERE id = 'home'", "name one for all"),
        ("UPDATE pages SET png = xml WHERE id = 'note'", "is not a PNG image"),
        ("DELETE FROM pages WHERE id = 'home'", "`start` is 'home', which is not a page"),
    ],
)
def test_a_broken_graph_is_refused_before_an_agent_starts(
    run: Callable[..., pytest.RunResult], pytester: pytest.Pytester, change: str, says: str
) -> None:
    damage(pytester.path / "notes", change)
    line = refused(run())
    assert line.startswith("ERROR: --mobile-device=graph:notes: ")
    assert says in line
    assert not list(pytester.path.glob("runs/*/episodes"))


def test_a_page_that_the_graph_lacks_is_named_with_the_task(
    run: Callable[..., pytest.RunResult], pytester: pytest.Pytester
) -> None:
    path = pytester.path / "tasks" / "test_notes.py"
    path.write_text(TASKS.replace('snapshot="new"', 'snapshot="old"'))
    line = refused(run())
    says = "it starts at 'old', which is neither a snapshot nor a page of the graph"
    assert f"test_notes.py::test_back: {says} (graph:notes)" in line


def test_a_page_that_breaks_in_the_middle_is_the_tasks_error(
    run: Callable[..., pytest.RunResult], pytester: pytest.Pytester
) -> None:
    damage_pixels(pytester.path / "notes")
    run("-k", "open").assert_outcomes(errors=1)
    (task,) = report(pytester)["tasks"]
    assert task["fault"] == "task"
    assert "page 'note' of" in task["reason"]


def damage(folder: Path, change: str) -> None:
    """Execute an SQL statement on the index of a graph."""
    with sqlite3.connect(folder / "graph.sqlite") as index:
        index.execute(change)


def damage_pixels(folder: Path) -> None:
    """Damage the image of a page."""
    with sqlite3.connect(folder / "graph.sqlite") as index:
        (path,) = index.execute("SELECT png FROM pages WHERE id = 'note'").fetchone()
    content = (folder / path).read_bytes()
    (folder / path).write_bytes(content[:60] + b"?" + content[61:])


BLIND = """
from pytest_mobileagent import Agent, Finish


class Sees(Agent):
    sees = ("{}",)

    def step(self, observation):
        return Finish()
"""


@pytest.mark.parametrize(
    ("what", "why"),
    [("screenshot", "1 of its 4 pages has no"), ("hierarchy", "1 of its 4 pages has no")],
)
def test_an_agent_that_needs_a_missing_part_is_refused(
    run: Callable[..., pytest.RunResult], pytester: pytest.Pytester, what: str, why: str
) -> None:
    (pytester.path / "sees.py").write_text(BLIND.format(what))
    line = refused(run(agent="sees.py"))
    assert f"--agent=sees.py needs the {what} of each screen, and" in line
    assert f"{why} {what}" in line


def test_an_agent_that_needs_no_missing_part_runs(
    run: Callable[..., pytest.RunResult], pytester: pytest.Pytester
) -> None:
    (pytester.path / "sees.py").write_text(BLIND.format("screenshot"))
    with sqlite3.connect(pytester.path / "notes" / "graph.sqlite") as index:
        png = index.execute("SELECT png FROM pages WHERE id = 'note'").fetchone()
        index.execute("UPDATE pages SET png = ? WHERE id = 'blind'", png)
    assert HOME.size == SIZE
    run(agent="sees.py").assert_outcomes(failed=2)


CLIENT = """
import asyncio, json, os
from mcp.client import Client


async def main():
    async with Client(os.environ["MOBILEAGENT_MCP_URL"]) as phone:
        for name, words in (
            ("mobile_terminate_app", {"packageName": "org.example.notes"}),
            ("mobile_press_button", {"button": "DPAD_UP"}),
        ):
            refused = await phone.call_tool(name, words)
            assert "which have no shell" in refused.content[0].text, refused
        listed = await phone.call_tool("mobile_list_elements_on_screen", {})
        elements = json.loads(listed.content[0].text.partition(": ")[2])
        (place,) = [each["coordinates"] for each in elements if each["text"] == "New"]
        middle = {"x": place["x"] + place["width"] // 2, "y": place["y"] + place["height"] // 2}
        await phone.call_tool("mobile_click_on_screen_at_coordinates", middle)
        await phone.call_tool("finish", {"answer": "done"})


asyncio.run(main())
"""


@pytest.mark.slow
def test_an_mcp_client_plays_there_and_learns_which_tools_need_a_shell(
    run: Callable[..., pytest.RunResult], pytester: pytest.Pytester
) -> None:
    (pytester.path / "client.py").write_text(CLIENT)
    words = f"{sys.executable} {pytester.path / 'client.py'} {{goal}} {{mcp_config}}"
    run("-k", "open", "-omobile_step_factor=9", agent=f"cmd:{words}").assert_outcomes(passed=1)
    (task,) = report(pytester)["tasks"]
    assert (task["steps"], task["answer"], task["infrastructure"]) == (3, "done", [])


def test_other_programs_are_refused_there(run: Callable[..., pytest.RunResult]) -> None:
    line = refused(run(agent="cmd:true {goal} {serial}"))
    assert "needs adb, which --mobile-device=graph:notes lacks (an MCP client would" in line
