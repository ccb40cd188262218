"""The folder that the processes of a run share, among the temporary files of all users."""

from __future__ import annotations

import os

from pytest_mobileagent.device.fleet.shared import SharedRun


def test_what_killed_runs_have_left_is_removed_but_no_link_is_followed(tmp_path, monkeypatch):
    temporary, project = tmp_path / "tmp", tmp_path / "project"
    for folder in (temporary, project, temporary / "mobileagent-run-killed"):
        folder.mkdir()
        os.utime(folder, (0, 0))
    (temporary / "mobileagent-run-link").symlink_to(project)
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    SharedRun().close()
    assert [path.name for path in temporary.iterdir()] == ["mobileagent-run-link"]
    assert list(project.iterdir()) == []
