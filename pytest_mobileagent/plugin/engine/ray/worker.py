"""A worker: a pytest session in an actor, on a machine with a phone, connected to the relay.

Events and orders go through the relay; a thread also sends recorded files and heartbeats.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import queue
import signal
import socket
import threading
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import ray
from ray.exceptions import RayError

from pytest_mobileagent.device.fleet.shared import SharedRun
from pytest_mobileagent.errors import HostError, in_one_line
from pytest_mobileagent.fileio import writing
from pytest_mobileagent.llm.budget import LedgerServer
from pytest_mobileagent.plugin.config import RUN
from pytest_mobileagent.plugin.engine.ray.cluster import about_code, about_node
from pytest_mobileagent.plugin.engine.ray.loop import INTERRUPT, STOP, Loop, pack
from pytest_mobileagent.plugin.engine.ray.relay import Mirror, Parcel, new_lines_of, put
from pytest_mobileagent.plugin.models import LEDGER
from pytest_mobileagent.plugin.pytest_private import set_program_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.llm.budget import Expenditure

# The relay's name among Ray's actors. Workers look it up by name, as passing them a handle would
# import its class, and with it the plugin, before pytest does.
RELAY = "relay"
# The values that pytest-xdist sets in a worker, which is a single process without a debugger.
_OF_WORKERS: dict[str, Any] = {
    "loadgroup": False,
    "looponfail": False,
    "usepdb": False,
    "dist": "no",
    "distload": False,
    "numprocesses": None,
    "maxprocesses": None,
    "basetemp": None,
}
_EVERY = 0.3  # seconds between checks for recorded files, if there are no events
_MOST = 4 << 20  # bytes that are sent at once
_LOST = 12.0  # seconds without an answer from the relay after which a worker ends itself


def run(config: pytest.Config, start: dict[str, Any]) -> None:
    """Run a worker's pytest session; `config` has already loaded its plugins.

    `start` is the start message from the controller (see `pool.Node.start`).
    """
    workerinput = start["workerinput"]
    given = workerinput["mobileagent"]
    given["session"] = f"{workerinput['workerid']}-{os.getpid()}-{given['session']}"
    shared = SharedRun(None, f"{given['session']}{given['id']}")
    try:
        shared.watch()  # ends the run's programs on this machine if this process is killed
        _unpack(shared.folder, given, start["files"])
        relay, name = ray.get_actor(RELAY), workerinput["workerid"]
        line = RelayClient(relay, name, Path(given["folder"]), shared.folder / "ledger.sock")
        config.pluginmanager.register(line, "mobileagent-relay")
        _play(config, line, start)
        line.end()
    finally:
        shared.close()


def _unpack(folder: Path, given: dict[str, str], files: dict[str, str]) -> None:
    """Write copies of the controller's files, and put their paths into `given`."""
    run = earlier = folder / "run" / Path(given["folder"]).name
    run.mkdir(parents=True)
    if given.get("earlier", given["folder"]) != given["folder"]:  # not a run that is resumed
        earlier = folder / "earlier" / Path(given["earlier"]).name
        earlier.mkdir(parents=True)
    for name, text in files.items():
        (earlier / name if name == "run.json" else folder / name).write_text(text, "utf-8")
    given |= {"shared": str(folder), "folder": str(run), "phones": "1"}
    given["node"] = socket.gethostname()
    if "decided" in given:
        given |= {"decided": str(folder / "decided"), "earlier": str(earlier)}


def _play(config: pytest.Config, line: RelayClient, start: dict[str, Any]) -> None:
    """Run the session, with the attributes by which plugins recognise pytest-xdist's workers."""
    workerinput = start["workerinput"]
    os.environ["PYTEST_XDIST_TESTRUNUID"] = workerinput["testrunuid"]
    os.environ["PYTEST_XDIST_WORKER"] = workerinput["workerid"]
    os.environ["PYTEST_XDIST_WORKER_COUNT"] = str(workerinput["workercount"])
    vars(config.option).update(_OF_WORKERS)
    set_program_name(config, os.path.basename(workerinput["mainargv"][0]))  # noqa: PTH119 - a name
    config.workerinput = workerinput  # type: ignore[attr-defined]
    config.workeroutput = {}  # type: ignore[attr-defined]
    if ray.util.get_node_ip_address() != start["address"]:
        count_reruns_here(workerinput)
    loop = Loop(config, line.send)
    config.pluginmanager.register(loop, "mobileagent-loop")
    line.listen(loop.obey)
    config.hook.pytest_cmdline_main(config=config)


def count_reruns_here(workerinput: dict[str, Any]) -> None:
    """Make pytest-rerunfailures, if it is installed, count reruns on this machine.

    By default it counts in the controller's process, which can only be reached from the same
    machine, and connects even if no test is rerun. With this, tests marked as flaky are rerun here.
    """
    if "sock_port" in workerinput:
        counts = import_module("pytest_rerunfailures").ServerStatusDB()
        workerinput["sock_port"] = counts.sock_port
        counts.sock.listen()  # its thread may not have done so when pytest connects
        workerinput["statusdb_token"] = getattr(counts, "token", None)


