"""Episodes that are read while they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent import Episode, Key, Screen, Termination
from pytest_mobileagent.episode.growing import GrowingEpisode
from pytest_mobileagent.episode.reader import read
from pytest_mobileagent.episode.record import EpisodeRecord
from pytest_mobileagent.episode.store import STREAM
from pytest_mobileagent.errors import RecordError
from tests.episode.recording import CASE, DEVICE, HEAD, RESET, record, recorder_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


def test_it_is_what_a_reader_sees_after_every_step(
    make_screen: Callable[..., Screen], folders: Iterator[Path]
) -> None:
    recorder = recorder_in(next(folders))
    recorder.start(CASE, DEVICE, RESET, HEAD)
    growing = GrowingEpisode(recorder.folder, Episode)
    seen: list[Screen] = []
    for number in range(4):
        recorder.observation(make_screen(str(number)), {"n": number})
        episode = growing.read()
        assert episode == read(recorder.folder, Episode)
        assert [*map(id, episode.screens[:number])] == [*map(id, seen)]
        seen = list(episode.screens)
        recorder.step([Key("back")], "ä", [], 0.5)
    recorder.end(Termination.STOPPED, "", 1.0)
    assert growing.read() == read(recorder.folder, Episode)
    assert growing.read().termination is Termination.STOPPED


def test_a_line_under_way_is_read_when_it_is_whole(
    make_screen: Callable[..., Screen], folders: Iterator[Path]
) -> None:
    recorder = recorder_in(next(folders))
    whole = record(recorder, make_screen)
    recorder.close()
    content = (whole / STREAM).read_bytes()
    part = whole.parent / "part.0"
    part.mkdir()
    growing, found = GrowingEpisode(part, EpisodeRecord), 0
    for length in range(0, len(content) + 1, 97):
        (part / STREAM).write_bytes(content[:length])
        try:
            found = len(growing.read().steps)
        except RecordError:
            assert found == 0
    (part / STREAM).write_bytes(content)
    assert growing.read().steps == read(whole, EpisodeRecord).steps


def test_what_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    growing = GrowingEpisode(tmp_path, EpisodeRecord)
    with pytest.raises(RecordError, match="while it grows"):
        growing.read()
    (tmp_path / STREAM).write_text("no JSON\n")
    with pytest.raises(RecordError, match="while it grows"):
        growing.read()
