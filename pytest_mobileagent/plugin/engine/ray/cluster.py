"""A Ray cluster: the one that an option names, or one that the run starts on this machine."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import socket
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import ray
from ray._private import worker as driver

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_mobileagent.plugin.values import Engine

PHONE = "phone"  # the resource of which a machine has one for each of its phones
_SECONDS = 5.0  # in which a head has to accept a connection
# How HTTP/2, and with it Ray's protocol, begins; and the type of the frame that answers.
_HELLO = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
_SETTINGS = b"\x04"
_OF_RAY = {
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # it warns of a change there
    "RAY_nums_py_gcs_reconnect_retry": "0",  # each takes 20 s, and fails where the first has
    "RAY_DEFAULT_PYTHON_VERSION_MATCH_LEVEL": "minor",  # we tell of the patch level ourselves
}
_STORE = 100 << 20  # bytes of shared memory: nothing large is kept there


class ClusterError(Exception):
    """There is no such cluster, or it cannot be used; the text says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster to which this process is connected.

    - `labels`: those that machines must have for workers to run there.
    - `is_packed`: whether Ray's runtime environment brings the project to the machines.
    """

    labels: Mapping[str, str] = field(default_factory=dict)
    is_packed: bool = False

    @property
    def where(self) -> dict[str, Any]:
        """The options of actors that run on the chosen machines only."""
        return {"label_selector": dict(self.labels)} if self.labels else {}

    @property
    def phones(self) -> int:
        """How many phones the chosen machines have that are there now, free or not."""
        return sum(int(node["Resources"][PHONE]) for node in self._machines())

    @property
    def has_others(self) -> bool:
        """Whether any of the chosen machines is another than this one, by its address."""
        here = ray.util.get_node_ip_address()
        return any(node["NodeManagerAddress"] != here for node in self._machines())

    def _machines(self) -> Iterator[Mapping[str, Any]]:
        """Yield what Ray knows of the chosen machines that have phones and are there now."""
        wanted = self.labels.items()
        for node in ray.nodes():
            has_labels = wanted <= (node.get("Labels") or {}).items()
            if node["Alive"] and has_labels and node["Resources"].get(PHONE, 0):
                yield node

    def check(self, workers: int) -> None:
        """Check that the cluster has a phone for each worker.

        Raises:
            ClusterError: it has not.
        """
        phones = self.phones
        if workers <= phones:
            return
        labels = ", ".join(f"{key}={value}" for key, value in self.labels.items())
        those = f" with {labels}" if labels else ""
        if not phones:
            msg = (
                f"no machine of the cluster{those} has a phone: start Ray on machines that have by "
                f"ray start --address=… --resources='{{\"{PHONE}\": N}}'"
                + (f" --labels={labels.replace(', ', ',')}" if labels else "")
            )
        else:
            have = f"the machines of the cluster{those} have {phones}"
            msg = f"-n {workers} needs {workers} phones, and {have}: give -n {phones}, or -n auto"
        raise ClusterError(msg)


def connect(engine: Engine, workers: int) -> Cluster:
    """Connect to the cluster, or start one with as many phones as there are to be workers.

    Raises:
        ClusterError: there is none, or another version of Ray or Python runs there.
    """
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}
    if engine.address is None:
        options |= {"include_dashboard": False, "object_store_memory": _STORE}
        options["resources"] = {PHONE: workers}
    else:
        options["address"] = engine.address
        _probe(engine.address)
    # Ray prints at length when a worker dies, whatever log_to_driver says; the run tells of it.
    driver.print_to_stdstream = lambda *_, **__: None
    try:
        with _quiet():
            ray.init(**options)
    except Exception as error:  # Ray raises many kinds, and bare ones
        raise ClusterError(_why(error)) from error
    packed = ray.get_runtime_context().runtime_env.get("working_dir")
    return Cluster(engine.labels, bool(packed))


def _why(error: Exception) -> str:
    """Return why a cluster cannot be used, and what to do."""
    msg = " ".join(str(error).split()) or type(error).__name__
    if "Could not find any running Ray" in msg:
        return "no Ray runs on this machine: start it by ray start --head, or leave out :auto"
    if isinstance(error, ConnectionError):
        msg += "; a cluster that wants a token needs RAY_AUTH_MODE=token here, too (docs/fleets.md)"
    elif "Version mismatch" in msg:
        msg += ": the same versions are needed here as there (docs/fleets.md)"
    return msg


def disconnect() -> None:
    """Leave the cluster, and end it if the run has started it."""
    with _quiet():
        ray.shutdown()


def _probe(address: str) -> None:
    """Find out whether anybody listens at an address: Ray itself would try for a minute."""
    if address == "auto":
        return
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdigit() or "/" in host:
        msg = "an address is HOST:PORT, that of the cluster's head, or auto"
        raise ClusterError(msg)
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=_SECONDS) as talk:
            talk.sendall(_HELLO)
            is_ray = _answer(talk)[3:4] == _SETTINGS
    except (OSError, OverflowError) as error:
        msg = f"nobody answers there ({error}): is that the address that ray start --head printed?"
        raise ClusterError(msg) from None
    if not is_ray:
        msg = "what answers there is not Ray: is that the address that ray start --head printed?"
        raise ClusterError(msg)


def _answer(talk: socket.socket) -> bytes:
    """Return how what listens somewhere begins its answer; nothing if it says nothing."""
    try:
        return talk.recv(9)
    except OSError:
        return b""


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep what Ray warns of, and its handler of SIGTERM, out of a session of pytest."""
    for name, value in _OF_RAY.items():
        os.environ.setdefault(name, value)
    handler = signal.getsignal(signal.SIGTERM)
    # What is not Python's in Ray writes there itself.
    errors, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        os.dup2(errors, 2)
        os.close(errors)
        os.close(nowhere)
        signal.signal(signal.SIGTERM, handler)
