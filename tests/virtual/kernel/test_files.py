"""The file system: folders, links, errors, permissions, space, snapshots."""

from __future__ import annotations

import errno
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from pytest_mobileagent.virtual.kernel.access import may
from pytest_mobileagent.virtual.kernel.files import FileSystem

if TYPE_CHECKING:
    from collections.abc import Callable

T = "/data/local/tmp"


@pytest.fixture
def files() -> FileSystem:
    return FileSystem(lambda: 1000.0)


def test_written_files_are_read(files: FileSystem) -> None:
    files.write(f"{T}/f", b"one", mode=0o600, uid=2000)
    files.append(f"{T}/f", b" two")
    assert files.read(f"{T}/f") == b"one two"
    node = files.stat(f"{T}/f")
    assert (node.kind, node.mode, node.uid, node.mtime) == ("file", 0o600, 2000, 1000.0)
    assert files.listdir(T) == ["f"]


def test_folders_come_and_go(files: FileSystem) -> None:
    files.mkdir(f"{T}/a/b", parents=True, uid=7)
    files.write(f"{T}/a/b/f", b"")
    files.mkdir(f"{T}/a/b", parents=True)
    assert files.stat(f"{T}/a").uid == 7
    files.rename(f"{T}/a", f"{T}/z")
    assert (files.listdir(T), files.is_file(f"{T}/z/b/f")) == (["z"], True)
    files.rmtree(f"{T}/z")
    assert not files.exists(f"{T}/z/b/f")


@pytest.mark.parametrize(
    ("path", "cwd", "absolute"),
    [
        ("/a//b/", "/", "/a/b"),
        ("x", "/a", "/a/x"),
        ("../x/./y", "/a/b", "/a/x/y"),
        ("/../..", "/", "/"),
        ("//sdcard", "/", "/sdcard"),
        (".", "/a", "/a"),
        ("a/.hidden", "/", "/a/.hidden"),
    ],
)
def test_paths_become_absolute(files: FileSystem, path: str, cwd: str, absolute: str) -> None:
    assert files.absolute(path, cwd) == absolute


def test_links_are_followed(files: FileSystem) -> None:
    assert files.resolve("/sdcard/Download/x") == "/storage/emulated/0/Download/x"
    files.write("/sdcard/f", b"shared")
    for path in ("/storage/self/primary/f", "/mnt/sdcard/f", "/data/media/0/f"):
        assert files.read(path) == b"shared"
    files.symlink("missing", f"{T}/dangling")
    files.symlink("../tmp/loop", f"{T}/loop")
    assert not files.exists(f"{T}/dangling")
    assert files.stat(f"{T}/dangling", follow=False).target == "missing"
    files.write(f"{T}/dangling", b"through the link")
    assert files.read(f"{T}/missing") == b"through the link"
    files.remove(f"{T}/dangling")
    assert files.exists(f"{T}/missing")


def test_shared_storage_has_one_owner(files: FileSystem) -> None:
    files.write("/sdcard/DCIM/a.jpg", b"", mode=0o777, uid=0, gid=0)
    files.mkdir("/sdcard/new", uid=2000)
    assert files.stat("/sdcard/DCIM/a.jpg").mode == 0o660
    assert (files.stat("/sdcard/new").mode, files.stat("/sdcard/new").gid) == (0o2770, 1023)


FAILURES: dict[str, tuple[int, Callable[[FileSystem], object]]] = {
    "read a missing file": (errno.ENOENT, lambda f: f.read(f"{T}/nope")),
    "read a folder": (errno.EISDIR, lambda f: f.read(T)),
    "write to a folder": (errno.EISDIR, lambda f: f.write(T, b"")),
    "write into nowhere": (errno.ENOENT, lambda f: f.write(f"{T}/no/f", b"")),
    "write below a file": (errno.ENOTDIR, lambda f: f.write(f"{T}/f/g", b"")),
    "make a folder twice": (errno.EEXIST, lambda f: f.mkdir(T)),
    "make a folder over a file": (errno.EEXIST, lambda f: f.mkdir(f"{T}/f", parents=True)),
    "make a folder in nowhere": (errno.ENOENT, lambda f: f.mkdir(f"{T}/no/d")),
    "remove a folder as a file": (errno.EISDIR, lambda f: f.remove(f"{T}/d")),
    "remove a file as a folder": (errno.ENOTDIR, lambda f: f.rmdir(f"{T}/f")),
    "remove a full folder": (errno.ENOTEMPTY, lambda f: f.rmdir(f"{T}/d")),
    "list a file": (errno.ENOTDIR, lambda f: f.listdir(f"{T}/f")),
    "list a missing folder": (errno.ENOENT, lambda f: f.listdir(f"{T}/nope")),
    "move what is missing": (errno.ENOENT, lambda f: f.rename(f"{T}/nope", f"{T}/x")),
    "move into nowhere": (errno.ENOENT, lambda f: f.rename(f"{T}/f", f"{T}/no/x")),
    "move a folder into itself": (errno.EINVAL, lambda f: f.rename(f"{T}/d", f"{T}/d/e/x")),
    "move a folder over a file": (errno.ENOTDIR, lambda f: f.rename(f"{T}/d", f"{T}/f")),
    "move a file over a folder": (errno.EISDIR, lambda f: f.rename(f"{T}/f", f"{T}/d")),
    "follow a loop": (errno.ELOOP, lambda f: f.read(f"{T}/loop")),
    "fill the storage": (errno.ENOSPC, lambda f: f.write(f"{T}/big", bytes(2000))),
}


