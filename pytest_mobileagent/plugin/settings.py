"""The values of options and their sources, and what a project registers: folders, device sources.

An option's value is taken from the command line (its flag, or `-o KEY=VALUE`), otherwise from its
environment variable, otherwise from its ini key, and otherwise from its default.
`--mobile-max-steps` has the ini key `mobile_max_steps` and the environment variable
`MOBILE_MAX_STEPS`; `--agent` has `mobile_agent` and `MOBILE_AGENT`.

Commands other than test runs read the settings by configuring pytest in the current folder.
"""

from __future__ import annotations

import contextlib
import io
import os
import shlex
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.plugin.options import FOLDERS, OPTIONS
from pytest_mobileagent.urls import redact_urls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pytest_mobileagent.device.sources import Source
    from pytest_mobileagent.plugin.options import Option


@dataclass(frozen=True, slots=True)
class OptionValue:
    """An option's value and its source; `text` is the value's text, safe to display."""

    option: Option
    value: Any
    text: str | None
    source: str

    @property
    def is_given(self) -> bool:
        """Whether the value is not a default."""
        return self.text is not None and self.source != "default"

    @property
    def is_typed(self) -> bool:
        """Whether the command line has it."""
        return self.source.startswith("-")

    def __str__(self) -> str:
        return f"{self.option.shown}={self.text} ({self.source})"


def read_options(config: pytest.Config) -> dict[str, OptionValue]:
    """Return the value and source of each option, by its flag without the dashes.

    Raises:
        pytest.UsageError: if a value is invalid; the message names its source.
    """
    return {option.flag.removeprefix("--"): _read(option, config) for option in OPTIONS}


def read_option(name: str, config: pytest.Config) -> OptionValue:
    """Return the value and source of one option, named by its flag without the dashes.

    Raises:
        pytest.UsageError: if the value is invalid; the message names its source.
    """
    return _read(next(option for option in OPTIONS if option.flag == f"--{name}"), config)


def _read(option: Option, config: pytest.Config) -> OptionValue:
    typed = [each.partition("=")[0] for each in config.getoption("override_ini") or ()]
    overridden = config.getini(option.name) if option.name in typed else None
    candidates = (
        (_given(option, config), option.flag),
        (overridden, f"-o {option.name}"),
        (os.environ.get(option.variable), f"environment variable {option.variable}"),
        (config.getini(option.name), f"ini key {option.name}"),
        (option.default, "default"),
    )
    text, source = next(((t, s) for t, s in candidates if t is not None), (None, "default"))
    if text is None:
        return OptionValue(option, None, None, source)
    if not text.strip():
        msg = f"{option.shown} (from {source}) is empty: leave it out, or give it a value"
        raise pytest.UsageError(printable(msg))
    try:
        return OptionValue(option, option.parse(text), redact_urls(text), source)
    except ValueError as error:
        msg = f"{option.shown}={redact_urls(text)} (from {source}) {error}"
        raise pytest.UsageError(printable(msg)) from None


def _given(option: Option, config: pytest.Config) -> str | None:
    given = config.getoption(option.name)
    if option.ini_only and given is not None:
        msg = (
            f"{option.flag} is an ini key: write -o {option.name}={redact_urls(given)}, or set "
            f"{option.name} in the ini file, or {option.variable} in the environment"
        )
        raise pytest.UsageError(printable(msg))
    return shlex.join(given) if option.repeats and given else given


def path_of(config: pytest.Config, setting: OptionValue) -> Path:
    """Return the path that an option names, resolved against the working folder or the ini file's.

    Raises:
        pytest.UsageError: if it names the home folder of an unknown user.
    """
    try:
        return base_of(config, setting) / Path(setting.value).expanduser()
    except RuntimeError:
        msg = f"{setting} names the home folder of a user that does not exist"
        raise pytest.UsageError(printable(msg)) from None


def base_of(config: pytest.Config, setting: OptionValue) -> Path:
    """Return the folder to which an option's paths are relative: the working or the ini file's."""
    given = setting.is_typed or setting.source.startswith("environment")
    return config.invocation_params.dir if given else config.rootpath


def usage_error(setting: OptionValue, what: str) -> pytest.UsageError:
    """Return an error about an option's value that names its source."""
    where = "" if setting.is_typed else f" ({setting.source})"
    return pytest.UsageError(printable(f"{setting.option.shown}={setting.text}{where}{what}"))


@contextmanager
def as_usage_error(
    kinds: type[Exception] | tuple[type[Exception], ...],
    setting: OptionValue | None = None,
    about: str = "",
) -> Iterator[None]:
    """Raise errors of these kinds as usage errors, which name the `setting` if there is one."""
    try:
        yield
    except kinds as error:
        if setting is None:
            raise pytest.UsageError(printable(str(error))) from None
        raise usage_error(setting, f":{about} {error}") from None


def runs_no_test(config: pytest.Config) -> bool:
    """Return whether the command line only lists tests or fixtures, without running any test."""
    names = ("collectonly", "showfixtures", "show_fixtures_per_test", "setupplan")
    return any(getattr(config.option, name, False) for name in names)


