"""How pytest-xdist's controller reaches workers that are actors of Ray.

The classes have the methods of execnet's gateways and channels that pytest-xdist uses.
"""

from __future__ import annotations

import itertools
import os
import platform
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import ray
from ray.exceptions import RayError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from pytest_mobileagent.plugin.engine.ray import actor
from pytest_mobileagent.plugin.engine.ray.desk import Desk
from pytest_mobileagent.plugin.engine.ray.worker import DESK, INTERRUPT

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from pytest_mobileagent.plugin.config import RunConfig
    from pytest_mobileagent.plugin.engine.ray.cluster import Cluster

_POLL = 0.5  # seconds for which the desk waits for events; so long a death may go unnoticed
_SILENT = 12.0  # seconds after which a worker that is not heard counts as dead
_TICK = 1.0  # seconds between two looks at workers that wait for a phone
_CALLS = 10_000  # at once: each worker waits for orders in one


class Fleet:
    """The workers of a run, as a group of gateways; numbers from `first` on are free.

    `tick` is called at intervals, in the thread in which events arrive; `broke`, with the reason,
    if the desk is lost, and with it the run.
    """

    def __init__(
        self,
        cluster: Cluster,
        run: RunConfig,
        first: int,
        tick: Callable[[], None],
        broke: Callable[[str], None],
    ) -> None:
        ray.cloudpickle.register_pickle_by_value(actor)
        here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
        options = {
            "name": DESK,
            "num_cpus": 0,
            "max_concurrency": _CALLS,
            "scheduling_strategy": here,
        }
        self.desk: Any = ray.remote(**options)(Desk).remote(run.folder, run.earlier.path)
        self.cluster = cluster
        self._numbers = itertools.count(first)
        self._gateways: dict[str, Gateway] = {}
        self._tick, self._broke = tick, broke
        self._is_over = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="ray-workers", daemon=True)
        self._watcher.start()

    def allocate_id(self, spec: Any) -> None:
        """Give a specification an id that no worker has had."""
        if spec.id is None:
            spec.id = f"gw{next(self._numbers)}"

    def makegateway(self, spec: Any) -> Gateway:
        """Return a gateway, whose worker is started when something is to be run there."""
        gateway = self._gateways[spec.id] = Gateway(self, spec)
        return gateway

    def terminate(self, timeout: float) -> None:
        """Wait until all workers have ended, but not much longer than this, and end the rest."""
        running = [gateway.call for gateway in self._gateways.values() if gateway.call is not None]
        with suppress(RayError):
            ray.wait(running, num_returns=len(running), timeout=timeout) if running else None
        self._is_over.set()
        for gateway in list(self._gateways.values()):
            gateway.exit()
        with suppress(RayError):
            ray.kill(self.desk)
        self._watcher.join(timeout=2 * _POLL)

    def _watch(self) -> None:
        """Hand over events as they come, and notice workers that have ended or are not heard."""
        ticked = time.monotonic()
        while not self._is_over.is_set():
            try:
                events, silent = ray.get(self.desk.events.remote(_POLL))
                for name, event in events:
                    self._gateways[name].channel.receive(event)
                self._look_at(silent)
            except (RayError, OSError) as error:
                if not self._is_over.is_set():
                    self._broke(f"the run's desk in the Ray cluster is lost: {_in_line(error)}")
                return
            if time.monotonic() - ticked >= _TICK:
                ticked = time.monotonic()
                self._tick()

    def _look_at(self, silent: dict[str, float]) -> None:
        running = {g.call: g for g in self._gateways.values() if g.call is not None}
        if not running:
            return
        ended, _ = ray.wait(list(running), num_returns=len(running), timeout=0)
        for call in ended:
            self._end(running[call], _last_words(call))
        for gateway in running.values():
            seconds = silent.get(gateway.id, 0.0)
            if gateway.call is not None and seconds > _SILENT:
                self._end(gateway, f"it has not been heard for {seconds:.0f} s")

    def _end(self, gateway: Gateway, why: str) -> None:
        """Take nothing of a worker any more, after what has arrived already."""
        events, _ = ray.get(self.desk.events.remote(0))
        for name, event in events:
            self._gateways[name].channel.receive(event)
        ray.get(self.desk.declare_dead.remote(gateway.id))
        gateway.call = None
        gateway.exit()
        gateway.channel.end(why)


