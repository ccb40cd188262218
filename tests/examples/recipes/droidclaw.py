"""Stand-in for DroidClaw: it waits after unreadable replies and failed requests."""

import json

from model import ask

input()
for _step in range(3):
    try:
        decision = json.loads(ask())
    except (OSError, ValueError) as error:
        print(f"LLM Error: {error}")
        decision = {"action": "wait"}
    print(f"Decision: {decision['action']}")
    if decision["action"] == "done":
        print("\nTask completed successfully.")
        break
else:
    print("\nMax steps reached. Task may be incomplete.")
