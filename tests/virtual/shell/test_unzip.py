"""unzip: how programs inspect archives, and restore an app's files."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.virtual.shell.conftest import Shells

LISTED = """\
Archive:  a.zip
  Length      Date    Time    Name
---------  ---------- -----   ----
        3  2026-05-01 09:30   one.txt
        4  2026-05-01 09:30   d/two.txt
---------                     -------
        7                     2 files
"""


def archive() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        for name, text in (("one.txt", "one"), ("d/two.txt", "two\n")):
            made.writestr(zipfile.ZipInfo(name, (2026, 5, 1, 9, 30, 0)), text)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("script", "answer"),
    [
        ("unzip -l a.zip", LISTED),
        ("unzip -o -d out a.zip; cat out/one.txt out/d/two.txt",
         "Archive:  a.zip\n  inflating: out/one.txt\n  inflating: out/d/two.txt\nonetwo\n"),
        ("unzip -p a.zip d/two.txt", "two\n"),
        ("echo mine > one.txt; unzip -q a.zip; cat one.txt", "mine\n"),
        ("echo mine > one.txt; unzip -qo a.zip; cat one.txt", "one"),
    ],
)  # fmt: skip
def test_an_archive_is_listed_and_unpacked(sh: Shells, script: str, answer: str) -> None:
    out, err, _ = sh.raw(f"cat > a.zip; {script}", stdin=archive())
    assert (out.decode(), err) == (answer, b"")


def test_invalid_and_broken_archives(sh: Shells) -> None:
    assert sh.raw("unzip -l f", stdin=b"")[1] == b"unzip: f: No such file or directory\n"
    assert sh.raw("echo no > f; unzip f")[1] == b"unzip: couldn't open f: Invalid file\n"
    broken = archive().replace(b"two\n", b"TWO\n")
    assert b"failed to extract d/two.txt" in sh.raw("cat > a.zip; unzip a.zip", stdin=broken)[1]
