"""Budgets: what a run and its episodes may spend on models, and what they have spent."""

from __future__ import annotations

import contextlib
import json
import math
import socket
import socketserver
import threading
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.fileio import append_line, new_lines, parse_json, writing
from pytest_mobileagent.jsonable import decimal_number, to_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_mobileagent.episode.calls import ModelCall


class BudgetSpent(BaseException):
    """A budget is spent: no further model is asked in this episode.

    It is not an Exception, so it also ends an agent that continues after any error.
    """


@dataclass(frozen=True, slots=True)
class Limit:
    """The maximum amounts for a `run` and for each of its episodes (`task`); None is no limit."""

    run: float | None = None
    task: float | None = None


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of a run: in US dollars, and in tokens (input and output together)."""

    cost: Limit = field(default_factory=Limit)
    tokens: Limit = field(default_factory=Limit)

    @property
    def limits_run(self) -> bool:
        """Whether the run as a whole is limited."""
        return self.cost.run is not None or self.tokens.run is not None


@dataclass(frozen=True, slots=True)
class Expenditure:
    """The US dollars and tokens spent, as far as they are known."""

    usd: float = 0.0
    tokens: int = 0

    def plus(self, usd: float, tokens: int) -> Expenditure:
        """Return the sum of this and another amount."""
        return Expenditure(self.usd + usd, self.tokens + tokens)


class Ledger:
    """A file to which all processes of a run append the cost of each model call.

    If some processes are on other machines, no file on this machine has all calls. `server` is then
    the socket of a `LedgerServer`, which returns the sum over all machines.
    """

    def __init__(self, path: Path, server: Path | None = None) -> None:
        self.path, self._server = path, server
        self._read = 0
        self._spent = Expenditure()
        self._lock = threading.Lock()

    def add(self, call: ModelCall) -> None:
        """Add a call.

        Raises:
            HostError: if the file cannot be written.
        """
        with writing(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            append_line(self.path, to_line([call.price_usd or 0.0, _tokens(call)]))
        if self._server is not None:
            with contextlib.suppress(HostError):  # the server is asked again before the next call
                ask_ledger(self._server)

    def spent(self) -> Expenditure:
        """Return the sum of all lines written so far.

        Raises:
            HostError: if the server does not answer.
        """
        if self._server is not None:
            return ask_ledger(self._server)
        with self._lock, contextlib.suppress(OSError):  # the file is missing before the first call
            lines, self._read = new_lines(self.path, self._read)
            for line in lines:
                self._spent = self._spent.plus(*_amounts(line))
        return self._spent


_ANSWER_SECONDS = 15.0


class LedgerServer:
    """A server on a Unix socket that reports what the run has spent, as returned by `count`.

    `count` is called in threads; its HostErrors are passed on to the client. Agents' processes can
    reach the socket by its path, like a file.
    """

    def __init__(self, path: Path, count: Callable[[], Expenditure]) -> None:
        class Answer(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                try:
                    reply = asdict(count())
                except HostError as error:
                    reply = {"error": str(error)}
                with contextlib.suppress(OSError):  # the client has gone
                    self.wfile.write(json.dumps(reply).encode())

        class Server(socketserver.ThreadingUnixStreamServer):
            daemon_threads = True
            request_queue_size = 1024  # the default of 5 is too small for many workers

        self.path = path
        self._server = Server(str(path), Answer)
        threading.Thread(target=self._server.serve_forever, name="ledger", daemon=True).start()

    def close(self) -> None:
        """Stop the server."""
        self._server.shutdown()
        self._server.server_close()


def ask_ledger(path: Path, seconds: float = _ANSWER_SECONDS) -> Expenditure:
    """Ask the `LedgerServer` at a socket what the run has spent, and return the amounts.

    Raises:
        HostError: if it does not answer within `seconds`, or answers with an error.
    """
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(seconds)
            line.connect(str(path))
            with line.makefile("rb") as answer:
                reply = parse_json(answer.read())
        if "error" not in reply:
            return Expenditure(float(reply["usd"]), int(reply["tokens"]))
        why = reply["error"]
    except (OSError, ValueError, LookupError, TypeError) as error:
        why = f"{type(error).__name__}: {error}"
    raise HostError(f"no model is called, because what the run has spent is unknown: {why}")


def _amounts(line: bytes) -> tuple[float, int]:
    try:
        usd, tokens = parse_json(line)
        return (float(usd), int(tokens)) if math.isfinite(usd) else (0.0, 0)
    except (ValueError, TypeError):  # a line that was cut by a full disk
        return 0.0, 0


class Spending:
    """The spending of one episode, checked against its own limit and the run's."""

    def __init__(self, budget: Budget, ledger: Ledger | None) -> None:
        self.budget, self._ledger = budget, ledger
        self._own = Expenditure()

    def pay(self, call: ModelCall) -> None:
        """Count a call that is not in the ledger yet, for the episode and for the run."""
        self.note(call)
        if self._ledger is not None:
            self._ledger.add(call)

    def note(self, call: ModelCall) -> None:
        """Count a call for the episode only, because the run has counted it already."""
        self._own = self._own.plus(call.price_usd or 0.0, _tokens(call))

    def over(self) -> str:
        """Return a message about the budget that is spent; empty if none is.

        Raises:
            HostError: if it cannot be found out what the run has spent.
        """
        cost, tokens = self.budget.cost, self.budget.tokens
        if cost.task is not None and self._own.usd >= cost.task:
            return f"--mobile-max-cost: the episode's {amount_text(cost.task)} US dollars are spent"
        if tokens.task is not None and self._own.tokens >= tokens.task:
            return f"--mobile-max-tokens: the episode's {amount_text(tokens.task)} tokens are spent"
        if self._ledger is None or not self.budget.limits_run:
            return ""
        return run_over(self.budget, self._ledger.spent())


def run_over(budget: Budget, spent: Expenditure) -> str:
    """Return a message about a run's budget that is spent; empty if none is."""
    if budget.cost.run is not None and spent.usd >= budget.cost.run:
        return f"--mobile-max-cost={amount_text(budget.cost.run)} is spent"
    if budget.tokens.run is not None and spent.tokens >= budget.tokens.run:
        return f"--mobile-max-tokens={amount_text(budget.tokens.run)} is spent"
    return ""


def amount_text(amount: float) -> str:
    """Return an amount as a string that `parse_limit` parses without loss."""
    return repr(amount).removesuffix(".0")


def _tokens(call: ModelCall) -> int:
    return (call.input_tokens or 0) + (call.output_tokens or 0)


def parse_limit(text: str, *, whole: bool = False) -> Limit:
    """Return the limit in a string of the form `AMOUNT[,task=AMOUNT]`.

    With `whole`, as for tokens, the amounts must be whole numbers.

    Raises:
        ValueError: if the text is not a limit.
    """
    amounts: dict[str, float] = {}
    for part in text.split(","):
        name, equals, amount = part.strip().rpartition("=")
        scope = name.strip() if equals else "run"
        number = _amount(amount)
        if number is not None and whole and not number.is_integer():
            number = None
        if scope not in {"run", "task"} or scope in amounts or number is None:
            kind = "whole amounts" if whole else "amounts"
            msg = f"must be AMOUNT, AMOUNT,task=AMOUNT or task=AMOUNT, with {kind} above 0"
            raise ValueError(msg)
        amounts[scope] = number
    return Limit(**amounts)


def _amount(text: str) -> float | None:
    number = decimal_number(text)
    return number if number is not None and number > 0 else None
