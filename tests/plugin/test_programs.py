"""Programs as agents on a phone: what they do, how they end, and what is reported."""

from __future__ import annotations

import json
import socket
import sys
from typing import TYPE_CHECKING, Any

import pytest
import trustme  # noqa: F401 - runs in this process would load it, and forget it, one by one

from pytest_mobileagent.program.commands.steps import grouped
from tests.llm.standin import error, standing_in
from tests.plugin.leftovers import processes_with

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.project import Project

pytestmark = pytest.mark.slow  # each test starts an adb server and a program

PYTHON = """\
import json, os, socket, subprocess, sys, time, urllib.request

def adb(*words, **more):
    return subprocess.run(["adb", *words], capture_output=True, text=True, timeout=20, **more)

def shell(*words):
    return adb("shell", *words)
"""


class Ran:
    """A run of one task with a program: its task in report.json and its episode's folder."""

    def __init__(self, folder: Path, output: str) -> None:
        (report,) = folder.glob("runs/*/report.json")
        self.task: dict[str, Any] = json.loads(report.read_text())["tasks"][0]
        self.episode = report.parent / self.task["episode"]
        self.output = output

    @property
    def records(self) -> list[dict[str, Any]]:
        lines = (self.episode / "episode.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]

    @property
    def actions(self) -> list[list[tuple[Any, ...]]]:
        steps = [each["actions"] for each in self.records if each["record"] == "step"]
        return [[tuple(action.values()) for action in actions] for actions in steps]

    @property
    def end(self) -> dict[str, Any]:
        return self.records[-1]

    @property
    def raw(self) -> list[dict[str, Any]]:
        lines = (self.episode / "program" / "adb.jsonl").read_text().splitlines()
        return sorted((json.loads(line) for line in lines), key=lambda line: float(line["t"]))

    @property
    def asked(self) -> list[dict[str, Any]]:
        return [line for line in self.raw if "mark" not in line]

    def printed(self) -> str:
        return (self.episode / "program" / "stdout").read_text()


@pytest.fixture
def run(project: Project) -> Callable[..., Ran]:
    """Runs a Python program on a task with a limit of 6 steps."""

    def run_program(body: str, *options: str, adapter: str = "") -> Ran:
        path = project.pytester.path / "program.py"
        path.write_text(PYTHON + body)
        agent = f"cmd:{sys.executable} {path} {{goal}}"
        if adapter:
            words = json.dumps([sys.executable, "program.py", "{goal}"])
            (project.pytester.path / "other.toml").write_text(f"command = {words}\n{adapter}")
            agent = "other.toml"
        steps = () if any("steps" in each for each in options) else ("-omobile_step_factor=3",)
        result = project.run("tasks", f"--agent={agent}", "-k", "count[1]", *steps, *options)
        ran = Ran(project.pytester.path, result.stdout.str())
        assert not processes_with(ran.episode.parents[1].name)
        return ran

    return run_program


OPEN = 'shell("monkey -p com.example.counter 1")\n'


def test_goal_is_passed_as_argument_and_environment_variable(run: Callable[..., Ran]) -> None:
    ran = run('print(sys.argv[1], os.environ["MOBILEAGENT_GOAL"], sep="|")')
    assert ran.printed() == "Count to 1.|Count to 1.\n"
    assert (ran.task["termination"], ran.task["steps"]) == ("self-reported", 0)
    assert ran.task["metered"] is True, "it has not acted"


def test_typing_letter_by_letter_is_one_act(run: Callable[..., Ran]) -> None:
    ran = run(OPEN + 'shell("input tap 540 597")\nfor c in "hello": shell("input text " + c)')
    assert [actions[0][0] for actions in ran.actions] == ["Open", "Tap", "Type", "Finish"]
    assert ran.actions[2][0][1] == "hello"
    assert ran.task["metered"] is False
    assert (ran.task["cost_usd"], ran.task["input_tokens"]) == (None, None)
    assert "unmetered: 1 task acted without a model call that was seen" in ran.output


def test_act_beyond_the_step_limit_fails_and_ends_the_program(
    run: Callable[..., Ran],
) -> None:
    body = """
n = 0
while True:
    done = shell(f"input tap {n * 40} 1000")
    print(n, done.returncode, done.stderr.strip(), flush=True)
    n += 1
"""
    ran = run(body, "--mobile-max-steps=3")
    assert ran.task["termination"] == "step limit"
    assert ran.task["steps"] == 3
    first, *others = ran.printed().splitlines()[2:]
    assert first.startswith("2 0")
    assert others[0].startswith("3 255")
    assert "over" in others[0]


DIES_ONCE = """
import pathlib, signal
if not (marker := pathlib.Path({marker!r})).exists():
    marker.touch()
    {die}
"""


@pytest.mark.parametrize(
    "die",
    ["os.kill(os.getpid(), signal.SIGKILL)", "sys.exit(143)", "os.kill(os.getppid(), 9)"],
    ids=["killed", "as a shell tells it", "its keeper"],
)
def test_a_program_that_somebody_kills_is_repeated(
    run: Callable[..., Ran], tmp_path: Path, die: str
) -> None:
    ran = run(DIES_ONCE.format(marker=str(tmp_path / "marker"), die=die))
    assert (ran.task["termination"], len(ran.task["infrastructure"])) == ("self-reported", 1)


ENDINGS = {
    "sys.exit(0)": ("self-reported", ""),
    "sys.exit(5)": ("gave up", ""),
    "sys.exit(4)": ("step limit", ""),
    "print('oh no', file=sys.stderr); sys.exit(2)": ("agent error", "oh no"),
    "os.kill(os.getpid(), 9)": ("agent error", "SIGKILL"),
    "open(os.environ['MOBILEAGENT_IMPOSSIBLE_FILE'], 'w').write('no such app')": ("gave up", ""),
}


@pytest.mark.parametrize("body", ENDINGS)
def test_termination_follows_the_report_of_the_program(run: Callable[..., Ran], body: str) -> None:
    ran = run(body)
    termination, error = ENDINGS[body]
    assert ran.task["termination"] == termination
    assert error in ran.end["error"]


def test_answer_is_found_by_pattern_or_in_a_file(run: Callable[..., Ran]) -> None:
    adapter = "answer = 'FINAL ANSWER: (.*)'"
    ran = run("print('FINAL ANSWER: 3')\nprint('FINAL ANSWER: 4711')", adapter=adapter)
    assert ran.task["answer"] == "4711"


def test_a_program_can_request_the_goal(run: Callable[..., Ran]) -> None:
    ran = run("print([input('Go on? '), input('Task? ')])", adapter='stdin = "y\\n{goal}\\n"')
    assert "['y', 'Count to 1.']" in ran.printed()


def test_answer_may_be_written_to_a_file(run: Callable[..., Ran]) -> None:
    assert (
        run("open(os.environ['MOBILEAGENT_ANSWER_FILE'], 'w').write('42')").task["answer"] == "42"
    )


HANGS = """
import signal
for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(each, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    time.sleep(600)
shell("input keyevent HOME")
while True:
    time.sleep(1)
"""


def test_a_program_that_hangs_forks_and_ignores_signals_is_ended_completely(
    run: Callable[..., Ran],
) -> None:
    ran = run(HANGS, "--mobile-time-limit=3")
    assert ran.task["termination"] == "time limit"
    assert ran.actions == [[("Key", "home")]]
    assert "it exceeded 3 seconds" in ran.end["error"]


def test_program_cannot_take_the_phone_away(run: Callable[..., Ran]) -> None:
    body = (
        OPEN
        + """
for words in (["reboot"], ["shell", "reboot"], ["shell", "svc", "power", "reboot"], ["emu", "kill"],
              ["kill-server"], ["root"], ["tcpip", "5555"],
              ["shell", "pm", "uninstall", "org.mobileagent.listener"]):
    done = adb(*words)
    print(words, done.returncode, flush=True)
subprocess.run("pkill -x adb; killall -q adb", shell=True)
print(shell("echo still here").stdout)
shell("input tap 172 372")
"""
    )
    ran = run(body)
    assert "still here" in ran.printed()
    assert ran.task["infrastructure"] == []
    assert ran.task["termination"] == "self-reported"
    assert ran.task["success"] is True
    refused = [each["text"] for each in ran.asked if each["refused"]]
    assert any("reboot" in each for each in refused)
    assert any("org.mobileagent.listener" in each for each in refused)


FIXED_PORT = """
import adbutils
client = adbutils.AdbClient(host="127.0.0.1", port=5037)
(device,) = client.device_list()
print(device.serial == os.environ["ANDROID_SERIAL"], client.server_version() > 0)
device.shell("monkey -p com.example.counter 1")
print(adb("-P", "5037", "-H", "localhost", "shell", "input", "tap", "172", "372").returncode)
print(subprocess.run([os.environ["ANDROID_HOME"] + "/platform-tools/adb", "devices"],
                     capture_output=True, text=True).stdout.count("device") == 2)
"""


def test_fixed_port_and_fixed_binary_reach_the_phone_of_the_program(
    run: Callable[..., Ran],
) -> None:
    ran = run(FIXED_PORT)
    assert ran.printed().split() == ["True", "True", "0", "True"]
    assert ran.task["success"] is True
    assert [actions[0][0] for actions in ran.actions] == ["Open", "Tap", "Finish"]


FIXED_URL = (
    OPEN
    + """
KEY = "sk-this-is-nobodys-key-at-all"
body = json.dumps({"model": "gpt-4o", "messages": [{"role": "user", "content": "What next?"}]})
for _ in range(2):
    request = urllib.request.Request(
        "https://api.openai.com/v1/chat/completions", body.encode(),
        {"Content-Type": "application/json", "Authorization": "Bearer " + KEY},
    )
    reply = json.load(urllib.request.urlopen(request))["choices"][0]["message"]["content"]
    shell(reply)
"""
)


def test_fixed_url_is_answered_metered_and_budgeted(
    run: Callable[..., Ran], project: Project
) -> None:
    replies = ['"input tap 172 372"', '{"reply": "input keyevent HOME", "input_tokens": 900}']
    script = project.pytester.path / "replies.jsonl"
    script.write_text("\n".join(replies))
    ran = run(FIXED_URL, f"--mobile-model=scripted:{script}")
    assert (ran.task["calls"], ran.task["metered"], ran.task["success"]) == (2, True, True)
    assert ran.task["steps"] == 3
    assert ran.task["roles"]["actor"]["calls"] == 2
    of_each = ((line.get("mark"), line.get("acts"), line.get("looks")) for line in ran.raw)
    marks = [mark or ("act" if acts else "look" if looks else "") for mark, acts, looks in of_each]
    assert marks == ["act", "call", "act", "call", "act"]
    assert len(grouped([mark for mark in marks if mark])) == ran.task["steps"]  # derived again
    everything = "".join(path.read_text("utf-8", "replace") for path in ran.episode.glob("*.jsonl"))
    assert "What next?" in everything
    assert "sk-this-is" not in everything


def test_keys_inside_a_program_are_never_recorded(
    run: Callable[..., Ran], project: Project
) -> None:
    script = project.pytester.path / "replies.jsonl"
    script.write_text('"input tap 172 372"\n' * 2)
    body = FIXED_URL + (
        'print(KEY, os.environ["OPENAI_BASE_URL"], os.environ["OTHER_KEY"])\n'
        'open("written", "w").write(KEY + os.environ["OTHER_KEY"])\n'
    )
    adapter = 'folder = "."\nanswer = "^(.*) http"\nenv = {OTHER_KEY = "another-very-secret"}'
    ran = run(body, f"--mobile-model=scripted:{script}", adapter=adapter)
    assert ran.task["answer"].startswith("…")
    run_folder = ran.episode.parents[1]
    kept = [path for path in run_folder.rglob("*") if path.is_file()]
    assert any(path.name == "written" for path in kept)
    text = "".join(path.read_text("utf-8", "replace") for path in kept) + ran.output
    assert "sk-this-is" not in text
    assert "another-very-secret" not in text
    assert "/…/openai" in ran.printed()


def test_program_adb_and_keeper_have_no_real_keys_in_their_environment(
    run: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-real-0123456789")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-api03-0123456789")
    monkeypatch.setenv("GEMINI_API_KEY", "AIza-0123456789")
    body = """
from pathlib import Path

def holders(text):
    found, seen = [], 0
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            environment = path.read_bytes()
            name = path.with_name("cmdline").read_bytes().replace(b"\\0", b" ")
        except OSError:
            continue
        if b"MOBILEAGENT_TEST_MARK" in environment:
            seen += 1
            found += [name] if text.encode() in environment else []
    return found, seen

shell("true")
everything = Path("/proc/self/environ").read_text() + str(dict(os.environ))
assert "-0123456789" not in everything.replace("AIza-0123456789", ""), "a key"
assert os.environ["GEMINI_API_KEY"].startswith("AIza-")
assert os.environ["OPENAI_BASE_URL"].startswith("http://127.0.0.1")
found, seen = holders("sk-real-0123")
assert seen >= 3 and not found, (seen, found)
print("none")
"""
    monkeypatch.setenv("MOBILEAGENT_TEST_MARK", "1")
    adapter = 'answer = "^none$"\nown_keys = ["GEMINI_API_KEY"]'
    ran = run(body, adapter=adapter)
    assert ran.task["answer"] == "none", ran.end
    assert "other has real keys (GEMINI_API_KEY), and may reach any host" in ran.output


def test_unavailable_provider_is_not_the_fault_of_the_program(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{closed.getsockname()[1]}/v1")
    assert "openai:gpt-4o: ConnectionRefusedError" in infrastructure(project, OWN_URL)


def test_a_program_that_only_prints_the_error_of_its_provider_is_not_at_fault(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = "".join(f"    {line}\n" for line in OWN_URL.splitlines())
    body = f"try:\n{tried}except Exception as error:\n    print(error)\n"
    with standing_in((400, error("Arrearage", "Pay."))) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        assert "openai:gpt-4o: HTTP 400: Pay." in infrastructure(project, body)


OWN_URL = FIXED_URL.replace('"https://api.openai.com/v1', 'os.environ["OPENAI_BASE_URL"] + "')


def infrastructure(project: Project, body: str) -> str:
    """Return the reason why a program's episode ends as an infrastructure error."""
    program = project.pytester.path / "program.py"
    program.write_text(PYTHON + body)
    agent = f"--agent=cmd:{sys.executable} {program}"
    project.run("tasks", agent, "-k", "count[1]", "--mobile-retries=0")
    (report,) = project.pytester.path.glob("runs/*/report.json")
    task = json.loads(report.read_text())["tasks"][0]
    assert (task["outcome"], task["fault"]) == ("error", "infrastructure")
    return str(task["reason"])


def test_exhausted_budget_ends_the_episode(run: Callable[..., Ran], project: Project) -> None:
    script = project.pytester.path / "replies.jsonl"
    script.write_text('{"reply": "input tap 172 372", "input_tokens": 900}\n' * 2)
    ran = run(FIXED_URL, f"--mobile-model=scripted:{script}", "--mobile-max-tokens=task=500")
    assert ran.task["termination"] == "budget"
    assert ran.task["outcome"] == "error"
    assert ran.task["calls"] == 1


def test_forwarded_ports_are_recorded(run: Callable[..., Ran]) -> None:
    body = """
import uiautomator2
phone = uiautomator2.connect()
phone.app_start("com.example.counter")
phone(text="Add one").click()
phone.dump_hierarchy()
print(len(phone.adb_device.forward_list()))
"""
    ran = run(body)
    assert ran.task["success"] is True
    assert [actions[0][0] for actions in ran.actions] == ["Open", "Tap", "Finish"]
    assert any(each["service"].startswith("tcp:9008") for each in ran.asked)


def test_program_may_report_its_steps_and_calls(run: Callable[..., Ran]) -> None:
    body = """
from pytest_mobileagent import Recorder
recorder = Recorder()
with recorder.step():
    shell("monkey -p com.example.counter 1")
    shell("input tap 172 372")
recorder.call("local-vlm", input_tokens=900, output_tokens=30)
recorder.finish("it is 1")
time.sleep(60)
"""
    ran = run(body)
    assert [len(actions) for actions in ran.actions] == [2, 1]
    assert (ran.task["answer"], ran.task["termination"]) == ("it is 1", "self-reported")
    assert (ran.task["calls"], ran.task["input_tokens"], ran.task["cost_usd"]) == (1, 900, None)
    assert ran.task["seconds"] < 30


def test_adapter_runs_a_copy_of_its_folder(run: Callable[..., Ran], project: Project) -> None:
    body = OPEN + 'open("written", "w").write("x")\nprint(open("config.yaml").read())'
    (project.pytester.path / "config.yaml").write_text("serial: {serial}\n")
    ran = run(body, adapter='folder = "."\nfiles = ["config.yaml"]')
    assert ran.printed().startswith("serial: emulator-")
    assert not (project.pytester.path / "written").exists()
    assert (ran.episode / "program" / "files" / "written").read_text() == "x"
