"""Hostile bundles are refused before anything of them is written outside, or fills the disk."""

from __future__ import annotations

import errno
import json
import stat
import tempfile
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.report import bundle
from pytest_mobileagent.report.bundle import read_bundle
from pytest_mobileagent.report.recorded_run import find_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ABOUT = {
    "schema_version": 1,
    "made": "2026-11-29T12:00:00+00:00",
    "version": "0.1.0",
    "runs": ["run"],
    "screens": True,
    "left_out": [],
}


@pytest.fixture(autouse=True)
def unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which bundles are unpacked."""
    folder = tmp_path / "unpacked"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Path]:
    """Returns a function that writes a bundle with some entries beside those of a run."""

    def bundle(*entries: tuple[zipfile.ZipInfo | str, str], **about: Any) -> Path:
        path = tmp_path / "made.mobilerun.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("bundle.json", json.dumps(ABOUT | about))
            archive.writestr("run/run.json", "{}")
            for entry, content in entries:
                archive.writestr(entry, content)
        return path

    return bundle


def _of_kind(kind: int, name: str = "run/x") -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.external_attr = (kind | 0o644) << 16
    return entry


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("../outside", "leads elsewhere: '../outside'"),
        ("run/../../outside", "leads elsewhere"),
        ("/etc/outside", "leads elsewhere"),
        ("run//x", "leads elsewhere"),
        ("run/./x", "leads elsewhere"),
        ("run\\..\\x", "leads elsewhere"),
        ("C:/x", "leads elsewhere"),
        ("run/a\nb", "leads elsewhere"),
        ("run/\x1b[2J", "leads elsewhere"),
        ("run/" + "a" * 300, "leads elsewhere"),
        ("run/" + "a/" * 20 + "x", "leads elsewhere"),
        (_of_kind(stat.S_IFLNK), "a link or no file: 'run/x'"),
        (_of_kind(stat.S_IFIFO), "a link or no file"),
        (_of_kind(stat.S_IFCHR), "a link or no file"),
        ("run/RUN.json", "two entries of one name: 'run/RUN.json'"),
    ],
)
def test_entries_that_no_bundle_has_are_refused(
    make: Callable[..., Path], unpacked: Path, entry: Any, why: str
) -> None:
    with pytest.raises(RecordError) as caught:
        read_bundle(make((entry, "/etc/passwd")))
    assert why in str(caught.value)
    assert not [path for path in unpacked.rglob("*") if path.is_file()]


def test_a_bomb_is_refused_by_its_ratio(make: Callable[..., Path], unpacked: Path) -> None:
    with pytest.raises(RecordError, match="would unpack to more than a run holds, at 'run/bomb'"):
        read_bundle(make(("run/bomb", " " * 30_000_000)))
    assert not [path for path in unpacked.rglob("*") if path.is_file()]


def test_an_entry_that_is_longer_than_it_declares_is_refused(make: Callable[..., Path]) -> None:
    path = make(("run/x", "a" * 5000))
    size = (5000).to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(size, (7).to_bytes(4, "little")))
    with pytest.raises(RecordError, match=r"BadZipFile: Bad CRC-32"):
        read_bundle(path)


def test_a_million_entries_are_refused_before_they_are_listed(
    make: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make(*((f"run/{number}", "") for number in range(200)))
    monkeypatch.setattr(bundle, "MOST_ENTRIES", 100)
    with pytest.raises(RecordError, match="lists more entries than the 100 that are read"):
        read_bundle(path)
    monkeypatch.setattr(bundle, "_MOST_DIRECTORY", 4000)
    monkeypatch.setattr(zipfile, "ZipFile", lambda *_: pytest.fail("the entries are listed"))
    path = path.rename(path.with_name("again.mobilerun.zip"))
    with pytest.raises(RecordError, match="lists more entries"):
        read_bundle(path)


@pytest.mark.parametrize(
    ("about", "why"),
    [
        ({"schema_version": 2}, "has schema version 2; .* reads versions up to 1"),
        ({"schema_version": "x"}, "TypeError"),
        ({"runs": []}, "names no runs of its own"),
        ({"runs": ["../run"]}, "names no runs of its own"),
        ({"runs": ["run/episodes"]}, "names no runs of its own"),
        ({"runs": ["other"]}, "lacks the run 'other'"),
        ({"runs": "run"}, "TypeError"),
        ({"screens": 1}, "TypeError"),
    ],
)
def test_a_bundle_of_another_kind_is_refused(
    make: Callable[..., Path], about: dict[str, Any], why: str
) -> None:
    with pytest.raises(RecordError, match=why):
        read_bundle(make(**about))


@pytest.mark.parametrize("content", [b"", b"PK", b"PK\x05\x06" + b"\0" * 18, b"text" * 1000])
def test_a_file_that_is_no_bundle_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.mobilerun.zip"
    path.write_bytes(content)
    with pytest.raises(RecordError, match=r"x\.mobilerun\.zip"):
        read_bundle(path)


def test_a_run_that_the_bundle_does_not_name_is_refused(make: Callable[..., Path]) -> None:
    with pytest.raises(RecordError, match="holds 'other', which bundle"):
        read_bundle(make(("other/run.json", "{}")))


def test_a_bundle_that_lacks_a_part_is_damaged(make: Callable[..., Path]) -> None:
    path = make((zipfile.ZipInfo("run/x"), "a" * 5000))
    content = path.read_bytes()
    path.write_bytes(content[:500] + content[1500:])
    with pytest.raises(RecordError, match="is not a bundle, or is damaged"):
        read_bundle(path)


def test_a_disk_without_space_is_named(
    make: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    path = make()
    monkeypatch.setattr(zipfile.ZipFile, "extractall", full)
    with pytest.raises(OSError, match=r"No space left on device: unpacking .* to ") as caught:
        read_bundle(path)
    assert caught.value.errno == errno.ENOSPC


def test_a_bundle_of_a_newer_minor_version_is_read(make: Callable[..., Path]) -> None:
    path = make(schema_version=1.5, more="x")
    assert [run.name for run in read_bundle(path).runs] == ["run"]
    assert find_run(path) == read_bundle(path).runs[0]


def test_a_bundle_of_several_runs_is_merged_first(make: Callable[..., Path]) -> None:
    path = make(("two/run.json", "{}"), runs=["run", "two"])
    with pytest.raises(RecordError, match=r"holds several runs \(run, two\): merge it first"):
        find_run(path)
