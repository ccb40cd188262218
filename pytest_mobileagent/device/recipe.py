"""Recipes for AVDs: TOML files, which are read and checked completely before anything is done."""

from __future__ import annotations

import difflib
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import MobileAgentError

if TYPE_CHECKING:
    from collections.abc import Callable

NAMESPACES = ("global", "secure", "system")
_IMAGE = r"system-images;[\w.-]+;[\w.-]+;[\w.-]+"
_WORD = r"[\w.-]+"  # no characters that are special in a shell or in the emulator's console


class RecipeError(MobileAgentError):
    """A recipe is invalid; the message names the file and the key."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """An AVD, and its content when its snapshot is saved.

    `image` and `device` are names that sdkmanager and avdmanager use. `settings` contains
    (namespace, key, value), `permissions` (package, permission), and `files` (local file or folder,
    path on the phone). Each item of `apks` is an app: one APK file, or the parts of a split APK.
    """

    name: str
    image: str
    device: str
    snapshot: str = "default_boot"
    accept_licenses: bool = False
    ram_mb: int | None = None
    storage_gb: int | None = None
    locale: str | None = None
    gpu: str = "software"
    apks: tuple[tuple[Path, ...], ...] = ()
    permissions: tuple[tuple[str, str], ...] = ()
    settings: tuple[tuple[str, str, str], ...] = ()
    files: tuple[tuple[Path, str], ...] = ()


def read_recipe(path: Path, name: str | None = None) -> Recipe:
    """Read a recipe; `name`, if given, replaces the name in the file.

    Raises:
        RecipeError: if the file cannot be read, or a value in it is invalid.
    """
    try:
        values = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise RecipeError(f"{path}: {error}") from error
    if name is not None:
        values["name"] = name
    return _Reader(path).recipe(values)


class _Reader:
    """Checks the values of a recipe's file; errors name the file and the key."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def wrong(self, key: str, problem: str) -> RecipeError:
        return RecipeError(f"{self.path}: {key} {problem}")

    def recipe(self, values: dict[str, Any]) -> Recipe:
        keys: dict[str, Callable[[str, Any], Any]] = {
            "name": self.word(_WORD, "letters, digits, dots, dashes"),
            "image": self.word(_IMAGE, "as in system-images;android-34;google_apis;x86_64"),
            "device": self.word(r"[\w .()\"-]+", "as `avdmanager list device -c` lists them"),
            "snapshot": self.word(_WORD, "letters, digits, dots, dashes"),
            "accept_licenses": self.true_or_false,
            "ram_mb": self.whole(512, 1 << 17),
            "storage_gb": self.whole(1, 1024),
            "locale": self.word(r"[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?", "as in ko-KR"),
            "gpu": self.word("software|host", "software or host"),
            "apks": self.apks,
            "permissions": self.permissions,
            "settings": self.settings,
            "files": self.files,
        }
        for key in values.keys() - keys.keys():
            near = difflib.get_close_matches(key, keys, 1)
            hint = f"did you mean {near[0]}?" if near else f"the keys are {', '.join(keys)}"
            raise self.wrong(key, f"is not a key of a recipe; {hint}")
        for key in ("name", "image", "device"):
            if key not in values:
                raise self.wrong(key, "is missing")
        return Recipe(**{key: keys[key](key, value) for key, value in values.items()})

    def word(self, pattern: str, example: str) -> Callable[[str, Any], str]:
        def read(key: str, value: Any) -> str:
            if not isinstance(value, str) or not re.fullmatch(pattern, value):
                raise self.wrong(key, f"= {value!r} must be a string: {example}")
            return value

        return read

    def whole(self, least: int, most: int) -> Callable[[str, Any], int]:
        def read(key: str, value: Any) -> int:
            if type(value) is not int or not least <= value <= most:
                raise self.wrong(key, f"= {value!r} must be a whole number from {least} to {most}")
            return value

        return read

    def true_or_false(self, key: str, value: Any) -> bool:
        if not isinstance(value, bool):
            raise self.wrong(key, f"= {value!r} must be true or false")
        return value

    def apks(self, key: str, value: Any) -> tuple[tuple[Path, ...], ...]:
        if not isinstance(value, list):
            raise self.wrong(key, f"= {value!r} must be a list of APK files, or folders of them")
        apps: list[tuple[Path, ...]] = []
        for number, item in enumerate(value):
            path = self.here(f"{key}[{number}]", item)
            apps += self.folder(f"{key}[{number}]", path) if path.is_dir() else [(path,)]
        return tuple(apps)

    def folder(self, key: str, path: Path) -> list[tuple[Path, ...]]:
        """Return the apps in a folder: its APKs, and its subfolders, each a split APK."""
        apps: list[tuple[Path, ...]] = []
        for each in sorted(path.iterdir()):
            if each.is_dir():
                parts = tuple(sorted(each.glob("*.apk")))
                if not parts:
                    raise self.wrong(key, f"= {path.name!r}: {each} contains no APK")
                apps.append(parts)
            elif each.suffix == ".apk":
                apps.append((each,))
        return apps

    def permissions(self, key: str, value: Any) -> tuple[tuple[str, str], ...]:
        rows = []
        for package, names in self.table(key, value).items():
            where = f"{key}.{package}"
            self.word(_WORD, "a package")(where, package)
            if not isinstance(names, list):
                raise self.wrong(where, f"= {names!r} must be a list of permissions")
            read = self.word(_WORD, "as in android.permission.CAMERA")
            rows += [(package, read(f"{where}[{n}]", name)) for n, name in enumerate(names)]
        return tuple(rows)

    def settings(self, key: str, value: Any) -> tuple[tuple[str, str, str], ...]:
        rows = []
        for namespace, table in self.table(key, value).items():
            if namespace not in NAMESPACES:
                raise self.wrong(f"{key}.{namespace}", f"is not one of {', '.join(NAMESPACES)}")
            for name, given in self.table(f"{key}.{namespace}", table).items():
                where = f"{key}.{namespace}.{name}"
                self.word(_WORD, "letters, digits, dots, dashes")(where, name)
                if isinstance(given, bool) or not isinstance(given, str | int | float):
                    raise self.wrong(where, f"= {given!r} must be a string or a number, as in 1")
                rows.append((namespace, name, str(given)))
        return tuple(rows)

    def files(self, key: str, value: Any) -> tuple[tuple[Path, str], ...]:
        if not isinstance(value, list):
            raise self.wrong(key, "must be a list of tables: [[files]]")
        rows = []
        for number, row in enumerate(value):
            where = f"{key}[{number}]"
            table = self.table(where, row)
            if table.keys() != {"from", "to"}:
                raise self.wrong(where, f"must have `from` and `to`, not {', '.join(table)}")
            target = table["to"]
            if not isinstance(target, str) or not target.startswith("/"):
                raise self.wrong(f"{where}.to", f"= {target!r} must be an absolute path")
            rows.append((self.here(f"{where}.from", table["from"]), target))
        return tuple(rows)

    def table(self, key: str, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self.wrong(key, f"= {value!r} must be a table")
        return value

    def here(self, key: str, value: Any) -> Path:
        """Return a path, which may be relative to the recipe's folder."""
        if not isinstance(value, str):
            raise self.wrong(key, f"= {value!r} must be a path")
        try:
            path = self.path.parent / Path(value).expanduser()
        except RuntimeError:
            raise self.wrong(key, f"= {value!r}: that user has no home folder") from None
        if not path.exists():
            raise self.wrong(key, f"= {value!r}: {path} does not exist")
        return path
