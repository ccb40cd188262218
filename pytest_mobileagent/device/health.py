"""What a phone says of its own state: is it awake, unlocked, and has it room."""

from __future__ import annotations

import re

POWER = "dumpsys power | grep mWakefulness="
LOCK = "dumpsys window | grep -E 'mShowingLockscreen|mDreamingLockscreen|isKeyguardShowing'"
ROOM = "df -k /data"
LEAST_ROOM_MB = 50  # below it apps crash, and dumps come out empty


def wakefulness(power: str) -> str:
    """Return Awake, Asleep, Dozing or Dreaming, from what POWER printed; empty if it says none."""
    found = re.search(r"mWakefulness=(\w+)", power)
    return found[1] if found else ""


def is_locked(window: str) -> bool:
    """Whether a lock screen stands before the apps, from what LOCK printed."""
    flags = r"(?:mShowingLockscreen|mDreamingLockscreen|isKeyguardShowing)=true"
    return re.search(flags, window) is not None


def free_mb(df: str) -> int | None:
    """Return the free megabytes of the data partition, from what ROOM printed; None if unknown."""
    rows = df.splitlines()
    cells = rows[-1].split() if rows else []
    return int(cells[-3]) // 1024 if len(cells) >= 4 and cells[-3].isdigit() else None
