"""All options: their names, values and defaults, and their texts in `pytest --help`.

The parser of an option raises ValueError with the reason if its text is invalid. pytest imports
this module in every session, so what only one option needs is imported when it is given.
"""

from __future__ import annotations

import re
import shlex
from argparse import SUPPRESS
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_mobileagent.jsonable import decimal_number, whole_number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pytest

    from pytest_mobileagent.noise import NoiseChoice


_LONGEST_LINE = 80


class Epochs(NamedTuple):
    """The minimum and maximum number of times that a task is run."""

    least: int
    most: int


class Shard(NamedTuple):
    """One of several parts of a run, counted from 1."""

    number: int
    parts: int


class Engine(NamedTuple):
    """Where workers run: `name` is xdist or ray.

    `address` is the address of a Ray cluster, or None to start one; `labels` select the machines of
    the cluster to use.
    """

    name: str
    address: str | None = None
    labels: Mapping[str, str] = {}


def engine(text: str) -> Engine:
    """Read where workers run: `xdist`, `ray`, `ray:auto`, `ray:HOST:PORT,LABEL=VALUE`."""
    place, *pairs = text.strip().split(",")
    name, colon, address = place.partition(":")
    labels = dict(pair.strip().split("=", 1) for pair in pairs if "=" in pair)
    is_sound = name == "ray" or place == "xdist"
    if not is_sound or (colon and not address) or len(labels) < len(pairs):
        msg = "must be xdist, ray, ray:auto or ray:HOST:PORT; ray's may end in ,LABEL=VALUE"
        raise ValueError(msg)
    if (name == "xdist" and pairs) or not all(labels.values()) or not all(labels):
        msg = "has labels, which only machines of a Ray cluster have: LABEL=VALUE after a comma"
        raise ValueError(msg)
    return Engine(name, address or None, labels)


def whole(least: int) -> Callable[[str], int]:
    """Return a parser for whole numbers of at least `least`."""

    def parse(text: str) -> int:
        number = whole_number(text)
        if number is None or number < least:
            raise ValueError(f"must be a whole number from {least}")
        return number

    return parse


def epochs(text: str) -> Epochs:
    """Read how many times a task is run: `3`, or `3..10`."""
    found = re.fullmatch(r"\s*(\d{1,9})\s*(?:\.\.\s*(\d{1,9})\s*)?", text, re.ASCII)
    least, most = map(int, (found[1], found[2] or found[1])) if found else (0, 0)
    if not 1 <= least <= most or (found and found[2] and least == most):
        raise ValueError("must be a whole number from 1, or a range such as 3..10")
    return Epochs(least, most)


def shard(text: str) -> Shard:
    """Read which part of a run to run: `2/4`."""
    found = re.fullmatch(r"\s*(\d{1,9})\s*/\s*(\d{1,9})\s*", text, re.ASCII)
    number, parts = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= number <= parts:
        raise ValueError("must be I/N, such as 2/4 for the second of four parts")
    return Shard(number, parts)


def positive(text: str) -> float:
    """Read a number above 0."""
    number = decimal_number(text)
    if number is None or number <= 0:
        raise ValueError("must be a number above 0")
    return number


def line(text: str) -> str:
    """Read a text of one line."""
    if not text.isprintable() or len(text) > _LONGEST_LINE:
        raise ValueError(f"must be one line of at most {_LONGEST_LINE} characters")
    return text.strip()


def words(text: str) -> tuple[str, ...]:
    """Read words as a shell splits them."""
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise ValueError(f"cannot be split into words: {error}") from None


def listed(text: str) -> tuple[str, ...]:
    """Read a comma-separated list of words."""
    words = tuple(word.strip() for word in text.split(","))
    if not all(words):
        raise ValueError("must be a list such as 100,105 or test")
    return words


def noise(text: str) -> NoiseChoice | None:
    """Read the rate of noise and its kinds; None if the rate is 0."""
    from pytest_mobileagent.noise import parse_choice  # not for --help

    choice = parse_choice(text)
    return choice if choice.rate else None


