"""The workers of a run, which are Ray actors: what runs in them, and the controller's handles."""

from __future__ import annotations

import os
import platform
import signal
import sys
import threading
import time
import traceback
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import ray
from ray.exceptions import RayError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from pytest_mobileagent.plugin.engine.ray.loop import unpack
from pytest_mobileagent.plugin.engine.ray.relay import Relay
from pytest_mobileagent.plugin.engine.ray.worker import RELAY

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from pytest_mobileagent.plugin.config import RunConfig
    from pytest_mobileagent.plugin.engine.ray.cluster import Cluster

_POLL = 0.5  # seconds that the relay waits for events, and a worker's death may go unnoticed
_SILENT = 12.0  # seconds without a heartbeat after which a worker counts as dead
_TICK = 1.0  # seconds between checks of workers that wait for a phone
_EXIT = 10.0  # seconds that workers may take to exit once they have said so
_CALLS = 10_000  # concurrent calls of the relay: each worker waits for orders in one


class Node:
    """One worker, with the attributes that pytest-xdist's hooks expect of its workers.

    `about` describes the worker's machine, once the worker has started there; `call` is the Ray
    call that returns when the worker ends.
    """

    def __init__(self, config: pytest.Config, name: str, workers: int, testrunuid: str) -> None:
        self.config = config
        self.workerinput: dict[str, Any] = {
            "workerid": name,
            "workercount": workers,
            "testrunuid": testrunuid,
            "mainargv": sys.argv,
        }
        self.workerinfo: dict[str, Any] = {}
        # Only set when the worker ends normally, as plugins test whether the attribute exists.
        self.workeroutput: dict[str, Any]
        spec = SimpleNamespace(id=name, popen=False)
        self.gateway = SimpleNamespace(id=name, spec=spec, _rinfo=_about_here)
        self.nodemanager = SimpleNamespace(roots=[], testrunuid=testrunuid)
        self.about: dict[str, Any] = {}
        self.has_collected = False
        self.began = time.monotonic()
        self.call: Any = None
        self._actor: Any = None
        self._arrival: Any = None  # returns once the actor runs, before `call` begins

    def __repr__(self) -> str:
        return f"worker {self.gateway.id}"

    def start(self, cluster: Cluster) -> None:
        """Start the worker on whichever machine has a phone for it."""
        here = self.config.invocation_params
        start = {
            "workerinput": self.workerinput,
            "args": [str(each) for each in here.args],
            "cwd": str(here.dir),
            "has_cwd": sys.path[0] in {"", str(here.dir)},
            "is_packed": cluster.is_packed,
            "address": ray.util.get_node_ip_address(),
            "files": _files(self.workerinput["mobileagent"]),
        }
        options = {"num_cpus": 0, "resources": {"phone": 1}, "max_restarts": 0}
        self._actor = ray.remote(**options, **cluster.where)(Worker).remote()
        self._arrival = self._actor.arrive.remote()
        self.call = self._actor.work.remote(start)

    @property
    def has_phone(self) -> bool:
        """Whether the worker runs on a machine, on which it then has a phone."""
        return self._arrival is not None and bool(ray.wait([self._arrival], timeout=0)[0])

    def kill(self) -> None:
        """End the worker, whatever it is doing, or cancel its start."""
        if self._actor is not None:
            with suppress(RayError):
                ray.kill(self._actor)
            self._actor = None


class WorkerPool:
    """The workers of a run, and the thread that watches them.

    `put` is called in that thread with the name of an event and its fields: a worker's own events,
    which have its node as `node`; `ended`, with the reason `why`, when a worker has ended; `tick`
    at intervals; and `broke`, with the reason, if the relay is lost, which ends the run.
    """

    def __init__(
        self, cluster: Cluster, run: RunConfig, put: Callable[[tuple[str, dict[str, Any]]], None]
    ) -> None:
        ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])  # `Worker`
        here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
        options = {"name": RELAY, "num_cpus": 0, "max_concurrency": _CALLS}
        relay: Any = ray.remote(**options, scheduling_strategy=here)(Relay)
        self._relay = relay.remote(run.folder, run.earlier.path)
        self._cluster = cluster
        self._nodes: dict[str, Node] = {}
        self._put = put
        self._is_over = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="ray-workers", daemon=True)
        self._watcher.start()

    def start(self, node: Node) -> None:
        """Start a worker."""
        self._nodes[node.gateway.id] = node
        node.start(self._cluster)

    def order(self, node: Node, orders: list[Any]) -> None:
        """Send orders to a worker, which carries them out in this sequence."""
        with suppress(RayError):
            self._relay.order.remote(node.gateway.id, orders)

    def close(self) -> None:
        """Wait a few seconds for workers to end, and kill the rest."""
        running = [node.call for node in list(self._nodes.values()) if node.call is not None]
        with suppress(RayError):
            ray.wait(running, num_returns=len(running), timeout=_EXIT) if running else None
        self._is_over.set()
        for node in list(self._nodes.values()):
            node.kill()
        with suppress(RayError):
            ray.kill(self._relay)
        self._watcher.join(timeout=2 * _POLL)

    def _watch(self) -> None:
        ticked = time.monotonic()
        while not self._is_over.is_set():
            try:
                self._check_workers(self._take(_POLL))
            except (RayError, OSError) as error:
                if not self._is_over.is_set():
                    why = f"the run's relay in the Ray cluster is lost: {_in_line(error)}"
                    self._put(("broke", {"why": why}))
                return
            if time.monotonic() - ticked >= _TICK:
                ticked = time.monotonic()
                self._put(("tick", {}))

    def _take(self, seconds: float) -> dict[str, float]:
        """Pass on new events; return how many seconds ago each worker was last heard from."""
        events, silent = ray.get(self._relay.events.remote(seconds))
        for worker, event in events:
            name, fields = unpack(event)
            self._put((name, {"node": self._nodes[worker], **fields}))
        return silent  # type: ignore[no-any-return]

    def _check_workers(self, silent: dict[str, float]) -> None:
        running = {node.call: node for node in list(self._nodes.values()) if node.call is not None}
        if not running:
            return
        ended, _ = ray.wait(list(running), num_returns=len(running), timeout=0)
        for call in ended:
            self._end(running[call], _last_words(call))
        for node in running.values():
            seconds = silent.get(node.gateway.id, 0.0)
            if node.call is not None and seconds > _SILENT:
                self._end(node, f"it has not been heard for {seconds:.0f} s")

    def _end(self, node: Node, why: str) -> None:
        """Pass on what has already arrived from a worker, and ignore it from then on."""
        self._take(0)
        ray.get(self._relay.declare_dead.remote(node.gateway.id))
        node.call = None
        node.kill()
        where = node.about.get("node")
        why = f"{why or 'it ended'}{f' (on {where})' if where else ''}"
        self._put(("ended", {"node": node, "why": why}))


