"""The phone's gRPC server, with the emulator's snapshot service."""

from __future__ import annotations

import ctypes
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import grpc.aio

from pytest_mobileagent.virtual.grpc import control, control_services
from pytest_mobileagent.virtual.grpc.controller import Controller

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.snapshots import Snapshots

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


class SnapshotService:
    """Lists, loads, saves and deletes snapshots; on a `read_only` emulator, only lists them."""

    def __init__(self, snapshots: Snapshots, *, read_only: bool) -> None:
        self._snapshots = snapshots
        self._read_only = read_only

    async def ListSnapshots(self, _: Any, __: object) -> Any:
        """Return all snapshots, the oldest first; each can be loaded."""
        kinds = control.SnapshotDetails
        return control.SnapshotList(
            snapshots=[
                kinds(
                    snapshot_id=name,
                    details=control.Snapshot(creation_time=int(each.time), logical_name=name),
                    status=kinds.Loaded if name == self._snapshots.loaded else kinds.Compatible,
                )
                for name, each in self._snapshots.items()
            ]
        )

    async def LoadSnapshot(self, request: Any, _: object) -> Any:
        """Load a snapshot."""
        return self._do("load", self._snapshots.load, request.snapshot_id)

    async def SaveSnapshot(self, request: Any, _: object) -> Any:
        """Save the current state as a snapshot."""
        return self._do("save", self._snapshots.save, request.snapshot_id)

    async def DeleteSnapshot(self, request: Any, _: object) -> Any:
        """Delete a snapshot."""
        return self._do("delete", self._snapshots.delete, request.snapshot_id)

    def _do(self, what: str, act: Callable[[str], None], name: str) -> Any:
        error = ""
        if self._read_only:
            error = f'Snapshot {what} is disabled because "-read-only" was specified'
        else:
            try:
                act(name)
            except KeyError:
                error = f"Snapshot {what} failure: snapshot doesn't exist"
        return control.SnapshotPackage(snapshot_id=name, success=not error, err=error.encode())
