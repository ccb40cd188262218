"""Tests of the command that opens the page of a run, of an episode, or of two runs."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import webbrowser
from pathlib import Path

import pytest

from pytest_mobileagent.report.html.show_command import main
from pytest_mobileagent.report.text.narration import PAGE


@pytest.fixture
def opened(monkeypatch):
    """Return the list of URLs opened in a browser, on a machine with a display."""
    urls = list[str]()

    def open_(url: str) -> bool:
        urls.append(url)
        return True

    monkeypatch.setattr(webbrowser, "open", open_)
    monkeypatch.setenv("DISPLAY", ":0")
    return urls


@pytest.fixture
def show(recorded, opened, capsys):
    """Return a function that runs the command in a project with the recorded run."""
    del opened

    def show(*arguments: str) -> tuple[int, str, str]:
        status = main(arguments, lambda: recorded.parent)
        told = capsys.readouterr()
        return status, told.out, told.err

    return show


def test_newest_run_is_opened_and_its_page_written_once(show, recorded, opened):
    assert show() == (0, f"{recorded / PAGE}\n", "")
    assert opened == [(recorded / PAGE).as_uri()]
    assert (recorded / PAGE).stat().st_size > 10_000
    (recorded / PAGE).write_text("as it was")
    show()
    assert (recorded / PAGE).read_text() == "as it was"


@pytest.mark.parametrize("name", ["first.1", "first", "test_it.py::first", "episodes/first.1"])
def test_episode_is_opened_by_its_name(show, recorded, opened, name):
    given = str(recorded / name) if name.startswith("episodes") else name
    assert show(given) == (0, f"{recorded / PAGE}#e=first.1\n", "")
    assert opened == [f"{(recorded / PAGE).as_uri()}#e=first.1"]


@pytest.mark.parametrize("given", ["{uri}#e=first.1&s=2", "{path}#e=first.1&s=2", "{path}"])
def test_printed_address_is_opened(show, recorded, opened, given):
    page = recorded / PAGE
    place = "#e=first.1&s=2" if "#" in given else ""
    assert show(given.format(uri=page.as_uri(), path=page)) == (0, f"{page}{place}\n", "")
    assert opened == [f"{page.as_uri()}{place}"]


def test_task_of_a_run_is_opened(show, recorded, opened):
    shutil.copytree(recorded, recorded.with_name("zz"), symlinks=True)  # the newest run
    assert show(str(recorded), "test_it.py::second")[0] == 0
    assert opened == [f"{(recorded / PAGE).as_uri()}#e=second.0"]


def test_page_is_only_named_without_a_browser(show, recorded, opened, monkeypatch):
    assert show("--no-browser", str(recorded))[:2] == (0, f"{recorded / PAGE}\n")
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert show()[0] == 0
    assert opened == []


def test_killed_run_gets_a_page_of_its_recorded_data(show, recorded):
    (recorded / "report.json").unlink()
    assert show()[0] == 0
    first = (recorded / PAGE).read_bytes()
    assert first.count(b'id="e:') == 3
    (recorded / "run.json").write_text("{")
    status, _, problem = show()
    assert (status, "run.json is damaged" in problem) == (1, True)


def test_two_runs_are_shown_side_by_side_where_episodes_of_a_task_diverge(show, recorded):
    other = Path(shutil.copytree(recorded, recorded.with_name("other"), symlinks=True))
    page = other / f"beside-{recorded.name}.html"
    assert show(str(recorded), "other")[:2] == (0, f"{page}\n")
    content = page.read_bytes()
    for mark in (b'id="index"', b'id="index2"', b'id="e:~first.1"', b'id="e:first.1"'):
        assert content.count(mark) == 1
    assert show(str(recorded), "other", "first") == (0, f"{page}#e=first.1&with=~first.1\n", "")
    status, _, problem = show(str(recorded), "other", "never")
    assert (status, "do not both have an episode of never" in problem) == (1, True)
    status, _, problem = show(str(recorded), "first", "second")
    assert (status, "first is not a run" in problem) == (1, True)


def test_page_of_a_read_only_run_is_written_elsewhere(show, recorded, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (recorded / PAGE).unlink(missing_ok=True)
    real = Path.open

    def refuses(path: Path, *arguments: object, **options: object) -> object:
        if path.parent == recorded and path.name.startswith(f".{PAGE}"):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, *arguments, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", refuses)
    status, told, _ = show()
    page = Path(told.strip())
    assert (status, page.is_file(), page.is_relative_to(recorded)) == (0, True, False)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["nosuch"], "has no such episode"),
        (["\x1b[31mred"], "\\x1b[31mred is not a run"),
        (["first", "second"], "is an episode: name two runs"),
        (["RUN", "nosuch"], "has no such episode"),
        (["file:///nowhere/report.html#e=a"], "is not in the folder of a run"),
        (["report.html"], "is not in the folder of a run"),
    ],
)
def test_missing_things_are_reported_in_one_line(show, recorded, arguments, why):
    given = [str(recorded) if word == "RUN" else word for word in arguments]
    status, told, problem = show(*given)
    assert (status, told, problem.count("\n")) == (1, "", 1)
    assert why in problem


def test_a_name_of_several_episodes_is_reported_with_all_of_them(show, recorded):
    path = recorded / "report.json"
    report = json.loads(path.read_text())
    for task in report["tasks"]:
        task["id"] = "same"
    path.write_text(json.dumps(report))
    _, _, problem = show("same")
    assert "2 episodes" in problem
    assert problem.count("\n  ") == 2


def test_missing_run_error_names_the_searched_folder_and_help_needs_none(tmp_path, capsys):
    assert main([], lambda: tmp_path) == 1
    assert f"{tmp_path} holds no run" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="0"):
        main(["--help"], lambda: pytest.fail("the project was asked for"))
