"""The folders, links and devices that an Android has before anything is installed."""

from __future__ import annotations

from importlib import resources

from pytest_mobileagent.virtual.kernel.users import number_of

SHARED = "/storage/emulated/0"
OVERLAY = "/mnt/scratch/overlay"  # what root has made writable by `remount` lies there


def _listed(kind: str) -> dict[str, tuple[int, int, int]]:
    """Give the mode, user and group of the folders (d) or devices (c)."""
    text = (resources.files(__package__) / "rootfs.txt").read_text("utf-8")
    rows = [line.split() for line in text.splitlines() if line[0] == kind]
    return {
        path: (int(mode[1:], 8), number_of(user) or 0, number_of(group) or 0)
        for mode, user, group, path in rows
    }


FOLDERS, DEVICES = _listed("d"), _listed("c")
LINKS = {
    "/bin": "/system/bin",
    "/data/media": "/storage/emulated",
    "/data/user/0": "/data/data",
    "/etc": "/system/etc",
    "/mnt/sdcard": "/storage/self/primary",
    "/sdcard": "/storage/self/primary",
    "/storage/self/primary": SHARED,
}
