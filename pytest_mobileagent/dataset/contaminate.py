"""`python -m pytest_mobileagent contaminate`: put ads over the targets of recorded trajectories."""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent._task.table import rows
from pytest_mobileagent.action import ends_episode
from pytest_mobileagent.action.matching import golden_from_json
from pytest_mobileagent.arguments import Parser, bad_input, program_name
from pytest_mobileagent.dataset.contamination import COVERING, Ad, ad_over, covering, domain_of
from pytest_mobileagent.dataset.formats.aitw import SUBSETS
from pytest_mobileagent.dataset.formats.release import RELEASES, import_release
from pytest_mobileagent.dataset.graph import Graph, GraphWriter, check_graph
from pytest_mobileagent.errors import GraphError, MobileAgentError
from pytest_mobileagent.fileio import read_bytes, write_json
from pytest_mobileagent.jsonable import decimal_number, printable
from pytest_mobileagent.noise import NoiseChoice, parse_choice
from pytest_mobileagent.noise.cover import check_fonts
from pytest_mobileagent.noise.template import load

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent._task.table import Row
    from pytest_mobileagent.action.matching import Golden
    from pytest_mobileagent.dataset.contamination import Domain
    from pytest_mobileagent.noise.template import Template

ABOUT = "contamination.json"  # the report, beside the graph's own files
_TASKS = "tasks.jsonl"
_CLOSING = {"en": "Close what covers the page.", "zh": "关闭遮住页面的内容。"}
_NOISY = "noisy"  # the tag of all contaminated tasks, by which metrics can be grouped


@dataclass(frozen=True, slots=True)
class ContaminationPlan:
    """The share of steps that get an ad, the sets and templates of the ads, and the seed."""

    noise: NoiseChoice
    templates: Sequence[Template]
    domain: Domain | None = None
    whiten: float = 0.9
    seed: int = 0


@dataclass(slots=True)
class Report:
    """Counts of contaminated tasks and steps by subset, set of ads and template.

    `left_out` counts the other tasks by reason. The numbers are those needed for a table of step
    accuracy that lists noisy steps separately (Mobile-Bench-v2, arXiv 2505.11891, Tables 4 and 7).
    """

    subsets: dict[str, Counter[str]] = field(default_factory=dict)
    templates: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)

    def count(self, subset: str, steps: int, ads: Sequence[Ad]) -> None:
        """Count a trajectory, its golden steps, and its steps with ads."""
        counts = self.subsets.setdefault(subset, Counter())
        counts.update(trajectories=1, steps=steps, noisy=len(ads))
        counts.update(domain_of(ad.template) for ad in ads)
        self.templates.update(ad.template.name for ad in ads)

    def lines(self) -> list[str]:
        """Return the lines of a table of all subsets, and of what was left out."""
        total: Counter[str] = sum(self.subsets.values(), Counter())
        names = ("trajectories", "steps", "noisy", "in", "out")
        found = ["".join([f"{'subset':<14}", *(f"{name:>14}" for name in names)])]
        for subset, counts in [*self.subsets.items(), ("total", total)]:
            found.append("".join([f"{subset:<14}", *(f"{counts[name]:>14}" for name in names)]))
        found.append(f"{len(self.templates)} different ads")
        return found + [f"left out {count}: {why}" for why, count in self.left_out.most_common()]


def contaminate(graph: Graph, output: Path, plan: ContaminationPlan) -> Report:
    """Write a graph in which the golden path of each task has at least one step hidden by an ad.

    Each path becomes a separate chain of pages, so that no ad appears in another task. Tasks in
    which no target can be hidden are left out and counted.

    Raises:
        GraphError, TaskError, HostError: if an input cannot be read, or the graph cannot be
            written; the output folder is not created.
    """
    report = Report()
    with GraphWriter(output, files=graph.files) as writer:
        for row in rows((graph.folder / _TASKS).resolve()):
            _Path(graph, writer, row, plan).write(report)
        if not report.subsets:
            why = "; ".join(f"{count} x {why}" for why, count in report.left_out.most_common())
            msg = f"{graph.folder}: no trajectory can be contaminated: {why or 'there is none'}"
            raise GraphError(msg)
        writer.head(
            name=f"{graph.name}, contaminated",
            language=graph.language,
            licence=graph.licence,
            source=graph.source or graph.name,
            rule=graph.rule,
        )
    about = {
        "seed": plan.seed,
        "noise": {"rate": plan.noise.rate, "kinds": list(plan.noise.kinds)},
        "ads": plan.domain or "all",
        "whiten": plan.whiten,
        "subsets": {name: dict(counts) for name, counts in report.subsets.items()},
        "templates": dict(sorted(report.templates.items())),
        "left_out": dict(report.left_out),
    }
    write_json(output / ABOUT, about)
    return report


