"""The phone's gRPC server."""

from __future__ import annotations

import ctypes
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import grpc.aio

from pytest_mobileagent.virtual.grpc.controller import Controller
from pytest_mobileagent.virtual.grpc.protocol import control_services
from pytest_mobileagent.virtual.grpc.snapshots import SnapshotService

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from pytest_mobileagent.virtual.phone import Phone

_GRACE = 0.2  # seconds for calls to finish when the phone shuts down
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # glibc's mallopt
_OPTIONS = (("grpc.so_reuseport", 0), ("grpc.max_receive_message_length", -1))


@asynccontextmanager
async def serve(phone: Phone, port: int, *, read_only: bool = False) -> AsyncIterator[int]:
    """Serve on `port` (0: a free one), and yield it; OSError if it is taken."""
    _keep_memory()
    server = grpc.aio.server(options=_OPTIONS)
    control_services.add_EmulatorControllerServicer_to_server(Controller(phone), server)
    snapshots = SnapshotService(phone.snapshots, read_only=read_only)
    control_services.add_SnapshotServiceServicer_to_server(snapshots, server)
    try:
        bound = server.add_insecure_port(f"127.0.0.1:{port}")
    except RuntimeError:
        raise OSError(f"port {port} cannot be used (--grpc=0 finds a free one)") from None
    await server.start()
    try:
        yield bound
    finally:
        await server.stop(_GRACE)


def _keep_memory() -> None:
    """Reuse memory between pictures: allocating it each time took 60 of a picture's 80 ms."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt:
        mallopt(_TRIM_THRESHOLD, 256 << 20)
        mallopt(_MMAP_THRESHOLD, 32 << 20)
