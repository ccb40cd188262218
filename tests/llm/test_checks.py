from __future__ import annotations

import pytest

from pytest_mobileagent.llm.models import check_reference
from pytest_mobileagent.llm.prices import Price, Prices
from pytest_mobileagent.llm.reference import parse_reference
from pytest_mobileagent.testing import ScriptedModel

KNOWN = Prices({"openai:ours": Price(1, 2)})


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def test_a_model_that_answers_and_has_a_price_can_be_asked():
    with ScriptedModel(["yes"]).serve() as url:
        model = parse_reference(f"openai:ours@{url}/v1")
        check_reference(model, KNOWN)
        with pytest.raises(
            ValueError, match=r"no price is known.*--prices=FILE, or run with --unp"
        ):
            check_reference(model, Prices(), options="--")
        check_reference(model, Prices(), unpriced=True)
        with pytest.raises(ValueError, match="--mobile-max-cost cannot limit it"):
            check_reference(model, Prices(), unpriced=True, limited=True)


def test_a_key_that_is_missing_is_named_with_a_remark():
    with pytest.raises(ValueError, match=r"OPENAI_API_KEY is not set\. Nothing was asked"):
        check_reference(parse_reference("openai:ours"), KNOWN, remark="Nothing was asked")


def test_a_model_whose_replies_are_kept_needs_no_key():
    check_reference(parse_reference("openai:ours"), KNOWN, replays=True)


def test_an_endpoint_that_does_not_answer_is_said_so():
    with pytest.raises(ValueError, match="does not answer"):
        check_reference(parse_reference("openai:ours@http://127.0.0.1:9/v1"), KNOWN)


def test_a_script_that_is_not_there_is_said_so():
    with pytest.raises(ValueError, match=r"cannot read nothing\.jsonl"):
        check_reference(parse_reference("scripted:nothing.jsonl"), Prices())
