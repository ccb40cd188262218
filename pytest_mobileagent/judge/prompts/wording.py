"""The strings that each language of prompts must provide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.action.action import Action


@dataclass(frozen=True, slots=True)
class Verbs:
    """The words for actions: a verb for each kind of action, and words that connect their parts.

    `more` is the text for {COUNT} actions that are left out.
    """

    of: Mapping[type[Action], str]
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
    - `pictures`, `hierarchies`, `final_hierarchy`: introduce the screens ({FIRST}, {LAST},
      {COUNT}).
    - `picture_actions` (strips begin with {CODE}), `picture_words`, `dots`, `listed_actions`:
      explain how actions are shown.
    - `picture`, `screen`, `last`, `unreadable`: the titles of screens ({NUMBER}).
    - `ask`: the question; `result_only`, `with_reason`: the form of the reply.
    - `reminders`, `action_reminders`, `data_reminder`: the end of a prompt that asks for a result
      (SPA-Bench, appendix D.4.3); the second only if actions are shown (D.4.4, D.4.5).
    - `wall`, `statements_wall`: how a judge reports a wall, in place of a result, or after the
      results of a rubric.
    - `statements`, `statements_form`, `statements_reason`: the question and form for a rubric
      ({COUNT}).
    - `take_notes`: the request for notes in all windows except the last ({COUNT} more screens
      follow).
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
