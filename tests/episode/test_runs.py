"""Tests of a run's index: one line per finished attempt, whichever process writes it."""

from __future__ import annotations

import multiprocessing
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.episode.runs import INDEX, IndexLine, append, entries
from pytest_mobileagent.errors import HostError

if TYPE_CHECKING:
    from pathlib import Path

FIRST = IndexLine("suite/a", 0, "episodes/suite-a.0", "passed")
SECOND = IndexLine("suite/b@1", 2, "episodes/suite-b.2", "error")


def test_entries_are_read_in_order_whatever_ends_a_line(tmp_path):
    assert entries(tmp_path) == []
    odd = IndexLine("suite/a[\u2028\x85\x0c\n\r]", 0, "episodes/a.0", "passed")
    append(tmp_path, odd)
    with (tmp_path / INDEX).open("a") as stream:
        stream.write('{"case":"suite/b')  # It was cut off.
    append(tmp_path, SECOND)
    assert entries(tmp_path) == [odd, SECOND]


@given(st.binary(max_size=60) | st.just(b'{"case":1,"attempt":"x"}') | st.just(b"[" * 100_000))
def test_invalid_lines_are_skipped(tmp_path_factory, junk):
    folder = tmp_path_factory.mktemp("run")
    (folder / INDEX).write_bytes(junk.replace(b"\n", b""))
    append(folder, FIRST)
    assert entries(folder) == [FIRST]


def write_many(folder: Path, worker: int) -> None:
    for attempt in range(100):
        append(folder, IndexLine(f"{worker}{'.' * 500}", attempt, "f", "passed"))


def test_concurrent_writers_do_not_tear_lines(tmp_path):
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=write_many, args=(tmp_path, n)) for n in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(entries(tmp_path)) == 400


def test_unwritable_index_is_a_host_error(tmp_path):
    (tmp_path / INDEX).mkdir()
    with pytest.raises(HostError, match=r"cannot write .*index\.jsonl"):
        append(tmp_path, FIRST)
