"""Tests of writing files and private folders safely, whatever other users have put there."""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent import fileio
from pytest_mobileagent.errors import HostError
from pytest_mobileagent.fileio import (
    append_line,
    is_below,
    new_lines,
    own_folder,
    parse_json,
    read_bytes,
    read_json,
    replacing,
    write_json,
    write_text,
)
from pytest_mobileagent.jsonable import MOST_NESTED

if TYPE_CHECKING:
    from collections.abc import Callable


def test_lines_are_added_after_whatever_a_full_disk_left(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    append_line(path, "a")
    with path.open("a") as stream:
        stream.write("half")
    append_line(path, "b")
    append_line(path, "c")
    assert path.read_text() == "a\nhalf\nb\nc\n"
    assert new_lines(path, 2) == ([b"half", b"b", b"c"], 11)
    path.write_bytes(b"a\nb\nhal")  # a line that is still being written
    assert [new_lines(path, at) for at in (0, 4)] == [([b"a", b"b"], 4), ([], 4)]


def test_a_line_for_which_the_disk_has_too_little_room_is_reported(tmp_path: Path) -> None:
    code = "import resource, sys, pathlib; from pytest_mobileagent.fileio import append_line;"
    code += "resource.setrlimit(resource.RLIMIT_FSIZE, (6, 6));"
    code += "append_line(pathlib.Path(sys.argv[1]), 'ten letters')"
    path = tmp_path / "lines"
    arguments = [sys.executable, "-c", code, str(path)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert "OSError: [Errno 28] No space left on device" in done.stderr
    assert path.read_text() == "ten le"


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    write_json(path, {"a": "ä"})
    assert path.read_text("utf-8") == '{\n  "a": "ä"\n}\n'

    class Broken:
        def __str__(self) -> str:
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_json(path, {"a": Broken()})

    def fill() -> None:
        with replacing(path) as file:
            file.write(b"{")
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        fill()
    assert json.loads(path.read_text("utf-8")) == {"a": "ä"}
    assert [file.name for file in tmp_path.iterdir()] == ["report.json"]


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def _link(path: Path) -> None:
    (path.parent / "target").write_text("theirs\n")
    path.symlink_to(path.parent / "target")


def _endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _missing(path: Path) -> None:
    path.symlink_to(path.parent / "nothing")


STRANGE = {
    _pipe: "it is not a regular file",
    _socket: "it is not a regular file",
    _link: "it is a link, and links are not followed",
    _endless: "it is a link, and links are not followed",
    _missing: "it is a link, and links are not followed",
}


@pytest.mark.parametrize(("make", "why"), STRANGE.items())
def test_special_files_are_neither_read_nor_appended_to_but_replaced(
    tmp_path: Path, make: Callable[[Path], None], why: str
) -> None:
    make(path := tmp_path / "verdicts.jsonl")
    with pytest.raises(OSError, match=why):
        read_bytes(path)
    with pytest.raises(OSError, match=why):
        append_line(path, "mine")
    assert not (tmp_path / "nothing").exists()
    write_text(path, "mine")
    assert not path.is_symlink()
    assert path.read_text() == "mine"
    if (tmp_path / "target").exists():
        assert (tmp_path / "target").read_text() == "theirs\n"


def test_a_file_that_a_user_names_may_be_a_link_but_no_device(tmp_path: Path) -> None:
    _link(tmp_path / "rules.toml")
    assert read_bytes(tmp_path / "rules.toml", follows=True) == b"theirs\n"
    _endless(tmp_path / "endless.toml")
    with pytest.raises(OSError, match="is not a regular file"):
        read_bytes(tmp_path / "endless.toml", follows=True)
    with pytest.raises(IsADirectoryError):
        read_bytes(tmp_path)


def test_a_file_that_is_too_large_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fileio, "MOST_BYTES", 1 << 20)
    path = tmp_path / "report.json"
    with path.open("wb") as file:
        file.truncate(1 << 40)  # a sparse file, which occupies no disk space
    with pytest.raises(OSError, match="it holds more than 1 MB"):
        read_bytes(path)
    with pytest.raises(OSError, match="it holds more than 1 MB"):
        new_lines(path, 5)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "[" * 500 + "]" * 500, '{"a":' * 101 + "1" + "}" * 101]
)
def test_json_that_is_nested_too_deeply_is_refused(text: str) -> None:
    for each in (text, text.encode()):
        with pytest.raises(ValueError, match=r"nested more than|Expecting value"):
            parse_json(each)


