"""Providers: their endpoints and keys, and the checks before a model is asked."""

from __future__ import annotations

import os
import socket
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.llm.providers import (
    PROVIDERS,
    _client,
    check_endpoint,
    endpoint_of,
    key_of,
    keys,
    make_client,
    prepare,
    provider_of,
    without_keys,
)
from pytest_mobileagent.llm.reference import parse_reference
from pytest_mobileagent.testing import ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KEY = "sk-not-a-real-key"


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove variables of the user's environment that would affect the tests."""
    for provider in PROVIDERS.values():
        for name in (*provider.key, *provider.url_variables):
            monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "*")


@contextmanager
def server(
    status: int, location: str = "", body: bytes = b""
) -> Iterator[tuple[str, list[tuple[str, dict[str, str]]]]]:
    """A server that replies with one status; returns its URL and the requests it received."""
    asked: list[tuple[str, dict[str, str]]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append((self.path, {k.lower(): v for k, v in self.headers.items()}))
            self.send_response(status)
            if location:
                self.send_header("Location", location)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None: ...  # type: ignore[override]

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{http.server_port}", asked
    finally:
        http.shutdown()
        thread.join()
        http.server_close()


def test_an_unknown_provider_is_reported_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"no provider is called 'opnai'; did you mean 'openai'\?"):
        provider_of(parse_reference("opnai:gpt-4o"))
    with pytest.raises(ValueError, match=r"'OpenAI'; did you mean 'openai'\? \(available: anthro"):
        provider_of(parse_reference("OpenAI:gpt-4o"))


@pytest.mark.parametrize("name", PROVIDERS)
def test_each_provider_has_or_requires_an_endpoint(name: str) -> None:
    if PROVIDERS[name].url:
        assert endpoint_of(parse_reference(f"{name}:m")).startswith(
            ("https://", "http://localhost")
        )
    else:
        with pytest.raises(ValueError, match=rf"as in {name}:m@http://HOST:PORT/v1"):
            endpoint_of(parse_reference(f"{name}:m"))
    assert endpoint_of(parse_reference(f"{name}:m@http://here/v1/")) == "http://here/v1"


@pytest.mark.parametrize(
    ("variable", "value", "model", "url"),
    [
        ("OPENAI_BASE_URL", "http://gpu1/v1/", "openai:m", "http://gpu1/v1"),
        ("OPENAI_BASE_URL", "http://gpu1/v1", "openai-responses:m", "http://gpu1/v1"),
        ("OPENAI_BASE_URL", "http://gpu1/v1", "openai:m@http://own/v1", "http://own/v1"),
        ("OPENAI_BASE_URL", "", "openai:m", "https://api.openai.com/v1"),
        ("ANTHROPIC_BASE_URL", "http://gpu1", "anthropic:m", "http://gpu1"),
        ("GEMINI_BASE_URL", "http://gpu1/v1beta", "gemini:m", "http://gpu1/v1beta"),
        ("GEMINI_BASE_URL", "http://gpu1/v1beta/openai/", "gemini:m", "http://gpu1/v1beta"),
        ("VLLM_BASE_URL", "http://gpu1:8000/v1", "vllm:m", "http://gpu1:8000/v1"),
        ("OLLAMA_HOST", "gpu1:11434", "ollama:m", "http://gpu1:11434/v1"),
        ("OLLAMA_HOST", "https://gpu1/v1/", "ollama:m", "https://gpu1/v1"),
        ("OLLAMA_HOST", "0.0.0.0", "ollama:m", "http://127.0.0.1:11434/v1"),
        ("OLLAMA_HOST", "gpu1", "ollama:m", "http://gpu1:11434/v1"),
        ("OLLAMA_HOST", "http://0.0.0.0:8080", "ollama:m", "http://127.0.0.1:8080/v1"),
    ],
)
def test_environment_overrides_endpoints(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, model: str, url: str
) -> None:
    monkeypatch.setenv(variable, value)
    assert endpoint_of(parse_reference(model)) == url


@pytest.mark.parametrize(
    ("model", "names"),
    [
        ("openai:m", "OPENAI_API_KEY"),
        ("anthropic:m", "ANTHROPIC_API_KEY"),
        ("gemini:m", "GEMINI_API_KEY or GOOGLE_API_KEY"),
    ],
)
def test_a_missing_key_is_reported_by_its_variable(
    monkeypatch: pytest.MonkeyPatch, model: str, names: str
) -> None:
    for value in (None, "", "  "):
        if value is not None:
            monkeypatch.setenv(names.partition(" ")[0], value)
        with pytest.raises(ValueError, match=f"the environment variable {names} is not set"):
            key_of(parse_reference(model))


