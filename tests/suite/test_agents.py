"""Every published agent on tasks/coursera: its prompts and dialect, a scripted model over HTTP."""

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

# The replies are for goals in the words of one day: these two tasks name the weekday of the run.
OF_ANY_DAY = "not on_this_weekday and not tomorrow_evening"
# One that has OCR read each screenshot, which takes a second or two, plays a third of them.
CHOSEN = {"mobileagent_v2": "search"}
# How many of the other 19 tasks each agent solves whose model says what the solution does. What is
# left, the agent has no words for: to answer a question, say, or to report that it is done.
SOLVED = {
    "agentcpm": 12,
    "androidarena": 11,
    "anthropic_computer_use": 19,
    "appagent": 8,
    "auto_ui": 12,
    "autodroid": 8,
    "autoglm": 11,
    "bmoca_multimodal": 8,
    "bmoca_text": 8,
    "cogagent": 12,
    "digirl": 12,
    "gpt4o_som": 19,
    "internvl2": 19,
    "m3a": 19,
    "mobileagent": 3,
    "mobileagent_v2": 3,
    "mobileagent_v3": 19,
    "odyssey": 12,
    "openai_computer_use": 19,
    "os_atlas": 12,
    "qwen_vl": 19,
    "seeact": 19,
    "t3a": 19,
    "ui_tars": 19,
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
        ]
        finished = subprocess.run(
            [
                sys.executable,
                "-m",
                "pytest",
                "tasks/coursera",
                "-q",
                "-k",
                CHOSEN.get(agent, OF_ANY_DAY),
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