@pytest.mark.parametrize("name", FAILURES)
def test_failures_are_os_errors_and_change_nothing(files: FileSystem, name: str) -> None:
    files.write(f"{T}/f", b"x")
    files.mkdir(f"{T}/d/e", parents=True)
    files.symlink("loop", f"{T}/loop")
    files.size = files.used + 1000
    before = files.snapshot()
    code, action = FAILURES[name]
    with pytest.raises(OSError, match=r"\[Errno") as caught:
        action(files)
    assert caught.value.errno == code
    assert files.snapshot() == before


def test_space_is_counted(files: FileSystem) -> None:
    start = files.used
    files.write(f"{T}/f", bytes(100))
    files.write(f"{T}/f", bytes(30))
    files.write(f"{T}/g", files.read(f"{T}/f"))
    assert files.used == start + 60
    files.remove(f"{T}/f")
    files.rmtree(f"{T}/g")
    assert files.used == start


@pytest.mark.parametrize(
    ("path", "uid", "want", "allowed"),
    [
        ("/data", 0, "r", True),
        ("/data", 2000, "r", False),
        ("/data", 2000, "x", True),
        (f"{T}/f", 2000, "w", True),
        (f"{T}/f", 10100, "r", False),
        (f"{T}/new", 2000, "w", True),
        (f"{T}/new", 10100, "w", False),
        ("/data/data/org.notes/files", 10100, "w", True),
        ("/data/data/org.notes/files", 10101, "x", False),
        ("/data/data/org.notes/nope/f", 2000, "r", False),
        ("/data/data/org.notes/new", 2000, "r", False),
        ("/sdcard/any", 2000, "w", True),
        ("/sdcard/any", 10100, "w", True),
        ("/system/bin", 2000, "r", True),
        ("/system/bin", 10100, "r", False),
        ("/system/bin/sh", 10100, "x", True),
        ("/nope/deeper", 2000, "r", True),
    ],
)
def test_access_follows_the_modes(
    files: FileSystem, path: str, uid: int, want: Literal["r", "w", "x"], allowed: bool
) -> None:
    files.write(f"{T}/f", b"", mode=0o600, uid=2000, gid=2000)
    files.mkdir("/data/data/org.notes", 0o700, uid=10100, gid=10100)
    files.mkdir("/data/data/org.notes/files", 0o771, uid=10100, gid=10100)
    files.write("/system/bin/sh", b"", mode=0o755)
    assert may(files, path, uid, want) == allowed


def test_a_snapshot_brings_everything_back(files: FileSystem) -> None:
    files.write(f"{T}/f", b"before")
    snapshot = files.snapshot()
    files.write(f"{T}/f", b"after")
    files.rmtree("/sdcard/Download")
    files.mkdir(f"{T}/d")
    files.restore(snapshot)
    assert (files.read(f"{T}/f"), files.listdir(T)) == (b"before", ["f"])
    assert files.listdir("/sdcard/Download") == []
    assert files.snapshot() == snapshot


names = st.sampled_from(["a", "b", "a/c", "b/c", "a/c/d", "l", "l/c"])


class FilesUnderStress(RuleBasedStateMachine):
    """Listings, sizes and nodes are consistent after any operations."""

    def __init__(self) -> None:
        super().__init__()
        self.files = FileSystem(lambda: 0.0)
        self.start = self.files.used

    def attempt(self, action: Callable[..., object], *args: object) -> None:
        with suppress(OSError):
            action(*args)

    @rule(name=names, data=st.binary(max_size=9))
    def write(self, name: str, data: bytes) -> None:
        self.attempt(self.files.write, f"{T}/{name}", data)

    @rule(name=names)
    def mkdir(self, name: str) -> None:
        self.attempt(self.files.mkdir, f"{T}/{name}")

    @rule(name=names, target_=names)
    def symlink(self, name: str, target_: str) -> None:
        self.attempt(self.files.symlink, target_, f"{T}/{name}")

    @rule(name=names, verb=st.sampled_from(["remove", "rmdir", "rmtree"]))
    def remove(self, name: str, verb: str) -> None:
        self.attempt(getattr(self.files, verb), f"{T}/{name}")

    @rule(old=names, new=names)
    def rename(self, old: str, new: str) -> None:
        self.attempt(self.files.rename, f"{T}/{old}", f"{T}/{new}")

    @invariant()
    def everything_agrees(self) -> None:
        nodes = self.files.snapshot()
        assert self.files.used == sum(len(node.data) for node in nodes.values())
        listed = {path for path, _ in self.files.walk("/")}
        assert listed == set(nodes)


FilesUnderStress.TestCase.settings = settings(
    max_examples=15, stateful_step_count=25, deadline=None, derandomize=True
)
test_files_stay_consistent = FilesUnderStress.TestCase
