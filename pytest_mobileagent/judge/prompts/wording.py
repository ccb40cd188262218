"""The wording that every language of prompts has to provide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.action.action import Action


@dataclass(frozen=True, slots=True)
class Verbs:
    """How actions are told: a verb for each kind of action, and what connects their parts.

    `more` stands for {COUNT} actions that are left out.
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
    """All that is said to a judge; capitals in braces stand for what is filled in.

    - `role`, `rules`, `action_rules`: the system prompt; `guard`: how data is fenced ({NUMBER}).
    - `goal`, `part`, `history`, `notes`, `answer`, `no_answer`: what introduces each kind of data.
    - `pictures`, `hierarchies`, `final_hierarchy`: what is shown ({FIRST}, {LAST}, {COUNT}).
    - `picture_actions` (strips begin with {CODE}), `picture_words`, `dots`, `listed_actions`: how
      actions are told.
    - `picture`, `screen`, `last`, `unreadable`: what stands before each screen ({NUMBER}).
    - `ask`: the question; `result_only`, `with_reason`: the form of the reply.
    - `reminders`, `action_reminders`, `data_reminder`: what closes a prompt that asks for a result
      (SPA-Bench, appendix D.4.3); the second where actions are told (D.4.4, D.4.5).
    - `wall`, `statements_wall`: how a judge says that a wall kept the goal from being met, in place
      of a result, and after those of a rubric.
    - `statements`, `statements_form`, `statements_reason`: the same of a rubric ({COUNT}).
    - `take_notes`: what is asked of all windows but the last ({COUNT} more screens follow).
    - `repair_result`, `repair_statements`, `repair_notes`: what is said after an unreadable reply.
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
