"""Budgets: limits, the ledger of what was spent, and what happens when a limit is exceeded."""

from __future__ import annotations

import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent import ModelCall
from pytest_mobileagent.errors import HostError
from pytest_mobileagent.llm.budget import (
    Budget,
    Expenditure,
    Ledger,
    LedgerServer,
    Limit,
    Spending,
    ask_ledger,
    parse_limit,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CALL = ModelCall("openai:gpt-4o", input_tokens=900, output_tokens=100, price_usd=0.25)
UNPRICED = ModelCall("openai:own", input_tokens=10, output_tokens=None)


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("0.40", Limit(0.4)),
        ("5", Limit(5)),
        ("1e6", Limit(1e6)),
        ("2,task=0.1", Limit(2, 0.1)),
        ("task=0.1,2", Limit(2, 0.1)),
        (" 2 , task = 0.1 ", Limit(2, 0.1)),
        ("task=0.1", Limit(None, 0.1)),
        ("run=2", Limit(2)),
    ],
)
def test_limit_is_parsed(text: str, limit: Limit) -> None:
    assert parse_limit(text) == limit


@pytest.mark.parametrize(
    "text",
    ["", "0", "-1", "nan", "inf", "1e999", "$2", "2,", "2,3", "task=", "task=1,task=2", "=2",
     "episode=2", "2,task=0", "two", "2;task=1", "1,5,task=2"],
)  # fmt: skip
def test_an_invalid_limit_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="must be AMOUNT, AMOUNT,task=AMOUNT or task=AMOUNT"):
        parse_limit(text)


def test_token_limit_must_be_a_whole_number() -> None:
    assert parse_limit("1e6,task=5000", whole=True) == Limit(1_000_000, 5000)
    for text in ("0.5", "5,task=0.5"):
        with pytest.raises(ValueError, match="with whole amounts above 0"):
            parse_limit(text, whole=True)


def test_ledger_sums_entries_of_all_writers(tmp_path: Path) -> None:
    here, there = Ledger(tmp_path / "run" / "spent.jsonl"), Ledger(tmp_path / "run" / "spent.jsonl")
    assert here.spent() == Expenditure()
    here.add(CALL)
    there.add(CALL)
    assert here.spent() == there.spent() == Expenditure(0.5, 2000)
    there.add(UNPRICED)
    assert here.spent() == here.spent() == Expenditure(0.5, 2010)


def test_many_processes_may_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "spent.jsonl"
    program = (
        "import sys, pathlib; from pytest_mobileagent import ModelCall\n"
        "from pytest_mobileagent.llm.budget import Ledger\n"
        "ledger = Ledger(pathlib.Path(sys.argv[1]))\n"
        "for _ in range(100): ledger.add(ModelCall('m', input_tokens=1, price_usd=0.5))"
    )
    others = [subprocess.Popen([sys.executable, "-c", program, str(path)]) for _ in range(2)]
    ledger = Ledger(path)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: ledger.add(CALL), range(100)))
    assert [other.wait() for other in others] == [0, 0]
    assert ledger.spent() == Expenditure(125.0, 100_200)


def test_incomplete_line_is_read_later(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "spent.jsonl")
    ledger.path.write_text("[0.5,10]\n[0.2")
    assert ledger.spent() == Expenditure(0.5, 10)
    ledger.path.write_text("[0.5,10]\n[0.25,7]\n")
    assert ledger.spent() == Expenditure(0.75, 17)


@pytest.mark.parametrize(
    "torn",
    ["[0.5,1", "[", "{}", "[1]", '["a",1]', "[NaN,1]", "[1e999,1]", "[null,1]", "\xff", "[" * 9999],
)  # fmt: skip
def test_torn_line_only_loses_itself(tmp_path: Path, torn: str) -> None:
    ledger = Ledger(tmp_path / "spent.jsonl")
    ledger.path.write_text(torn, "latin-1")
    ledger.add(CALL)
    assert ledger.spent() == Expenditure(0.25, 1000)


def test_unwritable_ledger_is_an_infrastructure_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(HostError, match=r"cannot write .*spent\.jsonl"):
        Ledger(tmp_path / "file" / "spent.jsonl").add(CALL)


def ledger_with(tmp_path: Path, *calls: ModelCall) -> Ledger:
    ledger = Ledger(tmp_path / "spent.jsonl")
    for call in calls:
        ledger.add(call)
    return ledger


