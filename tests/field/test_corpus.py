"""Tests of the corpus itself: every output has a source, and there are enough of them."""

from __future__ import annotations

import pytest

from tests.field.corpus import FOLDER, read_outputs

FILES = sorted(path.stem for path in FOLDER.glob("*.toml"))


@pytest.mark.parametrize("file", FILES)
def test_every_output_says_where_it_was_found(file: str) -> None:
    for entry in read_outputs(file):
        assert entry.source.startswith(("https://", "github:")), entry
        assert entry.android, entry
        assert entry.maker, entry
        printed = entry.output + entry.stderr + "".join(entry.also.values())
        assert entry.found, entry
        # AOSP's code has the format of what a command prints, not the output itself.
        assert entry.found in printed or entry.android.startswith("aosp"), entry
