"""Replies that are known: which are cached and found again, and those of a recorded episode."""

from __future__ import annotations

import io
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import PIL.Image
import pytest

from pytest_mobileagent.episode.screens import ScreenStore
from pytest_mobileagent.errors import HostError
from pytest_mobileagent.jsonable import to_line
from pytest_mobileagent.llm.known_replies import (
    NotCachedError,
    RecordedAnswers,
    RecordedReplies,
    RepeatCounter,
    RepliesSpentError,
    ReplyCache,
    has_replies,
    script_of,
)
from pytest_mobileagent.llm.model import (
    Completion,
    Image,
    Message,
    Request,
    RequestRefusedError,
    Tool,
    ToolCall,
    Usage,
)
from pytest_mobileagent.llm.providers import server_of
from pytest_mobileagent.llm.reference import parse_reference
from pytest_mobileagent.llm.scripted.entries import Fault, ScriptedReply

if TYPE_CHECKING:
    from pathlib import Path

GPT = parse_reference("openai:gpt-4o")
ASKED = Request((Message("system", ("Be brief.",)), Message("user", ("Hi", Image(b"\x89PNG1")))))
ANSWER = Completion(
    "half a pair: \ud800, Größe",
    (ToolCall("1", "tap", {"x": 1, "deep": [{"a": None}]}),),
    "tools",
    Usage(10, 2, 1),
    "gpt-4o-2024",
    0.5,
    {"usage": {"prompt_tokens": 10, "completion_tokens": 2}},
    [{"type": "reasoning"}],
)


@pytest.fixture
def cache(tmp_path: Path) -> ReplyCache:
    return ReplyCache(tmp_path / "replies")


def test_cached_reply_is_returned_unchanged(cache: ReplyCache) -> None:
    key = cache.key(GPT, ASKED, 0)
    assert cache.find(key) is None
    cache.keep(key, ANSWER)
    assert cache.find(key) == replace(ANSWER, text="half a pair: ?, Größe")
    assert cache.find(cache.key(GPT, ASKED, 1)) is None


@pytest.mark.parametrize("stop", ["length", "refusal"])
def test_only_complete_replies_are_cached(cache: ReplyCache, stop: Any) -> None:
    cache.keep("ab12", replace(ANSWER, stop=stop))
    assert cache.find("ab12") is None


SERVERS = [
    ("openai:gpt-4o", "OPENAI_BASE_URL", ("", "http://127.0.0.1:1/v1")),
    ("openai-responses:gpt-4o", "OPENAI_BASE_URL", ("", "http://127.0.0.1:1/v1")),
    ("anthropic:claude", "ANTHROPIC_BASE_URL", ("http://one", "http://other")),
    ("gemini:pro", "GEMINI_BASE_URL", ("http://one/v1", "http://one/v2")),
    ("ollama:qwen", "OLLAMA_HOST", ("gpu1", "gpu2:11434")),
    ("vllm:qwen", "VLLM_BASE_URL", ("", "http://gpu2/v1")),
]


@pytest.mark.parametrize(("model", "variable", "servers"), SERVERS)
def test_changed_server_has_different_replies(
    cache: ReplyCache,
    monkeypatch: pytest.MonkeyPatch,
    model: str,
    variable: str,
    servers: tuple[str, str],
) -> None:
    (one, other), reference = servers, parse_reference(model)
    monkeypatch.setenv(variable, one)
    before = cache.key(reference, ASKED, 0)
    assert cache.key(reference, ASKED, 0) == before
    monkeypatch.setenv(variable, other)
    assert cache.key(reference, ASKED, 0) != before
    monkeypatch.setenv(variable, one)
    assert cache.key(reference, ASKED, 0) == before


