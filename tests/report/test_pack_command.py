"""`pack`: the screens of runs are packed, by itself and after other commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.__main__ import main
from pytest_mobileagent.episode import packing
from pytest_mobileagent.plugin.settings import ProjectSettings

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder in which the commands are called; runs of any size are large."""
    monkeypatch.setattr(packing, "LEAST", 1)
    monkeypatch.chdir(tmp_path)


def is_packed(run: Path) -> bool:
    return bool(list(run.glob("screens/*.xml.gz")))


def test_a_run_is_packed_and_its_size_is_told(recorded, capsys):
    assert main(["pack", "runs"]) == 0
    assert is_packed(recorded)
    assert capsys.readouterr().out == f"{recorded}: 0.0 MB of screens are now 0.0 MB\n"


@pytest.mark.parametrize("packs", ["true", "false"])
@pytest.mark.parametrize(
    ("command", "touched"),
    [
        (["merge", "runs", "-o", "whole"], "whole"),
        (["export", "runs", "--format=androidcontrol", "-o", "data"], "runs/*"),
    ],
    ids=["merge", "export"],
)
def test_folders_that_a_command_touches_are_packed_unless_the_project_packs_nothing(
    recorded, command, touched, packs, monkeypatch
):
    settings = ProjectSettings({"mobile_pack_screens": (packs, recorded)}, recorded)
    monkeypatch.setattr("pytest_mobileagent.plugin.settings.project_settings", lambda: settings)
    assert main(command) == 0
    (run,) = recorded.parents[1].glob(touched)
    assert str(is_packed(run)).lower() == packs
