"""The phone's languages, and the translations of apps' texts."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pytest_mobileagent.virtual.content.locale import Locale
from pytest_mobileagent.virtual.snapshots import Kept

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_mobileagent.virtual.content.settings import Settings
    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.kernel.properties import Properties

PROPERTY: Final = "persist.sys.locale"
SETTING: Final = "system_locales"
FRAMEWORK: Final = Path(__file__).parents[1] / "strings"  # shared by all apps: OK, Cancel
_TAG = re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*")


@dataclass(eq=False)
class Locales(Kept):
    """The languages of the running configuration; those stored for the next start may differ."""

    KEPT = ("tags", "_apps")

    props: Properties
    changes: Changes
    settings: Settings
    tags: list[str] = field(init=False)
    _apps: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Start with the language that the phone was created with."""
        self.tags = [self.props[PROPERTY]]

    @property
    def current(self) -> Locale:
        """The phone's current locale."""
        return locale(self.tags[0])

    def of(self, package: str) -> Locale:
        """Return the locale of an app: its own, if one is set, otherwise the phone's."""
        return locale((self._apps.get(package) or self.tags)[0])

    def own(self, package: str) -> list[str]:
        """Return the languages set for this app only."""
        return list(self._apps.get(package, ()))

    @property
    def long_clock(self) -> bool:
        """Whether the 24-hour clock is used: the user's choice, otherwise the locale's default."""
        chosen = self.settings.text("system", "time_12_24")
        return chosen == "24" if chosen else self.current.long_clock

    def set_own(self, package: str, tags: Iterable[str]) -> None:
        """Set an app's own languages; an empty list makes it follow the phone."""
        self._apps[package] = [str(tag) for tag in tags]
        self.changes.note()

    def change(self, tags: Iterable[str]) -> None:
        """Change the phone's languages, as a choice in Settings does; the apps follow."""
        chosen = [normal(tag) for tag in tags]
        if not chosen:
            raise ValueError("no language")
        self.props.set(PROPERTY, chosen[0])
        self.settings.put("system", SETTING, ",".join(chosen))
        self.tags = chosen
        self.changes.note()

    def start(self) -> None:
        """Load the stored languages, as Android does when it starts."""
        stored = self.settings.text("system", SETTING) or self.props[PROPERTY]
        tags = [tag for tag in stored.split(",") if _TAG.fullmatch(tag)]
        self.tags = [normal(tag) for tag in tags] or ["en-US"]
        self.changes.note()

    def text(self, package: str, folder: Path, english: str) -> str:
        """Return an app's text in its language, from the translations in `folder`.

        The English text is returned if there is no translation.
        """
        for tag in self._apps.get(package) or self.tags:
            spoken = locale(tag)
            if spoken.language == "en":
                return english
            for place in (folder, FRAMEWORK):
                found = catalog(place, spoken.names).get(english)
                if found is not None:
                    return found
        return english


@cache
def locale(tag: str) -> Locale:
    """Return the locale for a tag; equal tags share one object."""
    return Locale(tag)


def normal(tag: str) -> str:
    """Return a language tag as Android spells it: zh-Hans-CN; ValueError if it is invalid."""
    if not _TAG.fullmatch(tag):
        raise ValueError(f"{tag!r} is no language tag")
    return "-".join(part for part in Locale(tag).parts if part)


@lru_cache(256)
def catalog(folder: Path, names: tuple[str, ...]) -> Mapping[str, str]:
    """Load a folder's closest translation; ValueError, naming the file, if it is broken."""
    for name in names:
        path = folder / f"{name}.toml"
        if path.is_file():
            try:
                return tomllib.loads(path.read_text("utf-8"))
            except tomllib.TOMLDecodeError as error:
                raise ValueError(f"{path}: {error}") from error
    return {}
