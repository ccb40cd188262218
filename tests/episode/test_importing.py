"""Tests of importing an episode into another run's folder."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.episode import EpisodeRecord
from pytest_mobileagent.episode.exchanges import ExchangeLog
from pytest_mobileagent.episode.importing import import_episode
from pytest_mobileagent.episode.reader import read
from pytest_mobileagent.episode.screens import ScreenStore
from pytest_mobileagent.errors import HostError, RecordError
from tests.episode.recording import record, recorder_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent import Screen

VERSION_1 = Path(__file__).parent / "data" / "version1" / "episodes"


@pytest.fixture
def episode(tmp_path: Path, make_screen: Callable[..., Screen]) -> Path:
    """Return an episode of another run, with a picture sent to a model and one sent to a judge."""
    recorder = recorder_in(tmp_path / "old")
    folder = record(recorder, make_screen)
    recorder.close()
    store = recorder.screens
    for name, content in (("calls.jsonl", b"\x89PNG marks"), ("judges.jsonl", b"a jpeg")):
        prompt = [{"role": "user", "content": [{"picture": store.add_picture(content)}]}]
        ExchangeLog(folder, name).add({"call": None, "prompt": prompt})
    (folder / "program").mkdir()
    (folder / "program" / "stdout").write_text("hello")
    store.add_picture(b"of another episode")
    return folder


def same(one: Path, other: Path) -> bool:
    records = [read(folder, EpisodeRecord) for folder in (one, other)]
    shown = [[(s.xml, s.png) for s in (*(t.screen for t in r.steps), r.screen)] for r in records]
    return shown[0] == shown[1] and records[0].case == records[1].case


def taken_over(source: Path, run: Path) -> Path:
    folder = run / "episodes" / "mine.1"
    import_episode(source, run, folder)
    return folder


def test_screens_of_a_data_set_stay_links_to_the_users_copy(episode, tmp_path):
    for number, file in enumerate(sorted((tmp_path / "old" / "screens").glob("*.png"))):
        file.rename(tmp_path / f"page{number}.png")
        file.symlink_to(tmp_path / f"page{number}.png")
    new = taken_over(episode, tmp_path / "new")
    assert same(new, episode)
    assert all(file.is_symlink() for file in (tmp_path / "new" / "screens").glob("*.png"))


def test_an_imported_episode_has_all_that_it_needs_and_no_more(episode, tmp_path):
    (episode / "verdicts.jsonl").write_text("{}\n")
    (episode / "verdicts.jsonl").chmod(0o444)  # as of a read-only run
    shutil.copytree(tmp_path / "old", tmp_path / "kept", symlinks=True)
    new, screens = taken_over(episode, tmp_path / "new"), tmp_path / "new" / "screens"
    assert all(path.stat().st_nlink == 2 for path in screens.iterdir())
    copied = [path for path in new.rglob("*") if path.is_file() and not path.is_symlink()]
    assert all(path.stat().st_nlink == 1 for path in copied)
    for path in (episode / "screens").iterdir():
        link = new / "screens" / path.name
        assert not link.readlink().is_absolute()
        assert link.resolve().parent == screens
        assert link.read_bytes() == path.read_bytes()
    old = {path.name for path in (tmp_path / "old" / "screens").iterdir()}
    (other,) = old - {path.name for path in screens.iterdir()}
    assert (tmp_path / "old" / "screens" / other).read_bytes() == b"of another episode"
    shutil.rmtree(tmp_path / "old")
    assert same(new, tmp_path / "kept" / "episodes" / "e.0")
    assert (new / "program" / "stdout").read_text() == "hello"
    assert (new / "verdicts.jsonl").read_text() == "{}\n"
    assert (new / "verdicts.jsonl").stat().st_mode & 0o200  # verdicts can be added
    assert not list((tmp_path / "new").glob(".*"))


def test_files_are_copied_without_hard_links(episode, tmp_path, monkeypatch):
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    monkeypatch.setattr(Path, "symlink_to", refuse)
    new = taken_over(episode, tmp_path / "new")
    assert same(new, episode)
    assert list((new / "screens").iterdir()) == []


@pytest.mark.parametrize("source", sorted(VERSION_1.iterdir()), ids=lambda path: path.name[-10:])
def test_screens_of_version_1_are_imported(source, tmp_path):
    new = taken_over(source, tmp_path / "new")
    assert same(new, source)
    assert ScreenStore.of_episode(new).folder == tmp_path / "new" / "screens"


def test_unpacked_archive_may_contain_screens_instead_of_links(
    episode: Path, tmp_path: Path
) -> None:
    # Copies the targets of links.
    unpacked = shutil.copytree(tmp_path / "old", tmp_path / "unpacked")
    new = taken_over(unpacked / "episodes" / "e.0", tmp_path / "new")
    assert same(new, episode)
    assert all(path.is_symlink() for path in (new / "screens").iterdir())
    names = [sorted(p.name for p in (f / "screens").iterdir()) for f in (episode, new)]
    assert names[0] == names[1]


def test_nothing_is_imported_from_outside_the_run(episode, tmp_path):
    secret = tmp_path / "secret.png"
    secret.write_text("secret")
    (tmp_path / "old" / "screens" / f"{'0' * 32}.png").symlink_to(secret)
    (episode / "screens" / "009-tap.png").symlink_to(secret)
    (episode / "program" / "stderr").symlink_to(secret)
    with (episode / "calls.jsonl").open("a") as calls:
        calls.write(f'{{"picture": "{"0" * 32}.png"}}\n{{"picture": "../../../secret.png"}}\n')
    new = taken_over(episode, tmp_path / "new")
    assert same(new, episode)
    read_back = [p.read_bytes() for p in (tmp_path / "new").rglob("*") if p.is_file()]
    assert b"secret" not in read_back


def test_interrupted_import_leaves_no_episode(episode, tmp_path, monkeypatch):
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pytest_mobileagent.episode.importing._link_screens", killed)
    with pytest.raises(KeyboardInterrupt):
        taken_over(episode, tmp_path / "new")
    assert not (tmp_path / "new" / "episodes").exists()


def test_failed_import_is_an_error_and_overwrites_nothing(episode, tmp_path):
    with pytest.raises(RecordError, match="no episode in"):
        taken_over(tmp_path / "nowhere", tmp_path / "new")
    new = taken_over(episode, tmp_path / "new")
    (new / "verdicts.jsonl").write_text("kept")
    with pytest.raises(HostError, match=r"cannot import .*e\.0 as .*mine\.1"):
        taken_over(episode, tmp_path / "new")
    assert (new / "verdicts.jsonl").read_text() == "kept"
    (tmp_path / "file").touch()
    with pytest.raises(HostError, match="cannot import"):
        taken_over(episode, tmp_path / "file")
