"""Measures the memory of a Ray cluster's driver for idle actors.

`python benchmarks/driver_memory.py [ACTORS]` (64). The actors are like idle workers: each polls the
run's relay for orders, and sends heartbeats. Neither phones nor pytest are involved. Ray runs on
this machine, where each actor needs about 70 MB itself.
"""

from __future__ import annotations

import logging
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import ray

from pytest_mobileagent.plugin.engine.ray.relay import Relay
from pytest_mobileagent.run.folder import RunFolder

SECONDS = 20.0  # for which the actors idle


def peak() -> int:
    """Return the peak memory of this process, without that of its parent, in kilobytes."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0])


@ray.remote(num_cpus=0, resources={"phone": 1})
class Idle:
    """An actor that only sends heartbeats."""

    def idle(self, relay: Any, name: str, seconds: float) -> int:
        """Return the peak memory of this process, in kilobytes."""
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            ray.get(relay.hear.remote(name, [], []))
            ray.get(relay.orders.remote(name, 0.3))
        return peak()


def main(actors: int = 64) -> None:
    """Start the actors, wait, and print the figures."""
    ray.init(
        resources={"phone": actors},
        object_store_memory=100 << 20,
        include_dashboard=False,
        log_to_driver=False,
        logging_level=logging.CRITICAL,
    )
    try:
        with tempfile.TemporaryDirectory() as folder:
            options: dict[str, Any] = {"num_cpus": 0, "max_concurrency": 10_000}
            relay: Any = ray.remote(**options)(Relay).remote(RunFolder.plan(Path(folder), "idle"))
            began = time.monotonic()
            idle: Any = Idle  # Ray gives the class this method
            all_of_them = [idle.remote() for _ in range(actors)]
            calls = [
                actor.idle.remote(relay, f"gw{number}", SECONDS)
                for number, actor in enumerate(all_of_them)
            ]
            took = ray.get(calls)
            done = time.monotonic() - began
            print(f"{actors} actors idled for {SECONDS:.0f} s each, in {done:.0f} s")
            most = peak() / 1000
            print(f"driver: {most:.0f} MB at most")
            print(f"an actor: {sum(took) / len(took) / 1000:.0f} MB at most, on average")
    finally:
        ray.shutdown()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
