"""The command that goes on with a run which has not come to its end."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from pytest_mobileagent.llm.budget import amount_text
from pytest_mobileagent.urls import shown

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from pytest_mobileagent.plugin.models import RunModels


def how_to_go_on(config: pytest.Config, models: RunModels, over: str, runs: Path) -> str:
    """Return the command that goes on with a run, `runs` or the newest there.

    `over` says which budget was spent, which is doubled until there is room; empty if none was.
    """
    flag = over.partition("=")[0]
    left_out = {flag, "--mobile-resume", "--mobile-reuse", "--mobile-rescore"}
    words: list[str] = []
    is_value = False
    for word in map(str, config.invocation_params.args):
        is_replaced = word.partition("=")[0] in left_out
        if not (is_replaced or is_value):
            words.append(shown(word))
        is_value = is_replaced and "=" not in word
    words.append(f"--mobile-resume={runs}")
    if over:
        is_cost, spent = flag == "--mobile-max-cost", models.ledger().spent()
        limit = models.budget.cost if is_cost else models.budget.tokens
        each = "" if limit.task is None else f",task={amount_text(limit.task)}"
        more = 2 * (limit.run or 1)
        while more <= (spent.usd if is_cost else spent.tokens):
            more *= 2
        words.append(f"{flag}={amount_text(more)}{each}")
    return f"go on with: {shlex.join(['pytest', *words])}"
