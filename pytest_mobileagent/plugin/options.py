"""All options: their names, values and defaults, and their texts in `pytest --help`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.plugin import values

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest


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

    @property
    def name(self) -> str:
        """The option's ini key, which is also its attribute in pytest's options."""
        name = self.flag.removeprefix("--").replace("-", "_")
        return name if name.startswith("mobile_") else f"mobile_{name}"

    @property
    def variable(self) -> str:
        """The option's environment variable."""
        return self.name.upper()


# The sections of `pytest --help` and of docs/options.md.
GROUPS: dict[str, tuple[Option, ...]] = {
    "agent and models": (
        Option(
            "--agent", "AGENT", None, str,
            "the agent to run on the tasks: a name, FILE.py[:CLASS] or MODULE:CLASS; or a program: "
            "cmd:COMMAND with placeholders such as {goal}, or an adapter, FILE.toml",
        ),
        Option(
            "--mobile-agent-option", "KEY=VALUE", None, values.words,
            "an option that the agent declares; may be repeated", repeats=True,
        ),
        Option(
            "--mobile-agent-process", "on|off", "on", values.one_of("on", "off"),
            "run agents in a separate process; `off` runs them in a thread, for debuggers",
        ),
        Option(
            "--mobile-model", "MODEL|ROLE=MODEL,…", None, values.model,
            "the agent's model, or one for each of its roles: PROVIDER:NAME, with @URL for an "
            "endpoint of your own; keys come from the environment (docs/models.md)",
        ),
        Option(
            "--mobile-prices", "FILE", None, str,
            "a TOML file of your own prices, in US dollars per million tokens",
        ),
        Option(
            "--mobile-unpriced", "stop|allow", "stop", values.one_of("stop", "allow"),
            "whether a model whose price is unknown may run",
        ),
        Option(
            "--mobile-max-cost", "USD[,task=USD]", None, values.limit,
            "the most US dollars that the run, and each of its episodes, may spend on models",
        ),
        Option(
            "--mobile-max-tokens", "N[,task=N]", None, values.whole_limit,
            "the most tokens, input and output together, for the run and for each of its episodes",
        ),
        Option(
            "--mobile-cache", "judges|all|replay|off", "judges",
            values.one_of("judges", "all", "replay", "off"),
            "whose replies are kept in pytest's cache and reused; with `replay`, no model is "
            "called, and a missing reply is an error; with `off`, texts read by OCR are not kept "
            "either",
        ),
        Option(
            "--mobile-ocr", "rapidocr|easyocr", "rapidocr", values.one_of("rapidocr", "easyocr"),
            "the OCR engine, for agents, checks and judges that read text in pictures",
        ),
    ),
    "judges": (
        Option(
            "--llm-judge", "off|single|cross", "off", values.one_of("off", "single", "cross"),
            "which models decide tasks that use `judge`: none, the first one, or two that must "
            "agree",
        ),
        Option(
            "--mobile-judges", "MODEL,…", None, values.models,
            "the models that judge: PROVIDER:NAME; with --llm-judge=cross, a third one settles "
            "disputes",
        ),
        Option(
            "--mobile-judge-all", "", "false", values.truth,
            "judge tasks that have a check too, and list where the two differ", is_flag=True,
        ),
        Option(
            "--mobile-judge-runs", "K", "1", values.whole(1),
            "ask each judge K times; the majority counts",
        ),
        Option(
            "--mobile-official", "beside|decides|off", "beside",
            values.one_of("beside", "decides", "off"),
            "how to use a benchmark's own evaluation, from your copy of its release: report its "
            "verdict `beside` the others, let it decide, or do not run it",
        ),
    ),
    "workers": (
        Option(
            "--mobile-engine", "xdist|ray[:ADDRESS]", "xdist", values.engine,
            "where the workers of -n run: on this machine, or on the machines of a Ray cluster "
            "that have phones: `ray:auto` or `ray:HOST:PORT`, with `,LABEL=VALUE` only on "
            "machines with that label; `ray` alone starts Ray on this machine",
        ),
    ),
    "device": (
        Option(
            "--mobile-device", "DEVICE", "virtual", str,
            "where tasks run: `virtual`; `avd:NAME` for emulators that the run starts; "
            "`serial:[HOST:PORT/]SERIAL,…` for attached devices; `appium:URL` for devices of an "
            "Appium server",
        ),
        Option(
            "--mobile-device-has", "WORD,…", None, values.has,
            "what the devices offer: web, gms, physical, account:LABEL, manual:TEXT (double a "
            "comma in a text); tasks that need anything else are skipped",
        ),
        Option(
            "--mobile-driver", "adb|appium", "adb", values.one_of("adb", "appium"),
            "what drives the device: `adb` itself, or an `appium` server that the run starts",
        ),
        Option(
            "--mobile-appium-home", "DIR", None, str,
            "the folder in which npm installed Appium and its UiAutomator2 driver (default: "
            ".appium beside pytest's configuration, otherwise the program on the PATH)",
        ),
        Option(
            "--mobile-capabilities", "FILE", None, str,
            "a JSON file of capabilities for Appium sessions, such as those that a hub requires",
        ),
        Option(
            "--mobile-gpu", "software|host", "software", values.one_of("software", "host"),
            "what draws the screens of emulators that the run starts",
        ),
        Option(
            "--mobile-emulator-flags", "FLAGS", None, values.words,
            "further flags for emulators that the run starts, such as '-accel off'",
        ),
        Option(
            "--mobile-boot-limit", "SECONDS", "300", values.positive,
            "how many seconds an emulator may take to boot",
        ),
        Option(
            "--mobile-recycle", "N", "50", values.whole(1),
            "replace a device that the run has started after this many episodes",
        ),
        Option(
            "--mobile-settle", "SECONDS[,PACKAGE=SECONDS]", "5", values.settle,
            "how many seconds to wait, at most, for the screen to settle after an action; single "
            "apps may have limits of their own",
        ),
        Option(
            "--mobile-screenshots", "all|needed", "all", values.one_of("all", "needed"),
            "`needed`: take no screenshots in episodes of agents that see hierarchies only, unless "
            "a judge or noise needs them",
        ),
        Option(
            "--mobile-device-time", "ISO|now", "now", values.moment,
            "the time to set on phones that the run starts, before each episode, so that runs do "
            "not depend on the day: 2026-11-22T09:00, by default in the phone's time zone",
        ),
        Option(
            "--mobile-noise", "RATE[,KIND…]", "0", values.noise,
            "the share of the agent's actions that meet noise, from 0 to 1, and its kinds: popup, "
            "ad, update, login, vip, permission, rating, tutorial, toast, or action for actions "
            "that are lost, delayed or repeated (docs/noise.md); by default all kinds",
        ),
        Option(
            "--mobile-log", "off|warnings|all", "warnings",
            values.one_of("off", "warnings", "all"),
            "which lines of the phone's log to record with each step; crashes are always recorded",
        ),
        Option(
            "--mobile-env", "ID,…", None, values.listed,
            "run each task in these environments, as separate tests: ids, ranges of ids "
            "(100-104), groups (train, test) or `all`",
        ),
        Option(
            "--mobile-user", "asked|told|silent", "asked", values.one_of("asked", "told", "silent"),
            "whether the user of a task answers when `asked`, tells the agent the answers unasked "
            "(`told`), or does not answer (`silent`)",
        ),
    ),
    "limits and repetition": (
        Option(
            "--mobile-path", "single|multi", "multi", values.one_of("single", "multi"),
            "`single`: record the agent's decision at each step, and carry out the task's golden "
            "action instead",
        ),
        Option(
            "--mobile-max-steps", "N", None, values.whole(1),
            "the maximum number of steps of an episode, even if the task allows more",
        ),
        Option(
            "--mobile-step-factor", "X", "2", values.positive,
            "a task's step limit, as a multiple of its golden steps",
        ),
        Option(
            "--mobile-time-limit", "SECONDS", "900", values.positive,
            "how many seconds the agent may take in an episode; ends an agent that hangs",
        ),
        Option(
            "--mobile-pace", "SECONDS", None, values.positive,
            "the minimum time from one action of an agent to the next, and to the next screenshot",
        ),
        Option(
            "--mobile-seed", "N", "0", values.whole(0),
            "the seed of everything that is random",
        ),
        Option(
            "--mobile-epochs", "N|A..B", "1", values.epochs,
            "how many times to run each task, as separate tests; A..B: at least A times, and up to "
            "B times as long as the gate against the baseline is undecided",
        ),
        Option(
            "--mobile-retries", "N", "1", values.whole(0),
            "how many times to repeat an episode whose device or worker broke",
        ),
        Option(
            "--mobile-suspects", "error|fail", "error", values.one_of("error", "fail"),
            "how to count tasks that broke their phone or worker in every attempt, while other "
            "tasks did not: as errors, or as failures of the agent",
        ),
        Option(
            "--mobile-max-infra", "N", None, values.whole(1),
            "stop the run, with status 9, after this many errors of devices, workers or the "
            "network",
        ),
    ),
    "runs and gates": (
        Option(
            "--mobile-sample", "N", None, values.whole(1),
            "run only a sample of N of the selected tasks, stratified by suite, level and app; the "
            "same seed gives the same sample",
        ),
        Option(
            "--mobile-shard", "I/N", None, values.shard,
            "run only the I-th of N parts of the tasks, counted from 1; `merge` joins the parts "
            "into one run",
        ),
        Option(
            "--mobile-resume", "RUN", None, str,
            "continue a run: report finished tasks from its record, and run the others",
        ),
        Option(
            "--mobile-reuse", "RUN", None, str,
            "reuse the results of a run that are still valid, score a task again if only its check "
            "has changed, and run the others",
        ),
        Option(
            "--mobile-rescore", "RUN", None, str,
            "evaluate the tests on the recorded episodes of a run, without a device or an agent",
        ),
        Option(
            "--mobile-replies", "RUN", None, str,
            "run the tasks of a run again on fresh phones, with the recorded replies of the "
            "agents' models, in order; these models are not called",
        ),
        Option(
            "--mobile-baseline", "RUN", None, str,
            "compare with a run, task by task and epoch by epoch",
        ),
        Option(
            "--mobile-gate", "FILE|EXPRESSION", None, str,
            "conditions for the run, or for its difference from the baseline, that decide the exit "
            "status: a TOML file, or an expression such as 'success_rate >= 0.5'",
        ),
        Option(
            "--mobile-exit", "tasks|run", "tasks", values.one_of("tasks", "run"),
            "the meaning of the exit status: with `tasks`, it is 1 if a task failed; with `run`, "
            "it is 0 if every task was decided",
        ),
    ),
    "output": (
        Option(
            "--mobile-runs", "DIR", "runs", str,
            "the folder in which each run creates its own folder",
        ),
        Option(
            "--mobile-watch", "", "false", values.truth,
            "serve the report during the run, with the phones' screens", is_flag=True,
        ),
        Option(
            "--mobile-redact", "FILE", None, str,
            "a TOML file of text patterns and screen regions to redact in everything that is "
            "recorded",
        ),
    ),
}  # fmt: skip
OPTIONS = tuple(option for group in GROUPS.values() for option in group)
# The ini keys that name folders, and what the folders contain.
FOLDERS = {
    "agents": ("mobile_agent_paths", "agents, which --agent finds by name"),
    "apps": ("mobile_app_paths", "apps for virtual phones"),
    "environments": ("mobile_env_paths", "environments, which --mobile-env names"),
    "noise": ("mobile_noise_paths", "noise of your own, for --mobile-noise"),
}

PACK_SCREENS = "mobile_pack_screens"  # an ini key


def add_options(parser: pytest.Parser) -> None:
    """Register all options and their ini keys with pytest."""
    for title, options in GROUPS.items():
        group = parser.getgroup(f"mobileagent {title}", f"mobile agents: {title}")
        for option in options:
            _add_option(option, parser, group)
    for what, (key, holds) in FOLDERS.items():
        text = f"folders of {holds}, relative to this file (see also pytest_mobileagent_{what})"
        parser.addini(key, text, type="paths", default=[])
    text = "pack the screens of large runs while the machine is idle, and at their end"
    parser.addini(PACK_SCREENS, text, type="bool", default=True)


def _add_option(option: Option, parser: pytest.Parser, group: pytest.OptionGroup) -> None:
    text = f"{option.help} (default: {option.default})" if option.default else option.help
    shared = {"dest": option.name, "default": None, "help": text}
    if option.is_flag:
        group.addoption(option.flag, action="store_const", const="true", **shared)
    else:
        action = "append" if option.repeats else "store"
        group.addoption(option.flag, action=action, metavar=option.metavar, **shared)
    parser.addini(option.name, f"{option.flag}: {option.help}", default=None)
