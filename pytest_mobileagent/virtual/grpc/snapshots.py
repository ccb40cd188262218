"""The emulator's snapshot service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.grpc.protocol import control

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.snapshots.snapshots import Snapshots


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
