"""Stand-in for AppAgent: a script with its own exit status, around one that may crash."""

import os
import re
import sys

if "--inner" not in sys.argv:
    input()
    input()
    os.system(f"{sys.executable} -S {__file__} --inner")  # its status is ignored
    sys.exit()

from model import ask

ELEMENTS = ["first", "second"]
try:
    words = ask()
except OSError:
    words = None
action = re.search("Action: (.*)", words or "")
if action is None:
    print("\x1b[31mERROR: this reply cannot be taken apart\x1b[0m")
elif "FINISH" in action[1]:
    print("\x1b[33mTask completed successfully\x1b[0m")
    sys.exit()
else:
    print("I think: Task completed successfully")
    print(ELEMENTS[int(action[1].strip("tap()")) - 1])
print("\x1b[31mTask finished unexpectedly\x1b[0m")
