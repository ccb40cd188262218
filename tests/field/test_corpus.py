"""Tests of the corpus itself: every output has a source, and there are enough of them."""

from __future__ import annotations

import pytest

from tests.field.corpus import FOLDER, read_outputs


def plain(text: str) -> str:
    """Return only the letters and digits of a text, as reports differ in the rest."""
    return "".join(filter(str.isalnum, text.lower()))


FILES = sorted(path.stem for path in FOLDER.glob("*.toml"))


@pytest.mark.parametrize("file", FILES)
def test_every_output_says_where_it_was_found(file: str) -> None:
    for entry in read_outputs(file):
        assert entry.source.startswith(("https://", "http://", "github:", "index:")), entry
        assert entry.android, entry
        assert entry.maker, entry
        # AOSP's code has the format of what a command prints, not the output itself.
        is_printed = plain(entry.found) in plain(entry.output + entry.stderr)
        assert plain(entry.found), entry
        assert is_printed or entry.android.startswith("aosp"), entry