class _Path:
    """The golden path of one task, with ads over some of its steps."""

    def __init__(
        self, graph: Graph, writer: GraphWriter, row: Row, plan: ContaminationPlan
    ) -> None:
        self._graph, self._writer, self._row, self._plan = graph, writer, row, plan
        self._language = str(row.columns.get("language") or graph.language or "en")
        golden = row.columns.get("golden") or ()
        self._golden = [each for each in map(golden_from_json, golden) if each.page]

    def write(self, report: Report) -> None:
        if not self._golden:
            report.left_out["a task has no golden path"] += 1
            return
        ads, why = self._ads()
        if not ads:
            report.left_out[why] += 1
            return
        golden = self._pages(ads)
        self._edges(golden)
        self._writer.task(self._columns(golden, ads))
        tags = self._row.columns.get("tags") or ()
        subset = next((tag for tag in tags if tag in SUBSETS), "others")
        steps = sum(not ends_episode(each.action) for each in golden)
        report.count(subset, steps, [*ads.values()])

    def _ads(self) -> tuple[dict[int, Ad], str]:
        """Return the ads by the step that each precedes, and the reason if there are no ads."""
        plan, chance = self._plan, random.Random(f"{self._plan.seed} {self._row.id}")
        places = [n for n, each in enumerate(self._golden) if not ends_episode(each.action)]
        wanted = max(1, round(plan.noise.rate * len(places)))
        templates = covering(plan.templates, plan.noise.kinds, plan.domain, self._language)
        found: dict[int, Ad] = {}
        why: Counter[str] = Counter()
        for place in chance.sample(places, len(places)):
            each = self._golden[place]
            ad: Ad | str = "a page has no picture"
            if self._graph.page(each.page).png:
                ad = ad_over(self._graph.screen(each.page), each, templates, plan.whiten, chance)
            if isinstance(ad, Ad):
                check_fonts([ad.template])
                found[place] = ad
            else:
                why[ad] += 1
            if len(found) == wanted:
                break
        reasons = sorted(why, key=lambda each: (each == "no step is a tap on something", each))
        return dict(sorted(found.items())), next(iter(reasons), "no step is a tap on something")

    def _name(self, page: str) -> str:
        return f"{self._row.id}/{page}"

    def _pages(self, ads: dict[int, Ad]) -> list[Golden]:
        """Write all pages, and return the golden actions with their pages."""
        golden: list[Golden] = []
        for place, each in enumerate(self._golden):
            if (ad := ads.get(place)) is not None:
                name = f"{self._name(each.page)}+{place}"
                screen = ad.screen
                self._writer.page(
                    name,
                    png=screen.png,
                    xml=screen.xml if self._graph.page(each.page).xml else None,
                    package=screen.package,
                    activity=screen.activity,
                    time=screen.time,
                )
                golden.append(replace(ad.golden, page=name, noisy=True))
            self._copy(each.page)
            golden.append(replace(each, page=self._name(each.page)))
        self._copy(self._end)
        return golden

    @property
    def _end(self) -> str:
        return str(self._row.columns.get("page") or self._golden[-1].page)

    def _copy(self, page: str) -> None:
        """Write a page unchanged, without copying files in the user's copy of a data set."""
        if self._name(page) in self._writer:
            return
        about = self._graph.page(page)
        png, xml = (self._content(path) for path in (about.png, about.xml))
        self._writer.page(
            self._name(page),
            png=png,
            xml=xml.decode("utf-8", "replace") if isinstance(xml, bytes) else xml,
            package=about.package,
            activity=about.activity,
            time=about.time,
            size=about.size,
        )

    def _content(self, path: str) -> bytes | Path | None:
        if not path:
            return None
        file = self._graph.file(path)
        files = self._graph.files
        return file if files is not None and file.is_relative_to(files) else read_bytes(file)

    def _edges(self, golden: Sequence[Golden]) -> None:
        steps = [each for each in golden if not ends_episode(each.action)]
        targets = [*(each.page for each in golden[1:]), self._name(self._end)]
        seen = set()
        for each, target in zip(golden, targets, strict=True):
            key = (each.page, each.action, target)
            if each in steps and key not in seen and target != each.page:
                seen.add(key)
                self._writer.edge(each.page, each, target)

    def _columns(self, golden: Sequence[Golden], ads: dict[int, Ad]) -> dict[str, Any]:
        columns = dict(self._row.columns)
        instructions = list(columns.get("instructions") or ())
        closing = _CLOSING.get(self._language.partition("-")[0].lower(), _CLOSING["en"])
        for place in sorted(ads, reverse=True) if instructions else ():
            instructions.insert(place, closing)
        noise = []
        for shift, (place, ad) in enumerate(ads.items(), 1):
            about = {"kind": ad.template.kind, "ad": ad.template.name}
            noise.append({"step": place + shift, **about, "domain": domain_of(ad.template)})
        return {
            **columns,
            "golden": golden,
            "golden_steps": sum(not ends_episode(each.action) for each in golden),
            "snapshot": golden[0].page,
            "page": self._name(self._end),
            "tags": [*(columns.get("tags") or ()), _NOISY],
            "noise": noise,
            **({"instructions": instructions} if instructions else {}),
        }


