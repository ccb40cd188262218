"""What is known of several runs before their first episode, as that of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.plain import digest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Head = Mapping[str, Any]

_OWN = {"mobile-shard", "mobile-runs"}  # options that the parts of a run do not share


def merged_head(heads: Sequence[Head], name: str) -> dict[str, Any]:
    """Return what run.json says of the run that several are parts of.

    What they do not share is that of the first, but for fingerprints: one that differs is that of
    none of them.
    """
    ended = [head.get("ended") for head in heads]
    options, selection = (heads[0].get(name) for name in ("options", "selection"))
    shared = _fingerprints(heads)
    return {
        **heads[0],
        "id": name,
        "started": min(str(head.get("started") or "") for head in heads),
        "ended": None if None in ended else max(map(str, ended)),
        "command": _without_own(heads[0].get("command")),
        "options": {n: o for n, o in options.items() if n not in _OWN} if options else options,
        "virtual": any(head.get("virtual") for head in heads),
        "selection": selection if all(h.get("selection") == selection for h in heads) else None,
        "shard": None,
        "merged_from": [head.get("id") for head in heads],
        "fingerprints": shared,
        "fingerprint": digest(shared) if shared else heads[0].get("fingerprint"),
    }


def remarks(heads: Sequence[Head]) -> list[str]:
    """Return in words what should be the same in all parts of a run and is not, or is missing."""
    first, *others = heads
    found = []
    for head in others:
        differ = _differing(first, head)
        if differ:
            found.append(f"{head.get('id')} differs from {first.get('id')} in: {', '.join(differ)}")
    return [*found, *_missing_shards(heads)]


def _differing(one: Head, other: Head) -> list[str]:
    prints = [head.get("fingerprints") or {} for head in (one, other)]
    names = [n for n in sorted({*prints[0], *prints[1]}) if prints[0].get(n) != prints[1].get(n)]
    options = [head.get("options") or {} for head in (one, other)]
    given = [{n: _value(o) for n, o in each.items() if n not in _OWN} for each in options]
    changed = [n for n in sorted({*given[0], *given[1]}) if given[0].get(n) != given[1].get(n)]
    return names + [f"--{name}" for name in changed]


def _value(option: Any) -> Any:
    return option.get("value") if isinstance(option, dict) else option


def _missing_shards(heads: Sequence[Head]) -> list[str]:
    shards = [str(head["shard"]).split("/", 1) for head in heads if "/" in str(head.get("shard"))]
    there = {number for number, *_ in shards}
    counts = {parts for _, parts in shards if len(parts) < 6 and parts.isdecimal()}
    if len(counts) != 1:
        return []
    (count,) = counts
    missing = [str(n) for n in range(1, int(count) + 1) if str(n) not in there]
    which = f"shard{'s' * (len(missing) != 1)} {', '.join(missing)} of {count}"
    return [f"{which} {'is' if len(missing) == 1 else 'are'} missing"] if missing else []


def _fingerprints(heads: Sequence[Head]) -> dict[str, Any]:
    each = [head.get("fingerprints") or {} for head in heads]
    names = dict.fromkeys(name for prints in each for name in prints)
    found = {name: [prints.get(name) for prints in each] for name in names}
    return {
        n: v[0] if v == v[:1] * len(v) else digest(sorted(map(str, v))) for n, v in found.items()
    }


def _without_own(command: Any) -> Any:
    """Return a command without what made it one of several."""
    if not isinstance(command, list):
        return command
    kept, skip = [], False
    for word in map(str, command):
        name, has_value, _ = word.removeprefix("--").partition("=")
        is_own = word.startswith("--") and name in _OWN
        if not skip and not is_own:
            kept.append(word)
        skip = is_own and not has_value
    return kept
