"""The connection to a Ray cluster, which may be started for the run, and what its machines have."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import signal
import socket
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ray
from ray._private import worker as driver

import pytest_mobileagent
from pytest_mobileagent.jsonable import digest
from pytest_mobileagent.plugin.metadata import versions
from pytest_mobileagent.plugin.reuse.digests import content_of
from pytest_mobileagent.plugin.settings import folders

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import pytest

    from pytest_mobileagent.plugin.config import RunConfig
    from pytest_mobileagent.plugin.options import Engine


PHONE = "phone"  # the Ray resource of which a machine has one unit per phone
_SECONDS = 5.0  # timeout for a connection to the cluster's head
# The preface of HTTP/2, on which Ray's protocol is based, and the type of the answering frame.
_HELLO = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
_SETTINGS = b"\x04"
_OF_RAY = {
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # else Ray warns of a coming change
    "RAY_nums_py_gcs_reconnect_retry": "0",  # each retry takes 20 s, and fails like the first try
    "RAY_DEFAULT_PYTHON_VERSION_MATCH_LEVEL": "minor",  # the controller compares patch versions
}
_STORE = 100 << 20  # bytes of shared memory; nothing large is stored there


class ClusterError(Exception):
    """There is no such cluster, or it cannot be used; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster to which this process is connected.

    - `labels`: the labels that machines must have for workers to run on them.
    - `is_packed`: whether Ray's runtime environment copies the project to the machines.
    """

    labels: Mapping[str, str] = field(default_factory=dict)
    is_packed: bool = False

    @property
    def where(self) -> dict[str, Any]:
        """The options of actors that may only run on the chosen machines."""
        return {"label_selector": dict(self.labels)} if self.labels else {}

    @property
    def phones(self) -> int:
        """The number of phones of the chosen machines that are alive, free or not."""
        return sum(int(node["Resources"][PHONE]) for node in self._machines())

    @property
    def has_others(self) -> bool:
        """Whether any of the chosen machines is not this one, by its address."""
        here = ray.util.get_node_ip_address()
        return any(node["NodeManagerAddress"] != here for node in self._machines())

    def _machines(self) -> Iterator[Mapping[str, Any]]:
        """Yield Ray's description of each chosen machine that is alive and has phones."""
        wanted = self.labels.items()
        for node in ray.nodes():
            has_labels = wanted <= (node.get("Labels") or {}).items()
            if node["Alive"] and has_labels and node["Resources"].get(PHONE, 0):
                yield node

    def check(self, workers: int) -> None:
        """Check that the cluster has a phone for each worker.

        Raises:
            ClusterError: if it has fewer phones.
        """
        if workers <= (phones := self.phones):
            return
        labels = ", ".join(f"{key}={value}" for key, value in self.labels.items())
        those = f" with {labels}" if labels else ""
        if not phones:
            msg = (
                f"no machine of the cluster{those} has a phone: on machines with phones, start Ray "
                f"by ray start --address=… --resources='{{\"{PHONE}\": N}}'"
                + (f" --labels={labels.replace(', ', ',')}" if labels else "")
            )
        else:
            have = f"the machines of the cluster{those} have {phones}"
            msg = f"-n {workers} needs {workers} phones, and {have}: give -n {phones}, or -n auto"
        raise ClusterError(msg)


def connect(engine: Engine, workers: int) -> Cluster:
    """Connect to the cluster, or start one with as many phones as `workers`.

    Raises:
        ClusterError: if there is no such cluster, or it runs another version of Ray or Python.
    """
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}
    if engine.address is None:
        options |= {"include_dashboard": False, "object_store_memory": _STORE}
        options["resources"] = {PHONE: workers}
    else:
        options["address"] = engine.address
        _probe(engine.address)
    # Ray prints at length when a worker dies, whatever log_to_driver says; the run reports it.
    driver.print_to_stdstream = lambda *_, **__: None
    try:
        with _quiet():
            ray.init(**options)
    except Exception as error:  # Ray raises many types of error, including bare exceptions
        raise ClusterError(_why(error)) from error
    return Cluster(engine.labels, bool(ray.get_runtime_context().runtime_env.get("working_dir")))


