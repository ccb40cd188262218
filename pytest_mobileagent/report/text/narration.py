"""An episode in words: the agent's actions, why it ended, what the check missed, and the cause."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pytest_mobileagent.action import in_words
from pytest_mobileagent.episode import AGENTS_FAULT
from pytest_mobileagent.episode.screens import STORED_AS
from pytest_mobileagent.jsonable import cut, plural, printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent.episode import EpisodeRecord, Step
    from pytest_mobileagent.verdict import Verdict


FAILURES = ("failed", "error")
_LONGEST = 140  # characters
_STEP = re.compile(r"^the agent failed at step \d+: (?:it raised )?")
_NAMES = re.compile(
    r"""
    (?<!\w)'[^'\n]*'(?!\w) | "[^"\n]*" | “[^”\n]*” | `[^`\n]*`  # what is quoted
    | <\w+\ [^>]*>                            # an element
    | \[[-\d., ]+\](?:\[[-\d., ]+\])?         # its bounds
    | (?<![\w.])[a-z]\w*(?:\.\w+){2,}         # a package
    | (?<!\w)(?:\w+:)?/[^\s,;:)]+             # a path
    | (?<!\w)[A-Za-z]?[-+]?\d[\w.:,%-]*       # a number, a time, an identifier
    """,
    re.VERBOSE,
)
_REPEATED = re.compile(r"…(?:[,\s]*…)+")
PAGE = "report.html"  # in a run's folder
_LAST_STEPS = 4
_SHORT = 40  # characters to which a sub-goal is cut, at least
_LONG = 160  # characters of a line


def failure(
    episode: EpisodeRecord,
    sought: str,
    where: str,
    closest: str,
    met: str,
    *,
    subgoals: Sequence[Mapping[str, Any]] = (),
    screen: str = "",
    page: str = "",
    wall: str = "",
) -> list[str]:
    """Return at most twelve lines that explain why a task failed.

    - `sought`: the condition that failed, at `where` in the source; `closest`: what came nearest.
    - `met`: when the goal was met in the meantime, if it was.
    - `subgoals`: the sub-goals in the verdict's evidence.
    - `screen`, `page`: the places of the last screenshot, and of the episode in the report's page.
    - `wall`: what may have kept the agent out of the app.
    """
    rows = [
        ("goal", episode.goal),
        ("sought", f"{sought}   {where}".strip()),
        ("closest", closest),
        ("sub-goals", progress(subgoals)),
        ("actions", actions(episode)),
        ("said", last_message(episode)),
        ("ended", f"{ending(episode)}{met}"),
        ("error", episode.error.partition("\n")[0]),
        ("crash", crash(episode)),
        ("wall", wall),
        ("screen", screen),
        ("page", page),
    ]
    return [f"{name:<8} {_line(text)}" for name, text in rows if text]


def progress(subgoals: Sequence[Mapping[str, Any]]) -> str:
    """Return the weighted share of the sub-goals that held, and when each first held."""
    if not subgoals:
        return ""
    held = sum(each["weight"] for each in subgoals if each["held"])
    share = f"{held:g}/{sum(each['weight'] for each in subgoals):g}"
    room = max(_SHORT, 3 * _LONG // len(subgoals))
    return f"{share}  " + "   ".join(cut(_one_subgoal(each), room) for each in subgoals)


def _one_subgoal(subgoal: Mapping[str, Any]) -> str:
    first = subgoal["first_step"]
    at = f"at step {first}" if first else "at the start"
    if subgoal["held"]:
        when = "held" if first is None else at
    else:
        when = "never" if first is None else f"{at}, but not at the end"
    return f"{' '.join(subgoal['name'].split())}: {when}"


def actions(episode: EpisodeRecord) -> str:
    """Return the last actions of an episode, with the numbers of their steps."""
    if not episode.steps:
        return "none"
    numbered = list(enumerate(episode.steps, 1))
    shown = [f"{number} {step_in_words(step)}" for number, step in numbered[-_LAST_STEPS:]]
    return "   ".join([*(["…"] if len(numbered) > _LAST_STEPS else []), *shown])


def step_in_words(step: Step) -> str:
    """Return the agent's actions in a step, and the golden action if it was executed instead."""
    words = ", ".join(in_words(action, step.screen) for action in step.actions) or "nothing"
    if step.golden is None:
        return words + (" (not done)" if step.notice else "")
    golden = in_words(step.golden.action, step.screen)
    return words if words == golden else f"{words} (golden: {golden})"


