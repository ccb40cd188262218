"""Every published agent plays tasks with its own prompts and a scripted model over HTTP."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.device.fleet.programs import warm_program
from pytest_mobileagent.device.fleet.shared import SharedRun
from pytest_mobileagent.device.sources import ProgramSlots
from pytest_mobileagent.testing import ScriptedModel
from pytest_mobileagent.virtual import main
from tests.suite.test_tasks_are_sound import drawn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.device.device import Address

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent.parent
REPLIES = ROOT / "fixtures" / "replies"
KEY = "sk-this-is-written-nowhere"
TIME = "2026-11-22T09:00"  # the clock stands still, so all runs have the same pictures


# Agents whose action spaces differ play two of these tasks, which need going back, typing and
# searching, scrolling, or answering; the commit says which two (see `drawn`). The scripts cover all
# tasks except two whose goals name the weekday of the run.
DELETE = "downloads.py::test_delete_one"
FILTER = "search.py::test_filter_level"
WEEKS = "learning.py::test_weeks_in_all"
HOURS = "search.py::test_hours_of_week[Linear Algebra-3]"
CHOSEN = (DELETE, FILTER, WEEKS, HOURS)
# Two agents run OCR on each screenshot, which takes about a second unless the other has already
# read it. They play fewer tasks.
READERS = {"mobileagent", "mobileagent_v2"}
DARK = "settings.py::test_dark_mode"
OF_READERS = ("search.py::test_search", DARK)
# The tasks that each agent solves if its model replies as in the solution. For the other tasks, the
# agent lacks an action, such as answering a question.
SOLVED: dict[str, tuple[str, ...]] = {
    "agentcpm": (DELETE, FILTER),
    "androidarena": (DELETE, WEEKS),
    "anthropic_computer_use": CHOSEN,
    "appagent": (DELETE,),
    "auto_ui": (DELETE, FILTER),
    "autodroid": (DELETE,),
    "autoglm": (DELETE, WEEKS),
    "bmoca_multimodal": (DELETE,),
    "bmoca_text": (DELETE,),
    "cogagent": (DELETE, FILTER),
    "digirl": (DELETE, FILTER),
    "gelab_zero": (DELETE,),
    "gemini_computer_use": CHOSEN,
    "gpt4o_som": CHOSEN,
    "internvl2": CHOSEN,
    "m3a": CHOSEN,
    "mai_ui": CHOSEN,
    "mobileagent": (DARK,),
    "mobileagent_v2": OF_READERS,
    "mobileagent_v3": CHOSEN,
    "odyssey": (DELETE, FILTER),
    "openai_computer_use": CHOSEN,
    "os_atlas": (DELETE, FILTER),
    "qwen_vl": CHOSEN,
    "seeact": CHOSEN,
    "t3a": CHOSEN,
    "ui_tars": CHOSEN,
    "ui_venus": CHOSEN,
}
MODELS = {
    "anthropic_computer_use": "anthropic:claude-sonnet-4-5@{url}",
    "gemini_computer_use": "gemini:gemini-3.8-flash@{url}/v1beta",
    "openai_computer_use": "openai-responses:computer-use-preview@{url}/v1",
    "qwen_vl": "vllm:qwen2.5-vl-7b@{url}/v1",
}


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder for OCR results, which these runs share, also on other workers."""
    base = tmp_path_factory.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "cache"


@pytest.fixture(scope="session")
def own_phone() -> Iterator[Address]:
    """A virtual phone with the repository's apps, which the agents use one after another."""
    apps = ("--apps", str(ROOT / "fixtures" / "apps"))
    program = ("--port", "0", "--adb-server-port", "{adb}", "--time", TIME, "--frozen", *apps)
    with contextlib.closing(SharedRun()) as run:
        warm = warm_program(main.__name__, *apps)
        yield ProgramSlots(run, 1, program, warm=warm).address(0)


@pytest.mark.parametrize("agent", SOLVED)
def test_an_agent_solves_what_its_model_knows_how_to(
    agent: str,
    own_phone: Address,
    cache: Path,
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(own_phone.adb_port))
    monkeypatch.setenv("HOME", own_phone.home)
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(name, KEY)
    chosen = OF_READERS if agent in READERS else drawn([*CHOSEN], 2)
    model = ScriptedModel.load(REPLIES / f"{agent}.jsonl")
    runs = pytester.path / "runs"
    with model.serve() as url:
        given = MODELS.get(agent, "openai:gpt-4o@{url}/v1").format(url=url)
        result = pytester.runpytest_inprocess(
            *(f"{ROOT}/tasks/coursera/test_{task}" for task in chosen),
            *("-q", "-c", f"{ROOT}/pyproject.toml", f"--rootdir={ROOT}"),
            *(f"--agent={agent}", f"--mobile-model={given}", f"--mobile-runs={runs}"),
            *("-o", f"cache_dir={cache}", "-o", "mobile_pack_screens=false"),
            *("--mobile-unpriced=allow", f"--mobile-device=serial:{own_phone.serial}"),
        )
    (run,) = runs.iterdir()
    report = json.loads((run / "report.json").read_text("utf-8"))
    summary = report["summary"]
    succeeded = {
        each["nodeid"].partition("/test_")[2] for each in report["tasks"] if each["success"]
    }
    assert (summary["tasks"], summary["errors"]) == (2, 0)
    assert succeeded == set(chosen) & set(SOLVED[agent])
    assert summary["calls"] == len(model.requests)
    assert KEY not in f"{result.stdout}{result.stderr}"
    files = [path for path in run.rglob("*") if path.is_file()]
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []
