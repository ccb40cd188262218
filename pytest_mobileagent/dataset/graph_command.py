"""`python -m pytest_mobileagent graph`: make a graph of pages from episodes, or a data set."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.arguments import Parser, bad_input, program_name
from pytest_mobileagent.dataset.export import rules_given
from pytest_mobileagent.dataset.formats.release import RELEASES, import_release
from pytest_mobileagent.dataset.graph import Graph, GraphWriter
from pytest_mobileagent.dataset.merging import Merger
from pytest_mobileagent.episode import EpisodeRecord
from pytest_mobileagent.episode.reader import read
from pytest_mobileagent.errors import GraphError, HostError, RecordError, ScreenError
from pytest_mobileagent.jsonable import printable

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from pytest_mobileagent.dataset.export import Episodes, Setting
    from pytest_mobileagent.dataset.merging import Contradiction, MergeSummary
    from pytest_mobileagent.episode.redaction import Redaction

_MOST = 10  # contradictions that are listed
_MOST_WAYS = 3  # pages that are listed for each, besides the one that the graph has


def main(
    arguments: Sequence[str], episodes: Episodes, has_run: Callable[[Path], bool], setting: Setting
) -> int:
    """Make a graph, and return the exit status: 4 if the input is invalid.

    `has_run` returns whether a path is a run or a folder of runs; for the rest, see `export.main`.
    """
    parser = _parser()
    given = parser.parse_args(arguments)
    released = [path for path in given.sources if not has_run(path)]
    if released and len(given.sources) > 1:
        parser.error(f"{released[0]} is not a run: name only runs, or one data set")
    if not released and given.format:
        parser.error(f"--format is for data sets, but {given.sources[0]} is a run")
    try:
        if released:
            written = _imported(released[0], given)
        else:
            written = _merged(given, episodes, rules_given(given.redact, setting("mobile_redact")))
    except (OSError, HostError, RecordError, GraphError) as error:
        return bad_input(error)
    sys.stdout.write(printable(written) + "\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=program_name("graph"),
        description="Make a graph of recorded pages. From runs: equal pages of all episodes are "
        "merged, and actions lead from page to page. From a data set: the graph has its pages, "
        "whose pictures stay where they are. Agents run on a graph without a phone: "
        "pytest … --mobile-device=graph:DIR",
        epilog="RUN is a run's folder, or a folder of runs, of which the newest is used. DATASET "
        "is your copy of a data set as it was released. See docs/data-sets.md.",
    )
    add = parser.add_argument
    add("sources", metavar="RUN|DATASET", nargs="+", type=Path, help="the recorded pages")
    out = "the graph's folder; for runs, an existing graph is replaced"
    add("-o", "--output", metavar="DIR", type=Path, required=True, help=out)
    add("--name", help="for runs: the graph's name (default: the name of its folder)")
    add("--licence", help="for runs: the licence of the graph's pages")
    small = "for runs: compress pictures losslessly; takes a second for each"
    add("--small", action="store_true", help=small)
    hidden = "for runs: redaction rules (default: mobile_redact)"
    add("--redact", metavar="FILE", type=Path, help=hidden)
    add("--format", choices=RELEASES, help="for a data set: its format, if it is not recognised")
    skip = "for a data set: leave out broken parts, and count them"
    add("--skip-broken", action="store_true", help=skip)
    return parser


def _imported(path: Path, given: Any) -> str:
    release, tasks = import_release(path, given.output, given.format, skip=given.skip_broken)
    with Graph.open(given.output) as graph:
        pages = len(graph)
    lines = [f"wrote {given.output}: {pages} pages, {tasks} tasks of {release.title}"]
    for kind, count in release.problems.left_out.most_common():
        lines.append(f"left out {count} {kind}, the first at {release.problems.first[kind]}")
    lines.append(f"licence: {release.licence or 'none is stated'}")
    return "\n".join(lines)


def _merged(given: Any, episodes: Episodes, rules: Redaction | None) -> str:
    named = {"name": given.name, "licence": given.licence}
    with GraphWriter(given.output, replaces=True) as writer:
        merger = Merger(writer, rules, small=given.small)
        left = merger.merged.left_out
        for source in (each for run in given.sources for each in episodes(run)):
            try:
                merger.add(read(source.folder, EpisodeRecord), source.succeeded)
            except (RecordError, ScreenError):
                left["episodes that cannot be read"] += 1
        if not merger.merged.episodes:
            why = "".join(f": {count} {reason}" for reason, count in left.items())
            msg = f"there is no episode to merge in {', '.join(map(str, given.sources))}{why}"
            raise GraphError(msg)
        merged = merger.finish(**{name: value for name, value in named.items() if value})
    return _summary(given.output, merged)


def _summary(folder: Path, merged: MergeSummary) -> str:
    lines = [
        f"wrote {folder}: {merged.pages} pages, {merged.edges} edges, {merged.tasks} tasks",
        f"merged {merged.episodes} episodes with {merged.screens} screens",
        f"contradictions: {len(merged.contradictions)}",
    ]
    lines += map(_contradiction, merged.contradictions[:_MOST])
    if (more := len(merged.contradictions) - _MOST) > 0:
        lines.append(f"  … and {more} more")
    lines += [f"left out {count} {reason}" for reason, count in merged.left_out.most_common()]
    return "\n".join(lines)


def _contradiction(each: Contradiction) -> str:
    (target, count), *others = each.targets
    ways = ", ".join(f"{n} × {page}" for page, n in others[:_MOST_WAYS])
    if (more := len(others) - _MOST_WAYS) > 0:
        ways += f", and {more} more"
    return f"  {each.page}, {each.action}: {count} × {target}, which was kept; {ways}"
