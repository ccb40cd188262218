"""Programs on a recorded phone: unmodified clients and the real adb."""

from __future__ import annotations

import contextlib
import http.server
import importlib.util
import random
import sys
import textwrap
import threading
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

import adbutils
import pytest

from tests.program.adb.conftest import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator


def test_command_keeps_output_errors_and_status(recording):
    done = recording.adb("shell", "echo out; echo err >&2; exit 3")
    assert (done.stdout, done.stderr, done.returncode) == (b"out\n", b"err\n", 3)
    (asked,) = recording.watching.asked
    assert asked.command.text.endswith(":echo out; echo err >&2; exit 3")
    assert asked.error == "exit status 3"


def test_screenshot_passes_byte_by_byte(recording):
    picture = recording.adb("exec-out", "screencap", "-p").stdout
    assert picture.startswith(b"\x89PNG")
    assert picture == recording.adb("exec-out", "screencap", "-p").stdout


def test_files_are_transferred_unchanged(recording, tmp_path):
    data = random.Random(1).randbytes(3_000_000)
    (tmp_path / "here").write_bytes(data)
    recording.out("push", str(tmp_path / "here"), "/data/local/tmp/there")
    recording.out("pull", "/data/local/tmp/there", str(tmp_path / "back"))
    assert (tmp_path / "back").read_bytes() == data
    recording.out("shell", "rm", "/data/local/tmp/there")


def test_input_arrives_completely(recording):
    data = random.Random(2).randbytes(1_500_000)
    recording.out("exec-in", "cat > /data/local/tmp/in", input=data)
    assert recording.watching.asked[0].ended.wait(PATIENCE)  # adb itself does not wait
    assert recording.adb("exec-out", "cat /data/local/tmp/in").stdout == data
    recording.out("shell", "rm", "/data/local/tmp/in")


def test_app_can_be_installed(recording):
    client = importlib.util.find_spec("uiautomator2")  # importing it takes a second
    assert client is not None
    assert client.origin is not None
    apk = next(Path(client.origin).parent.rglob("*.apk"))
    assert "Success" in recording.out("install", "-r", str(apk))
    package = "com.github.uiautomator"
    assert package in recording.out("shell", "pm", "list", "packages")
    assert "Success" in recording.out("uninstall", package)


def test_only_the_phone_is_listed_with_its_properties(recording):
    _, line, *others = recording.out("devices", "-l").splitlines()
    assert line.split()[:2] == [recording.recorded.serial, "device"]
    for key, name in {"product": "name", "model": "model", "device": "device"}.items():
        value = recording.out("shell", "getprop", f"ro.product.{name}").strip()
        assert f"{key}:{value.replace(' ', '_')}" in line.split()
    assert others == [""]
    assert recording.recorded.environment["ANDROID_SERIAL"] == recording.recorded.serial


@pytest.mark.parametrize(
    "options",
    [
        ["-s", "SERIAL"],
        ["-P5037", "-H", "localhost"],
        ["-L", "tcp:5037", "-s", "SERIAL"],
        ["-H127.0.0.1", "-d"],
    ],
    ids=" ".join,
)
def test_any_requested_server_and_device_lead_to_the_phone(recording, options):
    words = [word.replace("SERIAL", recording.recorded.serial) for word in options]
    assert recording.out(*words, "shell", "echo", "-P", "'a  b'") == "-P a  b\n"


def test_another_phone_is_not_listed(recording, phone):
    done = recording.adb("-s", phone.serial, "shell", "true")
    assert (done.returncode, b"not found" in done.stderr) == (1, True)


def test_killing_and_starting_the_server_does_nothing(recording):
    pid = recording.server_pid
    recording.out("kill-server")
    recording.out("-P", "5037", "start-server")
    assert recording.server_pid == pid
    adb = adbutils.adb_path()  # bypasses the shim
    recording.run(adb, "kill-server")  # old servers exit and are restarted
    assert recording.out("wait-for-device", "shell", "echo", "still") == "still\n"


