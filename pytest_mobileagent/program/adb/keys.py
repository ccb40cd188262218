"""The key by which a recorded phone knows the adb server of its program from anybody else's.

AOSP, packages/modules/adb: client/auth.cpp (the key of an adb server) and daemon/auth.cpp.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

TOKEN_BYTES = 20  # what is signed takes the place of a SHA-1 digest
_SIZE = 256  # bytes of a modulus: adb makes no keys of another size
_MODULUS = b"\x02\x82\x01\x01\x00"  # in DER, before an integer of 256 bytes whose first bit is set
_EXPONENT = b"\x02\x03\x01\x00\x01"  # 65537, which follows it
_SHA1 = bytes.fromhex("3021300906052b0e03021a05000414")  # in DER, before the digest
_PADDING = b"\0\1" + b"\xff" * (_SIZE - 3 - len(_SHA1) - TOKEN_BYTES) + b"\0" + _SHA1


@dataclass(frozen=True, slots=True)
class Key:
    """The public half of an RSA key of 2048 bits, with the exponent 65537."""

    modulus: int

    @classmethod
    def of(cls, private: Path) -> Key:
        """Return that of a file as adb writes it: PKCS #8 in PEM, from which adb takes both halves.

        Raises:
            OSError: the file cannot be read.
            ValueError: it is no such file.
        """
        lines = private.read_bytes().strip().splitlines()
        if not lines or b" PRIVATE KEY-----" not in lines[0]:
            msg = f"{private} is no private key"
            raise ValueError(msg)
        data = base64.b64decode(b"".join(lines[1:-1]))
        begin = data.index(_MODULUS) + len(_MODULUS)
        if data[begin + _SIZE :][: len(_EXPONENT)] != _EXPONENT:
            msg = f"{private} is no RSA key of adb's"
            raise ValueError(msg)
        return cls(int.from_bytes(data[begin : begin + _SIZE], "big"))

    def verifies(self, signature: bytes, token: bytes) -> bool:
        """Whether the private half of this key has signed the token (PKCS #1 v1.5)."""
        number = int.from_bytes(signature, "big")
        if len(signature) != _SIZE or number >= self.modulus:
            return False
        return pow(number, 65537, self.modulus).to_bytes(_SIZE, "big") == _PADDING + token