def test_server_is_identified_however_it_is_configured(
    cache: ReplyCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://own/v1/")
    by_environment = cache.key(GPT, ASKED, 0)
    monkeypatch.delenv("OPENAI_BASE_URL")
    assert by_environment != cache.key(GPT, ASKED, 0)
    assert by_environment == cache.key(parse_reference("openai:gpt-4o@http://own/v1"), ASKED, 0)


def test_streaming_keys_and_passwords_do_not_affect_the_cache_key(
    cache: ReplyCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cache.key(GPT, replace(ASKED, stream=True), 0) == cache.key(GPT, ASKED, 0)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-one")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://ann:secret@own/v1?token=abc")
    key = cache.key(GPT, ASKED, 0)
    assert server_of(GPT) == "http://own/v1?token=…"
    monkeypatch.setenv("OPENAI_API_KEY", "sk-other")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://bob:word@own/v1?token=xyz")
    assert cache.key(GPT, ASKED, 0) == key


def test_changed_script_has_different_replies(cache: ReplyCache, tmp_path: Path) -> None:
    script = tmp_path / "judge.jsonl"
    script.write_text('"Result: 1"\n')
    reference = parse_reference("scripted:judge.jsonl").named_in(tmp_path)
    before = cache.key(reference, ASKED, 0)
    script.write_text('"Result: 0"\n')
    assert cache.key(reference, ASKED, 0) != before
    script.write_text('"Result: 1"\n')
    assert cache.key(reference, ASKED, 0) == before
    script.unlink()
    assert server_of(reference) == ""


SAME = (GPT, ASKED)
OTHER = {
    "another model": (parse_reference("openai:gpt-4o-mini"), ASKED),
    "another provider": (parse_reference("openrouter:gpt-4o"), ASKED),
    "another endpoint": (parse_reference("openai:gpt-4o@http://own/v1"), ASKED),
    "another setting": (GPT, replace(ASKED, temperature=0.0)),
    "another tool": (GPT, replace(ASKED, tools=(Tool("tap"),))),
    "an extra field": (GPT, replace(ASKED, extra={"reasoning": "low"})),
    "other words": (GPT, Request((Message("user", ("Hello",)),))),
    "another role": (GPT, Request((Message("assistant", ("Hi",)),))),
    "another picture": (
        GPT,
        Request((ASKED.messages[0], Message("user", ("Hi", Image(b"\x89PNG2"))))),
    ),
    "less detail": (
        GPT,
        Request((ASKED.messages[0], Message("user", ("Hi", Image(b"\x89PNG1", "low"))))),
    ),
    "another order": (
        GPT,
        Request((ASKED.messages[0], Message("user", (Image(b"\x89PNG1"), "Hi")))),
    ),
}


def test_different_requests_have_different_replies(cache: ReplyCache) -> None:
    keys = {name: cache.key(*request, 0) for name, request in {"same": SAME, **OTHER}.items()}
    assert len(set(keys.values())) == len(keys) == 12, keys


def test_each_epoch_and_repetition_has_its_own_reply(tmp_path: Path) -> None:
    keys = {
        ReplyCache(tmp_path, epoch).key(*SAME, repeat) for epoch in range(3) for repeat in range(3)
    }
    assert len(keys) == 9


def test_equal_requests_of_an_episode_are_counted() -> None:
    repeats = RepeatCounter()
    assert [repeats.count(*SAME) for _ in range(3)] == [0, 1, 2]
    assert repeats.count(*OTHER["other words"]) == 0
    assert RepeatCounter().count(*SAME) == 0


def test_replay_only_cache_refuses_new_requests(tmp_path: Path) -> None:
    kept, replays = ReplyCache(tmp_path), ReplyCache(tmp_path, only_replays=True)
    key = kept.key(*SAME, 0)
    with pytest.raises(NotCachedError, match=r"--mobile-cache=replay: no reply is cached"):
        replays.find(key)
    replays.keep(key, ANSWER)
    assert kept.find(key) is None
    kept.keep(key, ANSWER)
    assert replays.find(key) == kept.find(key) is not None


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b'"words"', b"3", b"null", b"{}", b"\xff", b"[" * 9999,
     b'{"tool_calls": null}', b'{"tool_calls": [3], "usage": {}}', b'{"text": "a"}',
     b'{"text": "a", "tool_calls": [], "usage": {"much": 3}}',
     b'{"text": "a", "tool_calls": [], "usage": null}',
     b'{"text": 3, "tool_calls": [], "usage": {}}',
     b'{"text": "a", "tool_calls": [], "usage": {}, "stop": "never"}'],
)  # fmt: skip
def test_an_invalid_cached_reply_is_requested_again(cache: ReplyCache, content: bytes) -> None:
    key = cache.key(*SAME, 0)
    cache.keep(key, ANSWER)
    (path,) = cache.folder.rglob("*.json")
    path.write_bytes(content)
    assert cache.find(key) is None
    cache.keep(key, ANSWER)
    assert cache.find(key) is not None


def test_unwritable_folder_caches_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    cache = ReplyCache(tmp_path / "file")
    cache.keep("ab12", ANSWER)
    assert cache.find("ab12") is None


def test_concurrent_writes_of_one_reply_are_safe(cache: ReplyCache) -> None:
    key = cache.key(*SAME, 0)
    long = replace(ANSWER, text="words " * 20_000)

    def use(number: int) -> bool:
        if number % 2:
            cache.keep(key, long)
        return (found := cache.find(key)) is None or len(found.text) == 120_000

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(use, range(60)))
    assert [path.suffix for path in cache.folder.rglob("*") if path.is_file()] == [".json"]


TOOL = {"id": "1", "name": "tap", "arguments": {"x": 5}, "kind": "function"}
CALL = {"model": "m", "input_tokens": 9, "output_tokens": 2, "response_model": "m-1"}
BUSY = {"call": None, "role": "actor", "busy_since": 7.0, "error": "429"}
REFUSED = {"call": None, "role": "actor", "reply": None, "error": "it is too long"}


def said(text: str, role: str = "actor", *tools: Any) -> dict[str, Any]:
    reply = {"text": text, "stop": "tools" if tools else "end", "tool_calls": list(tools)}
    return {"call": CALL, "role": role, "reply": reply, "error": ""}


def write(folder: Path, *lines: Any) -> Path:
    path = folder / "calls.jsonl"
    path.write_text("".join(f"{to_line(line)}\n" for line in lines), "utf-8")
    return path


