"""Stand-in for Open-AutoGLM: unreadable replies and errors become its result."""

import traceback

from model import ask


def parsed(words):
    if words.startswith("finish(message="):
        return words[len("finish(message=") + 1 : -2]
    raise ValueError(f"Failed to parse action: {words}")


try:
    reply = ask()
except OSError as error:
    traceback.print_exc()
    result = f"Model error: {error}"
else:
    try:
        result = parsed(reply)
    except ValueError:
        traceback.print_exc()
        result = reply or "Task completed"
print(f"\nResult: {result}")
