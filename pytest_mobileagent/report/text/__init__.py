"""The table of a run's numbers, the formats of numbers and task names, and Markdown.

In Markdown, text from apps, tasks and agents is escaped.
"""

from __future__ import annotations

import html
import re
from itertools import takewhile
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pytest_mobileagent.jsonable import cut, plural, printable
from pytest_mobileagent.statistics import ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    Cell = Callable[[Mapping[str, Any]], str]


WIDTH = 100  # characters to which a line is limited by shortening names
_SHORTEST_NAME = 12

_TASKS: tuple[str, Cell] = ("tasks", lambda t: str(t["tasks"]))
_EPISODES: tuple[str, Cell] = ("episodes", lambda t: str(t["episodes"]))
_RATE: tuple[str, Cell] = (
    "success rate",
    lambda t: f"{percent(t['success_rate'])} ({t['successes']}/{t['decided']})",
)
_COLUMNS: tuple[tuple[str, Cell], ...] = (
    ("ratio", lambda t: _number(t["mean_step_ratio"])),
    ("premature", lambda t: f"{percent(t['premature_rate'])} ({t['premature']})"),
    ("overdue", lambda t: f"{percent(t['overdue_rate'])} ({t['overdue']})"),
    ("steps", lambda t: _number(t["mean_steps"], 1)),
    ("s/step", lambda t: _number(t["seconds_per_step"])),
)
# Columns that are left out if all of their cells are empty or 0.
_OPTIONAL: tuple[tuple[str, Cell], ...] = (
    ("step acc.", lambda t: percent(t["step_accuracy"])),
    ("type acc.", lambda t: percent(t["type_accuracy"])),
    ("sees", lambda t: t.get("sees") or ""),
    ("held at start", lambda t: str(t.get("held_at_start") or 0)),
    ("reported", lambda t: percent(t.get("reported_rate"))),
    ("partial", lambda t: percent(t["partial_credit"])),
    ("actions", lambda t: _number(t["mean_actions"], 1) if t["programs"] else ""),
    ("calls", lambda t: _number(t["mean_calls"], 1) if t["programs"] else ""),
    ("think s", lambda t: _number(_thinking_per_step(t), 1)),
    ("tokens in/out", lambda t: _tokens(t, "~" if t["estimated"] else "")),
    ("price", lambda t: price(t["cost_usd"], t["unpriced_calls"])),
    ("judge price", lambda t: _price_of(t["roles"].get("judge"))),
    ("user price", lambda t: _price_of(t["roles"].get("user"))),
    ("asked/useful", lambda t: f"{t['questions']}/{t['useful']}" if t["questions"] else ""),
    ("review", lambda t: str(t["review"])),
    ("crashes", lambda t: str(t["crashes"] or 0)),
    ("noise handled", lambda t: _share(t.get("noise_handled"), t.get("noises"))),
    ("obeyed", lambda t: _share(t.get("obeyed"), t.get("injected_steps"))),
    ("side effects", lambda t: percent(t.get("side_effect_rate"))),
    ("errors", lambda t: str(t["errors"])),
    ("infra", lambda t: str(t["infrastructure"])),
    ("skips", lambda t: str(t["skipped"])),
    ("not run", lambda t: str(t["not_run"])),
)
_NOTHING = {"", "0", "0.0", "n/a", "$0.00"}


def table(summary: Mapping[str, Any]) -> list[str]:
    """Return the lines of a table with a row for each suite, for all, each environment and variant.

    If some tasks are undecided, a line below the row for all shows the success rate of all tasks.
    """
    groups = [(name or "(no suite)", totals) for name, totals in summary["suites"].items()]
    if len(groups) != 1:
        groups.append(("all", summary))
    whole = len(groups)  # the index of the row for all, after the row of titles
    groups += [(f"env {name}", totals) for name, totals in summary["environments"].items()]
    groups += [(f"{name} goal", totals) for name, totals in summary["variants"].items()]
    everything = [totals for _, totals in groups]
    repeated = _nonempty(_of_epochs(summary["epochs"]["number"]), everything)
    shown = [_TASKS, _EPISODES, _RATE]
    if summary["episodes"] == summary["tasks"]:
        shown.remove(_EPISODES)
    rate = len(shown)
    shown += [*repeated, *_COLUMNS, *_nonempty(_OPTIONAL, everything)]
    cells = [[title for title, _ in shown]]
    cells += [[show(totals) for _, show in shown] for _, totals in groups]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    room = max(_SHORTEST_NAME, WIDTH - sum(widths) - 2 * len(widths))
    names = ["suite", *(cut(printable(name), room) for name, _ in groups)]
    first = max(map(len, names))
    lines = [_line(name, row, first, widths) for name, row in zip(names, cells, strict=True)]
    if summary["decided"] < summary["episodes"]:
        over_all = f"of all {summary['episodes']}: {percent(summary['success_rate_of_all'])}"
        end = first + sum(2 + width for width in widths[:rate])
        lines.insert(whole + 1, over_all.rjust(end))
    if summary["unclear"]:
        bounds = [percent(summary[f"success_rate_{bound}"]) for bound in ("lower", "upper")]
        rates = f"{bounds[0]} if all are wrong, {bounds[1]} if all are right"
        lines.append(f"unclear answers ({summary['unclear']}): success rate {rates}")
    if summary["scorers"]:
        lines.append(f"golden steps are matched by {printable(', '.join(summary['scorers']))}")
    for scorer, rates in summary["matched_beside"].items():
        step, kind = (percent(rates[f"{name}_accuracy"]) for name in ("step", "type"))
        lines.append(f"beside, by {printable(scorer)}: step acc. {step}, type acc. {kind}")
    return lines


