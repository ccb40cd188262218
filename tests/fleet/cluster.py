"""A Ray cluster on this machine, of a head and two nodes with a phone each.

Run as `python cluster.py FOLDER`. It prints a line of JSON when it is ready, and ends the cluster
when its standard input closes. Only who has the token in FOLDER may use it.
"""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path

STORE = 80 << 20  # bytes, the least that Ray takes


def main(folder: Path) -> None:
    from ray.cluster_utils import Cluster

    logging.disable(logging.CRITICAL)
    (folder / "ray").mkdir(exist_ok=True)  # where RAY_TMPDIR has it keep all that it writes
    own = {"object_store_memory": STORE, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args={**own, "num_cpus": 1})
    raylets = []
    try:
        for name in ("north", "south"):
            node = cluster.add_node(
                num_cpus=1,
                object_store_memory=STORE,
                resources={"phone": 1},
                labels={"place": name},
            )
            (raylet,) = node.all_processes["raylet"]
            raylets.append(raylet.process.pid)
        print(json.dumps({"address": cluster.address, "raylets": raylets}), flush=True)
        sys.stdin.read()
    finally:
        cluster.shutdown()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