def test_key_comes_only_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for model in ("openai:m@http://own/v1", "ollama:m", "vllm:m@http://own", "scripted:a"):
        assert key_of(parse_reference(model)) == ""
    monkeypatch.setenv("GOOGLE_API_KEY", f" {KEY}\n")
    assert key_of(parse_reference("gemini:m")) == KEY
    monkeypatch.setenv("GEMINI_API_KEY", "sk-the-first")
    assert key_of(parse_reference("gemini:m")) == "sk-the-first"


@pytest.mark.parametrize("key", ["sk-a\nb-secret", "sk-a b-secret", "sk-…secret", "sk-ü-secret"])
def test_an_invalid_key_is_refused_without_showing_it(
    monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(ValueError, match="OPENAI_API_KEY has spaces or odd characters") as caught:
        key_of(parse_reference("openai:m"))
    assert "secret" not in str(caught.value)


def test_keys_are_removed_from_text(monkeypatch: pytest.MonkeyPatch) -> None:
    assert keys() == ()
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\n")
    monkeypatch.setenv("GEMINI_API_KEY", "short")
    monkeypatch.setenv("MISTRAL_API_KEY", f"{KEY}-and-more")
    assert without_keys(f"a {KEY}, b {KEY}-and-more, short") == "a …, b …, short"


def headers(model: str, status: int = 200) -> tuple[str, dict[str, str]]:
    with server(status) as (url, asked):
        check_endpoint(parse_reference(f"{model}@{url}"))
    (request,) = asked
    return request


def test_endpoint_check_sends_the_key_but_no_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    path, given = headers("openai:m")
    assert (path, given["authorization"]) == ("/models", f"Bearer {KEY}")
    path, given = headers("anthropic:m")
    assert (path, given["x-api-key"]) == ("/v1/models", KEY)
    assert "authorization" not in given
    path, given = headers("predict:m")
    assert path == "/"
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    path, given = headers("gemini:m")
    assert (path, given["x-goog-api-key"]) == ("/models", KEY)
    assert "authorization" not in given


@pytest.mark.parametrize("model", ["openai:m", "anthropic:m"])
def test_no_key_is_sent_if_none_is_set(model: str) -> None:
    _, given = headers(model)
    assert not {"authorization", "x-api-key"} & given.keys()


@pytest.mark.parametrize("status", [404, 500])
def test_an_endpoint_that_lists_no_models_answers_anyway(status: int) -> None:
    headers("openai:m", status)


@pytest.mark.parametrize("status", [401, 403])
def test_a_key_that_is_refused_is_reported_by_its_variable(
    monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with server(status) as (url, _), pytest.raises(ValueError, match="refuses") as caught:
        check_endpoint(parse_reference(f"openai:m@{url}/v1"))
    told = f"{url}/v1/models refuses the key of OPENAI_API_KEY (HTTP {status})"
    assert str(caught.value) == told


def test_a_key_that_google_refuses_as_an_invalid_request_is_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    body = b'{"error": {"code": 400, "details": [{"reason": "API_KEY_INVALID"}]}}'
    with server(400, body=body) as (url, _), pytest.raises(ValueError, match="refuses the key"):
        check_endpoint(parse_reference(f"gemini:m@{url}"))


def test_endpoint_that_requires_a_key_names_the_variable_to_set() -> None:
    with server(401) as (url, _), pytest.raises(ValueError, match="requires a key") as caught:
        check_endpoint(parse_reference(f"openai:m@{url}"))
    told = f"{url}/models requires a key: set the environment variable OPENAI_API_KEY (HTTP 401)"
    assert str(caught.value) == told


@pytest.mark.parametrize("status", [302, 308])
def test_key_is_not_sent_to_a_redirect(monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with server(200) as (elsewhere, stolen), server(status, f"{elsewhere}/models") as (url, asked):
        check_endpoint(parse_reference(f"openai:m@{url}"))
    assert (len(asked), stolen) == (1, [])


def test_unused_port_does_not_answer(unused_port: int) -> None:
    with pytest.raises(ValueError, match=r"does not answer: .*Connection refused") as caught:
        check_endpoint(parse_reference(f"openai:m@http://me:secret@127.0.0.1:{unused_port}/v1"))
    assert str(caught.value).startswith(f"http://127.0.0.1:{unused_port}/v1/models does not answer")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("name", ["http_proxy", "ALL_PROXY"])
def test_the_proxy_of_an_endpoint_that_does_not_answer_is_named(
    name: str, monkeypatch: pytest.MonkeyPatch, unused_port: int
) -> None:
    for each in os.environ:
        if each.lower().endswith("_proxy"):
            monkeypatch.delenv(each)
    monkeypatch.setenv(name, f"http://me:s3cret@127.0.0.1:{unused_port}")
    with server(200) as (url, asked):
        check_endpoint(parse_reference(f"openai:m@{url}"))
    assert len(asked) == 1
    with pytest.raises(ValueError, match=r"does not answer: .*Connection refused") as caught:
        check_endpoint(parse_reference("openai:m@http://model.invalid/v1"))
    assert f"(through the proxy http://127.0.0.1:{unused_port}, which" in str(caught.value)
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    "proxy", ["socks://p:1", "ftp://p:1", "http://me:s3#cret@p:1", "socks5://p:1"]
)
def test_a_proxy_that_clients_cannot_use_is_an_error_before_a_run(
    proxy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for each in ("no_proxy", "NO_PROXY", "https_proxy", "HTTPS_PROXY"):
        monkeypatch.delenv(each, raising=False)
    monkeypatch.setenv("https_proxy", proxy)
    if "socks5" in proxy and find_spec("socksio") is not None:
        pytest.skip("it can be used")
    with pytest.raises(ValueError, match=r"(through the|SOCKS) proxy") as caught:
        check_endpoint(parse_reference("openai:m@https://model.invalid/v1"))
    assert "s3" not in str(caught.value)


@pytest.mark.skipif(find_spec("socksio") is not None, reason="the package is installed")
def test_a_socks_proxy_without_its_package_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("all_proxy", "socks5://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY")
    monkeypatch.delenv("no_proxy", raising=False)
    with pytest.raises(ValueError, match=r"openai:m: a SOCKS proxy .* needs the package socksio"):
        make_client(parse_reference("openai:m@http://socks.invalid/v1"))


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1:port/v1", "http://[::1/v1", "http://a b/v1", "http://\x00/",
     "https://127.0.0.1:1/ü", "http://ü..x/", "http://" + "a" * 300 + "/"],
)  # fmt: skip
def test_an_invalid_url_does_not_answer(url: str) -> None:
    with pytest.raises(ValueError, match="does not answer"):
        check_endpoint(parse_reference(f"openai:m@{url}"))


def test_user_and_password_in_a_url_are_sent_as_basic_auth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with server(200) as (url, asked):
        check_endpoint(parse_reference(f"openai:m@{url.replace('//', '//me:p%40ss@')}"))
    assert asked[0][1]["authorization"] == "Basic bWU6cEBzcw=="  # me:p@ss


def test_url_without_host_or_with_other_scheme_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="is not a URL of http or https"):
        check_endpoint(parse_reference("openai:m@http://"))
    monkeypatch.setenv("OPENAI_BASE_URL", "file:///etc")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(ValueError, match="file:///etc/models is not a URL of http or https"):
        check_endpoint(parse_reference("openai:m"))


