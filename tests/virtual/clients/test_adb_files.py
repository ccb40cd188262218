"""Files over adb: push, pull, errors, and ownership."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from tests.virtual.phones import BOTH_ADBS

if TYPE_CHECKING:
    from pathlib import Path

    from tests.virtual.phones import Adb, Running

pytestmark = BOTH_ADBS


TMP = "/data/local/tmp"
BIG = os.urandom(3_000_000)


@pytest.mark.parametrize("data", [b"", b"text\r\n\0", BIG], ids=["empty", "small", "big"])
def test_a_file_comes_back_as_it_went(adb: Adb, tmp_path: Path, data: bytes) -> None:
    source, copy = tmp_path / "source", tmp_path / "copy"
    source.write_bytes(data)
    assert adb.run("push", str(source), f"{TMP}/file").returncode == 0
    assert adb.run("pull", f"{TMP}/file", str(copy)).returncode == 0
    assert copy.read_bytes() == data


def test_a_pushed_file_keeps_mode_and_time_and_is_the_shell_s(
    running_phone: Running, tmp_path: Path
) -> None:
    source = tmp_path / "source"
    source.write_bytes(b"#!/system/bin/sh\n")
    source.chmod(0o740)
    os.utime(source, (1_600_000_000, 1_600_000_000))
    running_phone.adb.run("push", str(source), TMP)
    node = running_phone.phone.files.stat(f"{TMP}/source")
    assert (node.mode, node.uid, node.gid, node.mtime) == (0o777, 2000, 2000, 1_600_000_000)


def test_a_folder_goes_and_comes_back_whole(adb: Adb, tmp_path: Path) -> None:
    files = {"a.txt": b"A", "sub/b.txt": b"B", "sub/deep/ä 😀.txt": b"C"}
    for name, data in files.items():
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (tmp_path / "tree" / "empty").mkdir()
    assert adb.run("push", str(tmp_path / "tree"), "/sdcard/Download/").returncode == 0
    assert adb.run("pull", "/sdcard/Download/tree", str(tmp_path / "back")).returncode == 0
    back = {
        str(path.relative_to(tmp_path / "back")): path.read_bytes()
        for path in (tmp_path / "back").rglob("*")
        if path.is_file()
    }
    assert back == files


def test_folders_above_a_pushed_file_are_made(adb: Adb, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"X")
    assert adb.run("push", str(tmp_path / "x"), f"{TMP}/new/folder/x").returncode == 0
    assert adb.text("shell", f"cat {TMP}/new/folder/x") == "X"


def test_a_pushed_file_replaces_another_user_s_where_the_folder_allows(
    running_phone: Running, tmp_path: Path
) -> None:
    running_phone.phone.files.write(f"{TMP}/x", b"old", mode=0o600, uid=10100, gid=10100)
    (tmp_path / "x").write_bytes(b"new")
    running_phone.adb.run("push", str(tmp_path / "x"), TMP)
    node = running_phone.phone.files.stat(f"{TMP}/x")
    assert (node.data, node.uid) == (b"new", 2000)


def test_a_folder_that_is_reached_through_a_link_lists_itself_as_a_folder(
    running_phone: Running,
) -> None:
    listed = {entry.path: entry for entry in running_phone.device.sync.list("/sdcard")}
    assert stat.S_ISDIR(listed["."].mode)


def test_a_link_is_listed_as_one_and_pulled_as_what_it_leads_to(
    running_phone: Running, tmp_path: Path
) -> None:
    running_phone.phone.files.write(f"{TMP}/target", b"data")
    running_phone.phone.files.symlink("target", f"{TMP}/link")
    listed = {entry.path: entry for entry in running_phone.device.sync.list(TMP)}
    assert stat.S_ISLNK(listed["link"].mode)
    assert running_phone.adb.run("pull", f"{TMP}/link", str(tmp_path)).returncode == 0
    assert (tmp_path / "link").read_bytes() == b"data"


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("/nope", "failed to stat remote object '/nope': No such file or directory"),
        ("/data/data/app/x", "failed to stat remote object '/data/data/app/x': Permission denied"),
        ("/data/local/tmp/secret", "remote open failed: Permission denied"),
    ],
)
def test_files_that_cannot_be_pulled(
    running_phone: Running, tmp_path: Path, source: str, complaint: str
) -> None:
    files = running_phone.phone.files
    files.mkdir("/data/data/app", 0o700, uid=10100, gid=10100)
    files.write("/data/data/app/x", b"")
    files.write(f"{TMP}/secret", b"", mode=0o600)
    assert complaint in running_phone.adb.text("pull", source, str(tmp_path))


@pytest.mark.parametrize(
    ("target", "complaint"),
    [
        ("/data/data/x", "remote couldn't create file: Permission denied"),
        ("/system/x", "remote couldn't create file: Read-only file system"),
        ("/nope/x", "remote secure_mkdirs() failed: Read-only file system"),
        (f"{TMP}/full", "remote write failed: No space left on device"),
    ],
)
def test_files_that_cannot_be_pushed(
    running_phone: Running, tmp_path: Path, target: str, complaint: str
) -> None:
    running_phone.phone.files.size = len(BIG) - 1
    (tmp_path / "x").write_bytes(BIG if target.endswith("full") else b"small")
    assert complaint in running_phone.adb.text("push", str(tmp_path / "x"), target)
    assert running_phone.adb.text("shell", "echo fine") == "fine"


def test_root_pulls_what_the_shell_may_not(own_phone: Running, tmp_path: Path) -> None:
    own_phone.phone.files.write(f"{TMP}/secret", b"deep", mode=0o600)
    own_phone.server.adbd.become(root=True)
    assert own_phone.adb.run("pull", f"{TMP}/secret", str(tmp_path)).returncode == 0
    assert (tmp_path / "secret").read_bytes() == b"deep"
