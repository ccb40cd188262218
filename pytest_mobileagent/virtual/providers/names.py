"""Names of people: how their parts are put together and taken apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Named:
    """A name in both orders: "Ada Lovelace" and "Lovelace, Ada"."""

    display: str
    reverse: str


PARTS = {"prefix": "data4", "given": "data2", "middle": "data5", "family": "data3"}


def split(values: Mapping[str, Any]) -> dict[str, Any]:
    """Complete a row of data that is a name: the parts from the whole, or the whole from them."""
    done = dict(values)
    parts = [str(values[column]) for column in PARTS.values() if values.get(column)]
    whole = str(values.get("data1") or "")
    if parts and not whole:
        done["data1"] = " ".join(parts)
    elif whole and not parts:
        first, _, last = whole.rpartition(" ")
        done |= {"data2": first or last, "data3": last if first else None}
    done.setdefault("data10", 0 if whole.isascii() else 1)
    return done


def written(row: Mapping[str, Any], *, structured: bool) -> Named:
    """Give what is shown for a row of data that a contact is named by."""
    display = str(row["data1"])
    if structured and row["data2"] and row["data3"]:
        return Named(display, f"{row['data3']}, {row['data2']}")
    return Named(display, display)
