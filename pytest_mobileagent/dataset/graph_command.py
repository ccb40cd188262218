"""`python -m pytest_mobileagent graph`: recorded episodes, or a data set, as a graph of pages."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.arguments import Parser, program_name
from pytest_mobileagent.dataset.export import rules_given
from pytest_mobileagent.dataset.graph import GraphWriter
from pytest_mobileagent.dataset.merging import Merger
from pytest_mobileagent.episode.reader import read
from pytest_mobileagent.episode.record import EpisodeRecord
from pytest_mobileagent.errors import GraphError, HostError, RecordError, ScreenError
from pytest_mobileagent.plain import printable

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Sequence

    from pytest_mobileagent.dataset.export import Source
    from pytest_mobileagent.dataset.merging import Contradiction, Merged
    from pytest_mobileagent.episode.redaction import Redaction

_MOST = 10  # contradictions that are listed
_MOST_WAYS = 3  # pages that are listed of each, beside the one that was kept


def main(
    arguments: Sequence[str],
    episodes: Callable[[Path], Iterable[Source]],
    has_run: Callable[[Path], bool],
    setting: Callable[[str], tuple[str, Path] | None],
) -> int:
    """Make a graph, and return the exit status: 1 if it cannot be made.

    `episodes` gives the finished episodes of a run, `has_run` says whether a path is a run or a
    folder of runs, `setting` is as `export.main` takes it.
    """
    parser = _parser()
    given = parser.parse_args(arguments)
    try:
        if all(map(has_run, given.sources)):
            rules = rules_given(given.redact, setting("mobile_redact"))
            written = _merged(given, episodes, rules)
        else:
            parser.error(f"{next(p for p in given.sources if not has_run(p))} is no run")
    except (OSError, HostError, RecordError, GraphError) as error:
        sys.stderr.write(f"error: {printable(str(error))}\n")
        return 1
    sys.stdout.write(printable(written) + "\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=program_name("graph"),
        description="Make a graph of recorded pages: equal pages of all episodes become one, and "
        "what was done on them leads from one to the other. Agents run on it without a phone: "
        "pytest … --mobile-device=graph:DIR",
        epilog="RUN is a run's folder, or a folder of runs, of which the newest is taken. See "
        "docs/offline.md.",
    )
    add = parser.add_argument
    add("sources", metavar="RUN", nargs="+", type=Path, help="what becomes the graph")
    out = "the graph's folder; a graph that is there is replaced"
    add("-o", "--output", metavar="DIR", type=Path, required=True, help=out)
    add("--name", help="what the graph is called (default: as its folder)")
    add("--licence", help="under which licence its pages may be passed on; written into it")
    small = "pack pictures as far as it goes without loss, which takes a second for each"
    add("--small", action="store_true", help=small)
    hidden = "rules of what is hidden, for runs recorded without them (default: mobile_redact)"
    add("--redact", metavar="FILE", type=Path, help=hidden)
    return parser


def _merged(
    given: Any, episodes: Callable[[Path], Iterable[Source]], rules: Redaction | None
) -> str:
    """Write the graph of the episodes of runs, and return what is said of it.

    Raises:
        RecordError: a run cannot be read.
        GraphError: there is nothing to merge, or something else is in the way.
        HostError: the graph cannot be written.
    """
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
    return _said(given.output, merged)


def _said(folder: Path, merged: Merged) -> str:
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
    (kept, count), *others = each.targets
    ways = ", ".join(f"{n} × {page}" for page, n in others[:_MOST_WAYS])
    if (more := len(others) - _MOST_WAYS) > 0:
        ways += f", and {more} more"
    return f"  {each.page}, {each.action}: {count} × {kept}, which was kept; {ways}"
