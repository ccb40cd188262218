"""Tests of keeping a program's output unchanged, except for secrets and excessive length."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.episode import redaction
from pytest_mobileagent.episode.output import Output
from pytest_mobileagent.episode.secrets import without_secrets

if TYPE_CHECKING:
    from collections.abc import Iterable


def kept(chunks: Iterable[bytes], secrets: Iterable[str] = (), most: int = 1 << 20) -> bytes:
    with TemporaryDirectory() as folder:
        output = Output(Path(folder, "stdout"), secrets, most)
        for chunk in chunks:
            output.write(chunk)
        output.close()
        output.close()
        return output.path.read_bytes()


@given(st.lists(st.binary(max_size=50)), st.integers(1, 200))
def test_output_below_the_limit_is_kept_unchanged(chunks, most):
    whole = b"".join(chunks)
    if len(whole) <= 2 * most:
        assert kept(chunks, most=most) == whole
    else:
        found = kept(chunks, most=most)
        assert found.startswith(whole[:most])
        assert found.endswith(whole[-most:])


@given(st.lists(st.sampled_from(["sk-12345", "sk-123", "45", "sk-", "x", "sk-1234567"])))
def test_secrets_are_removed_however_output_is_split(words):
    secrets = ["sk-12345", "sk-1234567"]
    found = kept([word.encode() for word in words], secrets).decode()
    assert not any(secret in found for secret in secrets)
    assert found == without_secrets("".join(words), secrets)


def test_short_values_are_not_secrets_and_a_full_disk_does_not_stop_the_program(monkeypatch):
    assert kept([b"a short text"], ["", "short"]) == b"a short text"

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.write", full)
    assert kept([b"x"] * 3) == b""


@pytest.fixture
def cards(tmp_path):
    """Return a function that writes parts to an output without card numbers, and what was kept."""
    (tmp_path / "rules.toml").write_text("text = ['card [0-9]+']")
    redaction.use(tmp_path / "rules.toml")
    yield kept
    redaction.use(None)


def test_redacted_text_is_absent_however_it_arrives(cards):
    written = cards([b"my ca", b"rd 47", b"11 is\nold\xff, card", b" 12"])
    mask = redaction.MASK.encode()
    assert written == b"my " + mask + b" is\nold\xff, " + mask


def test_very_long_line_is_searched_across_its_parts(cards):
    written = cards([b"." * (1 << 20) + b"card 47", b"11.", b"." * (1 << 20)], most=1 << 22)
    assert b"card" not in written
    assert len(written.strip(b".")) < 20
    assert written.count(b".") == (2 << 20) + 1


@given(st.integers(0, 40), st.integers(1, 30), st.lists(st.integers(1, 50), max_size=20))
def test_no_part_of_a_secret_remains_at_the_cut(before, most, lengths):
    whole = b"." * before + b"sk-12345" * 3 + b"." * 10 + b"sk-12345" * 30
    at, chunks = 0, []
    for length in lengths:
        chunks.append(whole[at : at + length])
        at += length
    found = kept([*chunks, whole[at:]], ["sk-12345"], most)
    assert b"sk-" not in found
    assert b"345" not in found
