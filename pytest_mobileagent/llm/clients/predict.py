"""A client for models behind a plain HTTP endpoint or Gradio, which return text.

This is for small models that chat servers do not support, such as Auto-UI. SPA-Bench serves these
with Gradio (ai-agents-2030/SPA-Bench, framework/models/*/server.py): a function takes text, a
picture and optionally more texts, and returns the reply and the numbers of input and output tokens.
"""

from __future__ import annotations

import base64
import json
import weakref
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx2

from pytest_mobileagent.llm.clients.openai import data_url
from pytest_mobileagent.llm.clients.sdk import Answers, http_options, mended
from pytest_mobileagent.llm.model import Completion
from pytest_mobileagent.llm.replies import usage_in

if TYPE_CHECKING:
    from pytest_mobileagent.llm.model import Image, Request


class Predict:
    """A `Client` for a plain endpoint, or for a Gradio app.

    A plain endpoint receives `POST URL` with `{"prompt": …, "images": [base64, …]}` and the fields
    of the request's `extra`. It returns `{"text": …}`, with `input_tokens` and `output_tokens` if
    it counts them. If the URL has no path, the endpoint is at `/predict`.

    If the URL has no path and Gradio answers there, the app's first function is called with the
    text, each picture, and then `extra["inputs"]`. The server chooses settings like temperature.
    """

    def __init__(self, model: str, base_url: str, key: str = "", timeout: float = 300.0) -> None:
        self.model = model
        self._url, self._answers = base_url.rstrip("/"), Answers(base_url.rstrip("/"), key)
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._http = httpx2.Client(headers=headers, **http_options(base_url, timeout))
        weakref.finalize(self, self._http.close)
        self._gradio: str | None = None if not urlsplit(self._url).path else ""

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def ask(self, request: Request) -> Completion:
        """Send a request, and return the answer (see `Client`)."""
        with self._answers.our_errors():
            if self._gradio is None:
                self._gradio = self._find_gradio()
            if self._gradio:
                return _of_gradio(self._call(self._gradio, request))
            url = self._url if urlsplit(self._url).path else f"{self._url}/predict"
            images = [base64.b64encode(image.data).decode() for image in request.images]
            body = {"prompt": request.text, "images": images, **request.extra}
            return _of_predict(self._json(self._post(url, json=mended(body))))

    def _find_gradio(self) -> str:
        """Return the URL of Gradio's function; empty if the server is not Gradio."""
        response = self._http.get(f"{self._url}/config")
        if response.status_code != 200:
            return ""
        try:
            config = response.json()
        except ValueError:
            return ""
        if not isinstance(config, dict) or "dependencies" not in config:
            return ""
        # Up to version 5, Gradio calls an app's function "predict"; from 6 on, by its own name.
        named = [each.get("api_name") for each in config["dependencies"]]
        own = next((each for each in named if isinstance(each, str)), "predict")
        name = "predict" if "predict" in named else own
        if str(config.get("version", "")).startswith("3."):
            return f"{self._url}/api/{name}"
        return f"{self._url}{config.get('api_prefix') or ''}/call/{name}"

    def _call(self, url: str, request: Request) -> list[Any]:
        """Call Gradio's function, and return its results."""
        more = list(request.extra.get("inputs", ()))
        if "/call/" not in url:
            inputs = [request.text, *map(data_url, request.images), *more]
            return list(self._json(self._post(url, json=mended({"data": inputs})))["data"])
        files = [self._upload(url, image) for image in request.images]
        called = self._json(self._post(url, json=mended({"data": [request.text, *files, *more]})))
        result = self._checked(self._http.get(f"{url}/{called['event_id']}")).text
        for block in result.split("\n\n"):
            lines = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line)
            if lines.get("event") == "complete":
                return list(mended(json.loads(lines["data"])))
            if lines.get("event") == "error":
                raise self._answers.broken(f"its function failed: {lines.get('data')}")
        raise self._answers.broken("its answer ended before the reply was complete")

    def _upload(self, url: str, image: Image) -> dict[str, Any]:
        name = f"screen.{image.media_type.removeprefix('image/')}"
        place = url.rpartition("/call/")[0] + "/upload"
        [path] = self._post(place, files={"files": (name, image.data, image.media_type)}).json()
        return {"path": path, "meta": {"_type": "gradio.FileData"}}

    def _post(self, url: str, **content: Any) -> httpx2.Response:
        return self._checked(self._http.post(url, **content))

    def _checked(self, response: httpx2.Response) -> httpx2.Response:
        if response.is_success:
            return response
        try:
            body = response.json()
        except (ValueError, RecursionError):
            body = response.text
        raise self._answers.refusal(response.status_code, body, response.headers) from None

    def _json(self, response: httpx2.Response) -> dict[str, Any]:
        answer = mended(response.json())
        if not isinstance(answer, dict):
            raise self._answers.broken("its answer is not a JSON object")
        return answer


def _of_predict(answer: dict[str, Any]) -> Completion:
    text = answer["text"]
    if not isinstance(text, str):
        raise TypeError(f"the text is {text!r}")
    return _answer(text, answer.get("input_tokens"), answer.get("output_tokens"))


def _of_gradio(returned: list[Any]) -> Completion:
    text, given, output = [*returned, None, None][:3]
    return _answer(str(text), given, output)


def _answer(text: str, given: Any, output: Any) -> Completion:
    counts = {"input_tokens": given, "output_tokens": output}
    return Completion(text, usage=usage_in({"usage": counts}))
