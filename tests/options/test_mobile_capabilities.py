"""mobile_capabilities: a file of capabilities for Appium sessions."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("content", ["", "[1]", "{", None])
def test_the_file_must_contain_a_json_object(refused, tmp_path, content):
    file = tmp_path / "capabilities.json"
    if content is not None:
        file.write_text(content)
    said = refused(f"-omobile_capabilities={file}")
    assert "mobile_capabilities=" in said
    assert "JSON" in said or "cannot be read" in said


def test_that_of_the_ini_file_is_found_from_any_folder(project, header, refused, monkeypatch):
    project.pytester.makeini("[pytest]\nmobile_capabilities = hub.json")
    (project.pytester.path / "hub.json").write_text("{}")
    folder = project.pytester.mkdir("tasks/below")
    monkeypatch.chdir(folder)
    arguments = ("--rootdir=../..", "-c", "../../tox.ini")
    result = project.run("..", "--collect-only", "--agent=noop", *arguments)
    assert result.ret == 0, result.stderr.str()
    (project.pytester.path / "hub.json").unlink()
    result = project.run("..", "--agent=noop", *arguments)
    result.stderr.fnmatch_lines(["*mobile_capabilities=hub.json (ini key*cannot be read*"])
