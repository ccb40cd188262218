"""The key of a program's adb server, as adb makes it, and what is signed by it."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import adbutils
import pytest
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from pytest_mobileagent.program.adb.wire import Key

if TYPE_CHECKING:
    from pathlib import Path

TOKEN = bytes(range(20))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key that adb has made."""
    file = tmp_path_factory.mktemp("keys") / "adbkey"
    subprocess.run([adbutils.adb_path(), "keygen", str(file)], check=True, capture_output=True)
    return file


def test_who_has_the_key_can_sign_a_token(made: Path) -> None:
    private = load_pem_private_key(made.read_bytes(), None)
    assert isinstance(private, RSAPrivateKey)
    signature = private.sign(TOKEN, PKCS1v15(), Prehashed(SHA1()))
    key = Key.of(made)
    assert key.modulus == private.public_key().public_numbers().n
    assert key.verifies(signature, TOKEN)
    assert not key.verifies(signature, TOKEN[::-1])
    assert not Key(key.modulus + 2).verifies(signature, TOKEN)


@pytest.mark.parametrize("forged", [b"", bytes(256), b"\xff" * 256, b"\1" * 257, TOKEN])
def test_what_is_no_signature_does_not_pass_for_one(made: Path, forged: bytes) -> None:
    assert not Key.of(made).verifies(forged, TOKEN)


@pytest.mark.parametrize(
    "text", [b"", b"hello", b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"]
)
def test_other_files_are_no_keys(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "adbkey").write_bytes(text)
    with pytest.raises(ValueError):  # noqa: PT011 - nobody reads why
        Key.of(tmp_path / "adbkey")


def test_a_file_cut_anywhere_is_no_key(made: Path, tmp_path: Path) -> None:
    text = made.read_bytes()
    for end in range(0, 450, 7):
        (tmp_path / "adbkey").write_bytes(text[:end])
        with pytest.raises(ValueError):  # noqa: PT011 - nobody reads why
            Key.of(tmp_path / "adbkey")
    os.unlink(tmp_path / "adbkey")  # noqa: PTH108
    with pytest.raises(OSError, match="adbkey"):
        Key.of(tmp_path / "adbkey")
