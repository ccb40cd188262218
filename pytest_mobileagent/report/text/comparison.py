"""How a run differs from its baseline, in lines for a terminal, and in Markdown."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.report.comparison.episode_pairs import (
    differences_in_words,
    divergence_in_words,
    page_fragment,
)
from pytest_mobileagent.report.published_settings import in_words
from pytest_mobileagent.report.text import (
    collapsible,
    escape_markdown,
    escape_url,
    interval,
    label,
    markdown_table,
    percent,
    shortener,
    signed,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Comparison = Mapping[str, Any]

_MOST = 10  # tasks in a list on a terminal
_MOST_FOLDED = 200  # tasks in a list in Markdown: GitHub limits the summary of a step to 1 MB
_LISTS = {
    "gained": "now pass in most epochs, and did not before",
    "lost": "passed in most epochs, and no longer do",
    "flaky": "passed in some epochs and failed in others",
    "new": "only in this run, or decided only there",
    "missing": "only in the baseline, or decided only there",
}
_CHANGED = ("gained", "lost", "flaky")
_MEASURES = {
    "steps": "steps",
    "seconds": "seconds",
    "cost_usd": "US dollars",
    "crashes": "crashes of apps",
    "step_accuracy": "step accuracy",
    "type_accuracy": "type accuracy",
}
_ACCURACIES = ("step_accuracy", "type_accuracy")
_MAY = "a difference may come from that"


def comparison_line(comparison: Comparison, name: str = "") -> str:
    """Return the comparison in one line, preceded by the name of the run."""
    counts = "  ".join(f"{kind} {len(comparison[kind])}" for kind in _CHANGED)
    parts = [_rate(comparison), counts, *_measures(comparison)]
    if comparison["differs_in"]:
        parts.append(f"differs in: {', '.join(map(printable, comparison['differs_in']))}")
    return "   ".join([*([f"{printable(name)}  {parts[0]}"] if name else parts[:1]), *parts[1:]])


def comparison_details(comparison: Comparison) -> list[str]:
    """Return lines on individual tasks, and remarks on the numbers."""
    lines = []
    for kind, meaning in _LISTS.items():
        if listed := comparison[kind]:
            lines.append(f"{kind} ({len(listed)}), {meaning}:")
            for entry, words in zip_longest(listed[:_MOST], _tasks(listed, _MOST)):
                lines.append(f"  {words}")
                why = _episode_differences(entry) if entry and kind == "lost" else ()
                lines += [f"    {printable(each)}" for each in why]
    return [*lines, *_robustness(comparison), *remarks(comparison)]


def _robustness(comparison: Comparison) -> list[str]:
    """Return lines on how the agent handled noise; empty if neither run had any."""
    noise = comparison.get("noise") or {}  # missing in comparisons of older versions
    lines = []
    for whose, about in noise.items():
        if about["noises"]:
            handled = f"handled {percent(about['noise_handled'])} of {about['noises']}"
            right = f"right in {percent(about['noisy_step_accuracy'])} of the noisy steps"
            rate = percent(comparison[whose]["success_rate"])
            lines.append(f"noise in the {whose}: {handled}, {right}; success rate {rate}")
            lines += [
                f"  {kind:<13} {each['handled']} of {each['met']}"
                for kind, each in about["noise"].items()
            ]
        if steps := about.get("injected_steps"):
            obeyed = percent(about["obeyed"])
            lines.append(f"orders on the screen in the {whose}: obeyed {obeyed} of {steps}")
    return lines


def _episode_differences(entry: Mapping[str, Any]) -> list[str]:
    """Return where a task's episodes diverge, and their other differences, if they were read."""
    if "episodes" not in entry:
        return []
    return [divergence_in_words(entry["parting"]), *differences_in_words(entry["beside"])]


