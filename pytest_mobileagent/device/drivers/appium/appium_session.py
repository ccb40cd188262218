"""A session of an Appium server, opened on first use and again after it is lost."""

from __future__ import annotations

import json
import logging
import re
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit, urlunsplit

from pytest_mobileagent.errors import DeviceError
from pytest_mobileagent.extras import check_extra
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
        if self._driver is None:
            return False
        try:
            with self.speaking("an observation"):
                _ = self.driver.page_source
        except DeviceError:
            return False
        return True

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
