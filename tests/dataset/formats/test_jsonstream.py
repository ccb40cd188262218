"""Tests of reading JSON files one value at a time, in any encoding."""

from __future__ import annotations

import json
import tracemalloc

import pytest

from pytest_mobileagent.dataset.formats import streams
from pytest_mobileagent.dataset.formats.streams import items, pairs, text_of
from pytest_mobileagent.errors import GraphError


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "_BLOCK", 7)


def test_a_list_is_read_with_the_numbers_of_its_values(tmp_path):
    file = tmp_path / "list.json"
    file.write_text('[\n  {"a": "鞋"},\n  1234567890123, 0.5,\n\n "x"]', "utf-8")
    values = [{"a": "鞋"}, 1234567890123, 0.5, "x"]
    assert list(items(file)) == [(f"{file}, entry {n}", v) for n, v in enumerate(values, 1)]
    file.write_text('{"num": 2, "data": [[1], [2]]}', "utf-8")  # A list may be under a name.
    assert [value for _, value in items(file, "data")] == [[1], [2]]
    file.write_text('{"a": 1}\n\n{"b": [2]}\n', "utf-8")  # Lines of JSON are a list.
    assert list(items(file)) == [(f"{file}:1", {"a": 1}), (f"{file}:3", {"b": [2]})]


@pytest.mark.parametrize("ascii_only", [True, False])
def test_text_that_is_encoded_twice_is_decoded_twice(tmp_path, ascii_only):
    value = {'click(<p id="a"> 鞋 😀 \\ </p>)': 0, "\n": 1, "ends in a backslash \\": 2}
    file = tmp_path / "twice.json"
    inner = json.dumps(value, ensure_ascii=ascii_only)
    file.write_text(json.dumps(inner, ensure_ascii=ascii_only), "utf-8")
    assert dict(pairs(file)) == value


def test_text_that_is_not_utf8_is_gb18030(tmp_path):
    file = tmp_path / "chinese.json"
    file.write_text('["买红鞋"]', "gb18030")
    assert [value for _, value in items(file)] == ["买红鞋"]
    assert text_of(file) == '["买红鞋"]'


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[1,\n 2,\n x]", ": it is not JSON"),
        ("[1,\n 2", ": it is not JSON"),
        ('{"data": 1}', ": there is no list under 'data'"),
        ("", ": it is not JSON"),
        ('"[1, 2', ": it is not JSON: a string is not closed"),
        (f"[{'[' * 200}{']' * 200}]", ": it is nested more than"),
        (None, ": it cannot be read: No such file"),
    ],
)
def test_invalid_json_is_reported_with_its_file(tmp_path, text, why):
    file = tmp_path / "broken.json"
    if text is not None:
        file.write_text(text, "utf-8")
    with pytest.raises(GraphError, match=rf"broken\.json{why}"):
        list(items(file, "data"))
    file.write_text('{"a": 1}\n{"b": [2}\n', "utf-8")
    with pytest.raises(GraphError, match=r"broken\.json:2: it is not JSON"):
        list(items(file))


def test_a_file_far_larger_than_the_memory_that_is_used(tmp_path, monkeypatch):
    monkeypatch.setattr(streams, "_BLOCK", 1 << 12)
    file = tmp_path / "large.json"
    with file.open("w") as target:
        names = ",".join(f'\\"click(<p id={n}> some text </p>)\\": {n}' for n in range(30_000))
        target.write(f'"{{{names}}}"')
    next(pairs(file))  # what is imported on first use does not count
    tracemalloc.start()
    try:
        assert sum(1 for _ in pairs(file)) == 30_000
        assert tracemalloc.get_traced_memory()[1] < file.stat().st_size / 10
    finally:
        tracemalloc.stop()
