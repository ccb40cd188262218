"""A session of an Appium server, and the program that runs such a server for a run.

The supervisor of a run starts the program. It prints a line of JSON with the server's URL once the
server answers. It stops the server when standard input closes, and exits when the server does.
Appium is taken from the folder `--home`, where npm has installed it, or else it is the program
`appium` on the PATH.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit, urlunsplit

from pytest_mobileagent.errors import DeviceError
from pytest_mobileagent.extras import check_extra
from pytest_mobileagent.processes import die_with_parent, is_readable, without_keys
from pytest_mobileagent.urls import by_proxy, hide, leads_here, proxy_of, redact_urls

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from appium.webdriver import Remote


def parse_capabilities(file: str) -> dict[str, Any]:
    """Read a JSON file of capabilities.

    Raises:
        ValueError: if the file cannot be read, or does not contain a JSON object.
    """
    try:
        capabilities = json.loads(Path(file).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"cannot be read as JSON: {error}") from None
    if not isinstance(capabilities, dict):
        raise ValueError("must contain a JSON object")
    return capabilities


# Loggers that log the URL, which pytest would print for a failed test.
_LOGGERS = ("urllib3.connectionpool", "selenium.webdriver.remote.remote_connection")
_ANSWER_SECONDS = 240.0  # the first session on a real device installs Appium's own apps
# How the UiAutomator2 driver refuses a command, before it is sent, once its server on the device
# has crashed (UIA2Proxy.proxyCommand).
_CRASHED = "the instrumentation process is not running"


class AppiumSession:
    """A session on one device through the server at `url`, with the given capabilities.

    If the automation server on the device has crashed, the next command opens a new session.

    The URL may contain a user name and a key, as those of hubs do; they are kept out of messages
    (`redacted` is the URL without them) and of logs.
    """

    def __init__(self, url: str, capabilities: Mapping[str, Any]) -> None:
        self.url = url
        self.redacted = redact_urls(url)
        _hide_in_logs(url)
        self._capabilities = capabilities
        self._driver: Remote | None = None

    @property
    def driver(self) -> Remote:
        """The client's session, which is created if necessary."""
        if self._driver is None:
            self._driver = self._create()
        return self._driver

    @contextmanager
    def speaking(self, what: str) -> Iterator[Remote]:
        """Yield the client's session, and turn its errors into a DeviceError that names `what`.

        Raises:
            DeviceError: if the server does not answer, or the device failed.
            MissingExtraError: if the packages for Appium are not installed.
        """
        check_extra("appium", "driving devices by Appium")
        from selenium.common.exceptions import WebDriverException
        from urllib3.exceptions import HTTPError

        try:
            yield self.driver
        except WebDriverException as error:
            text = (error.msg or type(error).__name__).strip()
            if text.startswith("<"):  # a page of HTML, from a gateway before the server
                text = " ".join(re.sub(r"<[^>]*>", " ", text).split())
            message = hide((text.splitlines() or ["?"])[0], self.url)[:300]
            raise DeviceError(f"Appium at {self.redacted}: {what} failed: {message}") from error
        except (HTTPError, OSError) as error:
            self._driver = None
            message = hide(hide(str(error), self.url), proxy_of(self.url))[:300]
            by = by_proxy(self.url)
            msg = f"Appium at {self.redacted} does not answer: {what} failed: {message}{by}"
            raise DeviceError(msg) from error

    def alive(self) -> bool:
        """Return whether the session still reaches the device."""
        if self._driver is not None:
            with suppress(DeviceError), self.speaking("an observation") as driver:
                _ = driver.page_source
                return True
        return False

    def renew(self, what: str) -> None:
        """End the session and open a new one, which an error message calls `what`.

        Raises:
            DeviceError: if no new session can be opened.
        """
        self.close()
        with self.speaking(what):
            pass

    def close(self) -> None:
        driver, self._driver = self._driver, None
        if driver is not None:
            with suppress(Exception):  # it may be lost already
                driver.quit()

    def _create(self) -> Remote:
        from appium import webdriver  # it takes 300 ms to import
        from appium.options.android import UiAutomator2Options
        from appium.webdriver.client_config import AppiumClientConfig
        from selenium.common.exceptions import WebDriverException
        from selenium.webdriver.common.proxy import Proxy, ProxyType
        from selenium.webdriver.remote.command import Command

        options = UiAutomator2Options().load_capabilities(dict(self._capabilities))

        class Client(webdriver.Remote):
            """The client, but errors that are not in W3C's format, as of hubs, are errors, too."""

            def execute(self, driver_command: Any, params: Any = None) -> Any:
                try:
                    return self._execute(driver_command, params)
                except WebDriverException as error:
                    if _CRASHED not in (error.msg or ""):
                        raise
                with suppress(WebDriverException):
                    self._execute(Command.QUIT)
                self.start_session(options)
                (params or {}).pop("sessionId", None)
                return self._execute(driver_command, params)

            def _execute(self, driver_command: Any, params: Any = None) -> Any:
                response = super().execute(driver_command, params)
                if response.get("status"):
                    raise WebDriverException(str(response.get("value") or response))
                return response

        parts = urlsplit(self.url)
        url = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
        config = AppiumClientConfig(
            url,
            keep_alive=True,
            proxy=Proxy(raw={"proxyType": ProxyType.DIRECT}) if leads_here(url) else None,
            timeout=int(_ANSWER_SECONDS),
            username=unquote(parts.username or "") or None,
            password=unquote(parts.password or "") or None,
        )
        return Client(url, options=options, client_config=config)


