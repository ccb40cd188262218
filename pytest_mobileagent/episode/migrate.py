"""Converts the records of older versions to the current schema.

A minor version only adds fields, which older readers keep; a newer major version is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

SCHEMA_VERSION = 2


def migrate(records: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return an episode's records in the schema of version 2, without replaced screens."""
    head, *others = records
    if head["schema_version"] >= SCHEMA_VERSION:
        return [head, *_kept(others)]
    migrated = [_head(head), *map(_record, others)]
    last = next((r for r in reversed(migrated) if r["record"] == "step"), None)
    if last is not None and last["actions"][0].get("action") == "Impossible":
        # Version 1 recorded giving up as self-reported.
        return [r | {"termination": "gave up"} if r["record"] == "end" else r for r in migrated]
    return migrated


def _kept(records: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return records without those of screens that the next one replaces."""
    kept: list[dict[str, Any]] = []
    for record in records:
        if record.get("again"):
            places = (n for n, each in enumerate(kept) if each["record"] == "observation")
            last = max(places, default=None)
            if last is not None:  # otherwise the record is damaged, and nothing is replaced
                del kept[last]
        kept.append(record)
    return kept


def _head(head: dict[str, Any]) -> dict[str, Any]:
    task = dict(head["task"])
    case = {name: task.pop(name) for name in ("id", "suite", "nodeid", "parameters", "environment")}
    rest = {name: value for name, value in head.items() if name not in {"task", "epoch"}}
    return rest | {
        "goal": task["goal"],
        "step_limit": task.pop("step_limit"),
        "case": {**case, "epoch": head["epoch"], "task": task},
        "reset": reset(head.get("reset")),
    }


def _record(record: dict[str, Any]) -> dict[str, Any]:
    match record["record"]:
        case "look":
            return record | {"record": "observation"}
        case "step":
            rest = {n: v for n, v in record.items() if n not in {"action", "usage"}}
            return rest | {"actions": [record["action"]], "calls": calls(record["usage"])}
        case "end":
            return record | {"unused": calls(record.get("unused", {}))}
        case _:
            return record


def reset(words: str | None) -> dict[str, Any] | None:
    """Return a reset as data, from the text that version 1 recorded."""
    if not words:
        return None
    if words.startswith("snapshot "):
        return {"kind": "snapshot", "snapshot": words.removeprefix("snapshot ")}
    reason, _, apps = words.partition(": cleared ")
    cleared = [] if apps in {"", "nothing"} else apps.split(", ")
    return {"kind": "cleared", "cleared": cleared, "reason": reason}


def calls(usage: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the calls that a usage of version 1 stands for: none if it has no tokens or price.

    Version 1 recorded an unknown price as 0.
    """
    tokens = {name: usage.get(name) or None for name in ("input_tokens", "output_tokens")}
    price = usage.get("cost_usd") or None
    if price is None and not any(tokens.values()):
        return []
    return [{"model": "unknown", "price_usd": price, **tokens}]
