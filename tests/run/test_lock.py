from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.run.folder import LOCK, hold, is_held, let_go

if TYPE_CHECKING:
    from pathlib import Path


def test_a_run_is_held_until_it_is_let_go(tmp_path: Path) -> None:
    assert not is_held(tmp_path)
    lock = hold(tmp_path)
    assert is_held(tmp_path)
    with pytest.raises(HostError, match="is still running"):
        hold(tmp_path)
    let_go(lock)
    assert not is_held(tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_link_in_the_place_of_a_lock_is_not_followed(tmp_path: Path) -> None:
    (theirs := tmp_path / "theirs").write_text("precious")
    (run := tmp_path / "run").mkdir()
    (run / LOCK).symlink_to(theirs)
    with pytest.raises(HostError, match="it is no regular file: remove it"):
        hold(run)
    assert not is_held(run)
    assert theirs.read_text() == "precious"


def test_a_pipe_in_the_place_of_a_lock_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / LOCK)
    with pytest.raises(HostError, match="it is no regular file: remove it"):
        hold(tmp_path)
    assert not is_held(tmp_path)
