"""`python -m pytest_mobileagent instruct`: models write instructions for trajectories."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.arguments import Parser, bad_input, positive, program_name, report_progress
from pytest_mobileagent.dataset.graph import Graph, check_graph
from pytest_mobileagent.draft.edits import draft_of
from pytest_mobileagent.errors import MobileAgentError, TaskError
from pytest_mobileagent.instruct.drafts import check_new, read_drafts, write_new
from pytest_mobileagent.instruct.gias import ROLES
from pytest_mobileagent.instruct.quality import compare
from pytest_mobileagent.instruct.routes import COMPLEX, Wanted, chosen, episode_routes, graph_routes
from pytest_mobileagent.instruct.writing import Writers, read_examples, write_all
from pytest_mobileagent.jsonable import printable, to_text
from pytest_mobileagent.judge.ask import judge_models
from pytest_mobileagent.llm.budget import Budget, BudgetSpent, Limit, parse_limit
from pytest_mobileagent.llm.metered import EpisodeModels
from pytest_mobileagent.llm.model import ModelUnavailable
from pytest_mobileagent.llm.models import add_model_options, cache_for, models_of, prices_for
from pytest_mobileagent.llm.reference import parse_references

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_mobileagent.dataset.export import Episodes
    from pytest_mobileagent.instruct.drafts import DraftInstruction
    from pytest_mobileagent.instruct.routes import Route
    from pytest_mobileagent.llm.models import CachingSettings

    Drafts = Sequence[DraftInstruction]
    Project = Callable[[], CachingSettings]

STOPPED = 2


def main(arguments: Sequence[str], episodes: Episodes, project: Project) -> int:
    """Write instructions, estimate their cost, or compare two tables; return the exit status.

    `episodes` returns the finished episodes of a run, `project` the settings of the project, which
    apply where an option is not given. The status is 0 if all instructions were written or
    compared, 1 if some were not, 2 if the command stopped early because a budget was spent or a
    model did not answer, 4 for invalid input, 130 after Ctrl-C.
    """
    parser = _parser()
    given = parser.parse_args(arguments)
    _check(parser, given)
    try:
        with tempfile.TemporaryDirectory(prefix="mobileagent-") as folder:
            ledger = Path(folder) / "spent.jsonl"
            if given.table:
                return _compared(given, read_drafts(given.table), given.table, project, ledger)
            return _written(given, episodes, project, ledger)
    except KeyboardInterrupt:
        return 130
    except (BudgetSpent, ModelUnavailable) as error:
        print(f"ERROR: {printable(str(error))}", file=sys.stderr)
        print("Replies are cached: run the same command again to continue.", file=sys.stderr)
        return STOPPED
    except (MobileAgentError, ValueError, OSError) as error:
        return bad_input(error)


def _written(given: argparse.Namespace, episodes: Episodes, project: Project, ledger: Path) -> int:
    left_out: Counter[str] = Counter()
    groups = _groups(given, episodes, left_out)
    examples = read_examples(given.few_shot)
    if not given.dry_run:
        check_new(given.output)
    roles = tuple(dict.fromkeys(ROLES.values()))
    choice, prices = models_of(given, project, roles, "write", asks=not given.dry_run)
    if given.dry_run:
        writers = Writers(EpisodeModels(choice, prices), examples, asks=False)
        write_all(groups, writers, 1, left_out, lambda _done, _of: None)
        routes = _routes(groups, left_out)
        print(printable(f"{routes}\nwriting for them would take\n{writers.total()}"))
        return 0
    cache = cache_for(choice.references, given.cache, project)
    models = EpisodeModels(choice, prices, Budget(_limit(given.max_cost)), ledger, cache)
    writers = Writers(models, examples)
    progress = partial(report_progress, what="routes")
    written = write_all(groups, writers, given.threads, left_out, progress)
    if not written:
        raise TaskError(f"no instruction was written: {_counted(left_out)}")
    drafts = write_new(given.output, written, unreviewed=given.unreviewed)
    print(printable(_summary(given, drafts, writers, left_out)))
    failed = sum(len(group) for group in groups) - len(written)
    if given.compare_with:
        return max(_compared(given, drafts, given.output, project, ledger), int(failed > 0))
    return int(failed > 0)


def _compared(
    given: argparse.Namespace, drafts: Drafts, table: Path, project: Project, ledger: Path
) -> int:
    """Ask judges which of two instructions is better, print a table, and return the exit status."""
    text, folder = given.judges, Path()
    if not text:
        text, folder = project().get("mobile_judges") or (given.model or "", folder)
    if not text:
        raise ValueError("no judge is given: use --judges=PROVIDER:NAME,…, as in openai:gpt-4o")
    judges = tuple(each.named_in(folder) for each in parse_references(text))
    prices = prices_for(judges, given, project)
    cache = cache_for(judges, given.cache, project)
    budget = Budget(_limit(given.max_cost))
    models = EpisodeModels(prices=prices, budget=budget, ledger=ledger, cache=cache)
    threads = 1 if any(each.is_script for each in judges) else given.threads
    comparison = compare(drafts, table, given.compare_with, judge_models(judges, models), threads)
    is_json = given.format == "json"
    print(to_text(comparison.to_json()) if is_json else printable("\n".join(comparison.lines())))
    return int(bool(comparison.failed))


def _limit(text: str | None) -> Limit:
    """Return the budget of the whole command, which has no episodes."""
    try:
        return Limit(parse_limit(text).run) if text else Limit()
    except ValueError as error:
        raise ValueError(f"--max-cost={text}: {error}") from None


def _groups(
    given: argparse.Namespace, episodes: Episodes, left_out: Counter[str]
) -> list[tuple[Route, ...]]:
    """Return the chosen routes of all given runs and graphs."""
    least, most = given.steps
    wanted = Wanted(least, most, given.kinds, given.per_ends, given.most)
    found: list[tuple[Route, ...]] = []
    for path in given.paths:
        if (path / "graph.json").is_file():
            unfit: Counter[str] = Counter()  # reported only if no walk fits
            with Graph.open(path) as graph:
                check_graph(graph)
                walks = graph_routes(graph, wanted, given.seed, given.start, given.end)
                taken = chosen(walks, wanted, unfit)
            if not taken:
                left_out[f"no walk on {path} fits: {_counted(unfit) or 'all end at once'}"] += 1
        else:
            taken = chosen(episode_routes(episodes(path), left_out), wanted, left_out)
        found += taken
    if not found:
        why = _counted(left_out) or "no episode is finished"
        raise TaskError(f"there is no route to write an instruction for: {why}")
    names = Counter(route.id for group in found for route in group)
    if twice := [name for name, count in names.items() if count > 1]:
        msg = f"{twice[0]} is in two of the given runs and graphs: name each of them once"
        raise TaskError(msg)
    if given.language:
        found = [tuple(replace(r, language=given.language) for r in group) for group in found]
    return found


def _counted(left_out: Counter[str]) -> str:
    return "; ".join(f"{count} × {why}" for why, count in left_out.most_common() if count)


def _routes(groups: Sequence[Sequence[Route]], left_out: Counter[str]) -> str:
    steps = sorted(len(route.golden) for group in groups for route in group)
    ends = f"{len(groups)} pairs of ends"
    lines = [f"routes: {len(steps)}, of {steps[0]} to {steps[-1]} steps, with {ends}"]
    lines += [f"left out {left}"] if (left := _counted(left_out)) else []
    return "\n".join(lines)


def _summary(
    given: argparse.Namespace, drafts: Drafts, writers: Writers, left_out: Counter[str]
) -> str:
    verified = [draft.row["verified"] for draft in drafts]
    tags = Counter(tag for draft in drafts for tag in draft.row["tags"])
    sizes = ", ".join(f"{count} {tag}" for tag, count in tags.items())
    doubts = {
        "verified": sum(each["passed"] for each in verified),
        "do not fit": sum(not each["fits"] for each in verified),
        "have redundant steps": sum(bool(each["redundant"]) for each in verified),
        "repeat a page's text": sum(bool(each["repeats"]) for each in verified),
    }
    lines = [
        f"wrote {draft_of(given.output)}: {sizes}",
        ", ".join(f"{count} {name}" for name, count in doubts.items()),
        writers.total(),
    ]
    if left := _counted(left_out):
        lines.append(f"left out {left}")
    kept = sum(v["passed"] for v in verified) if given.unreviewed else 0
    review = f"keep, edit and drop them: {program_name('review')} {given.output}"
    lines.append(f"tasks in {given.output}: {kept}; {review}")
    return "\n".join(lines)


def _parser() -> Parser:
    parser = Parser(
        prog=program_name("instruct"),
        description="Have models write the instruction that each recorded trajectory follows, step "
        "by step (GIAS, arXiv 2505.11891). A person keeps, edits or drops each instruction with "
        "`review FILE`; those that are kept become tasks.",
        epilog="RUN is the folder of a run, or a folder of runs, whose newest run is used. GRAPH "
        "is a folder of recorded pages. A TABLE that was written before can only be used with "
        "--compare-with. Replies are kept in pytest's cache. The exit status is 0 on success, 1 "
        "if some instructions could not be written, 2 if the command stopped before the end, and "
        "4 for invalid arguments. See docs/instructions.md.",
    )
    add = parser.add_argument
    add("paths", metavar="RUN|GRAPH|TABLE", nargs="+", type=Path, help="the trajectories")
    add_model_options(
        parser,
        "the model that writes: PROVIDER:NAME, or ROLE=MODEL,… for the roles describer, "
        "summariser, writer and verifier (default: the project's MOBILE_MODEL or mobile_model)",
    )
    add("-o", "--output", metavar="FILE", type=Path, help="a new FILE.jsonl for the tasks")
    add("--unreviewed", action="store_true", help="make tasks of all verified instructions")
    add("--dry-run", action="store_true", help="only print what it would cost")
    language = "the language of the instructions (default: as recorded)"
    add("--language", metavar="en|zh|…", default="", help=language)
    add("--few-shot", metavar="FILE", type=Path, help="a table of examples: stage, given, reply")
    steps = f"the number of steps of a trajectory (default: 4-{COMPLEX})"
    add("--steps", metavar="MIN-MAX", type=_span, default=(4, COMPLEX), help=steps)
    kinds = "the minimum number of kinds of actions (default: 2)"
    add("--kinds", metavar="N", type=positive, default=2, help=kinds)
    ends = "the maximum number of trajectories between two pages (default: 3)"
    add("--per-ends", metavar="N", type=positive, default=3, help=ends)
    most = "the maximum number for each source (default: 100)"
    add("--most", metavar="N", type=positive, default=100, help=most)
    add("--start", metavar="PAGE", default="", help="for a graph: the first page")
    add("--end", metavar="PAGE", default="", help="for a graph: the last page")
    add("--seed", metavar="N", type=int, default=0, help="the seed of walks on graphs (default: 0)")
    others = "compare with the instructions of another table: judges decide which are better"
    add("--compare-with", metavar="FILE", type=Path, help=others)
    add("--judges", metavar="MODEL,…", help="the judges (default: the project's, or --model)")
    counts = "the form of a TABLE's comparison; `report` reads the JSON (default: text)"
    add("--format", choices=("text", "json"), default="text", help=counts)
    add("--max-cost", metavar="USD", help="stop when this many US dollars are spent")
    add("--cache", metavar="DIR", type=Path, help="a folder for replies (default: pytest's cache)")
    threads = "trajectories at a time (default: 8)"
    add("--threads", metavar="N", type=positive, default=8, help=threads)
    return parser


def _check(parser: Parser, given: argparse.Namespace) -> None:
    """Exit with a usage error if options contradict each other."""
    tables = [path for path in given.paths if path.suffix == ".jsonl"]
    given.table = tables[0] if tables else None
    if tables and (len(given.paths) > 1 or given.output or given.dry_run or not given.compare_with):
        parser.error(f"{tables[0]} is a table: give nothing else except --compare-with")
    if given.format == "json" and not tables:
        parser.error("--format=json is for a TABLE and --compare-with")
    if not (tables or given.output or given.dry_run):
        parser.error("name a file for the instructions with -o FILE.jsonl, or use --dry-run")


def _span(text: str) -> tuple[int, int]:
    first, _, last = text.partition("-")
    least, most = positive(first), positive(last or first)
    if least > most:
        raise argparse.ArgumentTypeError(f"{text} must be MIN-MAX, as in 4-{COMPLEX}")
    return least, most
