"""Simple SMS Messenger: five tasks."""

from pytest_mobileagent import open_app, tap, type_text

from ._registry import solves

MESSENGER = "com.simplemobiletools.smsmessenger"
SEND = tap(resource_id="thread_send_message")


def write(number, message):
    """Return the moves that send a message to a number, in a conversation begun anew."""
    return [
        open_app(MESSENGER),
        tap(resource_id="conversations_fab"),
        type_text(number, resource_id="new_conversation_address"),
        tap(resource_id="new_conversation_confirm"),
        type_text(message, resource_id="thread_type_message"),
        SEND,
    ]


def reply(number, message):
    """Return the moves that send a message in a conversation that there is."""
    return [
        open_app(MESSENGER),
        tap(resource_id="conversation_address", text=number),
        type_text(message, resource_id="thread_type_message"),
        SEND,
    ]


@solves("SimpleSmsSend", "SimpleSmsSendReceivedAddress")
def send(params):
    return write(params["number"], params["message"])


@solves("SimpleSmsReply", "SimpleSmsReplyMostRecent")
def answer_message(params):
    return reply(params["number"], params["message"])


@solves("SimpleSmsResend")
def send_again(params):
    return reply(params["name"], params["message"])
