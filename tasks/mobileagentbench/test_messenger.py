"""SMS Messenger: ten tasks of MobileAgentBench."""

import re

from pytest_mobileagent import provider, tasks

from .checks import agreed, at, digits, has, searched, texts, view
from .setups import NUMBER, WORDS, fresh, sent, unsent
from .table import SOURCE, fields, of

SENT = {"messages": provider("content://sms", ["address", "body", "type"], where="type<>1")}


def began(episode):
    """Ask whether the message was sent, whether or not a network took it."""
    return any(
        digits(row["address"]) == NUMBER and row["body"].strip().lower() == WORDS
        for row in episode.probe("messages")
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


@tasks(of("messager"), each=fields("messager", {}, SETUPS, probes=SENT), source=SOURCE)
def test_messenger(episode, row):
    assert episode.ever(QUESTIONS[row.id])
