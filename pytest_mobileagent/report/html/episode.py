"""An episode as the page is given it, from what is left of its folder: plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.exchanges import STREAM as CALLS
from pytest_mobileagent.episode.migrate import migrate
from pytest_mobileagent.episode.reader import records_of, whole
from pytest_mobileagent.episode.record import EpisodeRecord
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.plain import to_wire
from pytest_mobileagent.report.html.calls import JUDGES, Exchanges, Texts
from pytest_mobileagent.report.html.frames import Pictures, frames
from pytest_mobileagent.report.html.trajectory import opinions
from pytest_mobileagent.report.text.words import ending
from pytest_mobileagent.verdict.standing import CHECK
from pytest_mobileagent.verdict.store import verdicts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.verdict.verdict import Verdict


def episode_data(folder: Path, page: Path) -> dict[str, Any]:
    """Return what the page shows of the episode in a folder; paths are relative to `page`.

    Of an episode that is damaged there is what can be
    read: "damaged" says why there are no frames, "missing" which files are not there.
    """
    said = verdicts(folder)
    texts, pictures = Texts(), Pictures(folder, page)
    judging = Exchanges(folder / JUDGES, texts, pictures.path)
    shown = {"frames": [], **_said(said)}
    try:
        shown |= _recorded(folder, texts, pictures)
    except RecordError as error:
        shown |= {"damaged": str(error)}
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, OSError) as error:
        why = f"it does not hold a whole record: {type(error).__name__}: {error}"
        shown |= {"damaged": why}
    except RecursionError:
        shown |= {"damaged": "it is nested too deeply"}
    shown["judging"] = judging.all()
    return {**shown, "missing": sorted(set(pictures.missing)), "texts": texts.all}


def _recorded(folder: Path, texts: Texts, pictures: Pictures) -> dict[str, Any]:
    records = records_of(folder)
    seen = [record for record in migrate(records) if record["record"] == "observation"]
    known = {number: pictures.screen(record) for number, record in enumerate(seen, 1)}
    episode = whole(folder, EpisodeRecord, records, known)
    exchanges = Exchanges(folder / CALLS, texts, pictures.path)
    device, reset = episode.device, episode.reset
    return {
        "goal": episode.goal,
        "agent": episode.agent,
        "device": f"{device.model}, Android {device.android} ({device.serial})",
        "size": list(device.size),
        "ending": ending(episode),
        "termination": str(episode.extra.get("termination") or episode.termination),
        "error": episode.error,
        "answer": episode.answer,
        "seed": episode.seed,
        "seconds": round(episode.seconds, 3),
        "recorded": episode.recorded,
        "parameters": to_wire(episode.case.parameters),
        "reset": reset.to_json() if reset else None,
        "golden_steps": episode.case.task.shortest,
        "step_limit": episode.step_limit,
        "probes": to_wire(episode.initial_probes),
        "frames": frames(episode, seen, pictures, exchanges),
    }


def _said(said: Sequence[Verdict]) -> dict[str, Any]:
    """Return what was said of the episode; how its check went on the way by the last that knows."""
    each = opinions(said)
    checks = [verdict for verdict in said if verdict.scorer == CHECK]
    for verdict, opinion in zip(said, each, strict=True):
        opinion["evidence"].pop("held", None)
        opinion["calls"] = [_call(call) for call in verdict.calls]
    return {
        "opinions": to_wire(each),
        "subgoals": _last("subgoals", checks),
        "held": _last("held", checks),
    }


def _last(name: str, said: Sequence[Verdict]) -> Any:
    found = (v.evidence[name] for v in reversed(said) if isinstance(v.evidence.get(name), list))
    return to_wire(next(found, None))


def _call(call: ModelCall) -> dict[str, Any]:
    names = ("model", "role", "input_tokens", "output_tokens", "price_usd", "seconds")
    return dict(to_wire({name: getattr(call, name) for name in names}))