def _of_epochs(number: int) -> list[tuple[str, Cell]]:
    """Return the columns of a run with `number` epochs of each task; none for a single epoch."""
    if number < 2:
        return []
    return [
        ("±", lambda t: percent(t["standard_error"]).removesuffix("%")),  # over tasks, in points
        (f"pass@{number}", lambda t: percent(t["pass_at"].get(str(number)))),
        (f"pass^{number}", lambda t: percent(t["pass_all"].get(str(number)))),
    ]


def _nonempty(
    columns: Iterable[tuple[str, Cell]], rows: Sequence[Mapping[str, Any]]
) -> list[tuple[str, Cell]]:
    """Return the columns with at least one cell that is neither empty nor 0."""
    return [column for column in columns if any(column[1](row) not in _NOTHING for row in rows)]


def percent(rate: float | None) -> str:
    """Return a rate in percent; "n/a" for None."""
    return "n/a" if rate is None else f"{100 * rate:.1f}%"


def price(dollars: float | None, unpriced_calls: int) -> str:
    """Return a price, with the number of calls whose price is unknown; empty without any call."""
    known = []
    if dollars is not None:
        known.append(f"${dollars:.2f}" if not 0 < dollars < 0.01 else f"${dollars:.2g}")
    calls = plural(unpriced_calls, "unpriced call")
    return " + ".join([*known, *([calls] if unpriced_calls else [])])


def _price_of(spent: Mapping[str, Any] | None) -> str:
    return "" if spent is None else price(spent["cost_usd"], spent["unpriced_calls"])


def _line(name: str, cells: list[str], first: int, widths: list[int]) -> str:
    justified = [cell.rjust(width) for cell, width in zip(cells, widths, strict=True)]
    return "  ".join([name.ljust(first), *justified]).rstrip()


def _share(rate: float | None, whole: int | None) -> str:
    """Return a rate with its denominator in parentheses; empty if that is 0."""
    return f"{percent(rate)} ({whole})" if whole else ""


def _thinking_per_step(totals: Mapping[str, Any]) -> float | None:
    share = ratio(totals["thinking_seconds"], totals["seconds"])
    per_step = totals["seconds_per_step"]
    return None if share is None or per_step is None else share * per_step


def _tokens(totals: Mapping[str, Any], sign: str) -> str:
    """Return input and output tokens, preceded by `sign`, which marks estimates."""
    counts = (totals["input_tokens"], totals["output_tokens"])
    return sign + "/".join(map(thousands, counts)) if any(counts) else ""


def thousands(count: int | None) -> str:
    """Return a count of tokens in short form: 950, 7.4k, 129k, 2.1M."""
    if count is None:
        return "n/a"
    for unit, sign in ((1e6, "M"), (1e3, "k")):
        if count >= unit:
            short = f"{count / unit:.1f}" if count < 100 * unit else f"{count / unit:.0f}"
            return short.removesuffix(".0") + sign
    return str(count)


def _number(value: float | None, digits: int = 2) -> str:
    return "n/a" if value is None else f"{value:.{digits}f}"


def label(id: str, environment: str | None = None) -> str:
    """Return a task's id, with its environment if it has one, safe for a terminal."""
    return printable(f"{id}[env{environment}]" if environment else id)


def shortener(ids: Iterable[str]) -> Callable[[str], str]:
    """Return a function that removes from an id the folders that all these ids share."""
    folders = [each.partition("[")[0].split("/")[:-1] for each in ids]
    same = takewhile(lambda names: len(set(names)) == 1, zip(*folders, strict=False))
    shared = len(list(same))

    def short(id: str) -> str:
        head, bracket, rest = id.partition("[")
        return "/".join(head.split("/")[shared:]) + bracket + rest

    return short


def points(share: float) -> str:
    """Return a difference of shares in percentage points, with its sign."""
    return f"{100 * share + 0.0:+.1f}".replace("-0.0", "+0.0")


def signed(share: float | None) -> str:
    """Return a difference of shares with its unit, as in "+1.5 points"; "n/a" for None."""
    return "n/a" if share is None else f"{points(share)} points"


def interval(between: Sequence[float] | None) -> str:
    """Return an interval of differences of shares in percentage points; "" for None."""
    return "" if between is None else " to ".join(map(points, between))


# Only characters that could be markup, a mention or a link within a line, so ids stay readable.
_MARKUP = re.compile(r"[\\`*~\[\]<>&|#@]|(?<!\w)_|_(?!\w)|:(?=\S)|^[-+](?=\s)|^=")


def escape_markdown(text: object) -> str:
    """Return the text on one line, escaped so that Markdown shows it literally."""
    return _MARKUP.sub(lambda found: f"\\{found[0]}", printable(" ".join(str(text).split())))


def escape_url(url: str) -> str:
    """Return a URL with the characters escaped that would end a Markdown link."""
    return quote(url, safe=":/?#@!$&'*+,;=%~")


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Return the lines of a table in Markdown."""
    lines = [f"| {' | '.join(map(escape_markdown, row))} |" for row in (head, *rows)]
    return [lines[0], f"|{' --- |' * len(head)}", *lines[1:]]


def collapsible(title: str, lines: Sequence[str], *, is_open: bool = False) -> list[str]:
    """Return a collapsible section with a title, expanded at first if `is_open`."""
    summary = f"<summary>{html.escape(printable(title))}</summary>"
    return ["<details open>" if is_open else "<details>", summary, "", *lines, "", "</details>", ""]
