"""SMS Messenger: ten tasks of MobileAgentBench."""

import re
from typing import Any

from pytest_mobileagent import long_press, provider, tap, tasks, type_text

from .checks import OK, agreed, at, digits, has, searched, texts, view
from .setups import NUMBER, WORDS, fresh, sent, unsent
from .table import SOURCE, fields, of

SENT = {"messages": provider("content://sms", ["address", "body", "type"], where="type<>1")}


def began(episode):
    """Ask whether the message was sent, whether or not a network took it; a draft was not."""
    return any(
        digits(row["address"]) == NUMBER and row["body"].strip().lower() == WORDS
        for row in episode.probe("messages")
        if row["type"] in ("2", "4", "5", "6")
    )


def details(episode):
    """Ask whether the details of a message to the number are shown."""
    title = episode.screen.find(text="Message details", package=episode.app)
    return title and any(digits(text) == NUMBER for text in texts(episode, "property_value"))


def blocked(episode):
    return any(digits(text) == NUMBER for text in texts(episode, "manage_blocked_number_title"))


def archived(episode):
    """Ask whether the conversation left the list by being archived."""
    listed = {digits(text) for text in texts(episode, "conversation_address")}
    is_main = view(episode, "conversations_fab")
    return is_main and NUMBER not in listed and agreed(episode, re.compile("(?i)archive"))


QUESTIONS = {
    "messager_add_block_numbers": blocked,
    "messager_change_font_size": has("settings_font_size", "Large"),
    "messager_check_message_properties": details,
    "messager_create_conversation_and_check_message_properties": lambda e: e.in_order(
        began, details
    ),
    "messager_create_conversation_and_search": lambda e: e.in_order(began, searched(NUMBER)),
    "messager_make_conversation_archived": archived,
    "messager_search_contacts": searched(NUMBER),
    "messager_search_message": searched(WORDS),
    "messager_show_archived_messages": at(".ArchivedConversationsActivity"),
    "messager_start_a_conversation": began,
}
FILLED = ("check_message_properties", "make_conversation_archived", "search_contacts",
          "search_message")  # fmt: skip
SETUPS = {row.id: fresh(unsent) for row in of("messager")}
SETUPS |= {f"messager_{name}": fresh(sent) for name in FILLED}

MENU, BACK = tap(content_desc="More options"), tap(content_desc="Back")
CONVERSATION: dict[str, Any] = {"resource_id": "conversation_address", "text": NUMBER}
MESSAGE: dict[str, Any] = {"resource_id": "thread_message_body", "text": WORDS}
SEARCH: dict[str, Any] = {"resource_id": "top_toolbar_search"}
PROPERTIES = [long_press(**MESSAGE), MENU, tap(text="Properties")]
SEND = [
    tap(resource_id="conversations_fab"),
    type_text(NUMBER, resource_id="new_conversation_address"),
    tap(resource_id="new_conversation_confirm"),
    type_text(WORDS, resource_id="thread_type_message"),
    tap(resource_id="thread_send_message"),
]
SOLUTIONS = {
    "messager_add_block_numbers": [
        tap(content_desc="Settings"),
        tap(text="Manage blocked numbers"),
        tap(content_desc="Add a blocked number"),
        type_text(NUMBER, resource_id="add_blocked_number_edittext"),
        tap(resource_id=OK),
    ],
    "messager_change_font_size": [
        tap(content_desc="Settings"),
        tap(text="Font size"),
        tap(text="Large"),
    ],
    "messager_check_message_properties": [tap(**CONVERSATION), *PROPERTIES],
    "messager_create_conversation_and_check_message_properties": [*SEND, *PROPERTIES],
    "messager_create_conversation_and_search": [*SEND, BACK, BACK, type_text(NUMBER, **SEARCH)],
    "messager_make_conversation_archived": [
        long_press(**CONVERSATION),
        MENU,
        tap(text="Archive"),
        tap(resource_id=OK),
    ],
    "messager_search_contacts": [type_text(NUMBER, **SEARCH)],
    "messager_search_message": [type_text(WORDS, **SEARCH)],
    "messager_show_archived_messages": [MENU, tap(text="Show archived conversations")],
    "messager_start_a_conversation": SEND,
}


@tasks(of("messager"), each=fields("messager", SOLUTIONS, SETUPS, probes=SENT), source=SOURCE)
def test_messenger(episode, row):
    assert episode.ever(QUESTIONS[row.id])
