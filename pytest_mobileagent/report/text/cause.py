"""The cause of a failure in a few words, equal for all failures of the same kind.

Numbers, names and quoted texts are replaced, so that many failures have few distinct causes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_mobileagent.report.text.narration import nearest
from pytest_mobileagent.report.text.table import cut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.episode.record import EpisodeRecord
    from pytest_mobileagent.verdict import Verdict

AGENTS_FAULT = ("agent error", "time limit")  # terminations with an error of the agent
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
        return cut(
            f"{first.kind} of {first.package or 'an app'}: {without_names(first.error)}", _LONGEST
        )
    if str(episode.termination) in AGENTS_FAULT and episode.error:
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
    words = without_names(why)
    return cut(": ".join(filter(None, (how, words))) or "unknown", _LONGEST)
