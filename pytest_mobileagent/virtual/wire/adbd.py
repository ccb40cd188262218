"""The phone's adb daemon: all clients with a known key get the same phone, as the same user."""

from __future__ import annotations

import asyncio
import base64
import os
import struct
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.apk.archive import der_content, der_elements
from pytest_mobileagent.virtual.kernel.users import ROOT, SHELL

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence

    from pytest_mobileagent.virtual.phone import Phone


TOKEN_BYTES = 20  # signed in place of a SHA-1 digest
_SIZE = 256  # bytes of a modulus; adb only has keys of this size
_ANDROID = struct.Struct(f"<II{_SIZE}s{_SIZE}sI")  # words, n0inv, modulus, r squared, exponent
_SHA1 = bytes.fromhex("3021300906052b0e03021a05000414")  # in DER, before the digest
_PADDING = b"\0\1" + b"\xff" * (_SIZE - 3 - len(_SHA1) - TOKEN_BYTES) + b"\0" + _SHA1


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A 2048-bit RSA public key; ValueError if the numbers are not those of one."""

    modulus: int
    exponent: int

    def __post_init__(self) -> None:
        if self.modulus.bit_length() != _SIZE * 8 or self.exponent < 3 or not self.exponent % 2:
            raise ValueError(f"an RSA key of {_SIZE * 8} bits is expected")

    def verifies(self, signature: bytes, token: bytes) -> bool:
        """Return whether the private half of this key has signed the token (PKCS#1 v1.5)."""
        number = int.from_bytes(signature, "big")
        if len(signature) != _SIZE or number >= self.modulus:
            return False
        return pow(number, self.exponent, self.modulus).to_bytes(_SIZE, "big") == _PADDING + token


def user_keys(home: Path) -> tuple[Path, ...]:
    """Return the locations of a user's adb keys, as the adb server finds them itself.

    A location is the file of a private key; the public key is beside it, in FILE.pub. A folder
    stands for every *.adb_key file in it.
    """
    vendors = os.environ.get("ADB_VENDOR_KEYS", "").split(os.pathsep)
    return (home / ".android" / "adbkey", *(Path(name) for name in vendors if name))


def known_keys(places: Iterable[Path]) -> Iterator[PublicKey]:
    """Read the keys at locations in the format of `user_keys`; complain about invalid files.

    A missing file is skipped: an adb server creates its key when it first starts, perhaps later.
    """
    for place in places:
        folder = os.path.isdir(place)  # noqa: PTH112 - errors of Path's belong to reading
        for private in sorted(place.glob("*.adb_key")) if folder else [place]:
            for file in (private, private.with_name(f"{private.name}.pub")):
                try:
                    yield from read_keys(file)
                except FileNotFoundError:
                    pass
                except (OSError, ValueError) as error:
                    print(f"adb key not read: {error}", file=sys.stderr)


def read_keys(file: Path) -> list[PublicKey]:
    """Read a file of public keys, one per line, or a private key file; OSError or ValueError."""
    text = file.read_bytes()
    try:
        if b" PRIVATE KEY-----" in text:
            return [PublicKey(*private_numbers(text)[:2])]
        keys = [_public(line) for line in text.splitlines() if line.strip()]
    except (ValueError, IndexError, TypeError, struct.error) as error:
        why = f"({error}); `adb keygen FILE` makes one"
        raise ValueError(f"{file} is not a key file of adb {why}") from None
    if not keys:
        raise ValueError(f"{file} contains no key; `adb keygen FILE` makes a key file")
    return keys


def private_numbers(text: bytes) -> list[int]:
    """Return the numbers of a private key in PEM: modulus, exponent, private exponent and so on."""
    lines = text.strip().splitlines()
    fields = der_elements(base64.b64decode(b"".join(lines[1:-1])))
    if len(fields) == 3:  # PKCS#8 wraps PKCS#1: a version, the algorithm, the key
        fields = der_elements(der_content(fields[2]))
    return [int.from_bytes(der_content(field), "big") for field in fields[1:]]


def _public(line: bytes) -> PublicKey:
    """Parse a public key in Android's format: a struct in base64, then a name."""
    _, _, modulus, _, exponent = _ANDROID.unpack(base64.b64decode(line.split()[0]))
    return PublicKey(int.from_bytes(modulus, "little"), exponent)


# Without abb, sendrecv_v2 and delayed_ack, clients fall back to simpler, older methods.
FEATURES = "shell_v2,cmd,stat_v2,ls_v2,fixed_push_mkdir"
_ROOT_PROPERTY = "service.adb.root"


class Adbd:
    """What all connections share: phone, user, listening sockets, and `keys` (see `known_keys`)."""

    def __init__(self, phone: Phone, tasks: Tasks, keys: Sequence[Path]) -> None:
        self.phone = phone
        self.tasks = tasks
        self.listeners = phone.sockets
        self._keys = keys
        phone.faults.drop = self.drop
        phone.init.on_reboot.append(self.drop)
        self.connections: set[Callable[[], None]] = set()  # functions that end the connections

    @property
    def uid(self) -> int:
        """The user that runs commands and accesses files."""
        return ROOT if self.phone.props.get(_ROOT_PROPERTY) == "1" else SHELL

    def become(self, *, root: bool) -> None:
        """Switch to root or to shell."""
        self.phone.props.set(_ROOT_PROPERTY, "1" if root else "0")

    def knows(self, signature: bytes, token: bytes) -> bool:
        """Return whether a token has been signed with one of the accepted keys."""
        return any(key.verifies(signature, token) for key in known_keys(self._keys))

    def banner(self) -> bytes:
        """Return the device's banner: what it is, and its features."""
        names = ("ro.product.name", "ro.product.model", "ro.product.device")
        about = "".join(f"{name}={self.phone.props.get(name, '')};" for name in names)
        return f"device::{about}features={FEATURES}".encode()

    def drop(self) -> None:
        """End the connections to all adb servers."""
        for drop in list(self.connections):
            drop()


class Tasks:
    """Keeps references to running tasks, which the garbage collector could otherwise collect."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Start a task."""
        task = asyncio.get_running_loop().create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def cancel(self) -> None:
        """Cancel all running tasks; wait at most one second for them to end."""
        for task in self._running:
            task.cancel()
        if self._running:
            await asyncio.wait(self._running, timeout=1)