class Gateway:
    """The place of one worker; `about` is what its machine has told of itself."""

    def __init__(self, fleet: Fleet, spec: Any) -> None:
        self.id: str = spec.id
        self.spec = spec
        self.node: Any = None  # which pytest-xdist sets
        self.about: dict[str, Any] = {}
        self.call: Any = None  # of the actor: it returns when the worker ends
        self.channel = Channel(self)
        self.began = time.monotonic()
        self._fleet = fleet
        self._actor: Any = None
        # What ends a worker at Ctrl-C (see `plugin.ending`), in the words of a process.
        process = SimpleNamespace(terminate=lambda: self.order(INTERRUPT), kill=self.exit)
        self._io = SimpleNamespace(popen=process)

    def remote_exec(self, _module: Any) -> Channel:
        """Return the channel to the worker, which runs pytest-xdist's module for workers."""
        return self.channel

    def start(self, workerinput: dict[str, Any], args: list[str], config: pytest.Config) -> None:
        """Start the worker on whichever machine has a phone for it."""
        cluster = self._fleet.cluster
        start = {
            "workerinput": workerinput,
            "args": args,
            "cwd": str(config.invocation_params.dir),
            "has_cwd": sys.path[0] in {"", str(config.invocation_params.dir)},
            "is_packed": cluster.is_packed,
            "files": _files(workerinput["mobileagent"]),
        }
        options = {"num_cpus": 0, "resources": {"phone": 1}, "max_restarts": 0}
        self._actor = ray.remote(**options, **cluster.where)(actor.Worker).remote()
        self.call = self._actor.work.remote(start)

    def order(self, order: Any) -> None:
        """Tell the worker what to do."""
        with suppress(RayError):
            self._fleet.desk.order.remote(self.id, order)

    def exit(self) -> None:
        """End the worker, whatever it does, or cancel its start."""
        if self._actor is not None:
            with suppress(RayError):
                ray.kill(self._actor)
            self._actor = None

    def _rinfo(self) -> SimpleNamespace:
        """Return what pytest-xdist and pytest-cov ask of the machine, before it is known."""
        version = (*sys.version_info,)
        place = {"executable": sys.executable, "cwd": str(Path.cwd()), "hostname": platform.node()}
        return SimpleNamespace(
            platform=sys.platform, version_info=version, pid=os.getpid(), **place
        )


class Channel:
    """What a worker is sent, and sends. What is sent first starts it."""

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway
        self._callback: Callable[[Any], None] = lambda _: None
        self._endmarker: Any = None
        self._error = ""
        self._is_started = self._is_closed = False

    def send(self, what: Any) -> None:
        """Send an order, or at first what the worker is to be started with."""
        if self._is_started:
            self.gateway.order(what)
            return
        self._is_started = True
        workerinput, args, _options, _path = what
        self.gateway.start(workerinput, args, self.gateway.node.config)

    def setcallback(self, callback: Callable[[Any], None], endmarker: Any) -> None:
        """Have events handed over as they come, and the marker at the end."""
        self._callback, self._endmarker = callback, endmarker

    def receive(self, event: tuple[str, dict[str, Any]]) -> None:
        """Hand over an event; what a machine tells of itself is noted, too."""
        name, about = event
        if name.startswith("mobileagent_"):
            if name == "mobileagent_node":
                self.gateway.about = about
            node = self.gateway.node
            node.putevent((name, {"node": node, "about": about}))
        else:
            self._callback(event)

    def end(self, why: str) -> None:
        """Tell that nothing will come any more, and why, unless the worker had said that."""
        self._is_closed = True
        where = self.gateway.about.get("node")
        self._error = f"{why or 'it ended'}{f' (on {where})' if where else ''}"
        self._callback(self._endmarker)

    def isclosed(self) -> bool:
        """Whether the worker has ended."""
        return self._is_closed

    def close(self) -> None:
        """Do nothing: the gateway ends the worker."""

    def _getremoteerror(self) -> str:
        return self._error


def _files(given: dict[str, str]) -> dict[str, str]:
    """Return the texts of files here that a worker on another machine has to read."""
    files = {}
    if "decided" in given:
        files["decided"] = Path(given["decided"]).read_text("utf-8")
        files["run.json"] = (Path(given["earlier"]) / "run.json").read_text("utf-8")
    return files


def _last_words(call: Any) -> str:
    """Return what an actor said at its end, or why it could not say anything."""
    try:
        return str(ray.get(call))
    except RayError as error:
        return _in_line(error)


def _in_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = next((line for line in lines if line.startswith("The actor is dead because")), lines[0])
    return said.partition("Some common causes")[0].strip()
