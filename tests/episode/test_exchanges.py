"""Tests of calls.jsonl, which records each exchange with a model on one line."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from pytest_mobileagent import ModelCall
from pytest_mobileagent.episode.exchanges import STREAM, CallReader, ExchangeLog
from pytest_mobileagent.errors import HostError

CALL = ModelCall("openai:gpt-4o", input_tokens=3, price_usd=0.5)
EXCHANGE = {
    "call": CALL.to_json(),
    "prompt": [{"role": "user", "content": ["Où ?\n", {"picture": "9b.png"}]}],
    "reply": {"text": "half a pair: \ud800", "stop": "end", "tool_calls": []},
    "error": "",
}


def test_each_call_is_one_line(tmp_path):
    log, reader = ExchangeLog(tmp_path), CallReader(tmp_path)
    assert (log.next_line(), reader.new()) == (1, ())
    log.add(EXCHANGE)
    assert log.next_line() == 2
    (line,) = (tmp_path / STREAM).read_text("utf-8").splitlines()
    kept = json.loads(line)
    assert kept.pop("reply")["text"] == "half a pair: ?"
    assert kept == {name: value for name, value in EXCHANGE.items() if name != "reply"}
    assert (reader.new(), reader.new()) == ((CALL,), ())


def test_failed_calls_and_invalid_lines_are_skipped(tmp_path):
    log, reader = ExchangeLog(tmp_path), CallReader(tmp_path)
    log.add({"call": None, "error": "ProviderError: down"})
    with (tmp_path / STREAM).open("ab") as file:
        file.write(b'{}\n[]\n\xff\n{"call": {"model": 3}}\n{"call": 3}\n' + b"[" * 9999 + b"\n")
    log.add(EXCHANGE)
    assert reader.new() == (CALL,)


def test_incomplete_line_is_read_later_or_counts_as_a_line(tmp_path):
    log, reader = ExchangeLog(tmp_path), CallReader(tmp_path)
    log.add(EXCHANGE)
    whole = (tmp_path / STREAM).read_bytes()
    with (tmp_path / STREAM).open("ab") as file:
        file.write(whole[:20])
    assert reader.new() == (CALL,)
    with (tmp_path / STREAM).open("ab") as file:
        file.write(whole[20:] + whole[:20])
    assert reader.new() == (CALL,)
    number = log.next_line()
    log.add(EXCHANGE)
    assert (tmp_path / STREAM).read_bytes().split(b"\n")[number - 1] == whole.strip()


def test_threads_may_write_and_each_reader_reads_each_call_once(tmp_path):
    log, reader = ExchangeLog(tmp_path), CallReader(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: log.add(EXCHANGE), range(100)))
    assert (reader.new(), reader.new()) == ((CALL,) * 100, ())
    assert len(CallReader(tmp_path).new()) == 100


def test_unwritable_log_is_an_infrastructure_error(tmp_path):
    with pytest.raises(HostError, match=r"cannot write .*calls\.jsonl"):
        ExchangeLog(tmp_path / "nowhere").add(EXCHANGE)
    assert CallReader(tmp_path / "nowhere").new() == ()


def test_a_call_in_progress_is_seen_by_readers(tmp_path):
    log, reader = ExchangeLog(tmp_path), CallReader(tmp_path)
    assert reader.asking is None
    with log.asking():
        first = reader.asking
        assert first is not None
        with log.asking():  # by another thread
            assert reader.asking == first
        assert reader.asking == first
    assert reader.asking is None
    (tmp_path / "calls.asking").touch()  # left by a process that was killed
    reader.close()
    assert list(tmp_path.iterdir()) == []
