"""What a task needs from a device: installed apps, and capabilities and accounts.

- `events`: a listener for accessibility events; `pages`: recorded pages instead of a phone. Both
  are detected from the device.
- `web`, `gms`, `physical`: the open web, Google's services, a phone that is not an emulator.
- `account:LABEL`: an account that is signed in, such as that of an app.
- `manual:TEXT`: a manual preparation of the device, described in words.

Everything but `events` and `pages` is declared by the user (`--mobile-device-has`).
"""

from __future__ import annotations

import difflib
import re
import tomllib
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pytest_mobileagent._task.wording import display_path
from pytest_mobileagent.errors import TaskError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

EVENTS, PAGES = "events", "pages"
DETECTED = (EVENTS, PAGES)  # needs that are detected from the device
WORDS = (*DETECTED, "web", "gms", "physical")
LABELLED = ("account", "manual")  # followed by a colon and text
DECLARED = (*WORDS[len(DETECTED) :], *LABELLED)  # needs that users declare for their devices
_FORMS = (*WORDS, "account:LABEL", "manual:TEXT")


def alternatives(app: str) -> tuple[str, ...]:
    """Return the packages that an app may have, in order of preference; usually only one."""
    return tuple(app.split("|"))


def choose(app: str, installed: Collection[str]) -> str:
    """Return the first package of an app that is installed, or the app as written if none is."""
    return next((package for package in alternatives(app) if package in installed), app)


APPS = "apps.toml"  # a suite's own list of apps by label, each with a package or a list of packages


@lru_cache
def apps_in(file: Path) -> Mapping[str, str] | None:
    """Return a suite's apps by lower-case label, alternatives joined; None without a list."""
    if not file.is_file():
        return None
    return {label.casefold(): "|".join(packages) for label, packages in _listed(file).items()}


def labels_of(file: Path) -> dict[str, str]:
    """Return the app labels of a suite's `apps.toml` by package; empty if there is no such file.

    Raises:
        TaskError: if the file cannot be read.
    """
    listed = _listed(file) if file.is_file() else {}
    pairs = ((label, app) for label, apps in listed.items() for app in apps)
    return {package: label for label, app in pairs for package in alternatives(app)}


def _listed(file: Path) -> dict[str, list[str]]:
    try:
        listed = tomllib.loads(file.read_text("utf-8-sig"))
    except (OSError, ValueError) as error:
        raise TaskError(f"{display_path(file)}: {error}") from None
    found = {}
    for label, given in listed.items():
        packages = [given] if isinstance(given, str) else given
        if isinstance(packages, list) and all(isinstance(one, str) for one in packages):
            found[label] = packages
    return found


def with_packages(
    cells: dict[str, Any], labels: Mapping[str, str] | None, where: str
) -> dict[str, Any]:
    """Return the cells with app labels replaced by packages."""
    if labels is None:
        return cells

    def package(word: str) -> str:
        if "." in word:
            return word
        if word.casefold() not in labels:
            near = did_you_mean(word.casefold(), labels)
            raise TaskError(f"{where}: {APPS} has no app {word!r}{near}")
        return labels[word.casefold()]

    found = dict(cells)
    if isinstance(app := cells.get("app"), str) and app.strip():
        found["app"] = package(app.strip())
    if cells.get("apps"):
        found["apps"] = [package(word) for word in as_list(cells["apps"])]
    return found


def as_list(value: Any) -> tuple[str, ...]:
    """Return the items of a list; a string is split at commas and semicolons."""
    if isinstance(value, str):
        return tuple(word.strip() for word in value.replace(";", ",").split(",") if word.strip())
    return tuple(map(str, value))


def split_needs(text: str, separators: str = ",") -> tuple[str, ...]:
    """Split a list into its items; a doubled separator stands for the character itself."""
    for number, mark in enumerate(separators):
        text = text.replace(mark * 2, chr(number))
    words = re.split(f"[{re.escape(separators)}]", text)
    for number, mark in enumerate(separators):
        words = [word.replace(chr(number), mark) for word in words]
    return tuple(word.strip() for word in words if word.strip())


def unknown_need(word: str) -> str:
    """Return why a word does not name a valid need, or "" if it does."""
    kind, colon, label = word.partition(":")
    if word in WORDS or (kind in LABELLED and label.strip()):
        return ""
    if kind in LABELLED:
        what = "LABEL" if kind == "account" else "TEXT"
        return f"{word!r} lacks its {what.lower()}: {kind}:{what}"
    near = difflib.get_close_matches(kind, (*WORDS, *LABELLED), 1)
    hint = f"; did you mean {near[0] + colon + label!r}?" if near else ""
    return f"{word!r} is not one of {', '.join(_FORMS)}{hint}"


def parse_has(text: str) -> tuple[str, ...]:
    """Parse what devices have: `web,account:Instagram`; a comma within text is doubled.

    Raises:
        ValueError: if a word is not a valid need, or names a need that is detected from the device.
    """
    words = split_needs(text)
    for word in words:
        if word in DETECTED:
            raise ValueError(f"names {word}, which is detected from the device (docs/tasks.md)")
        if why := unknown_need(word):
            raise ValueError(f"is invalid: {why} (double a comma within a text)")
    if not words:
        raise ValueError(f"must be a list of {', '.join(_FORMS[len(DETECTED) :])}")
    return words


def unmet(needs: Collection[str], has: Collection[str]) -> list[str]:
    """Return the needs that devices are not declared to meet. Case is ignored."""
    there = {_normalised(word) for word in has}
    return [need for need in needs if need not in DETECTED and _normalised(need) not in there]


def _normalised(word: str) -> str:
    kind, _, label = word.partition(":")
    return f"{kind}:{' '.join(label.casefold().split())}"
