"""In the shape of Mobile-Agent v3: words for the end, and none for running out of steps."""

from model import ask

for _step in range(3):
    try:
        words = ask()
    except OSError:
        raise RuntimeError("Error calling vLLM in planning phase.") from None
    plan = words.split("### Plan")[-1].replace("###", "").strip()
    if "Finished" in plan and len(plan) < 15:
        print("Instruction finished, stop the process.")
        break
    print("Action prompt output is not in the correct format.")
