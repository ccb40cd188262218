"""The folders, links and devices that Android has before any app is installed."""

from __future__ import annotations

from importlib import resources

from pytest_mobileagent.virtual.kernel.users import number_of

SHARED = "/storage/emulated/0"
OVERLAY = "/mnt/scratch/overlay"  # stores what `remount` made writable for root


_ROWS = [
    line.split()
    for line in (resources.files(__package__) / "rootfs.txt").read_text("utf-8").splitlines()
]


def _listed(kind: str) -> dict[str, tuple[int, int, int]]:
    """Return the mode, user and group of the folders (d) or devices (c), by path."""
    return {
        row[3]: (int(row[0][1:], 8), number_of(row[1]) or 0, number_of(row[2]) or 0)
        for row in _ROWS
        if row[0][0] == kind
    }


FOLDERS, DEVICES = _listed("d"), _listed("c")
LINKS = {row[1]: row[2] for row in _ROWS if row[0] == "l"}