def last_message(episode: EpisodeRecord) -> str:
    """Return the agent's last message in quotation marks; empty if it said nothing."""
    words = next((step.said for step in reversed(episode.steps) if step.said.strip()), "")
    return f'"{cut(" ".join(words.split()), _LONG)}"' if words else ""


def ending(episode: EpisodeRecord) -> str:
    """Return why an episode ended, and after how many steps."""
    golden = episode.case.task.shortest
    of = f" (golden steps {golden})" if golden else ""
    return f"{episode.termination} after {plural(episode.step_count, 'step')}{of}"


def crash(episode: EpisodeRecord) -> str:
    """Return the first app crash of an episode and the number of others; "" without a crash."""
    found = [(each, n) for n, step in enumerate(episode.steps, 1) for each in step.crashes]
    if not found:
        return ""
    first, step = found[0]
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return f"{first}, at step {step}{more}"


def telling_step(episode: EpisodeRecord, met: int | None) -> int | None:
    """Return the number of the step that explains a failure best, as `actions` numbers them.

    If the goal was met after `met` steps, it is the next step, which may have undone it; otherwise
    the last step that is not a report. None if the agent decided nothing.
    """
    steps = enumerate(episode.steps, 1)
    counted = [number for number, step in steps if step.counts and not step.is_report]
    if met is not None and met < len(counted):
        return counted[met]
    return counted[-1] if counted else (1 if episode.steps else None)


def deep_link(page: Path | str, episode: str, step: int | None) -> str:
    """Return the URL of a step in a run's page; `episode` is the name of the episode's folder."""
    return f"{page}#e={quote(episode)}" + ("" if step is None else f"&s={step}")


def last_screenshot(episode: EpisodeRecord) -> Path | None:
    """Return the file of the last screenshot; None if the episode is not recorded."""
    if episode.folder is None:
        return None
    links = (episode.folder / "screens").glob("*-*")
    shown = sorted(link for link in links if link.suffix in STORED_AS[".png"])
    return shown[-1] if shown else episode.folder


def _line(text: str) -> str:
    return printable(cut(" ".join(line.strip() for line in text.splitlines()), 4 * _LONG))


_OPERATORS = {ast.Eq: "==", ast.In: "in", ast.NotIn: "not in"}
_MORE = re.compile(r"(Left|Right) contains (?:one more item|(\d+) more items, first extra item): ")
_INDEX = re.compile(r"At index (\d+) diff: ")
_DIFFERS = re.compile(r"(?m)^ *(?:(?:Left|Right) contains|At index \d+ diff:) .*")


def nearest(reason: str, evidence: Mapping[str, Any]) -> str:
    """Return what came nearest to the goal of a check: what it missed, else what it compared.

    `reason` and `evidence` are the verdict's; `reason` must not contain the episode's own error.
    """
    reason = re.sub(r"^SubGoalError: .*? did not hold: ", "", reason)
    words = missed({"reason": reason, "evidence": evidence})
    return words or ("" if evidence.get("check_held", False) else _as_compared(reason))


def _as_compared(reason: str) -> str:
    """Return the values of the two sides of a comparison, from pytest's explanation."""
    first, _, more = reason.partition("\n")
    line = first.removeprefix("AssertionError: ").removeprefix("assert ")
    # The difference between two lists says more than their beginnings.
    differs = _DIFFERS.search(more)
    return f"{line}; {differs[0].strip()}" if differs else line


def missed(verdict: Mapping[str, Any]) -> str:
    """Return what a failed check missed, according to its verdict; empty if unknown.

    It is the message of the assert statement; without one, the closest match of what the check
    looked for; otherwise the difference between the two sides of a comparison.
    """
    evidence = verdict.get("evidence") or {}
    reason = str(verdict.get("reason") or "").removeprefix("AssertionError: ")
    if reason != verdict.get("reason") and not reason.startswith("assert "):
        return reason.partition("\nassert ")[0]
    found = evidence.get("closest")
    if isinstance(found, list | tuple):
        found = next(iter(found), "")
    if found:
        return "; ".join(line.strip(" ;") for line in str(found).splitlines())
    if evidence.get("check_held", False):
        return ""
    return _compared(str(evidence.get("sought") or ""), reason)


