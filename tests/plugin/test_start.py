"""Which parts of the plugin pytest loads before a task needs them."""

from __future__ import annotations

import subprocess
import sys

LOADED = """
import sys
import pytest

for arguments in (["--version"], ["--help"], []):
    pytest.main([*arguments, "-p", "no:cacheprovider"])
    names = {name.split(".")[1] for name in sys.modules if name.startswith("pytest_mobileagent.")}
    print(f"\\nloaded {' '.join(sorted(names))}")
"""
# The packages needed to define options and tasks; `extras` contains only names.
NEEDED = {"errors", "extras", "jsonable", "lazy_names", "plugin", "_task", "urls"}


def test_help_and_sessions_without_tasks_load_no_agent_and_no_device(tmp_path):
    (tmp_path / "test_plain.py").write_text("def test_plain(): pass\n")
    command = [sys.executable, "-c", LOADED]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    lines = [line.split() for line in result.stdout.splitlines()]
    for_version, for_help, for_session = (set(each[1:]) for each in lines if each[:1] == ["loaded"])
    assert for_version | for_help <= NEEDED
    assert "agent" not in for_session
    assert "plugin" in for_session