def test_server_of_another_protocol_does_not_answer(unused_port: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            stream, _ = listening.accept()
            with stream:
                stream.recv(1000)
                stream.sendall(b"SSH-2.0-OpenSSH_9.6\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        port = listening.getsockname()[1]
        with pytest.raises(ValueError, match="does not answer"):
            check_endpoint(parse_reference(f"openai:m@http://127.0.0.1:{port}/v1"))
        thread.join()


def test_script_is_loaded_and_invalid_ones_refused(tmp_path: Path) -> None:
    script = tmp_path / "replies.jsonl"
    with pytest.raises(ValueError, match=r"cannot read .*replies.jsonl: No such file"):
        make_client(parse_reference(f"scripted:{script}"))
    script.write_text('"one"\n')
    model = make_client(parse_reference(f"scripted:{script}"))
    assert isinstance(model, ScriptedModel)
    assert model.replies == ("one",)
    script.write_text('"one"\nnothing\n')
    with pytest.raises(ValueError, match=r"replies.jsonl, line 2"):
        make_client(parse_reference(f"scripted:{script}"))
    with pytest.raises(ValueError, match="cannot read"):
        make_client(parse_reference(f"scripted:{tmp_path}"))
    with pytest.raises(ValueError, match=r"null byte|cannot read"):
        make_client(parse_reference("scripted:a\0b"))


def test_clients_are_prepared_and_invalid_models_are_skipped() -> None:
    names = ["nobody:x", "vllm:x", "openai:x", "scripted:none.jsonl", "openai:ahead@http://a/v1"]
    references = [parse_reference(name) for name in names]
    prepare(references)
    made = _client.cache_info()
    make_client(references[-1])
    assert _client.cache_info().hits == made.hits + 1
