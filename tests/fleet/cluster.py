"""A Ray cluster on this machine, consisting of a head and two nodes with one phone each.

Run as `python cluster.py FOLDER`. The program prints a line of JSON when the cluster is ready, and
stops the cluster when its standard input closes. Clients need the token in FOLDER. A line of JSON
on standard input adds a node, as in `{"add": {...}}` with arguments for Ray, or removes one, as in
`{"remove": 4711}`, where the number is the process id of the node's raylet. The program replies
when the whole cluster knows of the change; for a new node, the reply is its raylet's process id.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from pathlib import Path
from typing import Any

STORE = 80 << 20  # bytes, the minimum for Ray


def main(folder: Path) -> None:
    from ray.cluster_utils import Cluster

    logging.disable(logging.CRITICAL)
    (folder / "ray").mkdir(exist_ok=True)  # RAY_TMPDIR, where Ray writes all its files
    own = {"object_store_memory": STORE, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args={**own, "num_cpus": 1})
    nodes: dict[int, Any] = {}

    def add(**arguments: Any) -> int:
        node = cluster.add_node(num_cpus=1, object_store_memory=STORE, **arguments)
        (raylet,) = node.all_processes["raylet"]
        nodes[raylet.process.pid] = node
        return int(raylet.process.pid)

    try:
        for place in ("north", "south"):
            add(resources={"phone": 1}, labels={"place": place})
        print(json.dumps({"address": cluster.address, "raylets": list(nodes)}), flush=True)
        for line in sys.stdin:
            order = json.loads(line)
            if "add" in order:
                print(add(**order["add"]), flush=True)
                continue
            node = nodes.pop(order["remove"])
            cluster.remove_node(node)
            while any(
                each["Alive"] and each["NodeID"] == node.node_id
                for each in cluster.global_state.node_table()
            ):
                time.sleep(0.1)
            print(order["remove"], flush=True)
    finally:
        cluster.shutdown()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