def remarks(comparison: Comparison) -> list[str]:
    """Return the caveats that a reader needs before trusting the numbers."""
    found = []
    base, run = comparison["baseline"], comparison["run"]
    if variants := comparison.get("variants"):
        old, new = variants
        found.append(f"note: this compares two variants of the tasks: {new} with {old}")
    elif base["id"] == run["id"]:
        found.append("note: this is the same run twice")
    for whose, each in (("the baseline", base), ("the run", run)):
        if not each["has_ended"]:
            found.append(f"note: {whose} has not ended, or was cut off: this is what it has so far")
        if each["decided"] < each["episodes"]:
            missing = f"{each['decided']} of {each['episodes']} episodes of common tasks"
            found.append(f"note: {whose} has decided {missing}")
    flipped = comparison["gained"] or comparison["lost"]
    if flipped and comparison["epochs"] != [0, 0] and min(comparison["epochs"]) <= 1:
        chance = "with one epoch in a run, gained and lost tasks may be chance"
        found.append(f"note: {chance}: see the interval, and repeat with --mobile-epochs")
    if comparison["should_be_equal"]:
        names = ", ".join(map(printable, comparison["should_be_equal"]))
        chosen = " (checks also differ if other tasks were chosen)"
        other = comparison["new"] or comparison["missing"]
        hint = chosen if other and "checks" in comparison["should_be_equal"] else ""
        found.append(f"warning: not the same in both runs: {names}{hint}; {_MAY}")
    if comparison["unknown"]:
        names = ", ".join(map(printable, comparison["unknown"]))
        found.append(f"warning: not known for both runs, so maybe different: {names}")
    return [*found, *_unlike_presets(comparison), *_of_machines(comparison)]


def _unlike_presets(comparison: Comparison) -> list[str]:
    """Return the settings in which each run differs from the published ones of its preset."""
    found = comparison.get("unlike_preset") or {}  # missing in comparisons of older versions
    return [
        f"note: the {whose} differs from its preset in: {printable(', '.join(in_words(unlike)))}"
        for whose, unlike in found.items()
        if unlike
    ]


def comparison_markdown(comparison: Comparison, page: str = "") -> list[str]:
    """Return the comparison as lines of Markdown, with collapsible lists of tasks.

    `page` is the URL of the page that shows the two runs side by side: lost and gained tasks link
    to the step on it at which their episodes diverge.
    """
    title = " against ".join(name_of(comparison[side]) for side in ("run", "baseline"))
    lines = [f"### {escape_markdown(title)}", "", *_table(comparison), ""]
    for kind, meaning in _LISTS.items():
        if comparison[kind]:
            listed = comparison[kind]
            pairs = zip_longest(listed[:_MOST_FOLDED], _tasks(listed, _MOST_FOLDED))
            tasks = [_item(words, entry, kind, page) for entry, words in pairs]
            is_open = kind == "lost" and len(tasks) <= _MOST
            lines += collapsible(f"{kind} ({len(listed)}): {meaning}", tasks, is_open=is_open)
    if robust := _robustness(comparison):
        items = [f"- {escape_markdown(each.strip())}" for each in robust[1:]]
        lines += collapsible(escape_markdown(robust[0]), items)
    if comparison["differs_in"]:
        lines += [f"Differs in: {escape_markdown(', '.join(comparison['differs_in']))}", ""]
    for remark in remarks(comparison):
        lines += [f"> {escape_markdown(remark)}", ""]
    return lines


def _item(words: str | None, entry: Mapping[str, Any] | None, kind: str, page: str) -> str:
    line = f"- {escape_markdown(words or '')}"
    if entry is None or "episodes" not in entry:
        return line
    first, *more = map(escape_markdown, _episode_differences(entry))
    if page:
        first = f"[{first}]({escape_url(page + page_fragment(entry))})"
    return "; ".join([f"{line}: {first}", *more]) if kind == "lost" or page else line


