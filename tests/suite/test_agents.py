"""Every published agent on six tasks: its prompts and dialect, a scripted model over HTTP."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_mobileagent.agent.registry import available
from pytest_mobileagent.testing import ScriptedModel

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent.parent
REPLIES = ROOT / "fixtures" / "replies"
KEY = "sk-this-is-written-nowhere"
OTHERS = {"explorer", "human", "lexical", "noop", "oracle", "random", "truncated_oracle"}

# Each is played by agents whose words differ for what it takes: to go back, to scroll, to type and
# search, to answer. The replies know all tasks but two, whose goals name the weekday of the run.
CHOSEN = (
    "downloads.py::test_delete_one",
    "downloads.py::test_storage_used",
    "learning.py::test_weeks_in_all",
    "search.py::test_filter_level",
    "search.py::test_hours_of_week[Linear Algebra-3]",
    "settings.py::test_dark_mode",
)
# Two that have OCR read each screenshot, which takes a second or so where the other has not had it
# read, play fewer of them.
READERS = {"mobileagent", "mobileagent_v2"}
OF_READERS = ("search.py::test_search", "settings.py::test_dark_mode")
# How many of them each agent solves whose model says what the solution does. What is left, the
# agent has no words for: to answer a question, say.
SOLVED = {
    "agentcpm": 3,
    "androidarena": 4,
    "anthropic_computer_use": 6,
    "appagent": 2,
    "auto_ui": 3,
    "autodroid": 2,
    "autoglm": 4,
    "bmoca_multimodal": 2,
    "bmoca_text": 2,
    "cogagent": 3,
    "digirl": 3,
    "gpt4o_som": 6,
    "internvl2": 6,
    "m3a": 6,
    "mobileagent": 1,
    "mobileagent_v2": 2,
    "mobileagent_v3": 6,
    "odyssey": 3,
    "openai_computer_use": 6,
    "os_atlas": 3,
    "qwen_vl": 6,
    "seeact": 6,
    "t3a": 6,
    "ui_tars": 6,
}
MODELS = {
    "anthropic_computer_use": "anthropic:claude-sonnet-4-5@{url}",
    "openai_computer_use": "openai-responses:computer-use-preview@{url}/v1",
    "qwen_vl": "vllm:qwen2.5-vl-7b@{url}/v1",
}


def test_all_of_them_are_tried():
    shipped = available([]).keys() - OTHERS
    assert shipped == SOLVED.keys() == {path.stem for path in REPLIES.glob("*.jsonl")}


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which all of these runs, also those of other workers, keep what OCR reads."""
    base = tmp_path_factory.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "cache"


@pytest.mark.parametrize("agent", SOLVED)
def test_it_solves_what_its_model_knows_how_to(agent, tmp_path, cache):
    chosen = OF_READERS if agent in READERS else CHOSEN
    model = ScriptedModel.load(REPLIES / f"{agent}.jsonl")
    with model.serve() as url:
        given = MODELS.get(agent, "openai:gpt-4o@{url}/v1").format(url=url)
        options = [f"--agent={agent}", f"--mobile-model={given}", f"--mobile-runs={tmp_path}"]
        options += [
            "-o",
            f"cache_dir={cache}",
            "-o",
            "mobile_pack_screens=false",
            "--mobile-unpriced=allow",
            "--mobile-device-time=2026-11-22T09:00",  # the same pictures in all runs
        ]
        finished = subprocess.run(
            [
                sys.executable,
                "-m",
                "pytest",
                *(f"tasks/coursera/test_{task}" for task in chosen),
                "-q",
                *options,
            ],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            env={k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
            | {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY},
        )
    (run,) = tmp_path.iterdir()
    report = json.loads((run / "report.json").read_text("utf-8"))
    summary = report["summary"]
    assert summary["successes"] == SOLVED[agent], finished.stdout + finished.stderr
    assert summary["errors"] == 0
    assert summary["calls"] == len(model.requests)
    assert KEY not in finished.stdout + finished.stderr
    assert [
        path for path in run.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()
    ] == []
