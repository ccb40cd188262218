r"""Markers around a model's reply, which servers should have taken off: tokens, fences, XML calls.

Every dialect's `parse` takes them off first. They go where models put them: at both ends of the
reply, on the inside of `<answer>`, `<tool_call>` and quotes, and GLM's box tokens around a value
anywhere. What follows a model's turn, if it was not stopped, goes as well. In the middle of a text,
a token stays, because a goal may ask to type it. XML calls become JSON calls.
"""

from __future__ import annotations

import json
import re

# Qwen, GLM, Llama, Phi, Kimi, gpt-oss <|im_end|>; DeepSeek the same with full-width bars; Mistral,
# Llama 2 </s>, [/INST]; Gemma <end_of_turn>, <unused7>; Seed <seed:eos>; EXAONE [|endofturn|];
# UI-TARS [EOS].
_MARK = (
    r"(?:<\|/?\w[\w.:-]{0,40}\|>|<\uff5c[\w\u2581 ]{1,40}\uff5c>|\[\|\w{1,40}\|\]|</?s>|\[/?INST\]"
    r"|</?(?:eos|bos|pad|unk|eot|sop|eop|end_of_turn|start_of_turn|unused\d{1,5})>|<seed:[be]os>"
    r"|\[(?:EOS|BOS|PAD|gMASK)\])"
)
_ROLE = r"(?:(?<=[>\]])(?:assistant|model)\b)"
_BEFORE = re.compile(rf"\s*(?:(?:{_MARK}|{_ROLE})\s*)+")  # matched at the beginning only
_AFTER = re.compile(rf"{_MARK}\Z")
_LONGEST = 60  # characters of a token, at least
_INSIDE = (
    re.compile(rf"(<(?:answer|tool_call)>)\s{{0,9}}(?:{_MARK}\s{{0,9}}){{1,9}}"),
    re.compile(rf"(?:{_MARK}\s{{0,9}}){{1,9}}(</(?:answer|tool_call)>)"),
)
# At the ends of a value in quotes, unless it is all that stands there; a goal may name others.
_QUOTED = (
    re.compile(r"""((?<=[=:(]["'])|(?<=[=:] ["']))(?:<\|\w{1,40}\|>\s{0,9}){1,9}(?=[^"'\s<\\])"""),
    re.compile(r"""((?<=[^"']))(?:\s{0,9}<\|\w{1,40}\|>){1,9}(?=["']\s{0,9}[),}\]])"""),
)
_BOX = ("<|begin_of_box|>", "<|end_of_box|>")
# The next turn, which a model writes itself if its server does not stop it.
_NEXT_TURN = re.compile(
    rf"(?:{_MARK}|\n)[ \t]{{0,9}}\n{{0,2}}(?:<\|(?:user|observation|system)\|>|<\uff5cUser\uff5c>"
    r"|\[\|user\|\]|\[INST\]"
    r"|(?:<\|im_start\|>|<\|start_header_id\|>|<start_of_turn>|<\|start\|>)(?:user|system|tool)\b)"
)
_FINAL = "<|channel|>final<|message|>"  # what gpt-oss says after its analysis
_FENCED = re.compile(r"\s*```\w*[ \t]*\n(.*?)(?:\n[ \t]*```\s*)?", re.DOTALL)
# Qwen3.5: <tool_call><function=NAME><parameter=KEY>…; other models: <function name="NAME"><param …
# MiniMax, DeepSeek: <minimax:tool_call>, then <invoke name="NAME"> and <parameter name="KEY">…
_TO = r"(?:\w{1,20}:|\uff5cDSML\uff5c)?"  # a namespace
_CALLS = rf"{_TO}(?:tool_call|function_call)s?"
_CALL = re.compile(
    rf"""(?:<{_CALLS}>\s{{0,9}}|^[ \t]{{0,9}})"""
    rf"""<{_TO}(?:function|invoke)(?:=|\s+name=)["']?([\w.-]+)["']?\s*>"""
    rf"(.*?)(?:</{_TO}(?:function|invoke)>\s*(?:</{_CALLS}>)?|</{_CALLS}>|(?=<tool_call>)|\Z)",
    re.DOTALL | re.MULTILINE,
)
_PARAMETER = re.compile(
    rf"""<{_TO}param(?:eter)?(?:=|\s+name=)["']?([\w.-]+)["']?(?:\s[^<>]{{0,60}})?>"""
    rf"(.*?)(?=</?{_TO}param|</arg_value>|\Z)",
    re.DOTALL,
)
# GLM: <tool_call>NAME<arg_key>KEY</arg_key><arg_value>…
_NAMED = re.compile(r"<tool_call>\s{0,9}([\w.-]+)\s{0,9}(?=<arg_key>)")
_KEY = re.compile(r"<arg_key>\s{0,9}([\w.-]+)\s{0,9}</arg_key>\s{0,9}<arg_value>")


def without_markers(words: str) -> str:
    """Return a reply without its markers; unchanged if it has none, or nothing else."""
    text = words.rpartition(_FINAL)[2]
    if all(token in text for token in _BOX):
        text = text.replace(_BOX[0], "").replace(_BOX[1], "")
    before = _BEFORE.match(text)
    text = text[before.end() :] if before else text
    if (turn := _NEXT_TURN.search(text)) and text[: turn.start()].strip():
        text = text[: turn.start()]
    text = _without_last_tokens(text)
    for tokens in (*_INSIDE, *_QUOTED):
        text = tokens.sub(r"\1", text)
    if (fenced := _FENCED.fullmatch(text)) and "```" not in fenced[1]:
        text = fenced[1]
    if _NAMED.search(text):
        text = _KEY.sub(r"<parameter=\1>", _NAMED.sub(r"<tool_call><function=\1>", text))
    return _CALL.sub(_in_json, text) if text.strip() else words


def _without_last_tokens(text: str) -> str:
    while True:
        shorter = text.rstrip()
        last = _AFTER.search(shorter, max(0, len(shorter) - _LONGEST))
        if last is None:
            return text
        text = shorter[: last.start()].rstrip()


def _in_json(call: re.Match[str]) -> str:
    """Return an XML call as JSON; its values stay text, as only the dialect knows their types."""
    arguments = {
        name: value.strip().removesuffix(f"</{name}>").strip()
        for name, value in _PARAMETER.findall(call[2])
    }
    tool = json.dumps({"name": call[1], "arguments": arguments}, ensure_ascii=False)
    return f"<tool_call>\n{tool}\n</tool_call>"
