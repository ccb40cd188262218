"""Stand-in for minitap's mobile-use: it crashes on replies that are not as its schema says."""

import json

from .model import ask

for _step in range(3):
    try:
        plan = json.loads(ask())
        done = plan["complete_subgoals_by_ids"]
    except Exception as error:
        print(f"❌ [f0] Error running automation: {error}")
        raise
    if done:
        print("ℹ ✅ Automation 'f0' is success ✅")
        break
else:
    message = "Recursion limit of 3 reached without hitting a stop condition."
    print(f"❌ [f0] Error running automation: {message}")
    raise RecursionError(message)
