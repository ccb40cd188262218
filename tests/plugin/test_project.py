"""Settings that commands other than a run read from the environment and the project."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.plugin.settings import project_settings, this_project

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    for name in ("MOBILE_JUDGES", "MOBILE_PRICES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:hypothesispytest")  # it counts starts of pytest
    below = tmp_path / "below"
    below.mkdir()
    monkeypatch.chdir(below)

    def make(*lines: str):
        (tmp_path / "pytest.ini").write_text("\n".join(["[pytest]", *lines]))
        return tmp_path

    return make


def test_environment_overrides_ini_file_and_paths_are_relative_to_it(project, monkeypatch):
    root = project("mobile_judges = openai:a", "mobile_prices = prices.toml", "addopts = -n 2")
    monkeypatch.setenv("MOBILE_JUDGES", "openai:b")
    found = project_settings()
    assert found.get("mobile_judges") == ("openai:b", root / "below")
    assert found.get("mobile_prices") == ("prices.toml", root)
    assert found.get("mobile_max_cost") is None
    assert found.replies == root / ".pytest_cache" / "d" / "mobileagent-replies"
    assert not found.replies.exists()


@pytest.mark.parametrize(
    ("line", "folder"),
    [("cache_dir = kept", "kept"), ("addopts = -p no:cacheprovider", ".pytest_cache")],
)
def test_replies_are_cached_in_pytests_cache(project, line, folder):
    root = project(line)
    assert project_settings().replies == root / folder / "d" / "mobileagent-replies"


def test_a_project_that_cannot_be_configured_is_reported(project):
    project("addopts = --no-such-option")
    with pytest.raises(SystemExit, match="cannot be configured"):
        project_settings()


def test_phone_started_by_hand_has_the_apps_of_the_project(project, capsys):
    root = project("mobile_app_paths = apps more")
    with pytest.raises(SystemExit, match="cannot be configured in this folder: see above, or name"):
        this_project()
    assert f"ini key mobile_app_paths names {root / 'apps'}, which" in capsys.readouterr().err
    for name in ("apps", "more"):
        (root / name).mkdir()
    assert this_project().apps == [root / "apps", root / "more"]
