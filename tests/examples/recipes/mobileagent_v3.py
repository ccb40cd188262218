"""Stand-in for Mobile-Agent v3: it prints when it has finished, but not when steps run out."""

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
