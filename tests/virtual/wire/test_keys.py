"""The clients that adbd serves: only those that prove to have a known key."""

from __future__ import annotations

import base64
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.virtual.main import main
from pytest_mobileagent.virtual.wire.adbd import known_keys, read_keys, user_keys
from pytest_mobileagent.virtual.wire.stream import Packet
from tests.virtual.phones import BOTH_ADBS, PATIENCE, WHEEL, adb_server
from tests.virtual.test_main import device
from tests.virtual.wire.client import CHECKED, CURRENT, PUBLIC_KEY, SIGNATURE, TOKEN, Client, sign

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_mobileagent.virtual.wire.adbd import PublicKey
    from tests.virtual.phones import Running

DIGEST = bytes(range(20))


def keygen(file: Path, program: str = WHEEL) -> Path:
    subprocess.run([program, "keygen", str(file)], check=True, timeout=PATIENCE)
    return file


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key that no phone knows."""
    return keygen(tmp_path_factory.mktemp("foreign") / "adbkey")


@pytest.fixture
def key(foreign: Path) -> PublicKey:
    return read_keys(foreign)[0]


@BOTH_ADBS
def test_both_files_of_a_key_give_its_public_half(program: str, tmp_path: Path) -> None:
    file = keygen(tmp_path / "adbkey", program)
    assert read_keys(file) == read_keys(tmp_path / "adbkey.pub")


def test_a_signature_is_of_one_key_and_one_token(
    key: PublicKey, foreign: Path, tmp_path: Path
) -> None:
    other = read_keys(keygen(tmp_path / "adbkey"))[0]
    signature = sign(foreign, DIGEST)
    assert key.verifies(signature, DIGEST)
    assert not key.verifies(signature, DIGEST[::-1])
    assert not other.verifies(signature, DIGEST)


@pytest.mark.parametrize("forged", [b"", bytes(256), b"\xff" * 256, bytes(255) + b"\1", bytes(257)])
def test_invalid_signatures_are_refused(key: PublicKey, forged: bytes) -> None:
    assert not key.verifies(forged, DIGEST)


def test_the_same_number_in_more_bytes_is_not_a_signature(key: PublicKey, foreign: Path) -> None:
    assert not key.verifies(b"\0" + sign(foreign, DIGEST), DIGEST)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"ssh-rsa AAAA me@here\n",
        b"\xff\xfe\0",
        base64.b64encode(bytes(524)),
        b"-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n",
        b"-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n",
        b"-----BEGIN PRIVATE KEY-----",
    ],
)
def test_other_files_are_not_keys(text: bytes, tmp_path: Path) -> None:
    file = tmp_path / "adbkey.pub"
    file.write_bytes(text)
    with pytest.raises(ValueError, match=r"adbkey\.pub .* `adb keygen FILE` makes"):
        read_keys(file)


@pytest.mark.parametrize("name", ["adbkey", "adbkey.pub"])
def test_a_file_cut_anywhere_gives_no_wrong_key(
    name: str, key: PublicKey, foreign: Path, tmp_path: Path
) -> None:
    text = foreign.with_name(name).read_bytes()
    for end in {*range(0, len(text), 13), *range(len(text) - 8, len(text))}:
        (tmp_path / name).write_bytes(text[:end])
        with suppress(ValueError):
            assert read_keys(tmp_path / name) == [key]


def test_keys_are_where_adb_looks_for_them(
    foreign: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vendors = tmp_path / "vendors"
    monkeypatch.setenv("ADB_VENDOR_KEYS", f"{vendors}::{tmp_path / 'lone'}")
    places = user_keys(tmp_path)
    assert list(known_keys(places)) == []
    for name in (".android/adbkey.pub", "vendors/lab.adb_key", "vendors/other", "lone.pub"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        half = "adbkey.pub" if name.endswith("pub") else "adbkey"
        (tmp_path / name).write_bytes(foreign.with_name(half).read_bytes())
    assert list(known_keys(places)) == read_keys(foreign) * 3


def test_a_broken_key_is_reported_and_hides_no_other(
    foreign: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken, impossible = tmp_path / "adbkey", tmp_path / ("x" * 300)
    broken.write_text("nothing")
    assert list(known_keys([broken, impossible, foreign])) == read_keys(foreign) * 2
    complaints = capsys.readouterr().err.splitlines()
    assert complaints[0].startswith(f"adb key not read: {broken} is not a key file of adb")
    assert len(complaints) == 3, "of both halves of the name that is too long"


@BOTH_ADBS
def test_an_adb_server_with_a_foreign_key_is_unauthorized(
    running_phone: Running, program: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    address = f"127.0.0.1:{running_phone.server.adb_port}"
    with adb_server(program, tmp_path) as stranger:
        assert "failed to authenticate" in stranger.text("connect", address)
        assert f"{address}\tunauthorized" in stranger.text("devices")
        assert "device unauthorized" in stranger.on(address).text("shell", "echo in")
    assert running_phone.adb.text("shell", "echo still here") == "still here"
    assert "unauthorized: an adb client has a key that" in capfd.readouterr().err


@pytest.mark.parametrize("version", [CURRENT, CHECKED])
def test_a_foreign_signature_leads_to_another_token(
    running_phone: Running, foreign: Path, version: int
) -> None:
    with Client(running_phone, version) as client:
        first = client.ask()
        assert (first.command, first.arg0, len(first.payload)) == (b"AUTH", TOKEN, 20)
        client.send(b"AUTH", SIGNATURE, 0, sign(foreign, first.payload))
        second = client.receive()
        assert (second.command, second.arg0, len(second.payload)) == (b"AUTH", TOKEN, 20)
        assert second.payload != first.payload
        client.send(b"AUTH", SIGNATURE, 0, sign(client.key, first.payload))  # too late
        third = client.receive()
        client.send(b"AUTH", SIGNATURE, 0, sign(client.key, third.payload))
        assert client.receive().command == b"CNXN"


def test_nothing_is_served_before_the_proof(running_phone: Running) -> None:
    with Client(running_phone) as client:
        client.send(
            b"AUTH", SIGNATURE, 0, sign(client.key, b"")
        )  # of a token that does not exist yet
        client.send(b"OPEN", 1, 0, b"shell:touch /data/local/tmp/in\0")
        token = client.ask()
        assert token.command == b"AUTH"
        for command in (b"OPEN", b"WRTE", b"OKAY", b"CLSE"):
            client.send(command, 1, 1, b"shell:touch /data/local/tmp/in\0")
        client.send(b"AUTH", SIGNATURE, 0, sign(client.key, token.payload))
        assert client.receive().command == b"CNXN"
        client.send(b"OPEN", 7, 0, b"exec:ls /data/local/tmp\0")
        assert client.receive().command == b"OKAY"
        assert client.receive() == Packet(b"CLSE", 1, 7)


def test_to_show_a_known_public_key_proves_nothing(running_phone: Running) -> None:
    with Client(running_phone) as client:
        client.ask()
        shown = client.key.with_name("adbkey.pub").read_bytes()
        client.send(b"AUTH", PUBLIC_KEY, 0, shown + b"\0")
        client.send(b"OPEN", 1, 0, b"shell:echo in\0")
        assert client.ask().command == b"AUTH"  # nothing else has arrived meanwhile


def test_a_phone_accepts_the_keys_that_it_is_given_and_no_others(
    foreign: Path, program: str, tmp_path: Path
) -> None:
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    for home in (mine, theirs):
        home.mkdir()
    (theirs / ".android").mkdir()
    for half in ("adbkey", "adbkey.pub"):
        (theirs / ".android" / half).write_bytes(foreign.with_name(half).read_bytes())
    (theirs / ".android" / "adbkey").chmod(0o600)
    with adb_server(program, mine) as own, adb_server(program, theirs) as other:
        known = f"--adb-key={foreign}.pub"
        with device(mine, f"--adb-server-port={other.port}", known) as (_, about):
            assert other.on(about["serial"]).text("shell", "echo in") == "in"
            address = f"127.0.0.1:{about['adb_port']}"
            own.run("connect", address)
            assert f"{address}\tunauthorized" in own.text("devices")


def test_a_phone_does_not_start_with_an_invalid_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([f"--adb-key={tmp_path / 'none.pub'}"]) == 1
    assert "none.pub" in capsys.readouterr().err
