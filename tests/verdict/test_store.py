"""Verdicts beside an episode: appended, never overwritten."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.verdict import VERDICTS, Verdict, append, verdicts

if TYPE_CHECKING:
    from pathlib import Path

FAILED = Verdict(False, reason="not a lamp\u2028\x85\n\x1c", evidence={"closest": ["Lamp"]})
PASSED = Verdict(True, scorer="a person", first_step=2)


def test_verdicts_are_kept_the_oldest_first(tmp_path: Path) -> None:
    assert verdicts(tmp_path) == []
    append(tmp_path, FAILED)
    append(tmp_path, PASSED)
    old, new = verdicts(tmp_path)
    assert (old.reason, new.scorer) == (FAILED.reason, "a person")
    line = json.loads((tmp_path / VERDICTS).read_text().split("\n")[0])
    assert datetime.fromisoformat(line["when"]).tzinfo is not None
    assert old.extra == {"when": line["when"]}


@pytest.mark.parametrize(
    "junk", [b'{"passed":tr', b"[]", b"3", b'{"passed":1}', b"[" * 100_000, b"\xff\0"]
)
def test_what_is_damaged_takes_no_other_verdict_with_it(tmp_path: Path, junk: bytes) -> None:
    append(tmp_path, FAILED)
    with (tmp_path / VERDICTS).open("ab") as stream:
        stream.write(junk)
    append(tmp_path, PASSED)
    assert [verdict.passed for verdict in verdicts(tmp_path)] == [False, True]


def test_a_verdict_that_cannot_be_written_is_an_error_of_this_machine(tmp_path: Path) -> None:
    with pytest.raises(HostError, match=r"cannot write to .*verdicts\.jsonl"):
        append(tmp_path / "nowhere", PASSED)
