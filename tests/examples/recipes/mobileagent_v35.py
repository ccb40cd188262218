"""Stand-in for Mobile-Agent v3.5: its last line is always the same, unless it crashes."""

import json

from model import ask

for _step in range(3):
    words = ask()
    print(f"[MODEL OUTPUT]\n{words}")
    try:
        arguments = json.loads(words.split("<tool_call>\n")[1].split("\n")[0])["arguments"]
    except (IndexError, ValueError) as error:
        raise ValueError(f"Failed to parse action from model output: {error}") from None
    if arguments["action"] == "terminate":
        print(f"[TERMINATED] Status: {arguments['status']}")
        break
print("\n[DONE] Agent execution finished.")