def truth(text: str) -> bool:
    """Read a flag's value: `true` or `false`."""
    word = text.strip().lower()
    if word not in {"true", "false"}:
        raise ValueError("must be true or false")
    return word == "true"


def late(name: str, **options: Any) -> Callable[[str], Any]:
    """Return a parser of another room, which is imported when there is a value to parse."""
    module, _, function = name.rpartition(".")

    def parse(text: str) -> Any:
        return getattr(import_module(f"pytest_mobileagent.{module}"), function)(text, **options)

    return parse


def one_of(*choices: str) -> Callable[[str], str]:
    """Return a parser that accepts only these words."""

    def parse(text: str) -> str:
        if text not in choices:
            raise ValueError(f"must be one of {', '.join(choices)}")
        return text

    return parse


@dataclass(frozen=True, slots=True)
class Option:
    """One option; `parse` returns its value from a string, or raises ValueError with the reason."""

    flag: str
    metavar: str
    default: str | None
    parse: Callable[[str], Any]
    help: str
    repeats: bool = False  # whether it may be given several times; its text has all values
    is_flag: bool = False  # without a value on the command line, and true or false elsewhere
    ini_only: bool = False  # has no flag: `flag` only names it, as in the records of runs

    @property
    def name(self) -> str:
        """The option's ini key, which is also its attribute in pytest's options."""
        name = self.flag.removeprefix("--").replace("-", "_")
        return name if name.startswith("mobile_") else f"mobile_{name}"

    @property
    def shown(self) -> str:
        """The option as a user writes it."""
        return self.name if self.ini_only else self.flag

    @property
    def variable(self) -> str:
        """The option's environment variable."""
        return self.name.upper()


def _choice(flag: str, words: str, default: str, help: str) -> Option:
    return Option(flag, words, default, one_of(*words.split("|")), help)


RECORDED = "recorded"  # the value of --mobile-cache with which judges get their recorded replies

