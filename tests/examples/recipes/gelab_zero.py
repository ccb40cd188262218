"""Stand-in for GELab-Zero: it prints each reply and action, and the same words at every end."""

from model import ask

for step in range(1, 4):
    said = ask()
    print(f"LLM gelab-zero-4b-preview says:\n---start---\n{said}\n---end---")
    parts = said.rpartition("</THINK>")[2].strip().split("\t")
    action = dict(part.split(":", 1) for part in parts if ":" in part)
    kind = action["action"]
    if kind in ("COMPLETE", "ABORT"):
        print(f"Task {'completed' if kind == 'COMPLETE' else 'aborted'}.")
    print(f"Step {step}/3 done. Action: {action}")
    if kind in ("COMPLETE", "ABORT"):
        break
print("Task Tick off the eggs. done in 3 steps. Session ID: 1")
