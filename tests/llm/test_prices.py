"""Token prices: from the price table, from the user's own prices, or unknown."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image as pillow

from pytest_mobileagent.episode.calls import ModelCall
from pytest_mobileagent.llm.model import Completion, Image, Message, Request, Usage
from pytest_mobileagent.llm.prices import (
    Price,
    Prices,
    image_tokens,
    input_tokens,
    load_prices,
    text_tokens,
)
from pytest_mobileagent.llm.reference import parse_reference
from pytest_mobileagent.llm.replies import usage_in

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

GPT = parse_reference("openai:gpt-4o")
OWN = parse_reference("openai:our-tuned-4o")
DEAR = Prices({"openai:gpt-4o": Price(100, 200, 10)})


def answer(data: Mapping[str, Any] | None = None, usage: Usage | None = None) -> Completion:
    return Completion("words", usage=usage or usage_in(data or {}), usage_data=data)


CHAT = {
    "model": "gpt-4o-2024-08-06",
    "usage": {
        "prompt_tokens": 1000,
        "completion_tokens": 100,
        "total_tokens": 1100,
        "prompt_tokens_details": {"cached_tokens": 400, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 60},
    },
}
RESPONSES = {
    "model": "gpt-4o-2024-08-06",
    "usage": {
        "input_tokens": 1000,
        "input_tokens_details": {"cached_tokens": 400},
        "output_tokens": 100,
        "output_tokens_details": {"reasoning_tokens": 60},
        "total_tokens": 1100,
    },
}
ANTHROPIC = {
    "model": "claude-sonnet-4-5-20250929",
    "usage": {
        "input_tokens": 500,
        "cache_creation_input_tokens": 100,
        "cache_read_input_tokens": 400,
        "output_tokens": 100,
    },
}


@pytest.mark.parametrize(
    ("model", "data", "usd"),
    [
        ("openai:gpt-4o", CHAT, (600 * 2.5 + 400 * 1.25 + 100 * 10) / 1e6),
        ("openai-responses:gpt-4o", RESPONSES, (600 * 2.5 + 400 * 1.25 + 100 * 10) / 1e6),
        (
            "anthropic:claude-sonnet-4-5",
            ANTHROPIC,
            (500 * 3 + 100 * 3.75 + 400 * 0.3 + 100 * 15) / 1e6,
        ),
    ],
)
def test_reported_usage_is_priced(model: str, data: dict[str, Any], usd: float) -> None:
    usage, price = Prices().metered(parse_reference(model), answer(data))
    assert usage == Usage(1000, 100, 400)
    assert price == pytest.approx(usd)


def test_resellers_of_an_api_report_the_same_usage() -> None:
    usage, price = Prices().metered(parse_reference("gemini:gemini-2.5-flash"), answer(CHAT))
    assert usage == Usage(1000, 100, 400)
    assert price


@pytest.mark.parametrize("count", [-1, 2**60, 10**400, 1.5, float("nan"), "a", True, [1]], ids=repr)
@pytest.mark.parametrize("model", ["scripted:a", "openai:gpt-4o"])
def test_an_invalid_token_count_is_unknown(model: str, count: Any) -> None:
    told = answer(None, Usage(count, 2))
    usage, price = Prices().metered(parse_reference(model), told)
    assert usage == Usage()
    assert not price


def test_tokens_reported_by_the_client_are_priced() -> None:
    usage = Usage(1000, 100)
    assert Prices().metered(GPT, answer(None, usage)) == (usage, pytest.approx(0.0035))


def test_own_prices_override_the_table() -> None:
    _, price = DEAR.metered(GPT, answer(CHAT))
    assert price == pytest.approx((600 * 100 + 400 * 10 + 100 * 200) / 1e6)
    assert Price(100, 200).of(Usage(1000, 0, 400)) == pytest.approx(0.1)
    assert Price(1, 2).of(Usage(None, 5)) is None
    assert Price(0, 0).of(Usage(5, 5)) == 0


@pytest.mark.parametrize(
    ("model", "known"),
    [
        ("openai:gpt-4o", True),
        ("openai-responses:gpt-4o", True),
        ("anthropic:claude-sonnet-4-5", True),
        ("gemini:gemini-2.5-flash", True),
        ("openai:our-tuned-4o", False),
        ("ollama:gpt-4o", False),
        ("predict:gpt-4o", False),
        ("anthropic:gpt-4o", False),
        ("scripted:a.jsonl", True),
    ],
)
def test_known_prices_are_recognised(model: str, known: bool) -> None:
    assert Prices().knows(parse_reference(model)) is known


def test_an_unknown_price_is_none_and_a_script_is_free() -> None:
    assert Prices().metered(OWN, answer(CHAT)) == (Usage(1000, 100, 400), None)
    assert Prices().price(OWN, "", Usage(1000, 100)) is None
    assert Prices().price(parse_reference("scripted:a"), "gpt-4o", Usage(10, 10)) == 0


def test_dated_model_name_has_the_price_of_its_model() -> None:
    told = Completion("words", usage=Usage(1000, 100), model="gpt-4o-2024-08-06")
    assert Prices().metered(OWN, told)[1] == pytest.approx(0.0035)


def test_the_table_has_a_version() -> None:
    assert Prices().table.startswith("genai-prices 0.")
    assert DEAR.table.endswith(" and own")


def test_own_prices_are_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text('["openai:our-tuned-4o"]\ninput = 3.75\ncached = 1.875\noutput = 15\n'
                    '["ollama:llama"]\ninput = 0\noutput = 0.0\n')  # fmt: skip
    prices = load_prices(file)
    assert prices.own == {
        "openai:our-tuned-4o": Price(3.75, 15, 1.875),
        "ollama:llama": Price(0, 0),
    }
    assert prices.knows(OWN)
    assert prices.price(parse_reference("ollama:llama"), "", Usage(5, 5)) == 0


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("input = 3", r'input must be a table: \["input"\] with input and output'),
        ("[a", "is not TOML: "),
        ('["openai:a"]\ninput = 1', r'\["openai:a"\] lacks output'),
        ('["openai:a"]', r'\["openai:a"\] lacks input and output'),
        ('["openai:a"]\ninptu = 1', r"has no 'inptu'; did you mean input\?"),
        ('["openai:a"]\nzz = 1', r"has no 'zz' \(available: input, output, cached\)"),
        *[
            (f'["openai:a"]\noutput = 1\ninput = {value}', r'input of \["openai:a"\] must be US')
            for value in ("-1", "nan", "inf", "true", '"3"', "[1]", f"1{'0' * 400}", "2026-01-01")
        ],
        ("[openai]\na = {input = 1, output = 2}", "'openai' must be PROVIDER:NAME"),
        ('["gpt-4o"]\ninput = 1\noutput = 1', r"'gpt-4o' must be PROVIDER:NAME"),
        ('["opnai:a"]\ninput = 1\noutput = 1', "no provider is called 'opnai'; did you mean"),
    ],
)
def test_invalid_price_file_is_refused(tmp_path: Path, content: str, complaint: str) -> None:
    (tmp_path / "prices.toml").write_text(content)
    with pytest.raises(ValueError, match=complaint) as caught:
        load_prices(tmp_path / "prices.toml")
    assert "prices.toml" in str(caught.value)


def test_unreadable_price_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"cannot read .*: No such file"):
        load_prices(tmp_path / "prices.toml")
    with pytest.raises(ValueError, match=r"cannot read .*: Is a directory"):
        load_prices(tmp_path)
    (tmp_path / "latin.toml").write_bytes(b"# \xff")
    with pytest.raises(ValueError, match="is not TOML"):
        load_prices(tmp_path / "latin.toml")


@pytest.mark.parametrize(
    ("model", "usd"),
    [
        ("gpt-4o", (600 * 2.5 + 400 * 1.25 + 100 * 10) / 1e6),
        ("openai:gpt-4o", (600 * 2.5 + 400 * 1.25 + 100 * 10) / 1e6),
        ("our-tuned", (1000 * 3 + 100 * 4) / 1e6),  # the user's own price, from one provider
        ("vllm:our-tuned", (1000 * 3 + 100 * 4) / 1e6),
        ("twice", None),  # two providers have a price for it
        ("ours-of-a-kind", None),
        ("nobody:gpt-4o", None),
    ],
)
def test_reported_call_is_priced_by_model_name(model: str, usd: float | None) -> None:
    prices = Prices(
        {"vllm:our-tuned": Price(3, 4), "vllm:twice": Price(1, 1), "openai:twice": Price(2, 2)}
    )
    call = ModelCall(model, input_tokens=1000, output_tokens=100, cached_tokens=400)
    assert prices.priced(call).price_usd == (usd and pytest.approx(usd))


@pytest.mark.parametrize(
    ("call", "usd"),
    [
        (ModelCall("gpt-4o", input_tokens=1, output_tokens=1, price_usd=0.0), 0.0),
        (ModelCall("gpt-4o", input_tokens=1, output_tokens=1, price_usd=7.0), 7.0),
        (ModelCall("gpt-4o", input_tokens=1), None),
        (ModelCall("gpt-4o"), None),
    ],
)
def test_reported_price_is_kept_and_none_invented_without_tokens(
    call: ModelCall, usd: float | None
) -> None:
    assert Prices().priced(call).price_usd == usd


def picture(width: int, height: int, kind: str = "PNG") -> Image:
    buffer = io.BytesIO()
    pillow.new("RGB", (width, height)).save(buffer, kind)
    return Image(buffer.getvalue())


def test_four_characters_are_a_token_however_many_bytes_they_have() -> None:
    assert [text_tokens(text) for text in ("", "a", "abcd", "abcde", "图片" * 4)] == [0, 1, 1, 2, 2]


@pytest.mark.parametrize(
    ("width", "height", "tokens"),
    [
        (1, 1, 85 + 170),
        (512, 512, 85 + 170),
        (513, 512, 85 + 2 * 170),
        (1080, 1920, 85 + 3 * 4 * 170),
        (1080, 2400, 85 + 3 * 5 * 170),
    ],
)
def test_picture_costs_depend_on_tiles(width: int, height: int, tokens: int) -> None:
    assert image_tokens(width, height) == tokens


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_request_tokens_include_texts_and_pictures(kind: str) -> None:
    said = (
        Message("system", ("abcd",)),
        Message("user", ("efg", picture(600, 600, kind), picture(10, 10, kind))),
    )
    assert input_tokens(Request(said)) == 2 + (85 + 4 * 170) + (85 + 170)


@pytest.mark.parametrize("data", [b"", b"no picture", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"])
def test_unreadable_picture_counts_as_one_tile(data: bytes) -> None:
    assert input_tokens(Request((Message("user", (Image(data),)),))) == 85 + 170
