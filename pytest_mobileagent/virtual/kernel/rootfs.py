"""The folders, links and devices that an Android has before anything is installed."""

from __future__ import annotations

from pytest_mobileagent.virtual.kernel.users import (
    CACHE,
    EVERYBODY,
    INPUT,
    MEDIA_PROVIDER,
    MEDIA_RW,
    MISC,
    ROOT,
    SHELL,
    SYSTEM,
)

SHARED = "/storage/emulated/0"
OVERLAY = "/mnt/scratch/overlay"  # what root has made writable by `remount` lies there

FOLDERS: dict[str, tuple[int, int, int]] = {  # mode, user, group
    "/apex": (0o755, ROOT, ROOT),
    "/cache": (0o770, SYSTEM, CACHE),
    "/data": (0o771, SYSTEM, SYSTEM),
    "/data/anr": (0o775, SYSTEM, SYSTEM),
    "/data/app": (0o771, SYSTEM, SYSTEM),
    "/data/data": (0o771, SYSTEM, SYSTEM),
    "/data/local": (0o751, ROOT, ROOT),
    "/data/local/tmp": (0o771, SHELL, SHELL),
    "/data/misc": (0o1771, SYSTEM, MISC),
    "/data/system": (0o775, SYSTEM, SYSTEM),
    "/data/system/users": (0o775, SYSTEM, SYSTEM),
    "/data/system/users/0": (0o700, SYSTEM, SYSTEM),
    "/data/user": (0o711, SYSTEM, SYSTEM),
    "/data/user_de": (0o711, SYSTEM, SYSTEM),
    "/data/user_de/0": (0o771, SYSTEM, SYSTEM),
    "/dev": (0o755, ROOT, ROOT),
    "/dev/input": (0o755, ROOT, ROOT),
    "/mnt": (0o755, ROOT, SYSTEM),
    "/proc": (0o555, ROOT, ROOT),
    "/product": (0o755, ROOT, ROOT),
    "/product/bin": (0o755, ROOT, SHELL),
    "/storage": (0o755, SHELL, EVERYBODY),
    "/storage/emulated": (0o755, ROOT, ROOT),
    SHARED: (0o2770, MEDIA_PROVIDER, MEDIA_RW),
    **{
        f"{SHARED}/{name}": (0o2770, MEDIA_PROVIDER, MEDIA_RW)
        for name in [
            "Alarms",
            "Android",
            "Android/data",
            "Android/media",
            "Android/obb",
            "Audiobooks",
            "DCIM",
            "Documents",
            "Download",
            "Movies",
            "Music",
            "Notifications",
            "Pictures",
            "Podcasts",
            "Recordings",
            "Ringtones",
        ]
    },
    "/storage/self": (0o755, ROOT, ROOT),
    "/sys": (0o755, ROOT, ROOT),
    "/system": (0o755, ROOT, ROOT),
    "/system/app": (0o755, ROOT, ROOT),
    "/system/bin": (0o751, ROOT, SHELL),
    "/system/etc": (0o755, ROOT, ROOT),
    "/system/framework": (0o755, ROOT, ROOT),
    "/system/priv-app": (0o755, ROOT, ROOT),
    "/system/xbin": (0o751, ROOT, SHELL),
    "/vendor": (0o755, ROOT, SHELL),
    "/vendor/bin": (0o751, ROOT, SHELL),
}

LINKS = {
    "/bin": "/system/bin",
    "/data/media": "/storage/emulated",
    "/data/user/0": "/data/data",
    "/etc": "/system/etc",
    "/mnt/sdcard": "/storage/self/primary",
    "/sdcard": "/storage/self/primary",
    "/storage/self/primary": SHARED,
}

DEVICES: dict[str, tuple[int, int, int]] = {  # mode, user, group
    **{
        f"/dev/{name}": (0o666, ROOT, ROOT)
        for name in ["full", "null", "random", "tty", "urandom", "zero"]
    },
    "/dev/input/event0": (0o660, ROOT, INPUT),
    "/dev/input/event1": (0o660, ROOT, INPUT),
}
