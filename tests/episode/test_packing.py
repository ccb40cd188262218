"""Tests of packing a run's screens: nothing is lost, even if the process is killed."""

from __future__ import annotations

import io
import os
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image

from pytest_mobileagent import Episode, Screen, load
from pytest_mobileagent.episode import packing
from pytest_mobileagent.episode.importing import import_episode
from pytest_mobileagent.episode.packing import IdlePacker, lasting, pack, pack_run, relink, unpacked
from pytest_mobileagent.episode.screens import ScreenStore
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.report.text.narration import last_screenshot
from tests.episode.recording import record, recorder_in

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def run(tmp_path: Path, make_screen: Callable[..., Screen]) -> Path:
    """Return a run of one episode with pictures large enough to pack."""

    def drawn(text: str) -> Screen:
        image = Image.new("RGB", (64, 48))
        image.putdata([(n % 251, n * 7 % 253, ord(text[0])) for n in range(64 * 48)])
        file = io.BytesIO()
        image.save(file, "PNG")
        return Screen(make_screen(text, *["a row"] * 20).xml, file.getvalue())

    recorder = recorder_in(tmp_path)
    record(recorder, drawn)
    recorder.close()
    return tmp_path


def episode_of(run: Path) -> Episode:
    return load(run / "episodes" / "e.0")


def imported(run: Path, other: Path) -> Path:
    """Import the run's episode into another run."""
    (other / "episodes").mkdir(parents=True)
    import_episode(run / "episodes" / "e.0", other, other / "episodes" / "e.0")
    return other / "episodes" / "e.0"


def kinds(folder: Path) -> dict[str, int]:
    """Return the number of files and links in a folder for each suffix."""
    found = ["".join(path.suffixes) for path in folder.iterdir()]
    return {suffix: found.count(suffix) for suffix in found}


def seen(episode: Episode) -> list[tuple[str, bytes, tuple[int, int]]]:
    """Return everything that a check can see of an episode's screens."""
    return [(screen.xml, screen.image.tobytes(), screen.size) for screen in episode.screens]


def test_packed_episodes_are_equal_and_smaller(run):
    before, was = episode_of(run), seen(episode_of(run))
    assert pack_run(run, -1) == 8  # The time is over.
    assert kinds(run / "screens") == {".png": 4, ".xml": 4}
    size = sum(path.stat().st_size for path in (run / "screens").iterdir())
    assert pack_run(run) == 0
    assert episode_of(run) == before
    assert seen(episode_of(run)) == was
    assert kinds(run / "screens") == {".webp": 4, ".xml.gz": 4}
    assert sum(path.stat().st_size for path in (run / "screens").iterdir()) < size / 2
    assert not unpacked(run)


def test_links_and_messages_refer_to_packed_screens(run):
    pack_run(run)
    links = run / "episodes" / "e.0" / "screens"
    assert kinds(links) == {".webp": 4, ".xml.gz": 4}
    assert all(link.is_symlink() and link.exists() for link in links.iterdir())
    episode = episode_of(run)
    assert last_screenshot(episode) == links / "003-tap.webp"
    assert episode.screen.where == f"step 4: {episode.folder}"


@pytest.mark.parametrize("packed_before", [False, True])
def test_a_path_that_was_printed_exists_after_packing(run, tmp_path, *, packed_before):
    screenshot = last_screenshot(episode_of(run))
    assert screenshot is not None
    if packed_before:
        pack(screenshot.resolve())
    printed = lasting(screenshot)
    assert printed.name == ("003-tap.webp" if packed_before else "003-tap.png")
    pack_run(run)
    assert printed.is_file()
    assert kinds(run / "screens") == {".webp": 4, ".xml.gz": 4}
    assert last_screenshot(episode_of(run)) == printed == lasting(printed)
    assert last_screenshot(load(imported(run, tmp_path / "other"))) is not None