@pytest.fixture
def web() -> Iterator[int]:
    """The port of a web server on the computer, which returns the path of each page."""

    class Pages(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(self.path)))
            self.end_headers()
            self.wfile.write(self.path.encode())

        do_POST = do_GET  # noqa: N815 - http.server's name

        def log_message(self, *words: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def get(port: int, path: str, data: bytes | None = None) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", data, PATIENCE) as page:
        return str(page.read().decode())


def test_forwards_and_reverses_work(recording, web):
    inside = recording.out("reverse", "tcp:0", f"tcp:{web}").strip()
    assert f"tcp:{inside} tcp:{web}" in recording.out("reverse", "--list")
    outside = recording.out("forward", "tcp:0", f"tcp:{inside}").strip()
    assert f"tcp:{outside} tcp:{inside}" in recording.out("forward", "--list")
    assert [get(int(outside), "/one"), get(int(outside), "/two")] == ["/one", "/two"]
    assert recording.watching.of(f"tcp:{inside}")
    recording.out("forward", "--remove", f"tcp:{outside}")
    recording.out("reverse", "--remove", f"tcp:{inside}")
    assert f"tcp:{inside}" not in recording.out("reverse", "--list")


def test_forwarded_request_is_a_command_until_its_response(recording, web):
    inside = recording.out("reverse", "tcp:0", f"tcp:{web}").strip()
    outside = int(recording.out("forward", "tcp:0", f"tcp:{inside}"))
    assert get(outside, "/input/tap", b"x" * 300_000) == "/input/tap"
    assert [each.error for each in recording.watching.of("/input/tap")] == [""]
    recording.watching.refuse = ("/input/tap",)
    with pytest.raises(OSError, match=r"reset|without response"):
        get(outside, "/input/tap", b"")
    assert recording.watching.of("/input/tap")[-1].refused
    recording.out("reverse", "--remove-all")
    recording.out("forward", "--remove-all")


def test_scrcpy_must_use_a_forward_instead_of_a_reverse(recording):
    for options in ([], ["--no-rebind"]):
        done = recording.adb("reverse", *options, "localabstract:scrcpy_1", "tcp:27183")
        assert done.returncode == 1
        assert b"use `adb forward`" in done.stderr
    assert recording.out("forward", "tcp:0", "localabstract:scrcpy_1")
    recording.out("forward", "--remove-all")


def test_endless_stream_flows_until_the_program_is_killed(recording):
    with recording.popen("adb", "logcat", "-T", "1", stdout=-1) as logcat:
        assert logcat.stdout.readline()
        recording.out("shell", "log -t mark hello")
        while b"hello" not in logcat.stdout.readline():
            pass
        (asked,) = recording.watching.of("logcat")
        assert asked.error is None
        logcat.kill()
    assert asked.ended.wait(PATIENCE)


def test_act_waits_for_permission(recording):
    recording.watching.hold.clear()
    with recording.popen("adb", "shell", "input tap 10 20; echo done", stdout=-1) as program:
        assert recording.out("devices").count("device") == 2  # everything else continues
        assert program.poll() is None
        recording.watching.hold.set()
        assert program.communicate(timeout=PATIENCE)[0] == b"done\n"


def test_abandoned_act_is_not_performed(recording):
    recording.watching.hold.clear()
    with recording.popen("adb", "shell", "touch /data/local/tmp/done") as program:
        while not recording.open_streams:
            pass
        program.kill()
    while recording.open_streams:
        pass
    recording.watching.hold.set()
    assert recording.out("shell", "ls /data/local/tmp/done || true") == ""
    (asked,) = recording.watching.of("touch")
    assert "closed the stream before" in str(asked.error)


@pytest.mark.parametrize(
    ("words", "status", "out", "err"),
    [
        (("shell", "input tap 1 2"), 255, b"", b"no input\n"),
        (("shell", "-T", "-x", "input tap 1 2"), 0, b"no input\n", b""),
        (("exec-out", "input tap 1 2"), 255, b"", b"error: closed\n"),
        (("reverse", "tcp:1", "tcp:2"), 1, b"", b"adb: error: no reverse\n"),
        (("reboot",), 1, b"", b"error: closed\n"),
        (("root",), 0, b"no root\n", b""),
    ],
    ids=["shell", "old shell", "exec", "reverse", "reboot", "root"],
)
def test_a_refused_command_is_not_executed_and_says_why(recording, words, status, out, err):
    recording.watching.refuse = ("input", "reverse", "reboot", "root")
    done = recording.adb(*words)
    assert (done.returncode, done.stdout, done.stderr) == (status, out, err)
    (asked,) = recording.watching.asked
    assert asked.refused
    assert asked.error is None  # it was never sent
    recording.watching.refuse = ()
    assert recording.out("get-state") == "device\n"


def test_every_command_is_in_the_raw_log(recording):
    recording.watching.refuse = ("uninstall",)
    recording.out("shell", "input tap 10 20")
    recording.adb("shell", "exit 4")
    recording.adb("shell", "pm uninstall com.example")
    recording.out("exec-out", "screencap -p | wc -c")
    recording.out("shell", ": " + "long " * 1000)
    tap, failed, refused, looks, long = recording.lines()
    assert tap["service"].endswith(":input tap 10 20")
    assert tap["acts"] == [{"action": "Tap", "x": 10, "y": 20}]
    assert 0 <= tap["t"] < failed["t"]
    assert 0 < tap["seconds"] < PATIENCE
    assert (failed["error"], failed["acts"]) == ("exit status 4", [])
    assert (refused["refused"], refused["error"]) == ("no uninstall", "")
    assert [each["looks"] for each in (tap, looks)] == [False, True]
    assert len(long["text"]) < 2100
    assert long["text"].endswith("more characters)")


def test_each_line_of_an_interactive_shell_is_a_command(recording):
    recording.watching.refuse = ("forbidden",)
    lines = b"echo one\n", b"echo two; input tap 3 4\n", b"forbidden\necho three\n"
    with recording.popen("adb", "shell", stdin=-1, stdout=-1, stderr=-1, bufsize=0) as shell:
        for line, answer in zip(lines, (b"one\n", b"two\n", b""), strict=True):
            shell.stdin.write(line)
            assert shell.stdout.readline() == answer
        assert shell.stderr.read() == b"no forbidden\n"
    assert shell.returncode == 255
    _, *asked = recording.watching.asked
    assert [each.command.text for each in asked] == [
        "echo one",
        "echo two; input tap 3 4",
        "forbidden",
    ]


def test_last_line_of_an_interactive_shell_needs_no_newline(recording):
    assert recording.out("shell", input=b"echo one\necho two") == "one\ntwo\n"
    assert [each.command.text for each in recording.watching.asked[1:]] == ["echo one", "echo two"]
    recording.watching.refuse = ("two",)
    done = recording.adb("shell", input=b"echo two")
    assert (done.stdout, done.stderr, done.returncode) == (b"", b"no two\n", 255)


def test_terminal_input_is_echoed_at_once(recording):
    device = adbutils.AdbClient("127.0.0.1", recording.recorded.port).device()
    with contextlib.closing(device.open_transport()) as stream:
        stream.send_command("shell:")
        stream.check_okay()
        stream.conn.settimeout(PATIENCE)
        received = b""
        while not received.endswith((b"$ ", b"# ")):  # another test may have made adbd root
            received += stream.conn.recv(1000)
        stream.conn.sendall(b"echo a")
        while not received.endswith(b"echo a"):
            received += stream.conn.recv(1000)
        assert len(recording.watching.asked) == 1
        stream.conn.sendall(b"bc\r")
        while b"\nabc" not in received:
            received += stream.conn.recv(1000)
    assert [each.command.text for each in recording.watching.asked[1:]] == ["echo abc"]


CLIENTS = {
    "adbutils": """
        import adbutils
        device = adbutils.AdbClient(port=5037).device()
        assert device.shell2("echo hi; (exit 2)").returncode == 2
        assert device.screenshot().size == device.window_size()
        device.sync.push(b"abc", "/data/local/tmp/abc")
        assert device.sync.read_text("/data/local/tmp/abc") == "abc"
        device.click(5, 5)
        device.shell("rm /data/local/tmp/abc")
    """,
    "uiautomator2": """
        import uiautomator2
        device = uiautomator2.connect()
        assert "<hierarchy" in device.dump_hierarchy()
        device.click(5, 5)
        assert device.screenshot().size == device.window_size()
        device.stop_uiautomator()
    """,
}


@pytest.mark.slow
@pytest.mark.parametrize("client", CLIENTS)
def test_clients_in_python_notice_nothing(recording, client):
    program = textwrap.dedent(CLIENTS[client])
    done = recording.run(sys.executable, "-c", program, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    assert recording.watching.of("input tap 5 5") or recording.watching.of("POST /jsonrpc/0")