@pytest.mark.parametrize(
    ("budget", "why"),
    [
        (Budget(), ""),
        (Budget(Limit(0.76)), ""),
        (Budget(Limit(0.75)), "--mobile-max-cost=0.75 is spent"),
        (Budget(Limit(None, 0.25)), "--mobile-max-cost: the episode's 0.25 US dollars are spent"),
        (Budget(Limit(None, 0.26)), ""),
        (Budget(tokens=Limit(3000)), "--mobile-max-tokens=3000 is spent"),
        (Budget(tokens=Limit(3001)), ""),
        (Budget(tokens=Limit(9999, 1000)), "--mobile-max-tokens: the episode's 1000 tokens are"),
    ],
)
def test_episode_ends_at_its_own_limit_or_that_of_the_run(
    tmp_path: Path, budget: Budget, why: str
) -> None:
    spending = Spending(budget, ledger_with(tmp_path, CALL, CALL))
    spending.pay(CALL)
    assert spending.over().startswith(why)
    assert bool(spending.over()) is bool(why)


def test_spending_already_counted_for_the_run_counts_for_the_episode_only(tmp_path: Path) -> None:
    ledger = ledger_with(tmp_path, CALL)
    spending = Spending(Budget(Limit(0.5, 0.25)), ledger)
    spending.note(CALL)
    assert "the episode's 0.25" in spending.over()
    assert ledger.spent() == Expenditure(0.25, 1000)


def test_episode_without_ledger_has_its_own_limit() -> None:
    spending = Spending(Budget(Limit(0.1, 0.5)), None)
    spending.pay(CALL)
    assert not spending.over()
    spending.pay(CALL)
    assert spending.over()


@pytest.mark.parametrize("amount", [1.0, 0.4, 1_234_567.0, 1234.567891, 1e-7, 1e22])
def test_a_limit_is_printed_as_it_can_be_entered(tmp_path: Path, amount: float) -> None:
    ledger = ledger_with(tmp_path, ModelCall("m", price_usd=2e22))
    told = Spending(Budget(Limit(amount)), ledger).over()
    assert parse_limit(told.removeprefix("--mobile-max-cost=").removesuffix(" is spent")) == Limit(
        amount
    )


@pytest.fixture
def ledger_server(tmp_path: Path) -> Iterator[LedgerServer]:
    """The server of a run in which another machine has spent 1 US dollar and 50 tokens."""
    ledger = Ledger(tmp_path / "spent.jsonl")
    ledger_server = LedgerServer(tmp_path / "ledger.sock", lambda: ledger.spent().plus(1.0, 50))
    yield ledger_server
    ledger_server.close()


def test_server_reports_spending_of_other_machines(
    tmp_path: Path, ledger_server: LedgerServer
) -> None:
    ledger = Ledger(tmp_path / "spent.jsonl", ledger_server.path)
    assert ledger.spent() == Expenditure(1.0, 50)
    ledger.add(CALL)
    assert ledger.spent() == Expenditure(1.25, 1050)


def test_a_server_learns_of_a_call_at_once(tmp_path: Path) -> None:
    told = []

    def count() -> Expenditure:
        told.append(ledger.path.read_text())
        return Expenditure()

    ledger = Ledger(tmp_path / "spent.jsonl", tmp_path / "ledger.sock")
    ledger_server = LedgerServer(tmp_path / "ledger.sock", count)
    try:
        ledger.add(CALL)
    finally:
        ledger_server.close()
    assert told == ["[0.25,1000]\n"]


def test_server_accepts_concurrent_requests(tmp_path: Path, ledger_server: LedgerServer) -> None:
    with ThreadPoolExecutor(64) as pool:
        ledgers = [Ledger(tmp_path / "spent.jsonl", ledger_server.path) for _ in range(64)]
        assert {*pool.map(Ledger.spent, ledgers)} == {Expenditure(1.0, 50)}


def test_the_server_is_not_asked_unless_the_run_is_limited(tmp_path: Path) -> None:
    spending = Spending(Budget(Limit(None, 1.0)), Ledger(tmp_path / "spent.jsonl", tmp_path / "no"))
    assert spending.over() == ""


def test_without_an_answer_nothing_may_be_spent(
    tmp_path: Path, ledger_server: LedgerServer
) -> None:
    def fails() -> Expenditure:
        msg = "the line is dead"
        raise HostError(msg)

    ledger = Ledger(tmp_path / "spent.jsonl", ledger_server.path)
    ledger_server.close()
    ledger.add(CALL)  # the call was paid for, whether or not others hear of it
    for spending in (
        Spending(Budget(Limit(9.0)), ledger),
        Spending(Budget(tokens=Limit(9000)), Ledger(ledger.path, tmp_path / "nobody")),
    ):
        with pytest.raises(
            HostError, match=r"no model is called, because what the run has spent is unknown: "
        ):
            spending.over()
    broken = LedgerServer(tmp_path / "broken", fails)
    try:
        with pytest.raises(HostError, match=r"unknown: the line is dead$"):
            Ledger(ledger.path, broken.path).spent()
    finally:
        broken.close()


def test_a_silent_server_is_an_error_after_a_timeout(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(tmp_path / "silent"))
        silent.listen()
        with pytest.raises(HostError, match="TimeoutError"):
            ask_ledger(tmp_path / "silent", seconds=0.01)
