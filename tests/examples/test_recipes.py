"""How the recipes in docs/program-recipes.md interpret the output of programs.

Stand-ins for the programs (tests/examples/recipes) run with good and with bad replies.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import pytest

from pytest_mobileagent.program import Values, fill, fill_file, fill_words
from pytest_mobileagent.program.adapter_file import read_adapter
from pytest_mobileagent.program.program_runner import ProgramReport, Traces, reported

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PAGE = (Path(__file__).parents[2] / "docs" / "program-recipes.md").read_text("utf-8")
BLOCKS = {
    path: text for _, path, text in re.findall(r"(?ms)^```(toml|python)\n# (\S+)\n(.*?)^```", PAGE)
}
STAND_INS = Path(__file__).parent / "recipes"
# For each recipe: its stand-in, the file it replaces, and a reply that reports success.
PROGRAMS = {
    "their-appagent": ("appagent.py", "run.py", "Action: FINISH"),
    "their-autoglm": ("autoglm.py", "main.py", 'finish(message="two")'),
    "their-mobileagent-v3": ("mobileagent_v3.py", "run_mobileagentv3.py", "### Plan\nFinished"),
    "their-mobileagent-v35": (
        "mobileagent_v35.py",
        "run_gui_owl_1_5_for_mobile.py",
        '<tool_call>\n{"arguments": {"action": "terminate", "status": "success"}}\n',
    ),
    "their-mobileagent-e": ("mobileagent_e.py", "run.py", "### Current Subgoal ###\nFinished"),
    "their-mobileagent-v2": ("mobileagent_v2.py", "run.py", "### Action ###\nStop"),
    "their-mobile-use": (
        "mobile_use.py",
        "mobile_use.py",
        '<tool_call>{"name": "terminate", "arguments": {"x": "terminate"}}</tool_call>',
    ),
    "their-ui-venus": (
        "ui_venus.py",
        "main.py",
        "<think>the box</think><action>Finished(content='it is ticked')</action>",
    ),
    "their-gelab-zero": (
        "gelab_zero.py",
        "examples/run_single_task.py",
        "<THINK>a</THINK>\nexplain:e\taction:COMPLETE\treturn:it is ticked\tsummary:s",
    ),
    "their-mobilerun": (
        "mobilerun.py",
        "mobilerun.py",
        '<parameter name="success">true</parameter><parameter name="message">two</parameter>',
    ),
    "their-minitap": (
        "minitap.py",
        "minitap/mobile_use/main.py",
        '{"complete_subgoals_by_ids": ["1"]}',
    ),
    "their-droidclaw": ("droidclaw.py", "src/kernel.ts", '{"action": "done"}'),
    "their-vision-agent": (
        "vision_agent.py",
        "android_vision_agent.py",
        '{"is_task_complete": true}',
    ),
    "sdk": ("agents.py", "agents.py", "The eggs are ticked off."),
}
UNREADABLE = "I am sorry, I cannot help with that."
CUT_OFF = {
    "their-appagent": "Observation: a list\nThought: it is fin",
    "their-gelab-zero": "<THINK>a</THINK>\nexplain:it is fin",
    "their-autoglm": 'do(action="Tap", element=[50',
    "their-mobilerun": '<function_calls>\n<invoke name="com',
    "their-mobileagent-v2": "### Action ###\nTap (54",
    "their-mobileagent-e": "### Action ###\n{",
}


class Endpoint(ThreadingHTTPServer):
    """Answers each request with `reply`, or with an error if `reply` is None."""

    reply: ClassVar[str | None] = None


class Handler(BaseHTTPRequestHandler):
    """Handles the part of the chat completions API that the stand-ins use."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        if Endpoint.reply is None:
            self.send_error(500)
            return
        body = json.dumps({"choices": [{"message": {"content": Endpoint.reply}}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with Endpoint(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.fixture
def run(
    tmp_path: Path, endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str, str | None], ProgramReport]:
    """Runs a recipe on its stand-in, with the same reply to every request; returns its report."""

    def run(name: str, reply: str | None) -> ProgramReport:
        Endpoint.reply = reply
        stand_in, path, _ = PROGRAMS[name]
        (tmp_path / "bench" / "agents").mkdir(parents=True)
        recipe = tmp_path / "bench" / "agents" / f"{name}.toml"
        recipe.write_text(BLOCKS[f"agents/{name}.toml"])
        folder = (recipe.parent / re.findall('folder = "(.*)"', recipe.read_text())[0]).resolve()
        (folder / path).parent.mkdir(parents=True)
        shutil.copy(STAND_INS / stand_in, folder / path)
        shutil.copy(STAND_INS / "model.py", (folder / path).parent)
        for script in ("mobile_use_agent/run.py", "sdk_agent/run.py"):
            if script.startswith(folder.name):
                (folder / "run.py").write_text(BLOCKS[script])
        (folder / "config").mkdir()
        (folder / "config/ui_venus_single.yaml").write_text(
            "\n".join(re.findall("`(model_(?:host|port): .*?)`", PAGE))
        )
        for each in ("requirements.txt", "requirement.txt", "qwen3_agent.yaml", "run.py"):
            (folder / each).touch()
        (folder / "model_config.yaml").touch()
        for program in ("python", "bun", "adb"):
            (tmp_path / program).write_text(SHIMS[program].format(sys.executable))
            (tmp_path / program).chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
        return _reported(recipe, folder, endpoint, tmp_path)

    return run


SHIMS = {
    "python": '#!/bin/sh\nexec {} -S "$@"\n',
    "bun": '#!/bin/sh\nexec {} -S "$2"\n',
    "adb": "#!/bin/sh\n",
}


def _reported(recipe: Path, folder: Path, endpoint: str, place: Path) -> ProgramReport:
    """Run an adapter's command as in an episode, and return the program's report."""
    adapter = read_adapter(recipe)
    values = Values(
        "Tick off the eggs.",
        openai_base_url=endpoint,
        openai_host="127.0.0.1",
        openai_port=endpoint.rpartition(":")[2],
        mcp_url="http://127.0.0.1:9/token/mcp",
        adb=str(place / "adb"),
    )
    words = ["sh", "-c", *adapter.command] if adapter.shell else adapter.command
    environment = {
        **os.environ,
        **values.environment(),
        "OPENAI_BASE_URL": endpoint,
        "OPENAI_API_KEY": "k",
        **{name: fill(text, values) for name, text in adapter.env.items()},
    }
    for name in adapter.files:
        fill_file(folder / name, values)
    traces = Traces(None, folder, place / "stdout", place / "stderr", place / "notes")
    with traces.stdout.open("wb") as stdout, traces.stderr.open("wb") as stderr:
        ended = subprocess.run(
            words if adapter.shell else fill_words(words, values),
            cwd=folder,
            env=environment,
            input=fill(adapter.stdin, values).encode(),
            stdout=stdout,
            stderr=stderr,
            timeout=60,
            check=False,
        )
    return reported(adapter, Traces(ended.returncode, folder, *_files(place)))


def _files(place: Path) -> tuple[Path, Path, Path]:
    return place / "stdout", place / "stderr", place / "notes"


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_that_says_that_it_is_done_reports_so(
    name: str, run: Callable[[str, str | None], ProgramReport]
) -> None:
    assert run(name, PROGRAMS[name][2]).ending == "done"


# With the SDK, any text is the final output, so only an empty reply is a bad reply.
@pytest.mark.parametrize(
    ("name", "reply"),
    [
        *((name, reply) for name in PROGRAMS for reply in ("", None)),
        *((name, UNREADABLE) for name in PROGRAMS if name != "sdk"),
        *((name, CUT_OFF.get(name, PROGRAMS[name][2][:-2])) for name in PROGRAMS if name != "sdk"),
    ],
)
def test_a_bad_reply_is_not_a_report_of_success(
    name: str, reply: str | None, run: Callable[[str, str | None], ProgramReport]
) -> None:
    assert run(name, reply).ending in ("error", "step limit")


def test_running_out_of_steps_is_a_limit_of_the_program(
    run: Callable[[str, str | None], ProgramReport],
) -> None:
    waits = '<tool_call>\n{"arguments": {"action": "wait"}}\n'
    assert run("their-mobileagent-v35", waits).ending == "step limit"


@pytest.mark.parametrize(
    ("name", "reply", "ending", "said"),
    [
        ("their-autoglm", 'finish(message="two")', "done", "two"),
        ("their-ui-venus", "<action>Finished(content='two')</action>", "done", "two"),
        ("their-ui-venus", "<action>CallUser(content='no')</action>", "impossible", "no"),
        ("their-ui-venus", "<action>PressBack()</action>", "step limit", "3"),
        ("their-mobilerun", PROGRAMS["their-mobilerun"][2], "done", "two"),
        (
            "their-mobilerun",
            '<parameter name="success">false</parameter><parameter name="message">no</parameter>',
            "impossible",
            "no",
        ),
        ("their-mobilerun", '<invoke name="wait">', "step limit", "max step count of 3 steps"),
        ("their-minitap", '{"complete_subgoals_by_ids": []}', "step limit", "limit of 3"),
        ("their-gelab-zero", "action:COMPLETE\treturn:two\tsummary:s", "done", "two"),
        ("their-gelab-zero", "explain:e\taction:ABORT\tvalue:no", "impossible", "no"),
        ("their-gelab-zero", "action:WAIT\tvalue:1", "step limit", "3"),
    ],
)
def test_a_program_reports_what_it_says(
    name: str, reply: str, ending: str, said: str, run: Callable[[str, str | None], ProgramReport]
) -> None:
    report = run(name, reply)
    assert report.ending == ending
    assert report.text.endswith(said)


@pytest.mark.parametrize(
    ("name", "reply", "said"),
    [
        ("their-appagent", "Action: tap(9)", "IndexError"),
        ("their-mobileagent-v2", "### Action ###\nTap (here)", "ValueError"),
        ("their-mobileagent-e", "### Action ###none", "ERROR: none"),
    ],
)
def test_a_program_that_crashes_is_an_error_that_says_so(
    name: str, reply: str, said: str, run: Callable[[str, str | None], ProgramReport]
) -> None:
    report = run(name, reply)
    assert report.ending == "error"
    assert said in report.text