def test_packed_screen_is_not_stored_again(run):
    screen = episode_of(run).screen
    again = Screen(screen.xml, screen.png)
    pack_run(run)
    store = ScreenStore(run / "screens")
    png, xml = store.add(again)
    assert kinds(run / "screens") == {".webp": 4, ".xml.gz": 4}
    store.link(run / "episodes" / "e.0" / "screens" / "009-tap", png, xml)
    assert (run / "episodes" / "e.0" / "screens" / "009-tap.webp").exists()


@pytest.mark.parametrize(
    ("where", "name"),
    [(os, "fsync"), (Path, "replace"), (Path, "unlink"), (packing, "as_webp")],
)
def test_the_next_process_continues_after_a_killed_one(run, monkeypatch, where, name):
    before, was = episode_of(run), seen(episode_of(run))
    real = getattr(where, name)

    def killed(*arguments: Any, **options: Any) -> Any:
        # Like a kill: nothing after this call is done, and a part file stays if one was begun.
        if name == "unlink" and str(arguments[0]).rpartition("/")[2].startswith("."):
            return real(*arguments, **options)
        raise KeyboardInterrupt

    for screen in unpacked(run):
        with monkeypatch.context() as patched:
            patched.setattr(where, name, killed)
            try:
                pack(screen)
            except KeyboardInterrupt:
                assert name != "as_webp" or screen.suffix == ".png"
        assert episode_of(run) == before
        assert seen(episode_of(run)) == was
    assert pack_run(run) == 0
    assert seen(episode_of(run)) == was
    assert kinds(run / "screens") == {".webp": 4, ".xml.gz": 4}


def test_unpackable_screens_stay_unchanged(run, monkeypatch):
    def full(*_: Any) -> Any:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        assert pack_run(run) == 0
    assert kinds(run / "screens") == {".png": 4, ".xml": 4}
    damaged = ScreenStore(run / "screens").path("0" * 32, ".png")
    damaged.write_bytes(b"no picture")
    pack_run(run)
    assert damaged.read_bytes() == b"no picture"
    assert kinds(run / "screens") == {".png": 1, ".webp": 4, ".xml.gz": 4}


def test_other_files_and_links_are_not_touched(run):
    screens = run / "screens"
    (screens / "notes.png").write_bytes(b"mine")
    outside = run / "outside.xml"
    outside.write_text("<hierarchy/>" * 100)
    (screens / f"{'1' * 32}.xml").symlink_to(outside)
    link = run / "episodes" / "e.0" / "screens" / "mine.png"
    link.symlink_to("../../../nowhere.png")
    pack_run(run)
    relink(run)
    assert link.is_symlink()
    assert (screens / "notes.png").read_bytes() == b"mine"
    assert (screens / f"{'1' * 32}.xml").is_symlink()
    assert outside.read_text() == "<hierarchy/>" * 100


def test_packed_screens_are_imported_with_their_episode(run, tmp_path):
    was = seen(episode_of(run))
    pack_run(run)
    new = imported(run, tmp_path / "other")
    shutil.rmtree(run / "screens")
    assert seen(load(new)) == was


@pytest.mark.parametrize("content", [b"", b"no gzip", None])
def test_damaged_packed_hierarchy_is_a_record_error(run, content):
    pack_run(run)
    for path in (run / "screens").glob("*.gz"):
        path.write_bytes(path.read_bytes()[:-9] if content is None else content)
    with pytest.raises(RecordError, match="is damaged"):
        episode_of(run)


@pytest.mark.slow
def test_background_process_packs_during_the_run(run):
    was = seen(episode_of(run))
    packer = IdlePacker(run)
    deadline = time.monotonic() + 60
    while unpacked(run) and time.monotonic() < deadline:
        time.sleep(0.05)
    packer.end()
    assert kinds(run / "screens") == {".webp": 4, ".xml.gz": 4}
    assert seen(episode_of(run)) == was
