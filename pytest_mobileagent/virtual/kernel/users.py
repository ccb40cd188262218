"""Android's users and groups: ids, names and memberships."""

from __future__ import annotations

import re

ROOT, SYSTEM, INPUT, MEDIA_RW, SHELL = 0, 1000, 1004, 1023, 2000
CACHE, EVERYBODY, MISC = 2001, 9997, 9998
MEDIA_PROVIDER = 10042  # the app that serves shared storage, and owns everything in it

_TEXT = """
root=0 system=1000 radio=1001 bluetooth=1002 input=1004 log=1007 adb=1011 media=1013
sdcard_rw=1015 media_rw=1023 sdcard_r=1028 ext_data_rw=1078 ext_obb_rw=1079 shell=2000
cache=2001 net_bt_admin=3001 net_bt=3002 inet=3003 net_bw_stats=3006 readproc=3009 uhid=3011
readtracefs=3012 everybody=9997 misc=9998 nobody=9999
"""
_NUMBERS = {name: int(number) for name, _, number in (row.partition("=") for row in _TEXT.split())}
_NAMES = {number: name for name, number in _NUMBERS.items()}
_OF_SHELL = [1004, 1007, 1011, 1015, 1028, 1078, 1079, 3001, 3002, 3003, 3006, 3009, 3011, 3012]


def name_of(uid: int) -> str:
    """Return the name of a user or group; apps are u0_a0, u0_a1 and so on."""
    if name := _NAMES.get(uid):
        return name
    profile, app = divmod(uid, 100000)
    if 10000 <= app < 20000:
        return f"u{profile}_a{app - 10000}"
    if 20000 <= app < 30000:
        return f"u{profile}_a{app - 20000}_cache"
    return f"all_a{uid - 50000}" if 50000 <= uid < 60000 else str(uid)


def number_of(name: str) -> int | None:
    """Return the id of a user or group given by name or number."""
    if name.isdecimal():
        return int(name)
    if match := re.fullmatch(r"u(\d+)_a(\d+)", name):
        return int(match[1]) * 100000 + 10000 + int(match[2])
    return _NUMBERS.get(name)


def groups_of(uid: int) -> list[int]:
    """Return the groups of a user, starting with its own."""
    if uid == SHELL:
        return [SHELL, *_OF_SHELL]
    if uid >= 10000:
        return [uid, 3003, EVERYBODY, uid + 10000, 50000 + uid % 10000]
    return [uid]