def _compared(sought: str, reason: str) -> str:
    """Return how the sides of the comparison `sought` differ, according to pytest's explanation."""
    sides = _sides(sought)
    first, *rest = reason.splitlines() or [""]
    if sides is None or not first.startswith("assert "):
        return ""
    left, operator, right = sides
    if operator in ("in", "not in"):
        element = _value(left, first, f" {operator} ", 0)
        there = _value(right, first, f" {operator} ", 1)
        if _probe(right) is None:
            opposite = "is not in" if operator == "in" else "is in"
            return f"{_row(element)} {opposite} {there}" if there != _name(right) else ""
        verb = "lacks" if operator == "in" else "has"
        has = f"; it is {there}" if operator == "in" and there != _name(right) else ""
        return f"{_name(right)} {verb} {_row(element)}{has}"
    swapped = _probe(left) is None and _probe(right) is not None
    name = _name(right if swapped else left)
    for line in rest:
        if at := _INDEX.match(line.strip()):
            return f"{name}, item {at[1]}: {line.strip()[at.end() :]}"
        if more := _MORE.match(line.strip()):
            verb = "also has" if (more[1] == "Left") is not swapped else "lacks"
            several = f"{more[2]} items, the first: " if more[2] else ""
            return f"{name} {verb} {several}{_row(line.strip()[more.end() :])}"
    actual, wanted = (_value(side, first, " == ", n) for n, side in enumerate((left, right)))
    if swapped:
        actual, wanted = wanted, actual
    return f"{name} is {actual}, not {wanted}" if actual != name else ""


def _sides(sought: str) -> tuple[ast.expr, str, ast.expr] | None:
    """Return the two sides of a comparison and its operator; None if it is not a comparison."""
    try:
        tree = ast.parse(sought, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if not isinstance(tree, ast.Compare) or len(tree.ops) != 1:
        return None
    operator = _OPERATORS.get(type(tree.ops[0]))
    return None if operator is None else (tree.left, operator, tree.comparators[0])


def _probe(side: ast.expr) -> str | None:
    match side:
        case ast.Call(func=ast.Attribute(attr="probe"), args=[ast.Constant(value=str(name))]):
            return name
    return None


def _name(side: ast.expr) -> str:
    """Return the name of one side: the name of a probe, or the source text."""
    probe = _probe(side)
    return ast.unparse(side) if probe is None else f'probe "{probe}"'


def _row(words: str) -> str:
    """Return the values of a probe's row without the column names, which the condition contains."""
    try:
        row = ast.literal_eval(words)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return words
    if not isinstance(row, dict) or not row:
        return words
    values = tuple(row.values())
    return repr(values if len(values) > 1 else values[0])


def _value(side: ast.expr, explanation: str, between: str, which: int) -> str:
    """Return the value of one side; its source text if pytest's explanation does not contain it."""
    try:
        return repr(ast.literal_eval(side))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        values = explanation.removeprefix("assert ").split(between)
        return values[which] if len(values) == 2 else _name(side)


def cause(
    outcome: str,
    reason: str,
    *,
    fault: str | None = None,
    infrastructure: Sequence[str] = (),
    verdict: Verdict | None = None,
    episode: EpisodeRecord | None = None,
) -> str | None:
    """Return why a task failed or is undecided, without its own names and numbers.

    The arguments are the fields of a `Result`. The cause is the first of these that exists: an app
    crash (with the app's name), the agent's error, the termination with the notice of the last
    step, or the termination with what the check missed. None if the task did not fail.
    """
    if outcome not in FAILURES:
        return None
    if outcome == "error":
        broke = infrastructure if fault == "infrastructure" else ()
        return _phrase(fault or "error", broke[-1] if broke else reason)
    if episode is None:
        return _phrase("", reason)
    if episode.crashes:
        first = episode.crashes[0]
        what = f"{first.kind} of {first.package or 'an app'}"
        return cut(f"{what}: {without_names(first.error)}", _LONGEST)
    if episode.termination in AGENTS_FAULT and episode.error:
        return _phrase("", _STEP.sub("", episode.error))
    notices = [step.notice for step in episode.steps[-1:] if step.notice]
    evidence = verdict.evidence if verdict is not None else {}
    missed = nearest(reason, evidence) or str(evidence.get("sought") or reason)
    return _phrase(str(episode.termination), notices[0] if notices else missed)


def without_names(text: str) -> str:
    """Return the first line of the text with numbers, names, paths and quotations replaced by …."""
    line = text.strip().partition("\n")[0].partition("; closest: ")[0]
    return " ".join(_REPEATED.sub("…", _NAMES.sub("…", line)).split())


def _phrase(how: str, why: str) -> str:
    return cut(": ".join(filter(None, (how, without_names(why)))) or "unknown", _LONGEST)