def main(arguments: Sequence[str]) -> int:
    """Contaminate a data set, and return the exit status: 4 if the input is invalid."""
    given = _parser().parse_args(arguments)
    try:
        templates = load(given.noise_paths)
        domain = None if given.ads == "all" else given.ads
        plan = ContaminationPlan(given.noise, templates, domain, given.whiten, given.seed)
        with tempfile.TemporaryDirectory(prefix="mobileagent-") as folder:
            source = given.data
            is_graph = (source / "graph.json").is_file()
            if not is_graph:
                source = Path(folder) / "graph"
                import_release(given.data, source, given.format, skip=given.skip_broken)
            with Graph.open(source) as graph:
                if is_graph:
                    check_graph(graph)
                report = contaminate(graph, given.output, plan)
    except (MobileAgentError, ValueError, OSError) as error:
        return bad_input(error)
    print(printable("\n".join([f"wrote {given.output}", *report.lines()])))
    return 0


def _parser() -> Parser:
    parser = Parser(
        prog=program_name("contaminate"),
        description="Put ads over the targets of recorded trajectories. Closing an ad becomes an "
        "additional step (AITZ-Noise, arXiv 2505.11891). The output is a graph of recorded pages "
        "for --mobile-device=graph:DIR.",
        epilog="The seed selects the steps and the ads. Half of the ads belong to the set `in`, "
        "the others to `out`, whatever the seed. See docs/data-sets.md.",
    )
    add = parser.add_argument
    add("data", metavar="DIR", type=Path, help="a graph, or a data set that can be imported")
    add("-o", "--output", metavar="DIR", type=Path, required=True, help="the folder to create")
    noise = "the share of steps with an ad (at least one), and kinds (default: 0,ad,popup)"
    add("--noise", metavar="RATE[,KIND…]", type=_noise, default=_noise("0,ad,popup"), help=noise)
    add("--ads", choices=("all", "in", "out"), default="all", help="the set of ads")
    add("--seed", metavar="N", type=int, default=0, help="the seed (default: 0)")
    white = "how much the page under an ad is whitened, from 0 to 1 (default: 0.9)"
    add("--whiten", metavar="X", type=_share, default=0.9, help=white)
    own = "a folder of your own ads, in addition to those of the package; may be repeated"
    add("--noise-paths", metavar="DIR", type=Path, action="append", default=[], help=own)
    add("--format", choices=RELEASES, help="the data set's format, if it is not recognised")
    add("--skip-broken", action="store_true", help="leave out unreadable parts of a data set")
    return parser


def _noise(text: str) -> NoiseChoice:
    try:
        choice = parse_choice(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text}: {error}") from None
    kinds = tuple(kind for kind in choice.kinds if kind in COVERING)
    if not kinds:
        why = f"has no kind that hides the page and is closed by a tap: {', '.join(COVERING)}"
        raise argparse.ArgumentTypeError(f"{text} {why}")
    return NoiseChoice(choice.rate, kinds)


def _share(text: str) -> float:
    number = decimal_number(text)
    if number is None or not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 0 to 1")
    return number
