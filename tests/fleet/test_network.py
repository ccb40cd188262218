"""Runs on machines that share only a slow network, and no files; two namespaces stand for them.

The first has the head of a Ray cluster, pytest and a phone. The second has a different host name,
its own folder for temporary files, a copy of the project, and another phone.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.episode.runs import NOTE
from tests.fleet.cluster import STORE
from tests.fleet.conftest import ended, lives, until
from tests.fleet.test_fleet import EXPECTED, finished, outcomes

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
DELAY = 0.02  # seconds in each direction
HEAD, OTHER = "10.77.0.1", "10.77.0.2"
RAY = str(Path(sys.executable).with_name("ray"))


@dataclass(frozen=True)
class Apart:
    """Two namespaces, the process that connects them, and the folder for temporary files.

    In the second namespace, a separate folder is mounted at the same path.
    """

    here: str
    there: str
    wire: subprocess.Popen[bytes]
    folder: Path

    @contextlib.contextmanager
    def node(self, command: list[str]) -> Iterator[None]:
        """Run a command that starts a Ray node, for the duration of the block."""
        with subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        ) as process:
            try:
                yield
            finally:
                process.terminate()

    @contextlib.contextmanager
    def cluster(self, project: Path) -> Iterator[str]:
        """Run a cluster and yield its address; the other machine has a copy of the project."""
        copy = project.parent / "copy"
        shutil.copytree(project, copy)
        own = ["--block", "--num-cpus=1", f"--object-store-memory={STORE}"]
        phone = '--resources={"phone": 1}'
        head = ["--head", "--port=6379", f"--node-ip-address={HEAD}", "--include-dashboard=false"]
        other = [f"--address={HEAD}:6379", f"--node-ip-address={OTHER}", "--labels=place=there"]
        # The other machine has its own files, shared memory and host name.
        alone = 'mount -t tmpfs tmpfs "$0"; mount -t tmpfs tmpfs /dev/shm; mkdir "$0/tmp"; '
        alone += 'cp "$2" "$0"; mount --bind "$1" "$3"; hostname there; shift 3; exec "$@"'
        token = self.folder / "token"
        shutil.copy(token, project.parent / "token")
        unshared = ["unshare", "-m", "-u", "sh", "-c", alone, str(self.folder), str(copy)]
        unshared += [str(project.parent / "token"), str(project)]
        enter = ["ip", "netns", "exec"]
        with self.node([*enter, self.here, RAY, "start", *head, *own, phone]):
            until(lambda: answers(self.there))
            with self.node([*enter, self.there, *unshared, RAY, "start", *other, *own, phone]):
                until(lambda: phones(self.here) == 2)
                yield f"{HEAD}:6379"


def answers(namespace: str) -> bool:
    """Return whether the head can be reached from a namespace."""
    connect = f"import socket; socket.create_connection(('{HEAD}', 6379), 5)"
    command = ["ip", "netns", "exec", namespace, sys.executable, "-c", connect]
    return not subprocess.run(command, capture_output=True, check=False).returncode


def phones(namespace: str) -> int:
    """Return the number of phones in the cluster."""
    count = (
        f"import ray; ray.init(address='{HEAD}:6379', log_to_driver=False);"
        "print(int(ray.cluster_resources().get('phone', 0)))"
    )
    command = ["ip", "netns", "exec", namespace, sys.executable, "-c", count]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
    return int(said[-1]) if said else 0


@pytest.fixture
def apart(monkeypatch) -> Iterator[Apart]:
    if find_spec("ray") is None:
        pytest.skip('Ray is not installed: pip install ".[ray]"')
    if os.geteuid() or not shutil.which("ip") or not Path("/dev/net/tun").exists():
        pytest.skip("only root can make network namespaces, by ip and /dev/net/tun")
    here, there = (f"fleet-{os.getpid()}-{number}" for number in (1, 2))
    folder = Path(tempfile.mkdtemp(prefix="fleet-", dir="/tmp"))
    (folder / "token").write_text(secrets.token_hex(32))
    (folder / "tmp").mkdir()
    own = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(folder / "token")}
    own |= {"RAY_TMPDIR": str(folder), "TMPDIR": str(folder / "tmp")}
    for name, value in {**own, "RAY_USAGE_STATS_ENABLED": "0"}.items():
        monkeypatch.setenv(name, value)
    made = []
    try:
        for name in (here, there):
            command = ["ip", "netns", "add", name]
            if (said := subprocess.run(command, capture_output=True, check=False)).returncode:
                pytest.skip(f"no network namespace can be made: {said.stderr.decode().strip()}")
            made.append(name)
        wire = [sys.executable, str(HERE / "wire.py"), here, there, str(DELAY)]
        with subprocess.Popen(wire, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            try:
                yield Apart(here, there, process, folder)
            finally:
                process.kill()
    finally:
        for name in made:
            subprocess.run(["ip", "netns", "delete", name], check=False)
        shutil.rmtree(folder, ignore_errors=True)


def test_a_run_over_a_slow_network_without_shared_files_and_the_network_cut(apart, sent):
    sent.free("Say 0.", "Say 1.", "Say 2.")
    with apart.cluster(sent.path) as address:
        copy = sent.path.parent / "copy"
        run = sent.start(address, "-nauto", through=["ip", "netns", "exec", apart.here])
        until(lambda: len(finished(sent)) == 3)
        # Both machines have begun another test, and the run knows which.
        until(lambda: len(list(sent.path.glob(f"runs/*/episodes/*/{NOTE}"))) == 5)
        there = [int(path.name) for path in (copy / "pids").glob("*")]
        apart.wire.send_signal(signal.SIGSTOP)
        until(lambda: "has not been heard for" in sent.output(), seconds=20.0)
        apart.wire.send_signal(signal.SIGCONT)
        (copy / "go").touch()
        until(lambda: not any(map(lives, there)))
        sent.go()
        assert ended(run) == 0, sent.output()
    report = sent.report()
    assert outcomes(report) == EXPECTED
    assert len(finished(sent)) == 6
    (lost,) = (task for task in report["tasks"] if task["infrastructure"])
    assert [attempt["end"] for attempt in lost["attempts"]] == ["worker died", "played"]
    machines = {attempt["node"] for task in report["tasks"] for attempt in task["attempts"]}
    assert machines == {os.uname().nodename, "there"}
    for task in report["tasks"]:  # recorded on either machine, and stored here
        assert (max(sent.path.glob("runs/*")) / task["episode"] / "episode.jsonl").exists()
    assert not (copy / "runs").exists()
