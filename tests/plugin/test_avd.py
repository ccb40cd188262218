"""Runs on emulators that the run starts itself: `--mobile-device=avd:NAME`.

The emulator is a program with the command line and the manners of Android's, in which a virtual
phone runs (tests/sdk).
"""

from __future__ import annotations

import json

import pytest


def reports(project):
    paths = sorted((project.pytester.path / "runs").glob("*/report.json"))
    return [json.loads(path.read_text("utf-8")) for path in paths]


@pytest.fixture
def temporary(tmp_path_factory, monkeypatch):
    """A folder for the temporary files of the runs of a test, short enough for sockets."""
    folder = tmp_path_factory.mktemp("t")
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def test_a_run_starts_emulators_from_the_snapshot_of_each_task(project, sdk, temporary):
    sdk.add_avd("pixel", "default_boot")
    result = project.run_virtual("tasks", "--agent=oracle", "-n2", "--mobile-device=avd:pixel")
    result.assert_outcomes(passed=2, failed=1)