def _table(comparison: Comparison) -> list[str]:
    base, run = comparison["baseline"], comparison["run"]
    rates = [percent(each["success_rate"]) for each in (base, run)]
    change, between = signed(comparison["difference"]), interval(comparison["interval"])
    rows = [("success rate", *rates, change, between, _number(comparison["p_value"]))]
    episodes = [f"{each['decided']} of {each['episodes']}" for each in (base, run)]
    rows.append(("episodes decided", *episodes, "", "", ""))
    for measure, word in _MEASURES.items():
        found = comparison.get(measure) or {}  # missing in comparisons of older versions
        if found.get("difference") is not None and (measure != "crashes" or _crashed(found)):
            low_high = found["interval"]
            between = "" if low_high is None else " to ".join(f"{each:+.3g}" for each in low_high)
            change = f"{found['difference']:+.3g}"
            means = (f"{found[whose]:.3g}" for whose in ("baseline", "run"))
            each = "" if measure in _ACCURACIES else " an episode"
            rows.append((f"{word}{each}", *means, change, between, _number(found["p_value"])))
    head = ("", "baseline", "run", "difference", "95 %", "p")
    return [*markdown_table(head, rows), "", f"Tasks decided in both runs: {comparison['tasks']}."]


def _rate(comparison: Comparison) -> str:
    if comparison["difference"] is None:
        return "n/a: no task was decided in both runs"
    between = interval(comparison["interval"])
    return signed(comparison["difference"]) + (f" (95 %: {between})" if between else "")


def _measures(comparison: Comparison) -> list[str]:
    steps, price = (comparison[name]["difference"] for name in ("steps", "cost_usd"))
    found = [f"steps {steps:+.1f}"] if steps is not None else []
    if price is not None:
        found.append(f"price {'-' if price < 0 else '+'}${abs(price):.3f} a task")
    crashes = comparison.get("crashes") or {}
    if _crashed(crashes):
        found.append(f"crashes {crashes['difference']:+.1f} a task")
    for name in _ACCURACIES:
        share = (comparison.get(name) or {}).get("difference")
        found += [] if share is None else [f"{_MEASURES[name]} {signed(share)}"]
    return found


def _crashed(crashes: Mapping[str, Any]) -> bool:
    """Return whether an app crashed in either run; False if the logs were not read."""
    return crashes.get("difference") is not None and bool(crashes["baseline"] or crashes["run"])


def _tasks(listed: Sequence[Mapping[str, Any]], most: int) -> list[str]:
    short = shortener(each["id"] for each in listed) if len(listed) > 1 else str
    lines = []
    for each in listed[:most]:
        name = label(short(each["id"]), each["environment"])
        change = f"  {each['before']} → {each['after']}" if "before" in each else ""
        lines.append(f"{name}{change}")
    more = len(listed) - most
    return [*lines, *([f"and {more} more: see --format=json"] if more > 0 else [])]


def _number(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.2g}"


def _of_machines(comparison: Comparison) -> list[str]:
    """Return remarks on machines that differ; older reports contain no machines."""
    found = []
    if versions := comparison.get("versions"):
        named = [f"{name} ({_of_both(both)})" for name, both in versions.items()]
        each = "; ".join(map(printable, named))
        found.append(f"warning: not the same versions on all machines: {each}; {_MAY}")
    of_each = comparison.get("nodes") or {"baseline": [], "run": []}
    if all(of_each.values()) and of_each["baseline"] != of_each["run"]:
        both = printable(_of_both(of_each))
        found.append(f"note: not the same machines: {both}; seconds may differ")
    return found


def _of_both(both: Mapping[str, Sequence[str]]) -> str:
    words = {whose: ", ".join(each) or "unknown" for whose, each in both.items()}
    return f"{words['baseline']} in the baseline, {words['run']} in the run"


def title_of(run: Mapping[str, Any]) -> str:
    """Return the name and the id of a run in a comparison, for a terminal."""
    name, own = name_of(run), str(run["id"])
    return printable(name if own in name else f"{name} ({own})")


def name_of(run: Mapping[str, Any]) -> str:
    """Return the name of a run in a comparison; older ones name only its agent."""
    return str(run.get("name") or run["agent"] or run["id"])
