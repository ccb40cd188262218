"""Shared fixtures: real recordings, a virtual phone, and a project that uses the plugin."""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import adbutils
import pytest
from hypothesis import HealthCheck, settings

from pytest_mobileagent import Case, DeviceInfo, Episode, Screen, Step, Task, testing
from pytest_mobileagent.device.device import DeviceOptions
from pytest_mobileagent.device.drivers.appium import server as appium_server
from pytest_mobileagent.device.fleet.programs import warm_program
from pytest_mobileagent.device.fleet.shared import SharedRun
from pytest_mobileagent.device.sources.virtual import virtual_slots
from pytest_mobileagent.urls import sparing_loopback
from pytest_mobileagent.virtual.main import boot

from .inprocess import known_plugins, loaded, pytester  # noqa: F401 - fixtures
from .project import APPS, project  # noqa: F401 - a fixture
from .scheduling import LongestFirst, place

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.device.device import Address

# Hypothesis uses the same examples in each run, and stores none. `EXAMPLES=1000` tries more. Its
# first draw in a fresh clone reads all loaded modules for constants, which is slow, not unhealthy.
_EXAMPLES = int(os.environ.get("EXAMPLES", "50"))
settings.register_profile(
    "tests",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=_EXAMPLES,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("tests")

# The tests' own clients ask servers on this machine, whatever proxy the user has.
os.environ.update(sparing_loopback(os.environ))

# A script's background job ignores Ctrl-C (SIGINT), which the tests send to programs.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

TESTS = Path(__file__).parent

# Leases and environments of the tests are in pytest's cache instead of the user's. Each worker has
# its own, since devices of different workers may have the same serial.
_WORKER = os.environ.get("PYTEST_XDIST_WORKER", "main")
os.environ["XDG_CACHE_HOME"] = str(TESTS.parent / ".pytest_cache" / "xdg" / _WORKER)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LongestFirst | None:
    """Send files in order: xdist itself would give one worker most of those that start first."""
    if config.getvalue("dist") not in ("load", "loadfile"):
        return None
    config.option.loadscopereorder = False
    return LongestFirst(config, log)


def _import_share(config: pytest.Config) -> None:
    """Import this worker's share of the tests' files, whose code pytest then keeps for all workers.

    In a fresh clone, each worker would rewrite the asserts of all files, two thirds of the time
    that it takes to collect them.
    """
    worker, ignored = int(_WORKER.removeprefix("gw")), config.getoption("ignore") or ()
    left_out = [config.invocation_params.dir / each for each in ignored]
    found = (each for arg in config.args for each in sorted(Path(arg).rglob("test_*.py")))
    files = [each for each in found if not any(map(each.absolute().is_relative_to, left_out))]
    for file in files[worker :: int(os.environ["PYTEST_XDIST_WORKER_COUNT"])]:
        # What a file raises is reported when it is collected.
        with contextlib.suppress(Exception, pytest.skip.Exception):
            name = file.absolute().relative_to(TESTS.parent).with_suffix("")
            importlib.import_module(".".join(name.parts))


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Collect tests without collecting garbage, and spare later collections all that stays.

    With thousands of tests and what they import, that is a fifth of the time of collecting, and a
    tenth of that of runs in this process.
    """
    gc.disable()
    try:
        if _WORKER != "main" and session.config.getoption("markexpr") != "slow":
            _import_share(session.config)
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


# The last collection of a process sees all objects, as destructors that run later find no modules.
# pytest makes two before it, which are spared looking through all modules.
atexit.register(gc.unfreeze)


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable(
    report: pytest.CollectReport | pytest.TestReport,
) -> Generator[None, dict[str, Any] | None, dict[str, Any] | None]:
    """Send no keywords of what has passed: nobody reads that third of what workers send."""
    data = yield
    if data is not None and "keywords" in data and report.passed:
        data["keywords"] = {}
    return data


@cache
def _names_slow(file: Path) -> bool:
    """Whether a file of tests, or a conftest.py above it, names the mark `slow`."""
    folders = (folder for folder in file.parents if TESTS in folder.parents)
    files = (file, *(folder / "conftest.py" for folder in folders))
    return any(b"mark.slow" in each.read_bytes() for each in files if each.is_file())


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out files without slow tests with `-m slow`: that collects in a quarter of the time."""
    if config.getoption("markexpr") != "slow" or collection_path.suffix != ".py":
        return None
    return None if _names_slow(collection_path) else True


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Refuse a file whose slow tests would be left out, with an error that workers report, too."""
    report = yield
    found = (each for each in report.result if isinstance(each, pytest.Item))
    if any(each.get_closest_marker("slow") for each in found) and not _names_slow(collector.path):
        report.outcome, report.result = "failed", []
        report.longrepr = (
            f"`-m slow` would not find its slow tests: write mark.slow in {collector.path}"
        )
    return report


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: place(item.nodeid))


@pytest.fixture(scope="module", autouse=True)
def _small_process() -> Iterator[None]:
    """Collect garbage after a file with which this process has grown, for the sake of later forks.

    Python counts objects, not the megabytes of a picture that one of them may hold.
    """
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > before + _MUCH:
        gc.collect()


_MUCH = 30 * 1024  # KiB, on Linux


@pytest.fixture(scope="session")
def recordings() -> Path:
    """The folder of real recordings beside the repository, if there is one."""
    folder = TESTS.parent.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the recordings of real phones are not beside this repository")
    return folder


@pytest.fixture(scope="session")
def phone() -> Iterator[Address]:
    """A virtual phone with the tests' app, shared by all tests of this process."""
    with contextlib.closing(SharedRun()) as run:
        yield virtual_slots(run, DeviceOptions(apps=(APPS,))).address(0)


@pytest.fixture(scope="session")
def appium_home() -> Path:
    """The folder in which `make appium` installs Appium; skips the test if it is missing."""
    home = Path(os.environ.get("MOBILE_APPIUM_HOME", TESTS.parent / ".appium"))
    try:
        appium_server.find_appium(home)
    except FileNotFoundError:
        pytest.skip("Appium is not installed: `make appium` does that, and needs node")
    return home


@pytest.fixture(scope="session")
def appium_url(phone: Address, appium_home: Path) -> Iterator[str]:
    """An Appium server of this process."""
    command = [sys.executable, "-m", appium_server.__name__, "--home", str(appium_home)]
    environment = {**os.environ, "HOME": phone.home}
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        yield json.loads(process.stdout.readline())["url"]
        process.stdin.close()


@pytest.fixture(scope="session")
def make_screen() -> Callable[..., Screen]:
    """Makes a small screen of elements, each given as a text or a mapping of attributes."""

    def make(*nodes: str | dict[str, str], **fields: Any) -> Screen:
        rows = [node if isinstance(node, dict) else {"text": node} for node in nodes]
        bare = [{"bounds": "[0,0][0,0]", "class": "", **row} for row in rows]
        return testing.make_screen(
            *bare, **{"size": (100, 200), "shade": 0, "time": None, **fields}
        )

    return make


@pytest.fixture(scope="session")
def make_episode(make_screen: Callable[..., Screen]) -> Callable[..., Episode]:
    """Makes an episode with a step for each action or list of actions.

    By default, its screens have the texts "0", "1", ….
    """

    def make(
        *decisions: Action | list[Action], screens: tuple[Screen, ...] = (), **fields: Any
    ) -> Episode:
        shown = screens or tuple(make_screen(str(n)) for n in range(len(decisions) + 1))
        each = (d if isinstance(d, list) else [d] for d in decisions)
        steps = tuple(Step(s, tuple(actions)) for s, actions in zip(shown, each, strict=False))
        task = Task(fields.get("goal", "Do it."))
        given = {
            "case": Case(task, "suite/task"),
            "goal": task.goal,
            "agent": "scripted",
            "device": DeviceInfo("emulator-5554", "Pixel", "15", 35, (100, 200), 160),
            "screen": shown[-1],
            "steps": steps,
        }
        return Episode(**{**given, **fields})

    return make


@dataclass(frozen=True)
class FakeSdk:
    """An SDK in a folder, whose emulator is a virtual phone (see tests/sdk)."""

    root: Path
    avds: Path

    def add_avd(self, name: str, *snapshots: str) -> Path:
        """Make an AVD, with snapshots of a phone that has the tests' app."""
        folder = self.avds / f"{name}.avd"
        folder.mkdir(parents=True)
        (self.avds / f"{name}.ini").write_text(f"path={folder}\ntarget=android-34\n")
        (folder / "config.ini").write_text(f"AvdId={name}\n")
        phone = boot([APPS], name=name)
        phone.snapshots.keep_in(folder / "snapshots")
        for snapshot in snapshots:
            phone.snapshots.save(snapshot)
        return folder

    @property
    def commands(self) -> list[list[str]]:
        """The command-line arguments with which each emulator was started."""
        lines = (self.root / "commands.jsonl").read_text("utf-8").splitlines()
        return [json.loads(line) for line in lines]

    def behave(self, **manners: Any) -> None:
        """Set how emulators behave that are started from now on (see tests/sdk/emulator.py)."""
        text = json.dumps({"apps": [str(APPS)], **manners})
        (self.root / "manners.json").write_text(text)


@pytest.fixture(scope="session")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The source of a program that acts as an emulator with a virtual phone, ready at once."""
    path = str(tmp_path_factory.mktemp("emulator") / "socket")
    words = warm_program("tests.sdk.emulator", "--apps", str(APPS))
    command = [word.replace("{socket}", path) for word in words]
    environment = {**os.environ, "PYTHONPATH": str(TESTS.parent)}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    ) as warm:
        assert warm.stdin is not None
        assert warm.stdout is not None
        warm.stdout.readline()
        body = (TESTS / "sdk" / "client.py").read_text("utf-8")
        yield f"#!{sys.executable} -IS\n" + body.replace('SOCKET = ""', f"SOCKET = {path!r}")
        warm.stdin.close()


@pytest.fixture
def sdk(
    emulator: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> FakeSdk:
    """An SDK without AVDs, to which the environment variables point."""
    root = tmp_path_factory.mktemp("sdk")
    tools = "cmdline-tools/latest/bin"
    for path in ("emulator/emulator", f"{tools}/sdkmanager", f"{tools}/avdmanager"):
        program = root / path
        program.parent.mkdir(parents=True, exist_ok=True)
        file = TESTS / "sdk" / f"{program.name}.py"
        body = f"#!{sys.executable}\n{file.read_text('utf-8')}"
        program.write_text(emulator if program.name == "emulator" else body, "utf-8")
        program.chmod(0o755)
    (root / "platform-tools").mkdir()
    (root / "platform-tools" / "adb").symlink_to(adbutils.adb_path())
    monkeypatch.setenv("ANDROID_HOME", str(root))
    monkeypatch.setenv("ANDROID_AVD_HOME", str(root / "avds"))
    (root / "avds").mkdir()
    sdk = FakeSdk(root, root / "avds")
    sdk.behave()
    return sdk


@pytest.fixture
def unused_port() -> Iterator[int]:
    """A port that is bound but not listening, so that nothing can listen on it during the test."""
    with socket.socket() as stream:
        stream.bind(("127.0.0.1", 0))
        yield int(stream.getsockname()[1])


_BROWSER = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--force-device-scale-factor=1", "--lang=en",
)  # fmt: skip


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A headless Chromium, driven by Selenium, which Appium's client depends on."""
    driver = pytest.importorskip("selenium.webdriver", reason="the extra `appium` brings Selenium")
    chromium, chromedriver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or chromedriver is None:
        pytest.skip("no browser: `apt-get install chromium chromium-driver` brings one")
    options = driver.ChromeOptions()
    options.binary_location = chromium
    for flag in (*_BROWSER, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chrome = driver.Chrome(options, driver.ChromeService(chromedriver))
    try:
        chrome.set_window_size(1400, 900)
        yield chrome
    finally:
        chrome.quit()


@pytest.fixture
def chrome(browser: Any) -> Iterator[Any]:
    """The browser without a page; a page that a test leaves open would go on writing its log."""
    yield browser
    browser.get("about:blank")
    browser.get_log("browser")  # Reading discards the messages.