@cache  # once for each URL
def _hide_in_logs(url: str) -> None:
    """Redact the URL's user name and key in the records that libraries log."""

    def rewrite(record: logging.LogRecord) -> bool:
        record.msg, record.args = hide(record.getMessage(), url), ()
        return True

    for name in _LOGGERS:
        logging.getLogger(name).addFilter(rewrite)


_START_SECONDS = 50.0
INSTALL = (
    "install it with `npm install --prefix DIR appium appium-uiautomator2-driver`, and pass "
    "-o mobile_appium_home=DIR"
)
# The devices' state is read by shell commands. It is safe to allow them here, because the server
# belongs to the run and only listens on loopback.
_FEATURES = "uiautomator2:adb_shell"


def find_appium(home: Path | None) -> Path:
    """Return the path of Appium's program.

    Raises:
        FileNotFoundError: if Appium is not installed; the message says how to install it.
    """
    if home is None:
        if found := shutil.which("appium"):
            return Path(found)
        raise FileNotFoundError(f"Appium is not installed: {INSTALL}")
    program = home / "node_modules" / ".bin" / "appium"
    if not program.exists():
        raise FileNotFoundError(f"there is no Appium in {home}: {INSTALL}")
    return program


def main(arguments: list[str] | None = None) -> int:
    """Run the server until standard input closes; the exit status is 1 if it fails before that."""
    parser = argparse.ArgumentParser(prog="appium.server")
    parser.add_argument("--home", type=Path)
    options = parser.parse_args(arguments)
    try:
        program = find_appium(options.home)
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="appium-") as folder:
        process, url = _start(program, options.home, Path(folder))
        try:
            if not _answers(process, url):
                print(f"{program} does not answer at {url}", file=sys.stderr)
                return 1
            print(json.dumps({"url": url}), flush=True)
            signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
            while process.poll() is None and not _is_closed(sys.stdin, 0.1):
                pass
            if process.returncode is None:
                return 0
            print(f"{program} ended with status {process.returncode}", file=sys.stderr)
            return 1
        finally:
            _end(process)


def _is_closed(stream: IO[str], seconds: float) -> bool:
    """Return whether a stream that carries no data ends within the given seconds."""
    return is_readable(stream, seconds) and not os.read(stream.fileno(), 4096)


def _start(program: Path, home: Path | None, folder: Path) -> tuple[subprocess.Popen[bytes], str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = without_keys()
    if home is not None:
        environment["APPIUM_HOME"] = str(home.resolve())
    if not {"ANDROID_HOME", "ANDROID_SDK_ROOT"} & set(environment):
        environment["ANDROID_HOME"] = str(_sdk(folder))
    command = [str(program), "--address", "127.0.0.1", "--port", str(port)]
    command += ["--allow-insecure", _FEATURES, "--log-level", "error:error"]
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
        env=environment,
        preexec_fn=die_with_parent,  # noqa: PLW1509 - this process has one thread
    )
    return process, f"http://127.0.0.1:{port}"


def _sdk(folder: Path) -> Path:
    """Create the minimal Android SDK that Appium needs: a link to this installation's adb."""
    import adbutils  # it takes 50 ms to import

    tools = folder / "sdk" / "platform-tools"
    tools.mkdir(parents=True)
    (tools / "adb").symlink_to(adbutils.adb_path())
    return tools.parent


def _answers(process: subprocess.Popen[bytes], url: str) -> bool:
    deadline = time.monotonic() + _START_SECONDS
    past_proxies = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while process.poll() is None and time.monotonic() < deadline:
        with suppress(OSError), past_proxies.open(f"{url}/status", timeout=5):
            return True
        time.sleep(0.05)
    return False


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


if __name__ == "__main__":
    sys.exit(main())
