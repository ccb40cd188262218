"""Programs as agents on a phone: what they do, how they end, and what is reported."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
import trustme  # noqa: F401 - runs in this process would load it, and forget it, one by one

from tests.plugin.program_runs import OPEN, Ran, run_program

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.project import Project

pytestmark = pytest.mark.slow  # each test starts an adb server and a program


@pytest.fixture
def run(project: Project) -> Callable[..., Ran]:
    return partial(run_program, project)


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
