"""The wording of judges' prompts, in a TOML file with the same fields for each language."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Verbs:
    """The words for actions: a verb for each kind of action, and words that connect their parts.

    `more` is the text for {COUNT} actions that are left out.
    """

    of: Mapping[str, str]
    directions: Mapping[str, str]
    keys: Mapping[str, str]
    to: str
    into: str
    cleared: str
    entered: str
    replied: str
    not_done: str
    nothing: str
    then: str
    more: str


@dataclass(frozen=True, slots=True)
class Wording:
    """All strings for a judge; capitals in braces are placeholders.

    - `role`, `rules`, `action_rules`: the system prompt; `guard`: explains fences ({NUMBER}).
    - `goal`, `part`, `history`, `notes`, `answer`, `no_answer`: introduce each kind of data.
    - `pictures`, `hierarchies`, `final_hierarchy`: introduce screens ({FIRST}, {LAST}, {COUNT}).
    - `picture_actions` (strips begin with {CODE}), `picture_words`, `dots`, `listed_actions`:
      explain how actions are shown.
    - `picture`, `screen`, `last`, `unreadable`: the titles of screens ({NUMBER}).
    - `ask`: the question; `result_only`, `with_reason`: the form of the reply.
    - `reminders`, `action_reminders`, `data_reminder`: the end of a prompt that asks for a result
      (SPA-Bench, appendix D.4.3); the second only if actions are shown (D.4.4, D.4.5).
    - `wall`, `statements_wall`: how a judge reports a wall in place of a result, or after a rubric.
    - `statements`, `statements_form`, `statements_reason`: the same for a rubric ({COUNT}).
    - `take_notes`: asks for notes in all windows except the last ({COUNT} more screens follow).
    - `repair_result`, `repair_statements`, `repair_notes`: the messages after an unreadable reply.
    """

    verbs: Verbs
    role: str
    rules: tuple[str, ...]
    action_rules: tuple[str, ...]
    guard: str
    goal: str
    part: str
    history: str
    notes: str
    answer: str
    no_answer: str
    pictures: str
    hierarchies: str
    final_hierarchy: str
    picture_actions: str
    picture_words: str
    dots: str
    listed_actions: str
    picture: str
    screen: str
    last: str
    unreadable: str
    ask: str
    reminders: tuple[str, ...]
    action_reminders: tuple[str, ...]
    data_reminder: str
    result_only: str
    with_reason: str
    wall: str
    statements: str
    statements_form: str
    statements_reason: str
    statements_wall: str
    take_notes: str
    repair_result: str
    repair_statements: str
    repair_notes: str


@cache
def wording_of(language: str) -> Wording:
    """Return the wording for a task's language: Chinese for "zh" and "zh-…", else English."""
    texts = texts_in(Path(__file__).parent, language)
    verbs = Verbs(**texts.pop("verbs"))
    lists = {name: tuple(text) for name, text in texts.items() if isinstance(text, list)}
    return Wording(verbs=verbs, **{**texts, **lists})


def texts_in(folder: Path, language: str) -> dict[str, Any]:
    """Return the texts in a folder's file for a language, `en.toml` or `zh.toml`."""
    name = "zh" if language.partition("-")[0].lower() == "zh" else "en"
    return tomllib.loads((folder / f"{name}.toml").read_text("utf-8"))
