"""Tests of reading JSON files one value at a time, in any encoding."""

from __future__ import annotations

import json
import tracemalloc
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.dataset.formats import jsonstream
from pytest_mobileagent.dataset.formats.jsonstream import items, pairs, text_of
from pytest_mobileagent.errors import GraphError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonstream, "_BLOCK", 7)


def test_a_list_is_read_with_the_lines_of_its_values(tmp_path: Path) -> None:
    file = tmp_path / "list.json"
    file.write_text('[\n  {"a": "鞋"},\n  12345678901234567890,\n\n "x"]', "utf-8")
    assert list(items(file)) == [(2, {"a": "鞋"}), (3, 12345678901234567890), (5, "x")]


def test_a_list_may_be_under_a_name(tmp_path: Path) -> None:
    file = tmp_path / "named.json"
    file.write_text('{"num": 2, "data": [[1], [2]]}', "utf-8")
    assert [value for _, value in items(file, "data")] == [[1], [2]]


def test_lines_of_json_are_a_list(tmp_path: Path) -> None:
    file = tmp_path / "lines.jsonl"
    file.write_text('{"a": 1}\n\n{"b": [2]}\n', "utf-8")
    assert list(items(file)) == [(1, {"a": 1}), (3, {"b": [2]})]


@pytest.mark.parametrize("ascii_only", [True, False])
def test_what_is_encoded_twice_is_decoded_twice(tmp_path: Path, ascii_only: bool) -> None:
    value = {'click(<p id="a"> 鞋 😀 \\ </p>)': 0, "\n": 1, "ends in a backslash \\": 2}
    file = tmp_path / "twice.json"
    inner = json.dumps(value, ensure_ascii=ascii_only)
    file.write_text(json.dumps(inner, ensure_ascii=ascii_only), "utf-8")
    assert {name: number for _, name, number in pairs(file)} == value


def test_text_that_is_not_utf8_is_gb18030(tmp_path: Path) -> None:
    file = tmp_path / "chinese.json"
    file.write_text('["买红鞋"]', "gb18030")
    assert [value for _, value in items(file)] == ["买红鞋"]
    assert text_of(file) == '["买红鞋"]'


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[1,\n 2,\n x]", r":3: it is not JSON"),
        ("[1,\n 2", r":2: expected a comma or the end of the list"),
        ("[1 2]", r":1: expected a comma or the end of the list"),
        ('{"a": 1}', r":1: there is no 'data'"),
        ('{"data": 1}', r":1: a list is needed under 'data'"),
        ("", r":1: a list is needed"),
        ('"[1, 2', r":1: it is not JSON: a string is not closed"),
        (f"[{'[' * 200}{']' * 200}]", r":1: it is nested more than"),
    ],
)
def test_invalid_json_is_reported_with_its_line(tmp_path: Path, text: str, why: str) -> None:
    file = tmp_path / "broken.json"
    file.write_text(text, "utf-8")
    with pytest.raises(GraphError, match=rf"broken\.json{why}"):
        list(items(file, "data"))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(GraphError, match=r"none\.json:1: it cannot be read: No such file"):
        list(items(tmp_path / "none.json"))


def test_a_file_far_larger_than_the_memory_that_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonstream, "_BLOCK", 1 << 12)
    file = tmp_path / "large.json"
    with file.open("w") as target:
        names = ",".join(f'\\"click(<p id={n}> some text </p>)\\": {n}' for n in range(10_000))
        target.write(f'"{{{names}}}"')
    tracemalloc.start()
    try:
        assert sum(1 for _ in pairs(file)) == 10_000
        assert tracemalloc.get_traced_memory()[1] < file.stat().st_size / 10
    finally:
        tracemalloc.stop()