def test_all_that_is_written_can_be_read(tmp_path: Path) -> None:
    value: list[object] = []
    for _ in range(MOST_NESTED * 3):
        value = [value]
    write_json(tmp_path / "deep.json", value)
    assert isinstance(read_json(tmp_path / "deep.json"), list)


def test_a_path_below_a_folder_has_no_link_on_its_way(tmp_path: Path) -> None:
    (tmp_path / "run" / "episodes" / "a.0").mkdir(parents=True)
    (tmp_path / "elsewhere" / "b.0").mkdir(parents=True)
    (tmp_path / "run" / "links").symlink_to(tmp_path / "elsewhere")
    run = tmp_path / "run"
    assert is_below(run / "episodes" / "a.0", run)
    assert is_below(run / "episodes" / "new", run)
    assert not is_below(run / "links" / "b.0", run)
    assert not is_below(run / ".." / "elsewhere", run)
    assert not is_below(tmp_path / "elsewhere", run)
    (tmp_path / "latest").symlink_to(run)
    assert is_below(tmp_path / "latest" / "episodes", tmp_path / "latest")


def test_the_tests_keep_out_of_the_users_own_folder() -> None:
    assert own_folder().is_relative_to(Path(__file__).parent.parent)


@pytest.fixture
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder that does not exist yet, in which the private folder is created."""
    caches = tmp_path / "home" / "caches"
    monkeypatch.setenv("XDG_CACHE_HOME", str(caches))
    return caches


def test_a_private_folder_is_its_users_alone(caches: Path) -> None:
    made = own_folder("leases", "here")
    assert made == caches / "pytest-mobileagent" / "leases" / "here"
    made.chmod(0o777)  # so that others could write to it
    assert own_folder("leases", "here") == made
    for folder in (made, made.parent, made.parent.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_link_or_pipe_is_no_private_folder(caches: Path, tmp_path: Path) -> None:
    (own_folder() / "leases").symlink_to(tmp_path)
    with pytest.raises(HostError, match=r"leases is a link, and links are not followed: remove it"):
        own_folder("leases")
    os.mkfifo(own_folder() / "pipe")
    with pytest.raises(HostError, match="pipe is not a folder: remove it, or name your own"):
        own_folder("pipe")


def test_a_folder_of_another_user_is_not_used(
    caches: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, user = own_folder(), os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    with pytest.raises(HostError, match=f"{folder} belongs to another user .*{user}, you are"):
        own_folder("leases")


def test_without_a_home_it_is_among_the_temporary_files_where_it_may_be_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file" / "caches"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / f"pytest-mobileagent-{os.geteuid()}").symlink_to(tmp_path)
    with pytest.raises(HostError, match="is a link"):
        own_folder("leases")
    (tmp_path / f"pytest-mobileagent-{os.geteuid()}").unlink()
    assert own_folder("leases").parent.parent == tmp_path
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "file"))
    with pytest.raises(HostError, match=r"cannot create a private folder: .* XDG_CACHE_HOME"):
        own_folder()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits a process's memory")
def test_a_file_is_read_with_no_more_memory_than_it_needs(tmp_path: Path) -> None:
    (tmp_path / "small").write_text("12")
    with (tmp_path / "large").open("wb") as file:
        file.truncate(200 << 20)
    code = (
        "import resource, sys; from pathlib import Path; from pytest_mobileagent import fileio;"
        "held = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize();"
        "resource.setrlimit(resource.RLIMIT_AS, (held + (64 << 20),) * 2);"
        "print(fileio.read_json(Path('small'))); fileio.read_bytes(Path('large'))"
    )
    ask = [sys.executable, "-c", code]
    done = subprocess.run(ask, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.stdout == "12\n"
    assert done.stderr.endswith("there is no memory for its 210 MB: 'large'\n")
