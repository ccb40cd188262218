"""A page in one file, with its pictures in it."""

from __future__ import annotations

import base64
import io
import re
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from pytest_mobileagent.report.document import read_report
from pytest_mobileagent.report.html import writing
from pytest_mobileagent.report.html.writing import TooLargeError, write_packed

if TYPE_CHECKING:
    from pathlib import Path


def test_each_picture_is_in_it_once_and_small(recorded: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert write_packed(recorded, read_report(recorded / "report.json"), page) == ""
    found = re.findall(rb'id="p:([^"]+)">([^<]*)</script>', page.read_bytes())
    names = {path.stem for path in (recorded / "screens").glob("*.png")}
    assert sorted(name.decode() for name, _ in found) == sorted(names)
    for _, text in found:
        with Image.open(io.BytesIO(base64.b64decode(text))) as image:
            assert (image.format, image.width) == ("WEBP", 360)


def test_a_picture_that_cannot_be_read_is_left_out(recorded: Path, tmp_path: Path) -> None:
    broken, *_ = sorted((recorded / "screens").glob("*.png"))
    broken.write_bytes(broken.read_bytes()[:40])
    page = tmp_path / "page.html"
    write_packed(recorded, read_report(recorded / "report.json"), page)
    assert page.read_bytes().count(b'id="p:') == 1


def test_a_link_out_of_the_run_brings_no_picture_in(recorded: Path, tmp_path: Path) -> None:
    linked, *_ = sorted((recorded / "screens").glob("*.png"))
    linked.replace(tmp_path / "private.png")
    linked.symlink_to(tmp_path / "private.png")
    page = tmp_path / "page.html"
    write_packed(recorded, read_report(recorded / "report.json"), page)
    assert page.read_bytes().count(b'id="p:') == 1


def test_a_page_that_would_be_too_large_is_refused_with_what_to_do(
    recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "page.html"
    page.write_text("as it was")
    monkeypatch.setattr(writing, "_TOO_LARGE", 1_000)
    with pytest.raises(TooLargeError, match="leave out --pack, and put"):
        write_packed(recorded, read_report(recorded / "report.json"), page)
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["page.html"]
    assert page.read_text() == "as it was"


def test_a_large_page_is_written_with_a_warning(
    recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "_LARGE", 1_000)
    warning = write_packed(recorded, read_report(recorded / "report.json"), tmp_path / "p.html")
    assert "browsers take a while" in warning
