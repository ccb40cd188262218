"""The tables that `report` makes: our own, and those of papers."""

from __future__ import annotations

from argparse import ArgumentTypeError
from inspect import cleandoc

from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.report.export.layouts import a3, mobile_bench_v2, papers
from pytest_mobileagent.report.export.layouts.layout import OWN, Layout, Run, tabulate

__all__ = ["LAYOUTS", "OWN", "Layout", "Run", "find_layout", "listing", "tabulate"]

# What `report --layouts` says of each paper, and its tables.
_PAPERS = (
    (papers.ABOUT_SPA_BENCH, papers.SPA_BENCH_TABLES),
    (papers.ABOUT_MOBILEAGENTBENCH, papers.MOBILEAGENTBENCH_TABLES),
    (papers.ABOUT_B_MOCA, papers.B_MOCA_TABLES),
    (a3.__doc__, a3.TABLES),
    (mobile_bench_v2.__doc__, mobile_bench_v2.TABLES),
    (papers.ABOUT_MOBILEGYM, papers.MOBILEGYM_TABLES),
)
LAYOUTS: tuple[Layout, ...] = tuple(each for _, tables in _PAPERS for each in tables)
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
    return "\n".join(cleandoc(about or "") + "\n" for about, _ in _PAPERS)
