"""A network connection with latency between two namespaces: `python wire.py A B SECONDS`.

Each namespace gets an interface `wire` with the address 10.77.0.1 or 10.77.0.2. Packets arrive in
the other namespace after SECONDS, as in a wide area network. (Linux's own delay, `netem`, is
missing from many kernels.) The program prints a line when it is ready, and runs until it is killed.
While it is stopped (SIGSTOP), no packets arrive.
"""

from __future__ import annotations

import fcntl
import os
import select
import struct
import subprocess
import sys
import time
from collections import deque

_TUNSETIFF, _IFF_TUN, _IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
_PACKET = 65536  # bytes


def interface(namespace: str, address: str) -> int:
    """Create the interface of a namespace and return the file descriptor for its packets."""
    device = os.open("/dev/net/tun", os.O_RDWR)
    name = f"wire{os.getpid()}"
    fcntl.ioctl(device, _TUNSETIFF, struct.pack("16sH", name.encode(), _IFF_TUN | _IFF_NO_PI))
    inside = ["ip", "-netns", namespace]
    for command in (
        ["ip", "link", "set", name, "netns", namespace],
        [*inside, "link", "set", name, "name", "wire"],
        [*inside, "address", "add", f"{address}/24", "dev", "wire"],
        [*inside, "link", "set", "wire", "up"],
        [*inside, "link", "set", "lo", "up"],
    ):
        subprocess.run(command, check=True)
    return device


def main(one: str, other: str, seconds: float) -> None:
    devices = interface(one, "10.77.0.1"), interface(other, "10.77.0.2")
    across = dict(zip(devices, reversed(devices), strict=True))
    print("ready", flush=True)
    under_way: deque[tuple[float, int, bytes]] = deque()
    while True:
        wait = max(0.0, under_way[0][0] - time.monotonic()) if under_way else None
        ready, _, _ = select.select(devices, [], [], wait)
        now = time.monotonic()
        for device in ready:
            under_way.append((now + seconds, across[device], os.read(device, _PACKET)))
        while under_way and under_way[0][0] <= now:
            _, device, packet = under_way.popleft()
            os.write(device, packet)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
