"""Stand-in for android-vision-agent: it reports that it has finished, whatever the outcome."""

import json

from model import ask

for _cycle in range(2):
    try:
        plan = json.loads(ask())
    except (OSError, ValueError) as error:
        print(f"Error analyzing UI with LLM: {error}")
        continue
    if plan.get("is_task_complete"):
        print("Task marked as complete by the LLM")
        break
print("\n✅ Task execution finished!")
