"""A session of an Appium server: made when it is needed, and again when it is lost."""

from __future__ import annotations

import json
import logging
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit, urlunsplit

from pytest_mobileagent.errors import DeviceError
from pytest_mobileagent.extras import check_extra
from pytest_mobileagent.urls import hide, redact_urls

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from appium.webdriver import Remote


def parse_capabilities(file: str) -> dict[str, Any]:
    """Read a JSON file of capabilities.

    Raises:
        ValueError: it cannot be read, or is no JSON object.
    """
    try:
        capabilities = json.loads(Path(file).read_text("utf-8"))
    except (OSError, ValueError) as error:
        msg = f"cannot be read as JSON: {error}"
        raise ValueError(msg) from None
    if not isinstance(capabilities, dict):
        msg = "has to hold one JSON object"
        raise ValueError(msg)
    return capabilities


# Those that log the URL, and so what pytest shows of a test that failed.
_LOGGERS = ("urllib3.connectionpool", "selenium.webdriver.remote.remote_connection")
_ANSWER_SECONDS = 240.0  # the first session on a real device installs Appium's own apps


class AppiumSession:
    """Speaks to one device through the server at `url`, with the given capabilities.

    The URL may hold a user name and a key, as those of hubs do; messages show neither.
    """

    def __init__(self, url: str, capabilities: Mapping[str, Any]) -> None:
        self.url = url
        self.shown = redact_urls(url)
        _hide_in_logs(url)
        self._capabilities = capabilities
        self._driver: Remote | None = None

    @property
    def driver(self) -> Remote:
        """The client's session, which is made if there is none."""
        if self._driver is None:
            self._driver = self._create()
        return self._driver

    @contextmanager
    def speaking(self, what: str) -> Iterator[Remote]:
        """Yield the client's session, and turn failures into a DeviceError that says `what`.

        Raises:
            DeviceError: the server is not there, or the device does not do it.
            MissingExtraError: the packages for Appium are not installed.
        """
        check_extra("appium", "driving devices by Appium")
        from selenium.common.exceptions import WebDriverException
        from urllib3.exceptions import HTTPError

        try:
            yield self.driver
        except WebDriverException as error:
            lines = (error.msg or type(error).__name__).strip().splitlines()
            message = hide((lines or ["?"])[0], self.url)[:300]
            msg = f"Appium at {self.shown}: {what} failed: {message}"
            raise DeviceError(msg) from error
        except (HTTPError, OSError) as error:
            self._driver = None
            message = hide(str(error), self.url)[:300]
            msg = f"Appium at {self.shown} does not answer: {what} failed: {message}"
            raise DeviceError(msg) from error

    def alive(self) -> bool:
        """Whether the session still reaches the device."""
        if self._driver is None:
            return False
        try:
            with self.speaking("an observation"):
                _ = self.driver.page_source
        except DeviceError:
            return False
        return True

    def renew(self, what: str) -> None:
        """End the session and make a new one; `what` names it where that fails.

        Raises:
            DeviceError: no new session can be opened.
        """
        self.close()
        with self.speaking(what):
            pass

    def close(self) -> None:
        """End the session."""
        driver, self._driver = self._driver, None
        if driver is not None:
            with suppress(Exception):  # it may be lost already
                driver.quit()

    def _create(self) -> Remote:
        from appium import webdriver  # it takes 300 ms to import
        from appium.options.android import UiAutomator2Options
        from appium.webdriver.client_config import AppiumClientConfig

        options = UiAutomator2Options().load_capabilities(dict(self._capabilities))
        parts = urlsplit(self.url)
        url = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
        config = AppiumClientConfig(
            url,
            keep_alive=True,
            timeout=int(_ANSWER_SECONDS),
            username=unquote(parts.username or "") or None,
            password=unquote(parts.password or "") or None,
        )
        return webdriver.Remote(url, options=options, client_config=config)


@cache  # once for each URL
def _hide_in_logs(url: str) -> None:
    """Take the name and the key out of what libraries log."""

    def rewrite(record: logging.LogRecord) -> bool:
        record.msg, record.args = hide(record.getMessage(), url), ()
        return True

    for name in _LOGGERS:
        logging.getLogger(name).addFilter(rewrite)
