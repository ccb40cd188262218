"""An official SDK's client, asked in plain data, and its errors as ours.

The SDKs bring connections, proxies and the reading of streams. Their types are left aside: servers
that speak an API say more and less than these know.
"""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.llm.clients.characters import mended
from pytest_mobileagent.llm.clients.failing import refused, scrubbed
from pytest_mobileagent.llm.failures import ProviderBusyError
from pytest_mobileagent.plain import why_unreadable
from pytest_mobileagent.urls import hide, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_mobileagent.llm.failures import ProviderError, RequestRefusedError
    from pytest_mobileagent.llm.message import Answer


class Sdk:
    """A client of openai's or anthropic's SDK: `module` is the SDK, `client` its client."""

    def __init__(self, module: Any, client: Any, url: str, key: str) -> None:
        self._module, self._client = module, client
        self._url, self._key = url, key

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def post(
        self, path: str, body: dict[str, Any], headers: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """Send a request, and return the answer.

        Raises:
            ProviderError, RequestRefusedError: see `Client.ask`.
        """
        with self._our_errors():
            options = {"headers": dict(headers or {})}
            answer = self._client.post(path, cast_to=object, body=mended(body), options=options)
        if not isinstance(answer, dict):
            raise self.broken(f"its answer is no object of JSON: {str(answer)[:200]!r}")
        if answer.get("error") and not answer.get("status"):  # OpenRouter's, with the status 200
            raise self.failed(answer)
        return answer

    def stream(
        self, path: str, body: dict[str, Any], headers: Mapping[str, str] | None = None
    ) -> Iterator[dict[str, Any]]:
        """Send a request, and yield the events of the answer.

        Raises:
            ProviderError, RequestRefusedError: see `Client.ask`.
        """
        with self._our_errors():
            events = self._client.post(
                path,
                cast_to=object,
                body=mended({**body, "stream": True}),
                options={"headers": dict(headers or {})},
                stream=True,
                stream_cls=self._module.Stream[object],
            )
            with contextlib.closing(events):
                for event in events:
                    if isinstance(event, dict):
                        yield event

    @property
    def place(self) -> str:
        """Where the provider is, as it may be shown."""
        return shown(self._url)

    def failed(self, error: Any) -> ProviderError | RequestRefusedError:
        """Return the error that an answer reports, whose status was well."""
        return refused(self.place, 200, error, {}, self._key)

    def broken(self, why: str) -> ProviderBusyError:
        """Return the error of an answer that is cut, or that nobody can read."""
        return ProviderBusyError(f"{self.place}: {scrubbed(hide(why, self._url), self._key)}")

    @contextlib.contextmanager
    def reading(self, what: str) -> Iterator[None]:
        """Raise the error of an answer that cannot be read where it has another shape."""
        try:
            yield
        except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
            why = f"its answer is no {what} ({type(error).__name__}: {error})"
            raise self.broken(why) from None

    @contextlib.contextmanager
    def _our_errors(self) -> Iterator[None]:
        """Raise our errors, without those of the SDK behind them: their texts may hold a key."""
        import httpx2  # the SDKs bring it

        sdk = self._module
        try:
            yield
        except sdk.APIStatusError as error:
            response = error.response
            body = error.body if error.body is not None else response.text
            wrong = refused(self.place, response.status_code, body, response.headers, self._key)
        except sdk.APITimeoutError:
            wrong = self.broken("no answer came in time")
        except sdk.APIConnectionError as error:
            wrong = self.broken(f"it cannot be reached: {error.__cause__ or error}")
        except sdk.APIError as error:
            wrong = refused(self.place, 200, error.body or str(error), {}, self._key)
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            wrong = self.broken(f"its answer was cut: {error}")
        except (ValueError, RecursionError) as error:
            wrong = self.broken(f"its answer cannot be read: {why_unreadable(error)}")
        else:
            return
        raise wrong from None


def sound(answer: Answer) -> Answer:
    """Return an answer if its parts are of their types, which no server has to hold to.

    Raises:
        TypeError: they are not.
    """
    calls, usage = answer.tool_calls, answer.usage
    texts = [answer.text, answer.model, *(word for call in calls for word in (call.id, call.name))]
    counts = [n for n in (usage.input, usage.output, usage.cached) if n is not None]
    tables = [call.arguments for call in calls]
    for kind, values in ((str, texts), (int, counts), (dict, tables)):
        for value in values:
            if not isinstance(value, kind):
                msg = f"{value!r} is no {kind.__name__}"
                raise TypeError(msg)
    return answer


class Stopwatch:
    """The seconds from the request to the first token."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self.seconds: float | None = None

    def token(self) -> None:
        """Note that a token came."""
        if self.seconds is None:
            self.seconds = round(time.monotonic() - self._started, 3)
