"""Folders of this user's own, whatever others have put in their places before."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.private import own_folder

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the folder is made: in a folder for caches that is not there yet."""
    caches = tmp_path / "home" / "caches"
    monkeypatch.setenv("XDG_CACHE_HOME", str(caches))
    return caches


def test_only_its_user_may_look_into_it(caches: Path) -> None:
    made = own_folder("leases", "here")
    assert made == caches / "pytest-mobileagent" / "leases" / "here"
    for folder in (made, made.parent, made.parent.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_one_that_others_could_write_to_is_closed_to_them(caches: Path) -> None:
    folder = own_folder("leases")
    folder.chmod(0o777)
    assert own_folder("leases") == folder
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_link_is_not_followed(caches: Path, tmp_path: Path) -> None:
    own_folder()
    (caches / "pytest-mobileagent" / "leases").symlink_to(tmp_path)
    with pytest.raises(HostError, match=r"leases is a link, and none is followed: remove it"):
        own_folder("leases")
    assert own_folder("environments").is_dir()


def test_what_is_no_folder_is_said(caches: Path) -> None:
    os.mkfifo(own_folder() / "leases")
    with pytest.raises(HostError, match="leases is no folder: remove it, or name a folder"):
        own_folder("leases")


def test_that_of_another_user_is_not_used(caches: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, user = own_folder(), os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    with pytest.raises(HostError, match=f"{folder} belongs to another user .*{user}, and you are"):
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


def test_where_there_can_be_none_it_is_said_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "file"))
    with pytest.raises(HostError, match=r"cannot make a folder of your own: .* XDG_CACHE_HOME"):
        own_folder()
