"""What scripts print, according to `answers.toml`; bytes, jobs in the background, and archives."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.virtual.answers import answers, differences

if TYPE_CHECKING:
    from tests.virtual.shell.conftest import Shells


@pytest.mark.parametrize("row", answers(Path(__file__).parent))
def test_answers(row: dict[str, Any], sh: Shells) -> None:
    assert differences(row, *sh(row["run"])) == {}


def test_output_is_binary_clean(sh: Shells) -> None:
    data = bytes(range(256)) * 3
    assert sh.raw("cat", stdin=data)[0] == data
    assert sh.raw("cat > f; cat f | cat; rm f", stdin=data)[0] == data
    assert sh.raw(r"printf '\377\000\n'")[0] == b"\xff\x00\n"


def test_a_dollar_paren_keeps_bytes_that_are_no_text(sh: Shells) -> None:
    assert sh.raw('x=$(cat); printf %s "$x"', stdin=b"\xff\xfe ok")[0] == b"\xff\xfe ok"


def test_a_writer_without_a_reader_ends(sh: Shells) -> None:
    assert (
        sh("while :; do echo y; done | head -n 1; cat /dev/zero | head -c 1 | wc -c").out
        == "y\n1\n"
    )


def test_a_script_waits_for_jobs_that_could_still_print(sh: Shells) -> None:
    assert sh("(sleep 0.02; echo late) & echo first").out == "first\nlate\n"


def test_a_job_of_a_shell_in_the_shell_is_waited_for_too(sh: Shells) -> None:
    assert sh("sh -c '(sleep 0.02; echo late) &'; echo first").out == "first\nlate\n"


def test_a_script_does_not_wait_for_jobs_that_print_elsewhere(sh: Shells) -> None:
    assert sh("sleep 600 > /dev/null 2>&1 &").status == 0


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
