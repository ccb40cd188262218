"""The tables that `report` makes: our own, those of five papers, and of others, a file for each.

The docstrings of the papers are what `report --layouts` prints.
"""

from __future__ import annotations

from argparse import ArgumentTypeError
from inspect import cleandoc

from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.report.export.layouts import (
    a3,
    b_moca,
    mobile_bench_v2,
    mobileagentbench,
    mobilegym,
    spa_bench,
)
from pytest_mobileagent.report.export.layouts.layout import Layout, Run, tabulate
from pytest_mobileagent.report.export.layouts.own import OWN

__all__ = ["LAYOUTS", "OWN", "Layout", "Run", "find_layout", "listing", "tabulate"]

_PAPERS = (spa_bench, mobileagentbench, b_moca, a3, mobile_bench_v2, mobilegym)
LAYOUTS: tuple[Layout, ...] = tuple(each for paper in _PAPERS for each in paper.TABLES)
_BY_NAME = {name: each for each in LAYOUTS for name in each.names.split()}


def find_layout(name: str) -> Layout:
    """Return the layout with a name: PAPER:TABLE, PAPER, or another one of its names.

    Raises:
        ArgumentTypeError: if there is none; the message lists the paper's tables, or all tables.
    """
    if found := _BY_NAME.get(name):
        return found
    names = [each.names.split()[0] for each in LAYOUTS]
    same = [each for each in names if each.startswith(f"{name.partition(':')[0]}:")]
    msg = f"there is no {name!r}, but {', '.join(same or names)} (see --layouts)"
    raise ArgumentTypeError(printable(msg))


def listing() -> str:
    """Return a list of all layouts, with their other names, what they show and what they need."""
    return "\n".join(cleandoc(paper.__doc__ or "") + "\n" for paper in _PAPERS)
