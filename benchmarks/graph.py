"""Opens, checks and walks through a graph of 100,000 recorded pages with 300,000 edges.

Seconds are processor time, which other programs affect less. Memory is what opening the graph adds
to a process that has already imported its modules.
"""

from __future__ import annotations

import random
import resource
import sys
import tempfile
import time
from pathlib import Path

from pytest_mobileagent import Bounds, Tap
from pytest_mobileagent.action.matching import Golden
from pytest_mobileagent.dataset.graph import Graph, GraphWriter, check_graph
from pytest_mobileagent.device.drivers.graph import GraphDevice
from pytest_mobileagent.testing import make_screen

PAGES, EDGES, LOOKS, STEPS = 100_000, 3, 500, 1000
SIZE = (1080, 2400)
ROWS = 40  # elements of a page


def write(folder: Path) -> None:
    """Write the graph, whose pages share the files of `LOOKS` different pages."""
    chance = random.Random(1)
    boxes = [Bounds(0, row * 60, 1080, row * 60 + 60) for row in range(ROWS)]
    rows = [{"bounds": box.describe(), "text": f"row {n}"} for n, box in enumerate(boxes)]
    looks = [
        make_screen({"text": f"page {n}"}, *rows, size=SIZE, shade=n % 256) for n in range(LOOKS)
    ]
    with GraphWriter(folder) as writer:
        for number in range(PAGES):
            look = looks[number % LOOKS]
            writer.page(f"page-{number}", png=look.png, xml=look.xml, package="org.example")
            for row in chance.sample(range(ROWS), EDGES):
                golden = Golden(Tap(*boxes[row].center), SIZE, (boxes[row],))
                writer.edge(f"page-{number}", golden, f"page-{chance.randrange(PAGES)}")


def megabytes() -> float:
    """Return the peak memory of this process."""
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def steps(folder: Path) -> tuple[float, float]:
    """Return the seconds of a step through the graph, and of reading a page's picture alone."""
    device = GraphDevice(Graph.open(folder))
    with Graph.open(folder) as graph:
        device.observe()
        way = []
        began = time.process_time()
        for _ in range(STEPS):
            edge = graph.edges(device.page)[0]
            way.append(edge)
            device.perform(edge.golden.action)
            device.observe()
        walked = time.process_time() - began
        began = time.process_time()
        for edge in way:
            graph.file(graph.page(edge.target).png).read_bytes()
        return walked / STEPS, (time.process_time() - began) / STEPS


def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "graph"
        if len(sys.argv) == 1:
            began = time.process_time()
            write(folder)
            print(f"written in {time.process_time() - began:.1f} s")
        else:
            folder = Path(sys.argv[1])
        size = (folder / "graph.sqlite").stat().st_size >> 20
        before = megabytes()
        began = time.process_time()
        graph = Graph.open(folder)
        graph.screen(graph.start)
        seconds = time.process_time() - began
        print(f"opened ({size} MB), with its first page, in {seconds:.3f} s")
        print(f"memory: {megabytes() - before:.0f} MB more, {megabytes():.0f} MB in all")
        step, reading = steps(folder)
        ms = f"{1000 * step:.2f} ms, of which reading the picture takes {1000 * reading:.2f} ms"
        print(f"a step: {ms}")
        began = time.process_time()
        check_graph(graph)
        print(f"all of it checked in {time.process_time() - began:.1f} s, {megabytes():.0f} MB")


if __name__ == "__main__":
    main()