# The sections of `pytest --help`, whose texts fill at most one line of 100 columns each.
GROUPS: dict[str, tuple[Option, ...]] = {
    "agent and models": (
        Option("--agent", "AGENT", None, str,
               "a name, FILE.py[:CLASS], MODULE:CLASS, cmd:COMMAND, or an adapter FILE.toml"),
        Option("--mobile-agent-option", "KEY=VALUE", None, words,
               "an option that the agent declares; may be repeated", repeats=True),
        Option("--mobile-model", "MODEL|ROLE=MODEL,…", None, late("llm.reference.parse_choice"),
               "the agent's model: PROVIDER:NAME[@URL]; or one for each role"),
        Option("--mobile-max-cost", "USD[,task=USD]", None, late("llm.budget.parse_limit"),
               "the most to spend on models, in the run and in each episode"),
        Option("--mobile-max-tokens", "N[,task=N]", None,
               late("llm.budget.parse_limit", whole=True),
               "the same limits in tokens, input and output together"),
        _choice("--mobile-unpriced", "stop|allow", "stop",
                "whether a model of unknown price may run"),
        _choice("--mobile-cache", "judges|all|replay|recorded|off", "judges",
                "whose replies are cached; replay, recorded: call no model"),
        _choice("--mobile-agent-process", "on|off", "on",
                "off: run agents in a thread, for debuggers"),
    ),
    "judges": (
        _choice("--llm-judge", "off|single|cross", "off",
                "who decides tasks with `judge`: nobody, one model, or two (default: off)"),
        Option("--mobile-judges", "MODEL,…", None, late("llm.reference.parse_references"),
               "the models that judge; with `cross`, a third one settles disputes"),
        Option("--mobile-judge-all", "", "false", truth,
               "judge tasks that have a check, too, and list where the two differ", is_flag=True),
        _choice("--mobile-side-effects", "off|report|fail", "off",
                "what changed on the phone unasked: ignored, reported, or a failure"),
        _choice("--mobile-official", "beside|decides|off", "beside",
                "how to use a benchmark's own evaluation"),
    ),
    "devices": (
        Option("--mobile-device", "DEVICE", "virtual", str,
               "virtual (default), avd:NAME, serial:SERIAL,…, appium:URL, or graph:DIR"),
        _choice("--mobile-driver", "adb|appium", "adb", "what drives the device"),
        Option("--mobile-device-has", "WORD,…", None, late("_task.needs.parse_has"),
               "what tasks may need: web, gms, physical, account:LABEL, manual:TEXT"),
        Option("--mobile-device-time", "ISO|now", "now", late("environment.parse_moment"),
               "set each episode's time, such as 2026-11-22T09:00"),
        Option("--mobile-env", "ID,…", None, listed,
               "run each task in these environments: ids, 100-104, train, test, or all"),
        Option("--mobile-noise", "RATE[,KIND…]", "0", noise,
               "the share of actions that meet pop-ups, lost taps and the like"),
        _choice("--mobile-sees", "screenshot|hierarchy|both", "both",
                "what agents and programs get of each screen; the other part is empty"),
        _choice("--mobile-user", "asked|told|silent", "asked",
                "whether a task's user answers, tells unasked, or is silent"),
        Option("--mobile-settle", "SECONDS[,PACKAGE=SECONDS]", "5",
               late("device.device.parse_settle"), "the longest wait for a screen to settle"),
        Option("--mobile-engine", "xdist|ray[:ADDRESS]", "xdist", engine,
               "where workers run: here, or on a Ray cluster"),
    ),
    "limits and repetition": (
        Option("--mobile-epochs", "N|A..B", "1", epochs,
               "run each task N times; A..B: until the gate is decided"),
        Option("--mobile-max-steps", "N", None, whole(1),
               "the most steps of an episode, even if the task allows more"),
        Option("--mobile-time-limit", "SECONDS", "900", positive,
               "the longest that an agent may take in an episode"),
        Option("--mobile-retries", "N", "1", whole(0),
               "repeat an episode whose device or worker broke"),
        Option("--mobile-seed", "N", "0", whole(0), "the seed of everything that is random"),
        Option("--mobile-pace", "SECONDS", None, positive,
               "the least time from one action to the next, and to its screenshot"),
        _choice("--mobile-path", "single|multi", "multi",
                "single: record decisions, and do the golden actions"),
    ),
    "runs and gates": (
        Option("--mobile-gate", "FILE|EXPRESSION", None, str,
               "conditions that decide the exit status: TOML, or success_rate >= 0.5"),
        Option("--mobile-baseline", "RUN", None, str,
               "compare with a run, task by task and epoch by epoch"),
        Option("--mobile-resume", "RUN", None, str,
               "continue a run: report what is finished, and run the rest"),
        Option("--mobile-reuse", "RUN", None, str,
               "reuse results that are still valid, score again, or run"),
        Option("--mobile-rescore", "RUN", None, str,
               "evaluate the tests on recorded episodes, without device or agent"),
        Option("--mobile-replies", "RUN", None, str,
               "run again with the recorded replies of the agents' models"),
        Option("--mobile-sample", "N", None, whole(1),
               "run N of the tasks, stratified by suite, level and app"),
        Option("--mobile-shard", "I/N", None, shard,
               "run the I-th of N parts; `merge` joins the parts into one run"),
        _choice("--mobile-exit", "tasks|run", "tasks",
                "tasks: 1 if one failed; run: 0 if all were decided"),
    ),
    "output": (
        Option("--mobile-runs", "DIR", "runs", str, "the folder in which each run creates its own"),
        Option("--mobile-label", "TEXT", None, line,
               "the run's name in tables and pages, such as pr-118"),
        Option("--mobile-watch", "", "false", truth,
               "serve the report during the run, with the phones' screens", is_flag=True),
        Option("--mobile-redact", "FILE", None, str,
               "what to redact in all that is recorded: TOML of patterns and regions"),
    ),
}  # fmt: skip
# What a project sets once: ini keys, which `pytest -o KEY=VALUE` varies.
INI_ONLY = tuple(
    replace(option, ini_only=True)
    for option in (
        _choice("--mobile-gpu", "software|host", "software",
                "what draws the screens of emulators that the run starts"),
        Option("--mobile-emulator-flags", "FLAGS", None, words,
               "further flags for emulators that the run starts, such as '-accel off'"),
        Option("--mobile-boot-limit", "SECONDS", "300", positive,
               "how many seconds an emulator may take to boot"),
        Option("--mobile-recycle", "N", "50", whole(1),
               "replace a device that the run has started after this many episodes"),
        Option("--mobile-appium-home", "DIR", None, str,
               "the folder in which npm installed Appium (default: .appium beside this file, or "
               "else the program on the PATH)"),
        Option("--mobile-capabilities", "FILE", None, str,
               "a JSON file of capabilities for Appium sessions"),
        _choice("--mobile-screenshots", "all|needed", "all",
                "`needed`: take no screenshots for agents that see hierarchies only"),
        _choice("--mobile-ocr", "rapidocr|easyocr", "rapidocr",
                "the OCR engine, for agents, checks and judges"),
        _choice("--mobile-log", "off|warnings|all", "warnings",
                "which lines of the phone's log to record with each step"),
        Option("--mobile-step-factor", "X", "2", positive,
               "a task's step limit, as a multiple of its golden steps"),
        _choice("--mobile-suspects", "error|fail", "error",
                "how to count tasks that broke their phone in every attempt, while others did not"),
        Option("--mobile-max-infra", "N", None, whole(1),
               "stop the run, with status 9, after this many errors of devices, workers or "
               "networks"),
        Option("--mobile-pack-screens", "", "true", truth,
               "pack the screens of large runs while the machine is idle"),
        Option("--mobile-copy-pages", "", "false", truth,
               "copy the pages of a data set into the records, which otherwise refer to your copy"),
        Option("--mobile-prices", "FILE", None, str,
               "a TOML file of your own prices, in US dollars per million tokens"),
        Option("--mobile-judge-runs", "K", "1", whole(1),
               "ask each judge K times; the majority counts"),
    )
)  # fmt: skip
OPTIONS = (*(option for group in GROUPS.values() for option in group), *INI_ONLY)
# The ini keys that name folders, and what the folders contain.
FOLDERS = {
    "agents": ("mobile_agent_paths", "agents, which --agent finds by name"),
    "apps": ("mobile_app_paths", "apps for virtual phones"),
    "environments": ("mobile_env_paths", "environments, which --mobile-env names"),
    "noise": ("mobile_noise_paths", "noise of your own, for --mobile-noise"),
}


def add_options(parser: pytest.Parser) -> None:
    """Register all options and their ini keys with pytest."""
    for title, options in GROUPS.items():
        group = parser.getgroup(f"mobileagent {title}", f"mobile agents: {title}")
        for option in options:
            _add_option(option, parser, group)
    for option in INI_ONLY:
        _add_option(option, parser, group)
    for what, (key, holds) in FOLDERS.items():
        text = f"folders of {holds}, relative to this file (see also pytest_mobileagent_{what})"
        parser.addini(key, text, type="paths", default=[])


def _add_option(option: Option, parser: pytest.Parser, group: pytest.OptionGroup) -> None:
    """Register an option; the flag of one that has none is registered only for its error."""
    says = option.is_flag or not option.default or "default" in option.help
    text = option.help if says else f"{option.help} (default: {option.default})"
    shared = {"dest": option.name, "default": None, "help": SUPPRESS if option.ini_only else text}
    if option.is_flag:
        group.addoption(option.flag, action="store_const", const="true", **shared)
    else:
        action = "append" if option.repeats else "store"
        group.addoption(option.flag, action=action, metavar=option.metavar, **shared)
    parser.addini(option.name, text if option.ini_only else f"see {option.flag}", default=None)
