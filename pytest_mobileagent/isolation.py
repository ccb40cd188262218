"""Isolates a process from its machine, with what Linux offers to unprivileged users.

- seccomp: a short list of permitted system calls, which compute, sleep, and write to open files.
  None of them can open a file, create a socket, or start, end or inspect a process.
- Landlock: no file may be opened, no port bound or connected to, no outside process signalled.
- namespaces: a network without interfaces, and private shared memory and message queues.

For code that a model wrote (`shut_off`), seccomp must be in force, or nothing is run. The others
add a second line of defence where the system has them, should a permitted call turn out to do more
than expected. Programs that a user has fetched and trusts to read files run with the others alone
(`refuse_changes`), as far as the system supports them. (seccomp(2), user_namespaces(7),
landlock(7))
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import resource
import struct
import sys
from pathlib import Path

_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.syscall.restype = ctypes.c_long

_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 38, 22, 2
_LOAD, _JUMP_IF_EQUAL, _JUMP_IF_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER_AT, _MACHINE_AT = 0, 4  # offsets in struct seccomp_data
_KILL, _REFUSE, _ALLOW = 0x8000_0000, 0x0005_0000 | errno.EPERM, 0x7FFF_0000
_X32 = 0x4000_0000  # bit that marks x86-64's x32 system calls, which have the same architecture

# What a Python process with all of its imports loaded still needs: memory, time, signals to itself,
# and exit. Not madvise: with it, root can take pages from the whole machine (MADV_HWPOISON).
_X86_64 = {
    "read": 0, "write": 1, "close": 3, "mmap": 9, "mprotect": 10, "munmap": 11, "brk": 12,
    "rt_sigaction": 13, "rt_sigprocmask": 14, "rt_sigreturn": 15, "sched_yield": 24, "mremap": 25,
    "nanosleep": 35, "getpid": 39, "exit": 60, "gettimeofday": 96,
    "sigaltstack": 131, "gettid": 186, "time": 201, "futex": 202, "restart_syscall": 219,
    "clock_gettime": 228, "clock_getres": 229, "clock_nanosleep": 230, "exit_group": 231,
    "getrandom": 318,
}  # fmt: skip
_AARCH64 = {
    "close": 57, "read": 63, "write": 64, "exit": 93, "exit_group": 94, "futex": 98,
    "nanosleep": 101, "clock_gettime": 113, "clock_getres": 114, "clock_nanosleep": 115,
    "sched_yield": 124, "restart_syscall": 128, "sigaltstack": 132, "rt_sigaction": 134,
    "rt_sigprocmask": 135, "rt_sigreturn": 139, "gettimeofday": 169, "getpid": 172, "gettid": 178,
    "brk": 214, "munmap": 215, "mremap": 216, "mmap": 222, "mprotect": 226,
    "getrandom": 278,
}  # fmt: skip
# By machine name: its AUDIT_ARCH and its system call numbers.
_MACHINES = {"x86_64": (0xC000_003E, _X86_64), "aarch64": (0xC000_00B7, _AARCH64)}

_NAMESPACES = 0x1000_0000 | 0x4000_0000 | 0x0800_0000  # user, network and IPC namespaces
_LANDLOCK_CREATE, _LANDLOCK_RESTRICT = 444, 446
_LANDLOCK_VERSION = 1
_READING = 1 << 2 | 1 << 3  # Landlock's rights to read files and to list folders
# The rights that each Landlock version adds: to files, to ports, and over outside processes.
_FILES = {1: (1 << 13) - 1, 2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
_PORTS, _PROCESSES = {4: 0b11}, {6: 0b11}


_START = "import sys; sys.path[:] = sys.argv[1:]; from {} import main; main()"
_HERE = Path(__file__).parents[1]  # the folder with this package


def python_command(module: str) -> list[str]:
    """Return the command that runs `main` of a module of ours, which then isolates itself.

    With -I and -S, Python reads no user settings and start-up files; the module path is passed on.
    """
    paths = [*(path for path in sys.path if path), str(_HERE)]
    return [sys.executable, "-I", "-S", "-X", "utf8", "-c", _START.format(module), *paths]


def limit(what: int, wanted: int) -> None:
    """Limit a resource of this process (`resource.RLIMIT_…`), within the machine's own limit.

    Raises:
        ValueError, OSError: if the system does not support this limit.
    """
    _, hard = resource.getrlimit(what)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(what, (most, most))


class UnavailableError(Exception):
    """This system cannot isolate a process; the message says what is missing."""


def unsupported() -> str:
    """Return why this platform cannot isolate a process, or "" if it may be able to."""
    machine = platform.machine()
    if sys.platform != "linux":
        return f"a sandbox needs Linux's seccomp, but this is {platform.system()}"
    if machine not in _MACHINES or sys.maxsize < 2**32 or sys.byteorder != "little":
        return f"the system calls of {machine} are not known (only those of {', '.join(_MACHINES)})"
    return ""


def leave_networks() -> None:
    """Cut this process and its children off from the network, if users are permitted to."""
    if sys.platform == "linux":
        _LIBC.unshare(_NAMESPACES)


def refuse_changes() -> bool:
    """Stop this process and its children from changing files, running programs or using ports.

    Files may still be read. Return whether the kernel enforces this; it does not without Landlock.
    """
    return not unsupported() and _gains_nothing() and _refuse_files(but=_READING)


def shut_off() -> None:
    """Isolate this process permanently: open files stay open, and nothing else can be reached.

    Raises:
        UnavailableError: if the kernel refuses, or a file can still be opened afterwards.
    """
    if why := unsupported():
        raise UnavailableError(why)
    if not _gains_nothing():
        raise UnavailableError(_refused("no_new_privs"))
    _refuse_files()
    _refuse_calls()
    try:
        os.close(os.open("/", os.O_RDONLY))
    except PermissionError:
        return
    what = "the kernel has accepted the seccomp filter"
    raise UnavailableError(f"{what}, but files can still be opened")


def _gains_nothing() -> bool:
    """Set `no_new_privs`, without which an unprivileged process may not isolate itself."""
    return int(_LIBC.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) == 0


def _refuse_files(but: int = 0) -> bool:
    """Make Landlock refuse everything that the kernel supports, except the rights in `but`.

    Return whether Landlock is in force; an old kernel may not have it.
    """
    version = _LIBC.syscall(_LANDLOCK_CREATE, None, ctypes.c_size_t(0), _LANDLOCK_VERSION)
    if version < 1:
        return False
    known = [
        sum(bits for since, bits in rights.items() if since <= version)
        for rights in (_FILES, _PORTS, _PROCESSES)
    ]
    known[0] &= ~but
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    rules = ctypes.create_string_buffer(struct.pack("=QQQ", *known)[:size], size)
    ruleset = _LIBC.syscall(_LANDLOCK_CREATE, rules, ctypes.c_size_t(size), 0)
    if ruleset < 0:
        return False
    refused = _LIBC.syscall(_LANDLOCK_RESTRICT, ctypes.c_int(ruleset), 0)
    os.close(ruleset)
    return int(refused) == 0


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def _refuse_calls() -> None:
    """Make seccomp refuse all system calls except the permitted ones.

    Raises:
        UnavailableError: if the kernel does not accept the filter.
    """
    machine, calls = _MACHINES[platform.machine()]
    program = _filter(machine, sorted(calls.values()))
    given = _Program(len(program) // 8, program)
    if _LIBC.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(given), 0, 0) != 0:
        raise UnavailableError(_refused("seccomp's filter"))


def _filter(machine: int, calls: list[int]) -> bytes:
    """Return a seccomp program; an instruction is an opcode, two jump distances and a value."""
    allow = len(calls) + 1  # the distance from the first comparison to the last instruction
    program = [
        (_LOAD, 0, 0, _MACHINE_AT),
        (_JUMP_IF_EQUAL, 1, 0, machine),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER_AT),
        (_JUMP_IF_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _KILL),
        *((_JUMP_IF_EQUAL, allow - place - 1, 0, call) for place, call in enumerate(calls)),
        (_RETURN, 0, 0, _REFUSE),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def _refused(what: str) -> str:
    return f"the kernel does not grant {what}: {os.strerror(ctypes.get_errno())}"
