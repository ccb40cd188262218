"""What scripts print, according to `answers.toml`; bytes, and jobs in the background."""

from __future__ import annotations

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