def leaves_distribution(config: pytest.Config) -> bool:
    """Return whether the plugin may hand out the tests: the user gave `-n`, but no `--dist`."""
    given = config.known_args_namespace  # as given, before -n has set it to "load"
    chosen = getattr(given, "dist", "no") != "no" or getattr(given, "distload", False)
    return not chosen and config.getoption("dist") == "load"


T = TypeVar("T")
_REPLIES = "mobileagent-replies"  # the name given to `config.cache.mkdir`


def folders(config: pytest.Config, what: str) -> list[Path]:
    """Return the project's folders of "agents", "apps", "environments" or "noise".

    Folders from the ini key come first, then folders from hooks. Of two agents with the same name,
    the last one counts.

    Raises:
        pytest.UsageError: if a folder is missing; the message says where it is named.
    """
    key, _ = FOLDERS[what]
    found = [(f"ini key {key}", path) for path in config.getini(key)]
    hook = getattr(config.hook, f"pytest_mobileagent_{what}")
    for answer in hook(config=config):
        paths = answer if isinstance(answer, list | tuple) else [answer]
        found += [(f"hook {hook.name}", Path(path)) for path in paths if path is not None]
    for source, path in found:
        if not path.is_dir():
            msg = f"{source} names {path}, which is not a folder: create it, or remove the entry"
            raise pytest.UsageError(printable(msg))
    return [path for _, path in found]


def project_sources(config: pytest.Config) -> Mapping[str, type[Source]]:
    """Return the device sources that the project's hooks add, by their prefixes.

    Raises:
        pytest.UsageError: if two have the same prefix, or one is not a source.
    """
    from pytest_mobileagent.device.sources import Source, built_in

    found: dict[str, type[Source]] = {}
    for answer in config.hook.pytest_mobileagent_sources(config=config):
        for prefix, source in (answer or {}).items():
            wrong = ""
            if Source not in getattr(source, "__mro__", ()):
                wrong = f": the value for {prefix!r} must be a subclass of `Source`"
            elif not prefix.isidentifier():
                wrong = f" names the prefix {prefix!r}, which is not a word"
            elif prefix in found or prefix in built_in():
                wrong = f" names the prefix {prefix!r}, which has a source already"
            if wrong:
                raise pytest.UsageError(printable(f"hook pytest_mobileagent_sources{wrong}"))
            found[prefix] = source
    return found


def near(config: pytest.Config, path: Path) -> Path:
    """Return a path relative to pytest's working folder, or unchanged if it is outside of it."""
    here = config.invocation_params.dir
    return path.relative_to(here) if path.is_relative_to(here) else path


@dataclass
class Project:
    """A project's registrations: its app folders, device sources, and the folder of its runs.

    `device` is the default value of `--mobile-device` in the project.
    """

    apps: list[Path] = field(default_factory=list)
    sources: Mapping[str, type[Source]] = field(default_factory=dict)
    runs: Path = Path("runs")
    device: str = "virtual"


@dataclass(frozen=True)
class ProjectSettings:
    """Options that are set in the environment or in pytest's configuration.

    - `texts`: the options' texts by their ini keys, and the folders that their paths start from.
    - `replies`: the folder in pytest's cache for the models' replies.
    """

    texts: Mapping[str, tuple[str, Path]]
    replies: Path

    def get(self, name: str) -> tuple[str, Path] | None:
        """Return the text of an option, by its ini key, and its folder; None if it is not set."""
        return self.texts.get(name)


def this_project() -> Project:
    """Return the registrations of the project in the current folder.

    Raises:
        SystemExit: if pytest cannot be configured there.
    """
    return _configured(_registered, ", or name apps with --apps")


def project_settings() -> ProjectSettings:
    """Return the options set by the environment and by the project in the current folder.

    Raises:
        SystemExit: if pytest cannot be configured there.
    """
    return _configured(_set)


def _registered(config: pytest.Config) -> Project:
    options = read_options(config)
    runs, device = path_of(config, options["mobile-runs"]), options["mobile-device"].value
    return Project(folders(config, "apps"), project_sources(config), runs, device)


def _set(config: pytest.Config) -> ProjectSettings:
    texts = {}
    for option in OPTIONS:
        if text := os.environ.get(option.variable):
            texts[option.name] = text, Path.cwd()
        elif text := config.getini(option.name):
            texts[option.name] = text, config.rootpath
    try:
        cache = os.path.expandvars(str(config.getini("cache_dir")))
    except (KeyError, ValueError):  # -p no:cacheprovider
        cache = ".pytest_cache"
    return ProjectSettings(texts, config.rootpath / cache / "d" / _REPLIES)


def _configured(read: Callable[[pytest.Config], T], hint: str = "") -> T:
    """Return what a function reads of pytest's configuration, before anything is collected."""
    found: list[T] = []

    class Reader:
        @pytest.hookimpl(tryfirst=True)
        def pytest_cmdline_main(self, config: pytest.Config) -> int:
            found.append(read(config))
            return 0

    with contextlib.redirect_stdout(io.StringIO()):
        # Warnings are off, as pytest would warn that it cannot rewrite this package's asserts.
        status = pytest.main(["--quiet", "-W", "ignore"], plugins=[Reader()])
    if status != 0:
        raise SystemExit(f"pytest cannot be configured in this folder: see above{hint}")
    return found[0]