def _why(error: Exception) -> str:
    msg = " ".join(str(error).split()) or type(error).__name__
    if "Could not find any running Ray" in msg:
        return "Ray is not running on this machine: run ray start --head, or leave out :auto"
    if isinstance(error, ConnectionError):
        msg += "; a cluster that wants a token needs RAY_AUTH_MODE=token here, too (docs/fleets.md)"
    elif "Version mismatch" in msg:
        msg += ": this machine and the cluster need the same versions (docs/fleets.md)"
    return msg


def disconnect() -> None:
    """Disconnect from the cluster, and end it if the run has started it."""
    with _quiet():
        ray.shutdown()


def _probe(address: str) -> None:
    """Check that Ray is listening at an address, as Ray itself would try for a minute."""
    if address == "auto":
        return
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdigit() or "/" in host:
        raise ClusterError("an address is HOST:PORT, where the cluster's head listens, or auto")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=_SECONDS) as talk:
            talk.sendall(_HELLO)
            is_ray = _answer(talk)[3:4] == _SETTINGS
    except (OSError, OverflowError) as error:
        msg = f"nothing answers there ({error}): is it the address that ray start --head printed?"
        raise ClusterError(msg) from None
    if not is_ray:
        msg = "the server there is not Ray: is it the address that ray start --head printed?"
        raise ClusterError(msg)


def _answer(talk: socket.socket) -> bytes:
    try:
        return talk.recv(9)
    except OSError:
        return b""


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep Ray's warnings and its SIGTERM handler out of a pytest session."""
    for name, value in _OF_RAY.items():
        os.environ.setdefault(name, value)
    handler = signal.getsignal(signal.SIGTERM)
    # Ray's native code writes to standard error directly.
    errors, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        with warnings.catch_warnings(action="ignore"):
            yield
    finally:
        os.dup2(errors, 2)
        os.close(errors)
        os.close(nowhere)
        signal.signal(signal.SIGTERM, handler)


_OF_PROJECT = ("agents", "apps", "environments", "noise")


def about_node() -> dict[str, Any]:
    """Return the name of this machine, and the versions that a run's results may depend on."""
    return {"node": socket.gethostname(), "pid": os.getpid(), "versions": versions()}


def about_code(session: pytest.Session, run: RunConfig) -> dict[str, str]:
    """Return digests of the tests, the project's folders and the plugin, by their names.

    Test files and conftest.py files are named by their paths relative to pytest's root folder.
    """
    loaded = session.config.pluginmanager.get_plugins()
    modules = {getattr(each, "__file__", None) or "" for each in loaded}
    files = {item.path for item in session.items}
    files |= {Path(name) for name in modules if name.endswith("conftest.py")}
    return {**_of_files(session.config.rootpath, files), **_of_folders(run)}


def differences(run: RunConfig, theirs: Mapping[str, str]) -> list[str]:
    """Return the names in `theirs`, another machine's digests, that differ on this machine."""
    here, root = _of_folders(run), run.config.rootpath
    here |= _of_files(root, [root / name for name in theirs if name not in here])
    return sorted(name for name, known in theirs.items() if here.get(name) != known)


def _of_files(root: Path, files: Iterable[Path]) -> dict[str, str]:
    return {
        Path(os.path.relpath(path, root)).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
        if path.is_file()
    }


def _of_folders(run: RunConfig) -> dict[str, str]:
    named = {f"the project's {what}": folders(run.config, what) for what in _OF_PROJECT}
    named["pytest-mobileagent"] = [Path(pytest_mobileagent.__file__).parent]
    return {name: digest(content_of(paths)) for name, paths in named.items()}