def test_each_role_has_its_replies_in_order(tmp_path: Path) -> None:
    file = write(
        tmp_path, said("first"), said("plan", "planner"), BUSY, said("second", "actor", TOOL)
    )
    replies = RecordedReplies(file)
    assert [replies.next("actor").text, replies.next("planner").text] == ["first", "plan"]
    last = replies.next("actor")
    assert (last.text, last.stop) == ("second", "tools")
    assert last.tool_calls == (ToolCall("1", "tap", {"x": 5}),)
    assert (last.usage.input, last.usage.output, last.model) == (9, 2, "m-1")
    with pytest.raises(RepliesSpentError, match="no reply to actor is left of those in"):
        replies.next("actor")
    assert RecordedReplies(file).next("actor").text == "first"


def asked(text: str, *prompt: Any, model: str = "openai:m") -> dict[str, Any]:
    messages = [{"role": "user", "content": [*prompt]}]
    return {**said(text, "judge"), "call": {**CALL, "model": model}, "prompt": messages}


def picture_file(store: ScreenStore, quality: int, *, dot: bool = False) -> dict[str, str]:
    """Return the part of a prompt with a gradient, in which there may be a dot."""
    image = PIL.Image.linear_gradient("L").convert("RGB")
    if dot:
        image.putpixel((9, 9), (255, 0, 0))
    file = io.BytesIO()
    image.save(file, "JPEG", quality=quality)
    return {"picture": store.add_picture(file.getvalue())}


def test_answers_are_found_by_model_and_prompt_in_any_order(tmp_path: Path) -> None:
    lines = asked("one", "Hi"), asked("two", "Hi"), REFUSED, asked("b", "Hi", model="b")
    answers = RecordedAnswers(write(tmp_path, *lines))
    prompt = asked("", "Hi")["prompt"]
    assert answers.next("b", prompt).text == "b"
    assert [answers.next("openai:m", prompt).text for _ in range(2)] == ["one", "two"]
    with pytest.raises(NotCachedError, match="no reply of openai:m to this prompt: no reply of it"):
        answers.next("openai:m", prompt)


def test_the_nearest_prompt_shows_how_another_one_differs(tmp_path: Path) -> None:
    answers = RecordedAnswers(
        write(tmp_path, asked("one", "Was it?", "no"), asked("two", "Was it?", "a", "long goal"))
    )
    with pytest.raises(NotCachedError, match=r"part 4 is 'long gool', but was 'long goal'"):
        answers.next("openai:m", asked("", "Was it?", "a", "long gool")["prompt"])
    with pytest.raises(NotCachedError, match=r"part 3 is 'yes', but was 'no'|'yes', but was 'a'"):
        answers.next("openai:m", asked("", "Was it?", "yes")["prompt"])


def test_pictures_of_prompts_may_be_encoded_differently(tmp_path: Path) -> None:
    store = ScreenStore(tmp_path)
    file = write(tmp_path, asked("seen", "Look:", picture_file(store, 90)))
    sent = [asked("", "Look:", picture_file(store, 92, dot=dot))["prompt"] for dot in (True, False)]
    with pytest.raises(NotCachedError, match=r"part 3 is .*picture"):
        RecordedAnswers(file, store).next("openai:m", sent[0])
    with pytest.raises(NotCachedError, match=r"part 3 is .*picture"):
        RecordedAnswers(file).next("openai:m", sent[1])
    assert RecordedAnswers(file, store).next("openai:m", sent[1]).text == "seen"


def test_a_refused_request_is_refused_again(tmp_path: Path) -> None:
    replies = RecordedReplies(write(tmp_path, REFUSED, said("shorter")))
    with pytest.raises(RequestRefusedError, match="it is too long"):
        replies.next("actor")
    assert replies.next("actor").text == "shorter"


def test_script_combines_the_replies_of_all_roles_in_order(tmp_path: Path) -> None:
    file = write(tmp_path, said("plan", "planner"), REFUSED, said("", "actor", TOOL))
    plan, refused, tool = script_of(file)
    assert (plan, refused) == (ScriptedReply("plan", (), "end", 9, 2), Fault(400))
    assert isinstance(tool, ScriptedReply)
    assert tool.tool_calls[0].arguments == {"x": 5}


@pytest.mark.parametrize("line", ["[]", "{", '{"role": 1}', '{"role": "a", "call": {}}', "1"])
def test_an_invalid_line_is_reported(tmp_path: Path, line: str) -> None:
    file = write(tmp_path, said("first"))
    file.write_text(f"{file.read_text('utf-8')}{line}\n", "utf-8")
    with pytest.raises(HostError, match=r"calls\.jsonl, line 2, is not a call of a model"):
        RecordedReplies(file).next("actor")


def test_files_with_replies_are_recognised(tmp_path: Path) -> None:
    assert not has_replies(tmp_path / "calls.jsonl")
    assert not has_replies(write(tmp_path, BUSY, REFUSED))
    assert has_replies(write(tmp_path, said("first")))
    assert not has_replies(tmp_path)