class RelayClient:
    """A worker's link to the relay, also a plugin; files recorded before an event go before it."""

    def __init__(self, relay: Any, worker: str, folder: Path, ledger_server: Path) -> None:
        self._relay, self._worker, self._folder = relay, worker, folder
        self._mirror = Mirror(folder, lambda names: ray.get(relay.missing.remote(names)))
        self._events: queue.Queue[Any] = queue.Queue()
        self._sender = threading.Thread(target=self._keep_sending, name="relay", daemon=True)
        self._is_over = False
        self.ledger_server = ledger_server  # the socket where agents ask what was spent
        self._ledger_server = LedgerServer(ledger_server, self.spent)
        self._paid, self._counting = 0, threading.Lock()  # bytes of the ledger that were sent
        self._sender.start()
        self.send("here", about=about_node())

    def send(self, name: str, **fields: Any) -> None:
        """Send an event to the controller."""
        self._events.put(pack(name, fields))

    def listen(self, obey: Callable[[Any], None]) -> None:
        """Call `obey` with each order as it arrives, in a thread."""
        threading.Thread(target=self._listen, args=[obey], name="orders", daemon=True).start()

    def allot(self, key: str) -> int:
        """Return the number of a new attempt at a case, given by its key."""
        return int(ray.get(self._relay.number.remote(self._worker, key)))

    def take_over(self, episode: str) -> bool:
        """Copy an episode of the earlier run on the controller's machine; False if there is none.

        Raises:
            HostError: if it cannot be copied.
        """
        return bool(self._ask(self._relay.take_over.remote(episode)))

    def bring(self, episode: str, earlier: Path) -> None:
        """Copy an episode of the earlier run to its folder on this machine, if the episode exists.

        Raises:
            HostError: if the episode cannot be read, or written here.
        """
        if not (earlier / episode).exists():
            with writing(earlier / episode):
                for parcel in self._ask(self._relay.earlier.remote(episode)):
                    put(earlier, parcel)

    def spent(self) -> Expenditure:
        """Send what this worker has spent to the relay, and return what the whole run has spent.

        Raises:
            HostError: if the relay does not answer, or has declared this worker dead.
        """
        lines = None
        with self._counting:
            with contextlib.suppress(FileNotFoundError):  # nothing yet
                lines = new_lines_of(str(self._folder), LEDGER, self._paid)
            spent: Expenditure = self._ask(self._relay.spent.remote(self._worker, lines))
            self._paid += 0 if lines is None else len(lines.content)
            return spent

    def _ask(self, call: Any) -> Any:
        try:
            return ray.get(call, timeout=_LOST)
        except (RayError, OSError) as error:
            why = in_one_line(getattr(error, "cause", None) or error).partition("\n")[0]
            raise HostError(f"the run's relay in the Ray cluster does not answer: {why}") from error

    def sync(self) -> None:
        """Wait until everything recorded so far has arrived."""
        arrived = threading.Event()
        self._events.put(arrived)
        arrived.wait(_LOST)

    def end(self) -> None:
        """Send everything that is left, and wait until it has arrived."""
        self._is_over = True
        self._ledger_server.close()
        self._events.put(None)
        self._sender.join()

    @pytest.hookimpl(tryfirst=True)  # before the loop sends the tests, which are then handed out
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Send digests of this machine's code, before any test is run."""
        self.send("code", about=about_code(session, session.config.stash[RUN]))

    def _listen(self, obey: Callable[[Any], None]) -> None:
        with contextlib.suppress(RayError):
            while not self._is_over:
                orders = ray.get(self._relay.orders.remote(self._worker, 2.0))
                for order in itertools.chain.from_iterable(orders):
                    if order == INTERRUPT:
                        os.kill(os.getpid(), signal.SIGTERM)
                    else:
                        obey(order)
            return
        obey(STOP)  # the relay is lost, so the run has ended

    def _keep_sending(self) -> None:
        """Send events and files until the end; end this process if the relay does not answer."""
        try:
            while self._send():
                pass
        except (RayError, OSError):
            _vanish()

    def _send(self) -> bool:
        """Send pending events and files; return whether more may follow."""
        events: list[Any] = []
        with contextlib.suppress(queue.Empty):
            events.append(self._events.get(timeout=_EVERY))
            while True:
                events.append(self._events.get_nowait())
        batch: list[Parcel] = []
        size = 0
        for parcel in self._mirror.parcels():
            if batch and size + len(parcel.content) > _MOST:
                self._deliver(batch, [])
                batch, size = [], 0
            batch.append(parcel)
            size += len(parcel.content)
        self._deliver(batch, [event for event in events if isinstance(event, bytes)])
        for event in events:
            if isinstance(event, threading.Event):
                event.set()
        return None not in events

    def _deliver(self, parcels: list[Parcel], events: list[Any]) -> None:
        call = self._relay.hear.remote(self._worker, parcels, events)
        if not ray.get(call, timeout=_LOST):
            _vanish()


def _vanish() -> None:
    """End this process, which the run has given up; the programs it has started end with it."""
    time.sleep(0.1)
    os._exit(1)