def _about_here() -> SimpleNamespace:
    """Return the facts about a worker's machine that pytest-cov reads."""
    place = {"executable": sys.executable, "cwd": str(Path.cwd()), "hostname": platform.node()}
    version = (*sys.version_info,)
    return SimpleNamespace(platform=sys.platform, version_info=version, pid=os.getpid(), **place)


def _files(given: dict[str, str]) -> dict[str, str]:
    """Return the contents of local files that a worker on another machine needs."""
    files = {}
    if "decided" in given:
        files["decided"] = Path(given["decided"]).read_text("utf-8")
        files["run.json"] = (Path(given["earlier"]) / "run.json").read_text("utf-8")
    return files


def _last_words(call: Any) -> str:
    """Return why an actor ended: its own last words, or else Ray's explanation."""
    try:
        return str(ray.get(call))
    except RayError as error:
        return _in_line(error)


def _in_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    cause = next((line for line in lines if line.startswith("The actor is dead because")), lines[0])
    return cause.partition("Some common causes")[0].strip()


_QUIET = "'-Wignore:Module already imported:pytest.PytestAssertRewriteWarning'"


class Worker:
    """The actor in which a worker runs: it runs one pytest session, and ends.

    Its code is sent to the machine instead of imported there, so that no module of the plugin is
    imported before pytest is ready to rewrite its asserts.
    """

    def arrive(self) -> None:
        """Do nothing; once this returns, the actor is known to run on a machine."""

    def work(self, start: dict[str, Any]) -> str:
        """Run the session; return why it failed, or an empty string.

        `start` has the command line's `args`, the folder (`cwd`) in which they were given, whether
        Ray's runtime environment has `is_packed` it, and the fields that `worker.run` reads.
        """
        try:
            _settle_in(start)
            config = _prepared(start["args"])
            from pytest_mobileagent.plugin.engine.ray import worker

            worker.run(config, start)
        except BaseException as error:  # noqa: BLE001 - any error, or an exit, ends the worker
            usage = type(error).__name__ in {"UsageError", "FileNotFoundError"}
            return str(error) if usage else traceback.format_exc()
        return ""


def _prepared(args: list[str]) -> Any:
    """Return pytest's configuration for the arguments, with all plugins loaded.

    Ray has already imported packages that are pytest plugins, too. pytest would warn that it cannot
    rewrite their asserts; that warning is suppressed.
    """
    from pytest_mobileagent.plugin.pytest_private import prepared_config

    own = os.environ.get("PYTEST_ADDOPTS")
    os.environ["PYTEST_ADDOPTS"] = f"{own or ''} {_QUIET}"
    try:
        return prepared_config(args)
    finally:
        del os.environ["PYTEST_ADDOPTS"]
        if own is not None:
            os.environ["PYTEST_ADDOPTS"] = own


def _settle_in(start: dict[str, Any]) -> None:
    """Prepare this process to run pytest as if it had been started in the project's folder."""
    cwd = str(Path.cwd()) if start["is_packed"] else start["cwd"]
    if not Path(cwd).is_dir():
        why = f"{cwd} is not on this machine, {os.uname().nodename}"
        msg = f"{why}: put the project there, or have Ray bring it (docs/fleets.md)"
        raise FileNotFoundError(msg)
    os.chdir(cwd)
    if start["has_cwd"]:  # as with `python -m pytest`
        sys.path.insert(0, cwd)
    # Ray's handler would end the process at once, and pytest's output would fill Ray's logs.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
